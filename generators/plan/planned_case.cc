// SPDX-License-Identifier: Apache-2.0
#include "planned_case.h"

#include <algorithm>
#include <string>
#include <vector>

namespace assay {
namespace {

constexpr uint32_t kVersion = 1;

bool AreLiveAtOnce(const BufferInfo& a, const BufferInfo& b) {
  for (const LiveRange& s : a.live) {
    for (const LiveRange& t : b.live) {
      if (std::max(s.lower, t.lower) < std::min(s.upper, t.upper)) return true;
    }
  }
  return false;
}

// Adds a buffer at the lowest free offset of its pool that overlaps none of the buffers before it.
void Append(PlannedProblem& planned, BufferInfo buffer, int32_t pool) {
  auto& [buffers, pools] = planned.problem;
  auto& allocations = planned.plan->allocations;
  int64_t offset = pools[static_cast<size_t>(pool)].offset;
  for (bool moved = true; moved;) {
    moved = false;
    offset = AlignUp(offset, buffer.alignment);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const int64_t begin = allocations[i]->offset, end = begin + buffers[i].size_bytes;
      if (allocations[i]->pool != pool || !AreLiveAtOnce(buffers[i], buffer)) continue;
      if (offset >= end || begin >= offset + buffer.size_bytes) continue;
      offset = end;
      moved = true;
    }
  }
  buffers.push_back(std::move(buffer));
  allocations.push_back(PoolAllocation{pool, offset});
}

std::string Numbered(std::string_view name, int64_t number) {
  return std::string(name) + std::to_string(number);
}

PlannedProblem EmptyPlan() {
  PlannedProblem planned;
  planned.problem.pools = {{.name = "sram"}};
  planned.plan.emplace();
  return planned;
}

PlannedProblem Network(Random& random, int64_t count) {
  PlannedProblem planned = EmptyPlan();
  planned.problem.pools.push_back(
      {.name = "flash", .alignment = 64, .targets = {{"cpu", PoolAccess::kReadOnly}}});
  const int64_t operators = std::max<int64_t>(2, count / 2);
  const auto size = [&] { return 16 * random.Between(1, 64); };
  Append(planned,
         {.name_hint = "input",
          .size_bytes = size(),
          .alignment = 16,
          .live = {{0, random.Between(1, operators)}},
          .kind = BufferKind::kInput},
         0);
  for (int64_t i = 0; i < operators; ++i) {
    // One value in five is read once more, further on.
    const bool is_output = i + 1 == operators;
    const int64_t last = random.OneIn(5) ? random.Between(i + 1, operators) : i + 1;
    Append(planned,
           {.name_hint = is_output ? "output" : Numbered("t", i),
            .size_bytes = size(),
            .alignment = 16,
            .live = {{i, is_output ? operators : std::min(operators, last + 1)}},
            .kind = is_output ? BufferKind::kOutput : BufferKind::kIntermediate},
           0);
    if (random.OneIn(3)) {
      Append(planned,
             {.name_hint = Numbered("scratch", i),
              .size_bytes = random.Between(1, 300),
              .live = {{i, i + 1}},
              .kind = BufferKind::kScratch},
             0);
    }
    if (random.OneIn(2)) {
      Append(planned,
             {.name_hint = Numbered("weights", i),
              .size_bytes = size(),
              .alignment = 64,
              .live = {{0, operators}},
              .pool_candidates = {1},
              .kind = BufferKind::kConstant},
             1);
    }
  }
  return planned;
}

struct Piece {
  int64_t lower, upper, begin, end;
};

// Cuts pieces in two, by time or by address, until there are enough or none is larger than a unit.
std::vector<Piece> Cut(Random& random, Piece whole, size_t count) {
  std::vector<Piece> pieces = {whole};
  for (size_t tries = 0; pieces.size() < count && tries < 20 * count; ++tries) {
    Piece& piece = pieces[random.Below(pieces.size())];
    Piece rest = piece;
    if (random.OneIn(2)) {
      if (piece.upper - piece.lower < 2) continue;
      piece.upper = rest.lower = random.Between(piece.lower + 1, piece.upper - 1);
    } else {
      if (piece.end - piece.begin < 2) continue;
      piece.end = rest.begin = random.Between(piece.begin + 1, piece.end - 1);
    }
    pieces.push_back(rest);
  }
  return pieces;
}

PlannedProblem Rectangle(Random& random, int64_t count, int64_t& height) {
  PlannedProblem planned = EmptyPlan();
  height = random.Between(8, 4096);
  const Piece whole{0, random.Between(2, 2 * count), 0, height};
  for (const Piece& piece : Cut(random, whole, static_cast<size_t>(count))) {
    const auto number = static_cast<int64_t>(planned.problem.buffers.size());
    planned.problem.buffers.push_back({.name_hint = Numbered("piece", number),
                                       .size_bytes = piece.end - piece.begin,
                                       .live = {{piece.lower, piece.upper}}});
    planned.plan->allocations.push_back(PoolAllocation{0, piece.begin});
  }
  return planned;
}

PlannedProblem Adversarial(Random& random, int64_t count) {
  PlannedProblem planned = EmptyPlan();
  const int64_t style = random.Between(0, 3);
  for (int64_t i = 0; i < count; ++i) {
    BufferInfo buffer{.name_hint = Numbered("b", i), .size_bytes = random.Between(0, 3)};
    if (random.OneIn(4)) buffer.size_bytes = random.Between(1, int64_t{1} << 34);
    if (random.OneIn(4)) buffer.alignment = random.Pick(std::vector<int64_t>{2, 3, 48, 4096});
    if (style == 0) {  // all at once
      buffer.live = {{0, 1}};
    } else if (style == 1) {  // nested
      buffer.live = {{i, 2 * count - i}};
    } else if (style == 2) {  // each ends as the next but one begins
      buffer.live = {{i, i + 2}};
    } else {  // several ranges, from before the beginning of time
      int64_t at = random.Between(-5, count);
      for (int64_t k = random.Between(1, 4); k > 0; --k) {
        buffer.live.push_back({at, at + random.Between(0, 3)});
        at = buffer.live.back().upper + random.Between(0, 2);
      }
    }
    Append(planned, std::move(buffer), 0);
  }
  return planned;
}

}  // namespace

PlanCase MakeSoundPlan(Random& random, int64_t buffers) {
  PlanCase made;
  switch (random.Below(3)) {
    case 0:
      made.shape = "network";
      made.record.planned = Network(random, buffers);
      break;
    case 1: {
      int64_t height = 0;
      made.shape = "rectangle";
      made.record.planned = Rectangle(random, buffers, height);
      made.record.optimum = height;
      break;
    }
    default:
      made.shape = "adversarial";
      made.record.planned = Adversarial(random, buffers);
  }
  return made;
}

PlanCase MakePlanCase(uint64_t seed, uint64_t index) {
  Random random = Random::For(seed, index, "plan", kVersion);
  PlanCase made = MakeSoundPlan(random, random.Between(1, 40));
  const auto faults = AllPlanFaults();
  const size_t turn = index % (faults.size() + 1);
  if (turn == 0) return made;
  const PlanFault& fault = faults[turn - 1];
  made.record.fault = fault.name;
  made.record.broken = fault.rule;
  made.record.optimum.reset();
  Plant(fault, random, made.record.planned);
  return made;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "overlap_proof.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "check.h"
#include "solver.h"

namespace assay {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// A live range, or, for a listed conflict, a buffer at all times.
struct ProofExtent {
  int32_t buffer;
  int64_t lower, upper;  // ticks
  int64_t begin, end;    // bytes
  int32_t pool;
  bool always = false;  // no matter the tick
  bool IsEmpty() const { return lower >= upper || begin >= end; }
};

std::optional<ProofExtent> WholeExtent(const MemoryProblem& problem, const MemoryPlan& plan,
                                       size_t i) {
  if (i >= plan.allocations.size() || !plan.allocations[i]) return std::nullopt;
  const auto [pool, offset] = *plan.allocations[i];
  const int64_t size = problem.buffers[i].size_bytes;
  if (pool < 0 || static_cast<size_t>(pool) >= problem.pools.size() || offset > kMost - size) {
    return std::nullopt;
  }
  return ProofExtent{static_cast<int32_t>(i), kLeast, kMost, offset, offset + size, pool, true};
}

// Returns the extents of all live ranges in the problem's order; those of a buffer without a place
// are empty.
std::vector<ProofExtent> LiveExtents(const MemoryProblem& problem, const MemoryPlan& plan) {
  std::vector<ProofExtent> all;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const std::optional<ProofExtent> whole = WholeExtent(problem, plan, i);
    for (const LiveRange& live : problem.buffers[i].live) {
      all.push_back(whole.value_or(ProofExtent{}));
      if (!whole) continue;
      ProofExtent& extent = all.back();
      extent.always = false;
      extent.lower = live.lower;
      extent.upper = live.upper;
      extent.begin += live.window_lower;
      if (live.window_upper) extent.end = whole->begin + *live.window_upper;
    }
  }
  return all;
}

// Returns the listed conflicts of buffers that lie in one pool.
std::vector<std::pair<ProofExtent, ProofExtent>> ListedPairs(const MemoryProblem& problem,
                                                             const MemoryPlan& plan) {
  std::vector<std::pair<ProofExtent, ProofExtent>> pairs;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const std::optional<ProofExtent> a = WholeExtent(problem, plan, i);
    for (const int32_t other : problem.buffers[i].conflicts) {
      const std::optional<ProofExtent> b = WholeExtent(problem, plan, static_cast<size_t>(other));
      if (a && b && a->pool == b->pool && !a->IsEmpty() && !b->IsEmpty())
        pairs.emplace_back(*a, *b);
    }
  }
  return pairs;
}

PlanOpinionKind KindOf(SolverAnswer answer) {
  switch (answer) {
    case SolverAnswer::kSatisfiable:
      return PlanOpinionKind::kCollides;
    case SolverAnswer::kUnsatisfiable:
      return PlanOpinionKind::kSound;
    case SolverAnswer::kUndecided:
      break;
  }
  return PlanOpinionKind::kUndecided;
}

PlanWitness WitnessOf(const ProofExtent& a, const ProofExtent& b) {
  PlanWitness witness{a.buffer, b.buffer, a.pool, std::nullopt, std::max(a.begin, b.begin)};
  if (!a.always) witness.tick = std::max(a.lower, b.lower);
  return witness;
}

// Returns the pairs of neighbours that a certificate states, the lower one first. For each range
// that begins, these are the range next below it and, by the earlier statements, the one next above
// it.
std::vector<std::pair<size_t, size_t>> NeighboursIn(const PlanCertificate& certificate,
                                                    const std::vector<ProofExtent>& all,
                                                    size_t pools) {
  const size_t count = all.size();
  std::vector<size_t> above(count + pools), below(count + pools);  // grounds come last
  for (size_t i = 0; i < above.size(); ++i) above[i] = below[i] = i;
  std::vector<std::pair<size_t, size_t>> neighbours;
  for (const PlanCertificate::Event& event : certificate.events) {
    const auto at = static_cast<size_t>(event.range);
    if (event.below == PlanCertificate::kEnds) {
      above[below[at]] = above[at];
      below[above[at]] = below[at];
      continue;
    }
    const size_t ground = count + static_cast<size_t>(all[at].pool);
    const size_t under = event.below < 0 ? ground : static_cast<size_t>(event.below);
    const size_t over = above[under];
    if (under < count) neighbours.emplace_back(under, at);
    if (over < count) neighbours.emplace_back(at, over);
    above[under] = below[over] = at;
    below[at] = under;
    above[at] = over;
  }
  return neighbours;
}

// The question about a symbolic point. Its bit vectors are wide enough for the ticks, bytes and
// pools of a plan, counted from the least of each.
class PointQuestion {
 public:
  explicit PointQuestion(std::span<const ProofExtent> all) : solver_(Logic::kBits) {
    int64_t tick_most = kLeast, byte_most = kLeast;
    int32_t pool_most = 0;
    for (const ProofExtent& extent : all) {
      if (!extent.always) {
        tick_least_ = std::min(tick_least_, extent.lower);
        tick_most = std::max(tick_most, extent.upper);
      }
      byte_least_ = std::min(byte_least_, extent.begin);
      byte_most = std::max(byte_most, extent.end);
      pool_most = std::max(pool_most, extent.pool);
    }
    tick_ = Axis("tick", tick_least_, tick_most);
    byte_ = Axis("byte", byte_least_, byte_most);
    pool_ = Axis("pool", 0, pool_most);
  }

  Solver& solver() { return solver_; }
  int64_t Tick() const { return Absolute(solver_.BitsOf(tick_.variable), tick_least_); }
  int32_t Pool() const { return static_cast<int32_t>(solver_.BitsOf(pool_.variable)); }
  int64_t Byte() const { return Absolute(solver_.BitsOf(byte_.variable), byte_least_); }

  // Returns the term that the point is in the extent.
  Term Inside(const ProofExtent& extent) {
    std::vector<Term> all = {solver_.Equal(pool_.variable, At(pool_, extent.pool)),
                             solver_.LessOrEqual(At(byte_, extent.begin), byte_.variable),
                             solver_.Less(byte_.variable, At(byte_, extent.end))};
    if (!extent.always) {
      all.push_back(solver_.LessOrEqual(At(tick_, extent.lower), tick_.variable));
      all.push_back(solver_.Less(tick_.variable, At(tick_, extent.upper)));
    }
    return solver_.And(all);
  }

 private:
  struct Words {
    Term variable;
    unsigned width = 1;
    int64_t least = 0;
  };

  Words Axis(const std::string& name, int64_t least, int64_t most) {
    const uint64_t span = most < least ? 0 : Distance(least, most);
    const auto width = static_cast<unsigned>(std::max(1, static_cast<int>(std::bit_width(span))));
    return {solver_.BitsVariable(name, width), width, least};
  }
  Term At(const Words& axis, int64_t value) {
    return solver_.Bits(Distance(axis.least, value), axis.width);
  }
  static uint64_t Distance(int64_t from, int64_t to) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  }
  static int64_t Absolute(uint64_t distance, int64_t least) {
    return static_cast<int64_t>(static_cast<uint64_t>(least) + distance);
  }

  Solver solver_;
  int64_t tick_least_ = kMost, byte_least_ = kMost;
  Words tick_, byte_, pool_;
};

}  // namespace

PlanOpinion OpinionOnFacts(const MemoryProblem& problem, const MemoryPlan& plan,
                           const PlanCertificate& certificate) {
  const std::vector<ProofExtent> all = LiveExtents(problem, plan);
  // One of each pair must end before the other begins.
  std::vector<std::pair<ProofExtent, ProofExtent>> pairs;
  for (const auto& [low, high] : NeighboursIn(certificate, all, problem.pools.size())) {
    pairs.emplace_back(all[low], all[high]);
  }
  const size_t facts = pairs.size();
  for (const auto& pair : ListedPairs(problem, plan)) pairs.push_back(pair);
  Solver solver(Logic::kIntegers);
  std::vector<Term> broken;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [a, b] = pairs[i];
    const Term a_reaches = solver.Less(solver.Integer(b.begin), solver.Integer(a.end));
    const Term b_reaches = solver.Less(solver.Integer(a.begin), solver.Integer(b.end));
    // The certificate says which of two neighbours is the lower one.
    const Term both[] = {a_reaches, b_reaches};
    broken.push_back(i < facts ? a_reaches : solver.And(both));
  }
  solver.Assert(solver.Or(broken));
  return {"certificate facts", KindOf(solver.Solve()), std::nullopt};
}

PlanOpinion OpinionOnPoint(const MemoryProblem& problem, const MemoryPlan& plan) {
  PlanOpinion opinion{"symbolic point", PlanOpinionKind::kUndecided, std::nullopt};
  std::vector<ProofExtent> all = LiveExtents(problem, plan);
  std::erase_if(all, [](const ProofExtent& extent) { return extent.IsEmpty(); });
  const size_t ranges = all.size();
  for (const auto& [a, b] : ListedPairs(problem, plan)) all.insert(all.end(), {a, b});
  if (ranges > kPointRangesMax || (all.size() - ranges) / 2 > kPointRangesMax) return opinion;
  PointQuestion question(all);
  Solver& solver = question.solver();
  // A mark can be set only if the point is inside.
  std::vector<Term> marks;
  for (size_t i = 0; i < all.size(); ++i) {
    marks.push_back(solver.BooleanVariable("inside" + std::to_string(i)));
    solver.Assert(solver.Implies(marks[i], question.Inside(all[i])));
  }
  const std::span<const Term> of_ranges = std::span(marks).first(ranges);
  std::vector<Term> collisions;
  if (ranges >= 2) collisions.push_back(solver.AtLeast(of_ranges, 2));
  for (size_t i = ranges; i < all.size(); i += 2) {
    collisions.push_back(solver.And(std::span(marks).subspan(i, 2)));
  }
  solver.Assert(solver.Or(collisions));
  opinion.kind = KindOf(solver.Solve());
  if (opinion.kind != PlanOpinionKind::kCollides) return opinion;
  const auto inside = [&](const ProofExtent& extent) {
    return extent.pool == question.Pool() && extent.begin <= question.Byte() &&
           question.Byte() < extent.end &&
           (extent.always || (extent.lower <= question.Tick() && question.Tick() < extent.upper));
  };
  std::vector<ProofExtent> found;
  for (size_t i = 0; i < ranges; ++i) {
    if (inside(all[i])) found.push_back(all[i]);
  }
  for (size_t i = ranges; i < all.size() && found.size() < 2; i += 2) {
    if (inside(all[i]) && inside(all[i + 1])) found = {all[i], all[i + 1]};
  }
  Check(found.size() >= 2, "the point is in two buffers");
  opinion.witness = WitnessOf(found[0], found[1]);
  opinion.witness->byte = question.Byte();
  if (opinion.witness->tick) opinion.witness->tick = question.Tick();
  return opinion;
}

PlanOpinion OpinionOnPairs(const MemoryProblem& problem, const MemoryPlan& plan) {
  PlanOpinion opinion{"pairs", PlanOpinionKind::kUndecided, std::nullopt};
  const std::vector<ProofExtent> all = LiveExtents(problem, plan);
  std::vector<std::pair<ProofExtent, ProofExtent>> pairs = ListedPairs(problem, plan);
  if (all.size() * all.size() / 2 + pairs.size() > kPairsMax) return opinion;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) pairs.emplace_back(all[j], all[i]);
  }
  Solver solver(Logic::kIntegers);
  std::vector<Term> overlaps;
  for (const auto& [a, b] : pairs) {
    // Each range begins before either of the two ends. So neither is empty, and they share a point.
    std::vector<Term> shared = {solver.Equal(solver.Integer(a.pool), solver.Integer(b.pool))};
    for (const auto& [x, y] :
         {std::pair(a, b), std::pair(b, a), std::pair(a, a), std::pair(b, b)}) {
      shared.push_back(solver.Less(solver.Integer(x.lower), solver.Integer(y.upper)));
      shared.push_back(solver.Less(solver.Integer(x.begin), solver.Integer(y.end)));
    }
    const Term overlap = solver.BooleanVariable("overlap" + std::to_string(overlaps.size()));
    solver.Assert(solver.Implies(overlap, solver.And(shared)));
    overlaps.push_back(overlap);
  }
  solver.Assert(solver.Or(overlaps));
  opinion.kind = KindOf(solver.Solve());
  for (size_t i = 0; opinion.kind == PlanOpinionKind::kCollides && i < pairs.size(); ++i) {
    if (!solver.BooleanOf(overlaps[i])) continue;
    opinion.witness = WitnessOf(pairs[i].first, pairs[i].second);
    break;
  }
  return opinion;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "nest_shapes.h"

#include <algorithm>
#include <array>

#include "branches_and_loops.h"
#include "nest_values.h"

namespace assay {
namespace {

bool IsOfLoops(Handover handover) { return handover >= Handover::kRotated; }
bool IsOfBranches(Handover handover) {
  return handover >= Handover::kCrossed && !IsOfLoops(handover);
}
bool Fits(Handover handover, char op) {
  return op == 'W' ? !IsOfBranches(handover) : !IsOfLoops(handover);
}

constexpr std::array kHandovers = {
    Handover::kComputes,     Handover::kTwice,       Handover::kUnread,   Handover::kUnused,
    Handover::kTwoCalls,     Handover::kCrossed,     Handover::kPassed,   Handover::kConstant,
    Handover::kSameBlock,    Handover::kMoreResults, Handover::kRotated,  Handover::kInvariant,
    Handover::kFromConstant, Handover::kCounterOnly, Handover::kEndsEarly};

// Returns every mix of at most `most` operators.
std::vector<std::string> Mixes(int most) {
  std::vector<std::string> mixes = {"C", "W"};
  for (size_t i = 0; i < mixes.size(); ++i) {
    if (static_cast<int>(mixes[i].size()) == most) break;
    for (const char op : {'C', 'W'}) mixes.push_back(mixes[i] + op);
  }
  return mixes;
}

// Makes the rows of the table. Their handover, source and numbers run through all possible values.
class TableMaker {
 public:
  explicit TableMaker(const GeneratorOptions& options) : options_(options) {}

  std::vector<ControlFlowShape> Make(bool with_state) {
    std::vector<std::vector<ControlFlowShape>> parts = {Handovers(), Nests(), Sources()};
    if (with_state) parts.push_back(OnState());
    // Takes rows from all parts in turn, so that any stretch of the table has some of each.
    std::vector<ControlFlowShape> all;
    size_t longest = 0;
    for (const auto& part : parts) longest = std::max(longest, part.size());
    for (size_t i = 0; i < longest; ++i) {
      for (const auto& part : parts) {
        if (i < part.size()) all.push_back(part[i]);
      }
    }
    return all;
  }

 private:
  ControlFlowShape Next(std::string nest, Handover handover) {
    constexpr int kRounds[] = {2, 0, 3, 1, 5};
    constexpr Source kSources[] = {Source::kHidden, Source::kHidden, Source::kConstant,
                                   Source::kHidden, Source::kInside};
    ControlFlowShape shape;
    shape.nest = std::move(nest);
    shape.handover = handover;
    shape.rounds = kRounds[number_ % 5];
    shape.source = kSources[number_ / 2 % 5];
    shape.values = 1 + static_cast<int>(number_ % 4);
    shape.condition_rank = std::max(0, static_cast<int>(number_ / 3 % 6) - 2);
    shape.steps = number_ % 3 == 2 ? 3 : 1;
    const bool compares = handover != Handover::kComputes && handover != Handover::kPassed &&
                          handover != Handover::kConstant && handover != Handover::kMoreResults;
    if (compares) shape.values = std::max(shape.values, 2);
    ++number_;
    return shape;
  }

  // Returns a row for every mix of operators; if the level allows deeper nests, also for its limit.
  std::vector<ControlFlowShape> Nests() {
    const int limit = options_.level.max_nesting;
    std::vector<std::string> mixes = Mixes(std::min(limit, kNestMax));
    // Deep and shallow nests in turn. The stride has no divisor in common with 2 + 4 + ... + 64.
    std::vector<ControlFlowShape> rows;
    constexpr size_t kStride = 37;
    for (size_t i = 0; i < mixes.size(); ++i) {
      const std::string& nest = mixes[i * kStride % mixes.size()];
      Handover handover;
      do {
        handover = kHandovers[handover_++ % kHandovers.size()];
      } while (!Fits(handover, nest[0]) || handover == Handover::kCounterOnly);
      rows.push_back(Next(nest, handover));
    }
    if (limit > kNestMax) {
      for (const char op : {'C', 'W'}) {
        rows.push_back(Next(std::string(static_cast<size_t>(limit), op), Handover::kComputes));
      }
    }
    return rows;
  }

  std::vector<ControlFlowShape> Handovers() {
    std::vector<ControlFlowShape> rows;
    for (const char* inside : {"", "C", "W"}) {
      for (const Handover handover : kHandovers) {
        for (const char op : {'C', 'W'}) {
          const bool alone = handover == Handover::kCounterOnly;
          if (!Fits(handover, op) || (alone && *inside != 0)) continue;
          rows.push_back(Next(op + std::string(inside), handover));
        }
      }
    }
    return rows;
  }

  // Returns rows of one operator: every source with every number of rounds, and every rank of a
  // condition.
  std::vector<ControlFlowShape> Sources() {
    std::vector<ControlFlowShape> rows;
    for (const Source source : {Source::kHidden, Source::kConstant, Source::kInside}) {
      for (const int rounds : {0, 1, 2, 3, 5}) {
        rows.push_back(Next("W", Handover::kComputes));
        rows.back().source = source;
        rows.back().rounds = rounds;
        rows.back().steps = 1;
        rows.back().condition_rank = 0;
      }
    }
    for (int rank = 0; rank <= 3; ++rank) {
      for (const char* nest : {"C", "W"}) {
        rows.push_back(Next(nest, Handover::kComputes));
        rows.back().condition_rank = rank;
      }
    }
    return rows;
  }

  std::vector<ControlFlowShape> OnState() {
    std::vector<ControlFlowShape> rows;
    for (const char* nest : {"C", "W", "CW", "WC", "CC", "WW", "CWC"}) {
      for (const Handover handover : {Handover::kComputes, Handover::kUnused}) {
        rows.push_back(Next(nest, handover));
        rows.back().hangs_on_state = true;
        rows.back().source = Source::kHidden;
        rows.back().condition_rank = std::min(rows.back().condition_rank, 1);
      }
    }
    return rows;
  }

  const GeneratorOptions& options_;
  size_t number_ = 0;
  size_t handover_ = 0;
};

bool Allows(const GeneratorOptions& options, Choices& choices, const Menu& menu) {
  if (!AllowsControlFlow(options) || CounterType(choices, menu) == DType::kUnknown) return false;
  for (const Op op : {Op::kLogicalNot, Op::kLogicalAnd, Op::kReshape, Op::kSlice, Op::kSelect}) {
    if (menu.Find(choices, op, DType::kBool, DType::kBool) == nullptr) return false;
  }
  return true;
}

}  // namespace

std::vector<ControlFlowShape> ControlFlowShapes(const GeneratorOptions& options) {
  Choices choices{Random(0)};
  const Menu menu(options);
  if (menu.empty() || !Allows(options, choices, menu)) return {};
  return TableMaker(options).Make(!CountableTypes(options, choices, menu).empty());
}

}  // namespace assay

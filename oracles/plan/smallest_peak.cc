// SPDX-License-Identifier: Apache-2.0
#include "smallest_peak.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "solver.h"

namespace assay {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t CeilDivide(int64_t a, int64_t b) { return -FloorDivide(-a, b); }

// The placements of the buffers of one pool, as a question about their offsets. If it costs
// nothing, offsets are multiples of a unit, and the question is about differences only.
class PlacementQuestion {
 public:
  PlacementQuestion(const MemoryProblem& problem, const MemoryPlan& plan, size_t pool)
      : problem_(problem), pool_(problem.pools[pool]) {
    for (size_t i = 0; i < plan.allocations.size(); ++i) {
      const auto& at = plan.allocations[i];
      if (at && at->pool == static_cast<int32_t>(pool)) members_.push_back(i);
    }
    ChooseUnit();
  }

  // Returns a number of bytes of which every peak is a multiple.
  int64_t grain() const { return grain_; }

  // Asks whether there is a placement that ends within `capacity` bytes of the pool's first usable
  // byte. If so, sets `plan` and `peak`.
  SolverAnswer Fits(int64_t capacity, MemoryPlan& plan, int64_t& peak) {
    Solver solver(unit_ == 0 ? Logic::kIntegers : Logic::kDifferences);
    std::vector<Term> steps;
    for (const size_t i : members_) {
      steps.push_back(solver.IntegerVariable("buffer" + std::to_string(i)));
      AssertRange(solver, steps.back(), problem_.buffers[i], capacity);
    }
    for (size_t a = 0; a < members_.size(); ++a) {
      for (size_t b = 0; b < a; ++b) AssertApart(solver, steps, a, b);
    }
    const SolverAnswer answer = solver.Solve();
    if (answer != SolverAnswer::kSatisfiable) return answer;
    peak = 0;
    for (size_t k = 0; k < members_.size(); ++k) {
      const BufferInfo& buffer = problem_.buffers[members_[k]];
      const int64_t offset = solver.IntegerOf(steps[k]) * StepOf(buffer);
      plan.allocations[members_[k]]->offset = offset;
      if (buffer.size_bytes > 0) peak = std::max(peak, offset + buffer.size_bytes - pool_.offset);
    }
    return answer;
  }

 private:
  // Chooses the unit of offsets. Buffers can be pushed down until each lies on another or on the
  // ground: at multiples of the common divisor of all sizes. If the alignments do not divide it but
  // are all the same, offsets are multiples of the alignment. Otherwise the offsets of each buffer
  // are multiples of its own alignment (unit_ is 0).
  void ChooseUnit() {
    int64_t common = pool_.offset, alignment = 1;
    bool same = true;
    for (const size_t i : members_) {
      const BufferInfo& buffer = problem_.buffers[i];
      common = std::gcd(common, buffer.size_bytes);
      common = std::gcd(common, buffer.fixed_offset.value_or(0));
      for (const LiveRange& live : buffer.live) {
        common = std::gcd(common, live.window_lower);
        common = std::gcd(common, live.window_upper.value_or(0));
      }
      same = same && buffer.alignment == problem_.buffers[members_[0]].alignment;
    }
    const bool divides = common > 0 && std::all_of(members_.begin(), members_.end(), [&](size_t i) {
                           return common % problem_.buffers[i].alignment == 0;
                         });
    if (same && !members_.empty()) alignment = problem_.buffers[members_[0]].alignment;
    unit_ = divides ? common : same ? alignment : 0;
    grain_ = divides ? common : 1;
  }

  int64_t StepOf(const BufferInfo& buffer) const { return unit_ == 0 ? buffer.alignment : unit_; }

  void AssertRange(Solver& solver, Term step, const BufferInfo& buffer, int64_t capacity) const {
    const int64_t unit = StepOf(buffer);
    int64_t least = CeilDivide(pool_.offset, unit);
    int64_t most = FloorDivide(pool_.offset + capacity - buffer.size_bytes, unit);
    if (buffer.fixed_offset) {
      least = std::max(least, *buffer.fixed_offset / unit);
      most = std::min(most, *buffer.fixed_offset / unit);
    }
    solver.Assert(solver.LessOrEqual(solver.Integer(least), step));
    solver.Assert(solver.LessOrEqual(step, solver.Integer(most)));
  }

  void AssertApart(Solver& solver, const std::vector<Term>& steps, size_t a, size_t b) const {
    const BufferInfo &x = problem_.buffers[members_[a]], &y = problem_.buffers[members_[b]];
    if (Lists(x, members_[b]) || Lists(y, members_[a])) {
      return AssertApart(solver, steps, {a, 0, x.size_bytes}, {b, 0, y.size_bytes});
    }
    for (const LiveRange& s : x.live) {
      for (const LiveRange& t : y.live) {
        if (std::max(s.lower, t.lower) >= std::min(s.upper, t.upper)) continue;
        AssertApart(solver, steps, {a, s.window_lower, WindowEnd(x, s)},
                    {b, t.window_lower, WindowEnd(y, t)});
      }
    }
  }

  struct Window {
    size_t member;
    int64_t lower, upper;
  };

  // Asserts that one window ends at or below the beginning of the other.
  void AssertApart(Solver& solver, const std::vector<Term>& steps, Window a, Window b) const {
    if (a.lower >= a.upper || b.lower >= b.upper) return;
    const Term either[] = {Below(solver, steps, a, b), Below(solver, steps, b, a)};
    solver.Assert(solver.Or(either));
  }

  Term Below(Solver& solver, const std::vector<Term>& steps, Window a, Window b) const {
    const Term x = steps[a.member], y = steps[b.member];
    const int64_t distance = a.upper - b.lower;
    if (unit_ > 0) {
      return solver.LessOrEqual(solver.Add(x, solver.Integer(CeilDivide(distance, unit_))), y);
    }
    const auto offset = [&](const Window& window, Term step) {
      return solver.Multiply(solver.Integer(problem_.buffers[members_[window.member]].alignment),
                             step);
    };
    return solver.LessOrEqual(solver.Add(offset(a, x), solver.Integer(distance)), offset(b, y));
  }

  static int64_t WindowEnd(const BufferInfo& buffer, const LiveRange& live) {
    return live.window_upper.value_or(buffer.size_bytes);
  }
  static bool Lists(const BufferInfo& buffer, size_t other) {
    return std::find(buffer.conflicts.begin(), buffer.conflicts.end(),
                     static_cast<int32_t>(other)) != buffer.conflicts.end();
  }

  const MemoryProblem& problem_;
  const PoolInfo& pool_;
  std::vector<size_t> members_;
  int64_t unit_ = 1;
  int64_t grain_ = 1;
};

}  // namespace

std::optional<SmallestPeak> FindSmallestPeak(const MemoryProblem& problem, const MemoryPlan& plan,
                                             size_t pool, const PoolUse& use) {
  if (use.buffers > kOptimumBuffersMax) return std::nullopt;
  PlacementQuestion question(problem, plan, pool);
  const int64_t grain = question.grain();
  SmallestPeak best{CeilDivide(use.bound, grain) * grain, use.peak, plan};
  while (best.bound < best.peak) {
    const int64_t middle = best.bound + (best.peak - best.bound) / 2 / grain * grain;
    const SolverAnswer answer = question.Fits(middle, best.plan, best.peak);
    if (answer == SolverAnswer::kUndecided) break;
    if (answer == SolverAnswer::kUnsatisfiable) best.bound = middle + grain;
  }
  return best;
}

PoolFit FitsInto(const MemoryProblem& problem, const MemoryPlan& plan, size_t pool,
                 const PoolUse& use) {
  const std::optional<int64_t> capacity = problem.pools[pool].size_bytes;
  if (!capacity) return PoolFit::kUndecided;
  if (use.bound > *capacity) return PoolFit::kDoesNotFit;
  if (use.buffers > kOptimumBuffersMax) return PoolFit::kUndecided;
  MemoryPlan found = plan;
  int64_t peak = 0;
  switch (PlacementQuestion(problem, plan, pool).Fits(*capacity, found, peak)) {
    case SolverAnswer::kSatisfiable:
      return PoolFit::kFits;
    case SolverAnswer::kUnsatisfiable:
      return PoolFit::kDoesNotFit;
    case SolverAnswer::kUndecided:
      break;
  }
  return PoolFit::kUndecided;
}

}  // namespace assay

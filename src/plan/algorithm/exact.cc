// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "buffer_orders.h"
#include "counted.h"
#include "packing_climb.h"
#include "packing_fill.h"
#include "packing_fillers.h"
#include "packing_fusion.h"
#include "packing_orders.h"
#include "packing_search.h"
#include "placement.h"
#include "pool_packing.h"
#include "pools.h"
#include "quoted.h"

namespace assay::algorithm {
namespace {

using State = PackingSearch::State;

constexpr int64_t kSlice = 25'000;
constexpr size_t kFirstSearches = 4;
constexpr size_t kSearchesMax = 32;
constexpr size_t kFills = 8, kFilledFills = 4, kFilledMax = 16;
constexpr int64_t kFillSlices = 3;  // for one of a search, after the early steps; before, one
constexpr int64_t kEarlySteps = 3'000'000;
constexpr int64_t kPercents[] = {20, 0, 20, 50};  // by which a fill changes its order
constexpr int64_t kFirstSlices = 4;
constexpr int64_t kClimbs = 3, kClimbShare = 12, kClimbMax = 2'000'000;  // of the steps, for each

// Looks for a packing below a height with searches of different kinds and orders, in turns. Often
// one search finds at once what another would not find in years.
class Portfolio {
 public:
  // Begins with the strategy of number `first`. Each search goes on for `slice` steps at a time.
  Portfolio(const Packing& packing, int64_t height, uint64_t first, int64_t slice)
      : packing_(packing), fusion_(packing, height), height_(height), slice_(slice), next_(first) {}

  State Run(int64_t steps, StepBudget& budget) {
    while (steps > 0 && budget.left() > 0) {
      Refill();
      for (size_t i = 0; i < searches_.size(); ++i) {
        State state = Turn(searches_[i], steps, budget);
        if (state == State::kNone && searches_[i].search.hasty()) state = State::kRunning;
        const int64_t fill_slices = IsEarly() ? 1 : kFillSlices;
        for (int64_t k = 0; k < fill_slices && state == State::kRunning; ++k) {
          Started<PackingFill>& fill = fills_[next_fill_++ % fills_.size()];
          state = Turn(fill, steps, budget);
          if (state == State::kNone && fill.is_filled) {
            state = State::kRunning;
            if (auto next = FilledFill()) fill = std::move(*next);
          }
        }
        if (state == State::kFound || state == State::kNone) return state;
      }
    }
    return State::kRunning;
  }

  int64_t height() const { return height_; }
  uint64_t next() const { return next_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  template <class Search>
  struct Started {
    Search search;
    const PackingFusion* fusion = nullptr;  // whose buffers it packs; null: the packing's own
    bool is_filled = false;                 // packs fillers too, and so cannot prove anything
  };

  // Returns true at first. Easy packings are mostly found by searches that place buffers in the
  // order of their offsets. These searches come first, in equal shares and without fused buffers.
  bool IsEarly() const { return spent_ < kEarlySteps; }

  // Runs one search for a slice of steps, if there are steps left.
  template <class Search>
  State Turn(Started<Search>& started, int64_t& steps, StepBudget& budget) {
    Search& search = started.search;
    if (steps <= 0 || budget.left() == 0) return State::kRunning;
    const int64_t before = search.steps();
    const State state = search.Run(std::min(slice_, budget.left()));
    budget.Spend(search.steps() - before);
    steps -= search.steps() - before;
    spent_ += search.steps() - before;
    if (state == State::kFound) {
      offsets_ =
          started.fusion != nullptr ? started.fusion->Offsets(search.Offsets()) : search.Offsets();
      offsets_.resize(packing_.sizes.size());  // without fillers
    }
    return state;
  }

  // Adds a new search each round, and one for each hasty search that has come to its end.
  void Refill() {
    std::erase_if(searches_,
                  [](const auto& started) { return started.search.state() != State::kRunning; });
    if (searches_.size() >= kSearchesMax) return;
    do {
      const PackingFusion* fusion = IsEarly() ? nullptr : &fusion_;
      const Packing& packing = fusion != nullptr ? fusion->packing() : packing_;
      const PackingStrategy strategy = StrategyFor(packing, next_++);
      searches_.push_back(
          {PackingSearch(packing, strategy.order, height_, strategy.hasty), fusion, false});
      if (fills_.size() < kFills + (filled_.empty() ? 0 : kFilledFills)) AddFill();
    } while (searches_.size() < kFirstSearches);
  }

  // Starts another fill. Every third fill packs fillers, if the packing has any, and every third
  // one the buffers as they are: what fuses may hide a packing that is found at once without.
  void AddFill() {
    const size_t kind = fills_.size() % 3;
    auto filled = kind == 2 ? FilledFill() : std::nullopt;
    fills_.push_back(filled ? std::move(*filled) : FillOf(kind == 1 ? nullptr : &fusion_, false));
  }

  // Without a fusion, packs the buffers as they are.
  Started<PackingFill> FillOf(const PackingFusion* fusion, bool is_filled) {
    const Packing& packing = fusion != nullptr ? fusion->packing() : packing_;
    const int64_t percent = kPercents[fills_.size() % std::size(kPercents)];
    const PackingStrategy strategy = StrategyFor(packing, next_ - 1);
    return {PackingFill(packing, strategy.order, height_, percent), fusion, is_filled};
  }

  // Starts a fill that packs other fillers than those before, if there are any.
  std::optional<Started<PackingFill>> FilledFill() {
    if (filled_.size() == kFilledMax) return std::nullopt;
    const std::optional<Packing> filled = WithFillers(packing_, height_, filled_.size());
    if (!filled) return std::nullopt;
    return FillOf(&filled_.emplace_back(*filled, height_), true);
  }

  const Packing& packing_;
  PackingFusion fusion_;
  std::deque<PackingFusion> filled_;  // by the attempt at fillers
  int64_t height_, slice_;
  int64_t spent_ = 0;  // steps
  std::vector<Started<PackingSearch>> searches_;
  std::vector<Started<PackingFill>> fills_;  // change their orders by themselves
  uint64_t next_;
  size_t next_fill_ = 0;
  std::vector<int64_t> offsets_;
};

// Finds the smallest height of a packing by closing in from below and above.
class Minimizer {
 public:
  // `height` is the height of a known packing; if `known` is false, it is the largest height
  // allowed.
  Minimizer(const Packing& packing, int64_t height, bool known)
      : packing_(packing),
        least_(LeastHeight(packing)),
        height_(height),
        known_(known),
        slice_(std::max(kSlice, StepsOfADescent(packing) * 3 / 2)) {}

  // Without `smallest`, the first packing is good enough.
  void Run(bool smallest, StepBudget& budget) {
    Climb(smallest, budget);
    for (int64_t steps = kFirstSlices * slice_; budget.left() > 0 && !Done(smallest); steps *= 2) {
      if (!known_) {
        Try(height_, steps, budget);
      } else {
        // A lower height is harder to reach. Yet the lowest of all is often possible.
        for (const int64_t sixteenths : {0, 8, 8, 4, 12, 14, 15}) {
          if (!Done(smallest)) Try(Between(sixteenths), steps, budget);
        }
      }
    }
  }

  bool Done(bool smallest) const {
    return least_ > height_ || (known_ && (!smallest || least_ == height_));
  }
  bool known() const { return known_; }
  int64_t least() const { return std::min(least_, height_); }
  // The offset of each buffer of the packing; empty if no packing was found.
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  // Returns a height between the least and the highest one that would be an improvement.
  int64_t Between(int64_t sixteenths) const {
    const int64_t room = height_ - 1 - least_;
    return least_ + room / 16 * sixteenths + room % 16 * sixteenths / 16;
  }

  // Packs by PackingClimb. Networks are mostly packed by this alone; for other problems, the search
  // then begins from a lower height.
  void Climb(bool smallest, StepBudget& budget) {
    // PackingClimb does not check whether buffers of fixed offset can lie there at all.
    if (Done(smallest) || (!known_ && packing_.HasFixed())) return;
    std::vector<PackingClimb> climbs = LowestClimbs(budget);
    // Takes all of the steps if they would not bring a search to its first end.
    const bool may_search = budget.left() >= kFirstSlices * slice_;
    const int64_t steps = std::min(budget.left() / (may_search ? kClimbShare : kClimbs), kClimbMax);
    for (size_t i = 0; i < size_t{kClimbs} && !Done(smallest); ++i) {
      const int64_t before = climbs[i].steps();
      climbs[i].Run(steps, smallest ? least_ : height_);
      budget.Spend(climbs[i].steps() - before);
      if (climbs[i].height() + (known_ ? 1 : 0) > height_) continue;
      offsets_ = climbs[i].offsets();
      height_ = climbs[i].height();
      known_ = true;
    }
  }

  // Returns the steps of a search that goes down without ever going back: for each buffer, it looks
  // at all that are left.
  static int64_t StepsOfADescent(const Packing& packing) {
    const auto buffers = static_cast<int64_t>(packing.sizes.size());
    return buffers * buffers / 2 + packing.neighbours.items();
  }

  // Returns climbs from several orders, those that pack lowest first.
  std::vector<PackingClimb> LowestClimbs(StepBudget& budget) const {
    std::vector<PackingClimb> climbs;
    for (const std::string_view features : {"ZO", "Z", "TWZ", "WZ", "AZ", "TZ", "TA", "CT", "S"}) {
      climbs.emplace_back(packing_, OrderBy(packing_, features));
      budget.Spend(climbs.back().steps());
    }
    std::stable_sort(climbs.begin(), climbs.end(),
                     [](const auto& a, const auto& b) { return a.height() < b.height(); });
    return climbs;
  }

  void Try(int64_t height, int64_t steps, StepBudget& budget) {
    if (height == least_) {
      // The search for the lowest height is tried again and again, and goes on where it was.
      if (!lowest_ || lowest_->height() != height) lowest_.emplace(packing_, height, 0, slice_);
      Go(*lowest_, steps, budget);
    } else {
      // Uses other strategies than the last time, if that attempt failed.
      Portfolio portfolio(packing_, height, next_, slice_);
      Go(portfolio, steps, budget);
      if (height < height_) next_ = portfolio.next();
    }
  }

  void Go(Portfolio& portfolio, int64_t steps, StepBudget& budget) {
    const int64_t height = portfolio.height();
    const State state = portfolio.Run(steps, budget);
    if (state == State::kNone) least_ = std::max(least_, height + 1);
    if (state != State::kFound) return;
    offsets_ = portfolio.offsets();
    height_ = packing_.HeightOf(offsets_);
    known_ = true;
  }

  const Packing& packing_;
  int64_t least_;
  int64_t height_;
  bool known_;
  int64_t slice_;
  std::optional<Portfolio> lowest_;
  uint64_t next_ = 0;  // strategy for heights above the lowest
  std::vector<int64_t> offsets_;
};

// Finds a plan pool by pool, after the buffers have been assigned to pools.
class Planner {
 public:
  Planner(const PlanningTask& task, StepBudget& budget)
      : task_(task), budget_(budget), groups_(task.problem.pools.size()), proves_(Assigned()) {}

  Result<PlanningResult> Plan() {
    Result<PlanningResult> simple = SimplePlan();
    if (!IsSmall() || (!simple && !proves_)) return simple;
    best_.plan.allocations.resize(task_.problem.buffers.size());
    if (simple) best_.plan = simple->plan;
    Group();
    for (size_t pool = 0; pool < groups_.size(); ++pool) {
      if (groups_[pool].empty()) continue;
      const Result<Done> packed = Pack(static_cast<int32_t>(pool), static_cast<bool>(simple));
      if (!packed) return packed.error();
    }
    best_.total_bytes = TotalBytes(task_.problem, best_.plan);
    best_.bound_bytes = std::max(task_.clique.bytes, proves_ ? bound_bytes_ : 0);
    return std::move(best_);
  }

 private:
  // Returns the best plan of some algorithms that take no time.
  Result<PlanningResult> SimplePlan() {
    Result<PlanningResult> best = AlgorithmByName("best_fit_by_start")->plan(task_, budget_);
    if (best && !task_.conflicts.listed()) return best;
    for (const auto& order : {BySize(task_), ByLifetime(task_)}) {
      Result<PlanningResult> other = PlanInOrder(task_, order, PlacementRule::kBest, budget_);
      if (other && (!best || other->total_bytes < best->total_bytes)) best = std::move(other);
    }
    return best;
  }

  std::vector<int32_t> CandidatesOf(size_t buffer) const {
    std::vector<int32_t> pools;
    ForEachCandidate(task_.problem, task_.problem.buffers[buffer],
                     [&](int32_t pool) { pools.push_back(pool); });
    return pools;
  }

  // Returns true if there are enough steps to begin a search.
  bool IsSmall() const {
    const auto buffers = static_cast<int64_t>(task_.problem.buffers.size());
    return task_.conflicts.listed() && buffers + task_.conflicts.count() <= budget_.left();
  }

  // Returns true if there is only one possible pool for each buffer.
  bool Assigned() const {
    for (size_t i = 0; i < task_.problem.buffers.size(); ++i) {
      if (CandidatesOf(i).size() != 1) return false;
    }
    return true;
  }

  void Group() {
    for (size_t i = 0; i < task_.problem.buffers.size(); ++i) {
      const auto& place = best_.plan.allocations[i];
      const int32_t pool = place ? place->pool : CandidatesOf(i).front();
      groups_[static_cast<size_t>(pool)].push_back(static_cast<int32_t>(i));
    }
  }

  // Replaces the places of the buffers of a pool by better ones.
  Result<Done> Pack(int32_t pool, bool planned) {
    const std::vector<int32_t>& group = groups_[static_cast<size_t>(pool)];
    const PoolInfo& where = task_.problem.pools[static_cast<size_t>(pool)];
    const Packing packing = PackingOf(task_, group, pool);
    const int64_t unit = packing.unit_bytes;
    int64_t height = packing.start;
    if (planned) {
      for (const int32_t i : group) height = std::max(height, EndOf(i) / unit);
    } else {
      height = where.size_bytes ? (where.offset + *where.size_bytes) / unit : HeightOfAll(packing);
    }
    Minimizer minimizer(packing, height, planned);
    minimizer.Run(!where.size_bytes, budget_);
    proves_ = proves_ && packing.complete;
    bound_bytes_ += minimizer.least() * unit - where.offset;
    if (!minimizer.known()) return NotPacked(where, group, packing, minimizer);
    for (size_t i = 0; i < minimizer.offsets().size(); ++i) {
      best_.plan.allocations[static_cast<size_t>(group[i])] = {pool, minimizer.offsets()[i] * unit};
    }
    return Done{};
  }

  int64_t EndOf(int32_t buffer) const {
    const auto at = static_cast<size_t>(buffer);
    return best_.plan.allocations[at]->offset + task_.problem.buffers[at].size_bytes;
  }

  // Returns the height of all buffers placed one above the other.
  static int64_t HeightOfAll(const Packing& packing) {
    int64_t height = packing.start;
    for (size_t i = 0; i < packing.sizes.size(); ++i) {
      height += packing.sizes[i] + packing.alignments[i] + std::max<int64_t>(packing.fixed[i], 0);
    }
    return height;
  }

  static Error NotPacked(const PoolInfo& pool, const std::vector<int32_t>& group,
                         const Packing& packing, const Minimizer& minimizer) {
    std::string what = Counted(std::ssize(group), "buffer") + " in " + Quoted(pool.name);
    if (pool.size_bytes) what += " of " + std::to_string(*pool.size_bytes) + " bytes";
    if (minimizer.Done(false) && packing.complete) {
      return BadInput("does not fit: there is no plan for " + what + ", as all were tried");
    }
    return {Error::Kind::kResource, "no plan found for " + what + " within the steps"};
  }

  const PlanningTask& task_;
  StepBudget& budget_;
  std::vector<std::vector<int32_t>> groups_;  // the buffers of each pool
  PlanningResult best_;
  bool proves_;              // if a packing has no solution, the problem has none
  int64_t bound_bytes_ = 0;  // of all pools so far
};

Result<PlanningResult> Plan(const PlanningTask& task, StepBudget& budget) {
  return Planner(task, budget).Plan();
}

}  // namespace

// Branch and bound. In pools of a given size, it takes the first plan that fits. In other pools, it
// looks for the smallest plan.
extern const Algorithm exact_algorithm = {
    .name = "exact",
    .summary = "searches for the smallest plan; proves that none is smaller, or that nothing fits",
    .plan = Plan,
    .steps_default = kStepsToAPlan,
};

}  // namespace assay::algorithm

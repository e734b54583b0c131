// SPDX-License-Identifier: Apache-2.0
#include "peer_planners.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "random.h"

namespace assay {

namespace {

class PeerPlanners {
 public:
  explicit PeerPlanners(const MemoryProblem& problem) {
    for (const BufferInfo& buffer : problem.buffers) {
      all_.push_back({buffer.live.at(0).lower, buffer.live.at(0).upper, buffer.size_bytes});
    }
    const size_t count = all_.size();
    neighbours_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < count; ++j) {
        if (i != j && LiveTogether(i, j)) neighbours_[i].push_back(j);
      }
    }
    load_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      // The load is highest at a tick at which some buffer begins.
      for (size_t j = 0; j < count; ++j) {
        if (all_[i].lower <= all_[j].lower && all_[j].lower < all_[i].upper) {
          load_[i] = std::max(load_[i], LoadAt(all_[j].lower));
        }
      }
      load_[i] = std::max(load_[i], LoadAt(all_[i].lower));
    }
    live_ = count == 0 ? 0 : *std::max_element(load_.begin(), load_.end());
  }

  std::map<std::string_view, int64_t> Peaks() const {
    using std::tuple;
    const auto size = [this](size_t i) { return -all_[i].size; };
    const auto life = [this](size_t i) { return all_[i].lower - all_[i].upper; };
    const auto start = [this](size_t i) { return all_[i].lower; };
    const auto degree = [this](size_t i) { return -static_cast<int64_t>(neighbours_[i].size()); };
    const auto load = [this](size_t i) { return -load_[i]; };
    const auto by = [this](auto key, Fit fit) { return BestOfTies(key, fit); };
    std::map<std::string_view, int64_t> peaks;
    peaks["no reuse"] = 0;
    for (const Live& one : all_) peaks["no reuse"] += one.size;
    peaks["TFLM greedy"] = by(size, kFirst);
    peaks["TFLite best fit, XLA spatial"] =
        std::min(by(size, kBest), by([&](size_t i) { return tuple(size(i), start(i)); }, kBest));
    peaks["XLA temporal"] = by([&](size_t i) { return tuple(life(i), size(i)); }, kBest);
    peaks["Vela heuristic"] =
        by([&](size_t i) { return tuple(load(i), life(i), start(i), size(i)); }, kFirst);
    peaks["Vela greedy"] = std::min(by([&](size_t i) { return tuple(start(i), life(i)); }, kBest),
                                    by([&](size_t i) { return tuple(start(i), size(i)); }, kBest));
    peaks["IREE pack"] = by([](size_t) { return 0; }, kBest);
    peaks["greedy by breadth"] = PeakOf(ByBreadth(), kBest);
    peaks["ExecuTorch greedy"] = SharedObjects(true);
    peaks["shared objects"] = SharedObjects(false);
    peaks["TVM greedy_by_size"] = by([&](size_t i) { return tuple(size(i), degree(i)); }, kAbove);
    peaks["TVM greedy_by_conflicts"] =
        by([&](size_t i) { return tuple(degree(i), size(i)); }, kAbove);
    peaks["TVM hill_climb"] = TvmHillClimb();
    peaks["Vela hill climb"] = VelaHillClimb();
    return peaks;
  }

 private:
  struct Live {
    int64_t lower, upper, size;
  };
  enum Fit { kFirst, kBest, kAbove };
  static constexpr int64_t kNowhere = -1;
  static constexpr int kRounds = 500;

  bool LiveTogether(size_t i, size_t j) const {
    return all_[i].lower < all_[j].upper && all_[j].lower < all_[i].upper;
  }

  int64_t LoadAt(int64_t tick) const {
    int64_t load = 0;
    for (const Live& one : all_) load += one.lower <= tick && tick < one.upper ? one.size : 0;
    return load;
  }

  template <class Key>
  std::vector<size_t> Order(Key key, bool last_first) const {
    std::vector<size_t> order(all_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (last_first) std::reverse(order.begin(), order.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return key(a) < key(b); });
    return order;
  }

  template <class Key>
  int64_t BestOfTies(Key key, Fit fit) const {
    return std::min(PeakOf(Order(key, false), fit), PeakOf(Order(key, true), fit));
  }

  // Returns the offset of buffer `next` among the buffers that have an offset.
  int64_t Place(size_t next, const std::vector<int64_t>& offsets, Fit fit) const {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const size_t other : neighbours_[next]) {
      if (offsets[other] != kNowhere) {
        taken.emplace_back(offsets[other], offsets[other] + all_[other].size);
      }
    }
    std::sort(taken.begin(), taken.end());
    int64_t end = 0, best = kNowhere, least = std::numeric_limits<int64_t>::max();
    for (const auto& [begin, upper] : taken) {
      const int64_t gap = begin - end;
      if (fit != kAbove && gap >= all_[next].size && gap < least) {
        least = gap;
        best = end;
        if (fit == kFirst) break;
      }
      end = std::max(end, upper);
    }
    return best != kNowhere ? best : end;
  }

  std::vector<int64_t> PlaceAll(const std::vector<size_t>& order, Fit fit) const {
    std::vector<int64_t> offsets(all_.size(), kNowhere);
    for (const size_t next : order) offsets[next] = Place(next, offsets, fit);
    return offsets;
  }

  int64_t PeakOf(const std::vector<int64_t>& offsets) const {
    int64_t peak = 0;
    for (size_t i = 0; i < offsets.size(); ++i) peak = std::max(peak, offsets[i] + all_[i].size);
    return peak;
  }
  int64_t PeakOf(const std::vector<size_t>& order, Fit fit) const {
    return PeakOf(PlaceAll(order, fit));
  }

  // Returns an order by ticks. The tick with the most live bytes comes first; at each tick, the
  // largest buffer comes first.
  std::vector<size_t> ByBreadth() const {
    std::set<std::pair<int64_t, int64_t>> ticks;
    for (const Live& one : all_) ticks.emplace(-LoadAt(one.lower), one.lower);
    const std::vector<size_t> by_size = Order([this](size_t i) { return -all_[i].size; }, false);
    std::vector<size_t> order;
    std::vector<bool> taken(all_.size());
    for (const auto& [load, tick] : ticks) {
      for (const size_t i : by_size) {
        if (taken[i] || tick < all_[i].lower || all_[i].upper <= tick) continue;
        taken[i] = true;
        order.push_back(i);
      }
    }
    return order;
  }

  // Returns the sum of buckets that are as large as their first and largest buffer. Another buffer
  // goes into the bucket of the nearest size in which no live range meets its own. `stacked`: if
  // there is none, the buffer goes above the others of a bucket with enough room.
  int64_t SharedObjects(bool stacked) const {
    struct Object {
      int64_t size;
      std::vector<std::pair<size_t, int64_t>> members;  // and their ends in it
    };
    std::vector<Object> objects;
    const auto above = [this](const Object& object, size_t next) {
      int64_t end = 0;
      for (const auto& [member, upper] : object.members) {
        if (LiveTogether(member, next)) end = std::max(end, upper);
      }
      return end;
    };
    for (const size_t next : Order([this](size_t i) { return -all_[i].size; }, false)) {
      Object* picked = nullptr;
      for (Object& object : objects) {
        if (above(object, next) == 0 && (!picked || object.size < picked->size)) picked = &object;
      }
      for (Object& object : objects) {
        const bool fits = above(object, next) + all_[next].size <= object.size;
        if (stacked && !picked && fits) picked = &object;
      }
      if (!picked) picked = &objects.emplace_back(Object{all_[next].size, {}});
      picked->members.emplace_back(next, above(*picked, next) + all_[next].size);
    }
    int64_t sum = 0;
    for (const Object& object : objects) sum += object.size;
    return sum;
  }

  // Returns the best peak of a hill climb. Each round picks a buffer at the top, and swaps one that
  // it rests on with one that this rests on, or with the top.
  int64_t TvmHillClimb() const {
    std::vector<size_t> order =
        Order([this](size_t i) { return std::tuple(-all_[i].size, -Degree(i)); }, true);
    std::vector<int64_t> offsets = PlaceAll(order, kFirst);
    int64_t peak = PeakOf(offsets), best = peak;
    Random random(0);
    for (int round = 1; round < kRounds && best > live_; ++round) {
      std::vector<size_t> rank(order.size()), tops, first, second;
      for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
      for (size_t i = 0; i < order.size(); ++i) {
        if (offsets[i] + all_[i].size == peak) tops.push_back(i);
      }
      const auto earlier = [&](size_t i, std::vector<size_t>& found) {
        for (const size_t j : neighbours_[i]) {
          if (rank[j] < rank[i]) found.push_back(j);
        }
      };
      const size_t top = random.Pick(tops);
      earlier(top, first);
      for (const size_t i : first) earlier(i, second);
      if (first.empty()) break;
      const size_t a = random.Pick(first);
      const size_t b = second.empty() || random.OneIn(4) ? top : random.Pick(second);
      std::swap(order[rank[a]], order[rank[b]]);
      const std::vector<int64_t> tried = PlaceAll(order, kFirst);
      const int64_t total = PeakOf(tried);
      const int64_t chance = total > peak ? 5000 * (total - peak) / total / round : 10'000;
      if (static_cast<int64_t>(random.Below(10'000)) < chance) {
        offsets = tried;
        peak = total;
        best = std::min(best, peak);
      } else {
        std::swap(order[rank[a]], order[rank[b]]);
      }
    }
    return best;
  }

  // Returns the best peak of a hill climb. Each round swaps two of these: the highest buffer, its
  // neighbours, and all buffers that they rest on.
  int64_t VelaHillClimb() const {
    std::vector<size_t> order = Order(
        [this](size_t i) {
          return std::tuple(-load_[i], all_[i].lower - all_[i].upper, all_[i].lower, -all_[i].size);
        },
        false);
    std::vector<int64_t> offsets = PlaceAll(order, kFirst);
    int64_t best = PeakOf(offsets);
    Random random(1);
    for (int round = 0; round < kRounds && best > live_; ++round) {
      const std::vector<size_t> turns = TurnsBelowTheTop(order, offsets);
      if (turns.size() < 2) break;
      std::vector<size_t> tried = order;
      std::swap(tried[random.Pick(turns)], tried[random.Pick(turns)]);
      const std::vector<int64_t> made = PlaceAll(tried, kFirst);
      if (PeakOf(made) > best) continue;
      best = PeakOf(made);
      offsets = made;
      order = tried;
    }
    return best;
  }

  std::vector<size_t> TurnsBelowTheTop(const std::vector<size_t>& order,
                                       const std::vector<int64_t>& offsets) const {
    const int64_t peak = PeakOf(offsets);
    size_t top = 0;
    while (offsets[top] + all_[top].size != peak) ++top;
    std::set<size_t> found = {top};
    std::vector<size_t> open = {top};
    open.insert(open.end(), neighbours_[top].begin(), neighbours_[top].end());
    found.insert(open.begin(), open.end());
    while (!open.empty()) {
      const size_t i = open.back();
      open.pop_back();
      for (const size_t j : neighbours_[i]) {
        if (offsets[j] + all_[j].size == offsets[i] && found.insert(j).second) open.push_back(j);
      }
    }
    std::vector<size_t> turns;
    for (size_t turn = 0; turn < order.size(); ++turn) {
      if (found.contains(order[turn])) turns.push_back(turn);
    }
    return turns;
  }

  int64_t Degree(size_t i) const { return static_cast<int64_t>(neighbours_[i].size()); }

  std::vector<Live> all_;
  std::vector<std::vector<size_t>> neighbours_;
  std::vector<int64_t> load_;  // of each, the most bytes that are live with it, its own included
  int64_t live_ = 0;           // the most of all
};

}  // namespace

std::map<std::string_view, int64_t> PeaksOfPeers(const MemoryProblem& problem) {
  return PeerPlanners(problem).Peaks();
}

}  // namespace assay

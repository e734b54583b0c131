// SPDX-License-Identifier: Apache-2.0
#include "filler_split.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "random.h"

namespace assay {
namespace {

constexpr size_t kGroupMax = 6;
constexpr int64_t kLooksMax = 200'000;  // to find groups

// Puts steps that add up to nothing into groups.
class StepGroups {
 public:
  StepGroups(std::span<const FreeStep> steps, uint64_t attempt)
      : steps_(steps), attempt_(attempt), random_(attempt), left_(steps.size()) {
    std::iota(left_.begin(), left_.end(), 0);
  }

  std::vector<std::vector<size_t>> Find() {
    for (size_t size = 2; size <= kGroupMax && looks_ < kLooksMax; ++size) FindOfSize(size);
    if (!left_.empty()) groups_.push_back(left_);
    return std::move(groups_);
  }

 private:
  void FindOfSize(size_t size) {
    std::vector<size_t> firsts = left_;
    if (attempt_ > 1) {
      for (size_t i = firsts.size(); i > 1; --i) std::swap(firsts[i - 1], firsts[random_.Below(i)]);
    }
    for (const size_t first : firsts) {
      const auto at = std::lower_bound(left_.begin(), left_.end(), first);
      if (at == left_.end() || *at != first || left_.size() <= size) continue;
      group_ = {first};
      if (!Extend(static_cast<size_t>(at - left_.begin()) + 1, size, steps_[first].change))
        continue;
      std::erase_if(left_, [this](size_t i) {
        return std::find(group_.begin(), group_.end(), i) != group_.end();
      });
      groups_.push_back(group_);
    }
  }

  // Adds later steps to the group until it has `size` steps and the sum 0. The sum of the steps
  // so far is what the group's fillers take, and so stays positive until the end.
  bool Extend(size_t begin, size_t size, int64_t sum) {
    if (sum <= 0) return false;
    for (size_t i = begin; i < left_.size() && looks_ < kLooksMax; ++i) {
      ++looks_;
      const int64_t next = sum + steps_[left_[i]].change;
      const bool last = group_.size() + 1 == size;
      if (last && next != 0) continue;
      group_.push_back(left_[i]);
      if (last ? LeavesEnough() : Extend(i + 1, size, next)) return true;
      group_.pop_back();
    }
    return false;
  }

  // Returns true if the other steps never take more than there is.
  bool LeavesEnough() {
    looks_ += static_cast<int64_t>(left_.size());
    int64_t free = 0;
    return std::all_of(left_.begin(), left_.end(), [&](size_t i) {
      const bool own = std::find(group_.begin(), group_.end(), i) != group_.end();
      if (!own) free += steps_[i].change;
      return free >= 0;
    });
  }

  std::span<const FreeStep> steps_;
  uint64_t attempt_;
  Random random_;
  std::vector<size_t> left_, group_;  // steps
  std::vector<std::vector<size_t>> groups_;
  int64_t looks_ = 0;
};

class Splitter {
 public:
  Splitter(std::span<const FreeStep> steps, uint64_t attempt)
      : steps_(steps), attempt_(attempt), random_(attempt) {}

  std::vector<Filler> Split() {
    for (const std::vector<size_t>& group : StepGroups(steps_, attempt_).Find()) SplitGroup(group);
    return std::move(found_);
  }

 private:
  // Returns true if free space moves at a step where it may.
  bool Moves(const FreeStep& step) {
    if (attempt_ > 1) return random_.OneIn(2);
    return attempt_ == 0 && step.change > 0;
  }

  void SplitGroup(const std::vector<size_t>& group) {
    last_decrease_.clear();
    for (const size_t i : group) {
      if (steps_[i].change < 0) last_decrease_[-steps_[i].change] = steps_[i].tick;
    }
    for (const size_t i : group) {
      const FreeStep& step = steps_[i];
      if (step.change < 0) {
        End(step, -step.change);
        continue;
      }
      Filler filler{step.change, step.tick, 0};
      if (step.both && !open_.empty() && Moves(step)) {
        filler.size += open_.back().size;
        Close(open_.size() - 1, step.tick);
      }
      open_.push_back(filler);
    }
  }

  void Close(size_t which, int64_t tick) {
    open_[which].to = tick;
    found_.push_back(open_[which]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  // Ends fillers of `size` units: one filler, two, a part of one, or the last ones that began.
  void End(const FreeStep& step, int64_t size) {
    while (size > 0) {
      if (EndsOneOrTwo(step.tick, size)) return;
      const size_t larger = LargerThan(step.tick, size);
      if (larger < open_.size()) {
        Filler rest = open_[larger];
        rest.size -= size;
        if (step.both && Moves(step)) {
          rest.from = step.tick;
        } else {
          open_[larger].size = size;
        }
        Close(larger, step.tick);
        open_.push_back(rest);
        return;
      }
      size -= open_.back().size;
      Close(open_.size() - 1, step.tick);
    }
  }

  bool EndsOneOrTwo(int64_t tick, int64_t size) {
    for (size_t i = open_.size(); i-- > 0;) {
      if (open_[i].size != size) continue;
      Close(i, tick);
      return true;
    }
    for (size_t i = open_.size(); i-- > 0;) {
      for (size_t j = i; j-- > 0;) {
        if (open_[i].size + open_[j].size != size) continue;
        Close(i, tick);
        Close(j, tick);
        return true;
      }
    }
    return false;
  }

  // Returns a filler of more than `size` units, if possible one whose rest has a place to end.
  size_t LargerThan(int64_t tick, int64_t size) const {
    size_t best = open_.size();
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].size < size) continue;
      const bool ends = EndsLater(tick, open_[i].size - size);
      if (best == open_.size() || (ends && !EndsLater(tick, open_[best].size - size))) best = i;
    }
    return best;
  }

  // Returns true if a step after `tick` leaves `size` units less free.
  bool EndsLater(int64_t tick, int64_t size) const {
    const auto last = last_decrease_.find(size);
    return last != last_decrease_.end() && last->second > tick;
  }

  std::span<const FreeStep> steps_;
  uint64_t attempt_;
  Random random_;
  std::unordered_map<int64_t, int64_t> last_decrease_;  // of a group: by its size, its last tick
  std::vector<Filler> open_, found_;
};

}  // namespace

std::vector<Filler> SplitIntoFillers(std::span<const FreeStep> steps, uint64_t attempt) {
  return Splitter(steps, attempt).Split();
}

}  // namespace assay

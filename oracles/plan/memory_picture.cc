// SPDX-License-Identifier: Apache-2.0
#include "memory_picture.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "quoted.h"

namespace assay {
namespace {

constexpr double kWidth = 1000, kHeight = 500;          // of a panel, in pixels
constexpr double kLeft = 110, kTop = 30, kBottom = 40;  // around it
constexpr double kLabelWidth = 70, kLabelHeight = 12;   // what a label needs
constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

// Returns a number with two digits behind the point, in any locale.
std::string Number(double value) {
  const auto hundredths = static_cast<int64_t>(value * 100 + 0.5);
  const std::string digits = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (digits.size() < 2 ? "0" : "") + digits;
}

std::string Escaped(const std::string& name) { return XmlEscaped(Quoted(name), "&<>\""); }

struct Extent {
  int64_t lower, upper, begin, end;
};

// The ticks and bytes of a panel, and their position in the picture.
class Panel {
 public:
  Panel(const Extent& extent, double top) : extent_(extent), top_(top) {}

  double X(int64_t tick) const {
    return kLeft + kWidth * Share(extent_.lower, tick, extent_.upper);
  }
  double Y(int64_t byte) const {
    return top_ + kHeight * (1 - Share(extent_.begin, byte, extent_.end));
  }

  // Returns a rectangle with `attributes` and a title.
  std::string Rectangle(const Extent& at, const std::string& attributes,
                        const std::string& title) const {
    const double x = X(at.lower), y = Y(at.end);
    return "<rect x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" width=\"" +
           Number(X(at.upper) - x) + "\" height=\"" + Number(Y(at.begin) - y) + "\" " + attributes +
           "><title>" + title + "</title></rect>\n";
  }

  std::string Text(double x, double y, const std::string& anchor, const std::string& text) const {
    return "<text x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" text-anchor=\"" + anchor + "\">" +
           text + "</text>\n";
  }

  std::string Frame(const std::string& title) const {
    const double bottom = top_ + kHeight;
    return "<rect x=\"" + Number(kLeft) + "\" y=\"" + Number(top_) + "\" width=\"" +
           Number(kWidth) + "\" height=\"" + Number(kHeight) +
           "\" fill=\"none\" stroke=\"black\"/>\n" + Text(kLeft, top_ - 8, "start", title) +
           Text(kLeft - 6, top_ + 10, "end", std::to_string(extent_.end)) +
           Text(kLeft - 6, bottom, "end", std::to_string(extent_.begin)) +
           Text(kLeft, bottom + 16, "start", "tick " + std::to_string(extent_.lower)) +
           Text(kLeft + kWidth, bottom + 16, "end", std::to_string(extent_.upper));
  }

 private:
  // Returns the position of `at` between `from` and `to`, clipped to 0 to 1.
  static double Share(int64_t from, int64_t at, int64_t to) {
    const double span = static_cast<double>(to) - static_cast<double>(from);
    if (span <= 0) return 0;
    return std::clamp((static_cast<double>(at) - static_cast<double>(from)) / span, 0.0, 1.0);
  }

  const Extent extent_;
  const double top_;
};

class Picture {
 public:
  Picture(const MemoryProblem& problem, const MemoryPlan& plan, const CheckedPlan& checked)
      : problem_(problem), plan_(plan), checked_(checked) {}

  std::string Draw() {
    for (size_t pool = 0; pool < problem_.pools.size(); ++pool) DrawPool(pool);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Number(kLeft + kWidth + 20) +
           "\" height=\"" + Number(top_) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           text_ + "</svg>\n";
  }

 private:
  // A rectangle of a buffer; kNever if the buffer has no live ranges.
  struct Shown {
    Extent at;
    int32_t buffer;
  };

  std::vector<const PlanBreach*> CollisionsIn(size_t pool) const {
    std::vector<const PlanBreach*> all;
    for (const PlanBreach& breach : checked_.breaches) {
      const bool here = breach.pool == static_cast<int32_t>(pool);
      if (here && breach.rule == PlanRule::kOverlap) all.push_back(&breach);
    }
    return all;
  }

  std::vector<Shown> ShownIn(size_t pool) const {
    std::vector<Shown> shown;
    for (const Occupancy& one : checked_.occupancies) {
      if (one.pool != static_cast<int32_t>(pool)) continue;
      shown.push_back({{one.lower, one.upper, one.begin, one.end}, one.buffer});
    }
    for (size_t i = 0; i < plan_.allocations.size(); ++i) {
      const auto& at = plan_.allocations[i];
      const BufferInfo& buffer = problem_.buffers[i];
      int64_t end = 0;
      if (!at || at->pool != static_cast<int32_t>(pool) || !buffer.live.empty() ||
          buffer.size_bytes == 0 || __builtin_add_overflow(at->offset, buffer.size_bytes, &end)) {
        continue;
      }
      shown.push_back({{kNever, kNever, at->offset, end}, static_cast<int32_t>(i)});
    }
    return shown;
  }

  // Keeps the rectangles that are nearest to a tick.
  static void KeepAround(int64_t tick, std::vector<Shown>& shown) {
    const auto distance = [tick](const Shown& one) {
      const auto at = static_cast<double>(tick);
      return std::max(
          {0.0, static_cast<double>(one.at.lower) - at, at - static_cast<double>(one.at.upper)});
    };
    std::stable_sort(shown.begin(), shown.end(),
                     [&](const Shown& a, const Shown& b) { return distance(a) < distance(b); });
    shown.resize(kPictureRangesMax);
  }

  static Extent ExtentOf(const std::vector<Shown>& shown) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    Extent all{kMost, kNever, kMost, kNever};
    for (const Shown& one : shown) {
      if (one.at.lower != one.at.upper) {
        all.lower = std::min(all.lower, one.at.lower);
        all.upper = std::max(all.upper, one.at.upper);
      }
      all.begin = std::min(all.begin, one.at.begin);
      all.end = std::max(all.end, one.at.end);
    }
    if (all.lower > all.upper) all.lower = all.upper = 0;
    if (all.lower == all.upper) ++all.upper;
    return all;
  }

  void DrawPool(size_t pool) {
    std::vector<Shown> shown = ShownIn(pool);
    if (shown.empty()) return;
    const std::vector<const PlanBreach*> collisions = CollisionsIn(pool);
    const bool partial = shown.size() > kPictureRangesMax;
    if (partial) {
      const bool timed = !collisions.empty() && collisions[0]->tick;
      KeepAround(timed ? *collisions[0]->tick : checked_.pools[pool].bound_tick.value_or(0), shown);
    }
    const Extent extent = ExtentOf(shown);
    const Panel panel(extent, top_ + kTop);
    for (Shown& one : shown) {
      if (one.at.lower == one.at.upper) {
        one.at.lower = extent.lower;
        one.at.upper = extent.upper;
      }
      DrawBuffer(panel, one);
    }
    for (const PlanBreach* breach : collisions) DrawCollision(panel, extent, shown, *breach);
    text_ += panel.Frame("pool " + Escaped(problem_.pools[pool].name) + ", peak " +
                         std::to_string(checked_.pools[pool].peak) + (partial ? ", in part" : ""));
    top_ += kTop + kHeight + kBottom;
  }

  std::string NameOf(int32_t buffer) const {
    return Escaped(problem_.buffers[static_cast<size_t>(buffer)].name_hint);
  }

  void DrawBuffer(const Panel& panel, const Shown& one) {
    const std::string name = NameOf(one.buffer);
    text_ += panel.Rectangle(
        one.at, "fill=\"#cfe2f3\" stroke=\"#456789\"",
        name + " ticks " + std::to_string(one.at.lower) + " to " + std::to_string(one.at.upper) +
            ", bytes " + std::to_string(one.at.begin) + " to " + std::to_string(one.at.end));
    const double x = panel.X(one.at.lower), y = panel.Y(one.at.begin);
    if (panel.X(one.at.upper) - x >= kLabelWidth && y - panel.Y(one.at.end) >= kLabelHeight) {
      text_ += panel.Text(x + 3, y - 2, "start", name);
    }
  }

  // Draws the bytes that both buffers have, as long as both are live.
  void DrawCollision(const Panel& panel, const Extent& extent, const std::vector<Shown>& shown,
                     const PlanBreach& breach) {
    Extent at{extent.lower, extent.upper, breach.begin, breach.end};
    for (const Shown& one : shown) {
      if (one.buffer != breach.buffer && one.buffer != breach.other) continue;
      if (!breach.tick || *breach.tick < one.at.lower || one.at.upper <= *breach.tick) continue;
      at.lower = std::max(at.lower, one.at.lower);
      at.upper = std::min(at.upper, one.at.upper);
    }
    text_ +=
        panel.Rectangle(at, "fill=\"red\" fill-opacity=\"0.7\" stroke=\"red\" class=\"collision\"",
                        NameOf(*breach.buffer) + " and " + NameOf(*breach.other));
  }

  const MemoryProblem& problem_;
  const MemoryPlan& plan_;
  const CheckedPlan& checked_;
  double top_ = 0;
  std::string text_;
};

}  // namespace

std::string PlanPicture(const MemoryProblem& problem, const MemoryPlan& plan,
                        const CheckedPlan& checked) {
  return Picture(problem, plan, checked).Draw();
}

}  // namespace assay

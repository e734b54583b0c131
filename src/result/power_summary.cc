// SPDX-License-Identifier: Apache-2.0
#include "power_summary.h"

#include "clean_text.h"
#include "counted.h"
#include "joined.h"

namespace assay {
namespace {

constexpr size_t kNotShownMost = 12;

// Returns "layer 2", "layers 2, 5".
std::string NumbersText(const std::string& what, const std::vector<size_t>& numbers) {
  const auto text_of = [](size_t number) { return std::to_string(number); };
  return what + (numbers.size() == 1 ? " " : "s ") + OneLine(Joined(numbers, ", ", text_of), 60);
}

}  // namespace

int64_t PowerSummary::Percent() const { return faults == 0 ? 100 : 100 * AllShown() / faults; }

std::vector<std::string> PowerLines(const PowerSummary& power) {
  const bool is_alone = !power.alone.empty();
  std::vector<std::string> lines;
  if (power.faults > 0 || power.not_measured.empty()) {
    lines.push_back("would have noticed " + std::to_string(power.AllShown()) + " of " +
                    Counted(power.faults, "fault") + " of " +
                    (is_alone ? "a single " + power.alone : "its operators") + " (" +
                    std::to_string(power.Percent()) + " %)");
    if (power.shown_made > 0) {
      lines[0] += ", " + std::to_string(power.shown_made) +
                  " of them only on operands made for a " + power.alone +
                  (power.alone == "layer" ? ", or in a window of layers" : "");
    }
    if (power.shown_lattice > 0) {
      lines[0] += ", " + std::to_string(power.shown_lattice) + " only with weights on a lattice";
    }
  }
  for (size_t i = 0; i < power.not_shown.size(); ++i) {
    const PowerSummary::NotShown& fault = power.not_shown[i];
    if (i == kNotShownMost) {
      lines.push_back("not noticed: " + std::to_string(power.not_shown.size() - i) + " more" +
                      (is_alone ? ", which --json lists" : ""));
      break;
    }
    lines.push_back("not noticed: " + fault.fault +
                    (is_alone ? " in " + NumbersText(power.alone, fault.layers) : "") + ": " +
                    fault.what);
  }
  for (size_t i = 0; i < power.not_reached.size();) {
    const size_t layer = power.not_reached[i].layer;
    std::vector<std::string> what;
    for (; i < power.not_reached.size() && power.not_reached[i].layer == layer; ++i) {
      what.push_back(power.not_reached[i].what);
    }
    lines.push_back("not reached in layer " + std::to_string(layer) + ": " + Joined(what, ", "));
  }
  if (!power.not_measured.empty()) {
    lines.push_back("faults not measured, which would take too long: " +
                    NumbersText(is_alone ? power.alone : "vector", power.not_measured));
  }
  if (power.wiring_not_measured > 0) {
    lines.push_back("faults between layers not measured, which would take too long: " +
                    std::to_string(power.wiring_not_measured));
  }
  return lines;
}

}  // namespace assay

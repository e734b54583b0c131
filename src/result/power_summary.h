// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// A count of the faults that a verdict would have noticed, for a person. A fault is a mutant
// (mutants.h). It counts if something has shown it, or if it changes something here and may show.
struct PowerSummary {
  struct OfLayer {
    size_t layer = 0;  // number, from 1
    int64_t faults = 0, shown = 0, shown_made = 0, shown_lattice = 0;
    int64_t AllShown() const { return shown + shown_made + shown_lattice; }
    friend bool operator==(const OfLayer&, const OfLayer&) = default;
  };
  struct NotShown {
    std::string fault, what;
    std::vector<size_t> layers;
    friend bool operator==(const NotShown&, const NotShown&) = default;
  };
  // A branch or a number of iterations of a layer of control flow that nothing has reached.
  struct NotReached {
    size_t layer = 0;
    std::string what;  // "its else_graph", "several iterations"
    friend bool operator==(const NotReached&, const NotReached&) = default;
  };
  // The thing that is alone when a fault is tried: "layer", or "configuration" of a layer. Empty: a
  // fault is in all operators of its kind at once, and no layer has a number.
  std::string alone = "layer";
  // `faults` is the number of those that are shown or open. `shown_made`: only by operands that
  // were made for a layer, or by windows of layers. `shown_lattice`: only by weights on a lattice.
  int64_t faults = 0, shown = 0, shown_made = 0, shown_lattice = 0, cannot_show = 0;
  std::vector<OfLayer> layers;       // in their order
  std::vector<size_t> not_measured;  // layers; or vectors, from 1
  int64_t wiring_not_measured = 0;   // faults between layers, which are in none of these counts
  std::vector<NotShown> not_shown;   // in the order of the table of mutants
  std::vector<NotReached> not_reached = {};

  // Returns the share of the faults that is shown, in percent, rounded down; 100 if there are none.
  int64_t Percent() const;
  int64_t AllShown() const { return shown + shown_made + shown_lattice; }
  friend bool operator==(const PowerSummary&, const PowerSummary&) = default;
};

// Returns what a verdict would have noticed, a line each.
std::vector<std::string> PowerLines(const PowerSummary& power);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// Windows of generated graphs: one to four operators whose inputs have values as they occur inside
// graphs, behind other operators.
#include "grow_graph.h"
#include "vector_facts.h"
#include "windows.h"

namespace assay::generators {

extern const Generator window_generator;

namespace {

constexpr int64_t kOperatorsMin = 4;  // of the graph
constexpr int64_t kOperatorsMax = 16;
constexpr WindowLimits kLimits = {.operators_max = 4, .sets_max = 32};
constexpr int kGraphsMax = 8, kWindowsMax = 4;

int64_t Targets(const GeneratorOptions&) { return 0; }

// Returns a window of a new graph; nothing if none of those that were tried has an expectation.
std::optional<TestVector> WindowOfGraph(Choices& choices, const GeneratorOptions& options,
                                        const Menu& menu) {
  const ValueMode mode = choices.OneIn(8)   ? ValueMode::kSpecial
                         : choices.OneIn(2) ? ValueMode::kCalm
                                            : ValueMode::kFinite;
  TestVector whole =
      GrowGraph(choices, options, menu, choices.Between(kOperatorsMin, kOperatorsMax), mode,
                /*control_flow=*/false, Vague::kTake);
  if (whole.steps.empty()) return std::nullopt;
  whole.level = std::string(options.level.name);
  std::vector<Window> windows = FindWindows(whole, kLimits).windows;
  std::erase_if(windows, [](const Window& window) { return window.size < 2; });
  for (int i = 0; i < kWindowsMax && !windows.empty(); ++i) {
    Window& window = windows[choices.Below(windows.size())];
    if (ExpectWindow(window)) return std::move(window.vector);
  }
  return std::nullopt;
}

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  Choices choices(
      Random::For(options.seed, index, window_generator.kind, window_generator.version));
  const Menu menu(options);
  if (menu.empty()) return std::nullopt;
  for (int i = 0; i < kGraphsMax; ++i) {
    std::optional<TestVector> vector = WindowOfGraph(choices, options, menu);
    if (!vector) continue;
    vector->provenance.note.clear();
    Describe(*vector, options, window_generator, index, "");
    return vector;
  }
  return std::nullopt;
}

}  // namespace

const Generator window_generator = {
    .kind = "window",
    .help = "2 to 4 connected operators of a graph, on the values that they have in it",
    .version = 2,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators

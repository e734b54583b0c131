// Typed graphs of 2 to 40 operators. They use values more than once, have several outputs,
// constants, splats and groups of operators that compilers like to merge, and sometimes control
// flow.
#include "branches_and_loops.h"
#include "grow_graph.h"
#include "vector_facts.h"

namespace assay::generators {

extern const Generator graph_generator;

namespace {

constexpr int kOperatorsMax = 40;

int64_t Targets(const GeneratorOptions&) { return 0; }

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  Choices choices(Random::For(options.seed, index, graph_generator.kind, graph_generator.version));
  const Menu menu(options);
  if (menu.empty()) return std::nullopt;
  const ValueMode mode = choices.OneIn(8)   ? ValueMode::kSpecial
                         : choices.OneIn(2) ? ValueMode::kCalm
                                            : ValueMode::kFinite;
  const int64_t operators =
      choices.OneIn(4) ? choices.Between(16, kOperatorsMax) : choices.Between(2, 16);
  const bool control_flow = choices.OneIn(8) && AllowsControlFlow(options);
  TestVector vector = GrowGraph(choices, options, menu, operators, mode, control_flow);
  if (vector.steps.empty()) return std::nullopt;
  Describe(vector, options, graph_generator, index, "");
  return vector;
}

}  // namespace

const Generator graph_generator = {
    .kind = "graph",
    .help =
        "typed graphs of 2 to 40 operators with shared values, idioms of compilers and networks, "
        "and control flow",
    .version = 5,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators

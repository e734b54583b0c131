// SPDX-License-Identifier: Apache-2.0
// Typed graphs of 2 to 40 operators. Most use values more than once, have several outputs,
// constants, splats and groups of operators that compilers like to merge, and sometimes control
// flow. Some are chains of inexact operators, some have one answer on a lattice, and some have
// subnormal results of several operators.
#include "branches_and_loops.h"
#include "float_chain.h"
#include "flushing_pair.h"
#include "grow_graph.h"
#include "lattice_graph.h"
#include "vector_facts.h"

namespace assay::generators {

extern const Generator graph_generator;

namespace {

constexpr int kOperatorsMax = 40;

int64_t Targets(const GeneratorOptions&) { return 0; }

// Returns a graph of a special form, one without steps if the options allow none. Most graphs have
// no special form, and the vector is none then.
std::optional<TestVector> GrowSpecialGraph(Choices& choices, const GeneratorOptions& options,
                                           const Menu& menu, bool& is_lattice) {
  switch (choices.Below(16)) {
    case 15:
    case 14:
      // As many short chains as long ones.
      return GrowFloatChain(
          choices, options, menu,
          choices.OneIn(2) ? choices.Between(3, 8) : choices.Between(8, kOperatorsMax));
    case 13:
      return GrowFlushingPair(choices, options, menu);
    case 12:
      is_lattice = true;
      return GrowLatticeGraph(choices, options, menu, choices.Between(4, 24));
    default:
      return std::nullopt;
  }
}

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  Choices choices(Random::For(options.seed, index, graph_generator.kind, graph_generator.version));
  const Menu menu(options);
  if (menu.empty()) return std::nullopt;
  bool is_lattice = false;
  std::optional<TestVector> special = GrowSpecialGraph(choices, options, menu, is_lattice);
  if (special && !special->steps.empty()) {
    Describe(*special, options, graph_generator, index, "");
    if (is_lattice) special->tags.push_back("lattice");
    return special;
  }
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
        "control flow, chains of inexact operators, subnormal results, and lattices",
    .version = 6,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators

// SPDX-License-Identifier: Apache-2.0
// Writes random graphs of 1 to 40 operators as test vectors. In contrast to the kind `graph`, no
// operator is left out because its result may be far off: all that grows is kept. Backends that
// keep to the specification must have no finding on them (tests/backend/README.md).
//
//   unselected_graphs FOLDER SEED COUNT
#include <cstdio>
#include <cstdlib>

#include "files.h"
#include "grow_graph.h"
#include "suite.h"
#include "tvec_file.h"
#include "vector_facts.h"

namespace assay {
namespace {

constexpr int64_t kOperatorsMax = 40;

const Generator kUnselected = {.kind = "unselected",
                               .help = "",
                               .version = 1,
                               .targets = [](const GeneratorOptions&) { return int64_t{0}; },
                               .make = nullptr};

TestVector Make(const GeneratorOptions& options, const Menu& menu, uint64_t index) {
  Choices choices(Random::For(options.seed, index, kUnselected.kind, kUnselected.version));
  const ValueMode mode = choices.OneIn(8)   ? ValueMode::kSpecial
                         : choices.OneIn(2) ? ValueMode::kCalm
                                            : ValueMode::kFinite;
  const int64_t operators = choices.Between(1, kOperatorsMax);
  TestVector vector =
      GrowGraph(choices, options, menu, operators, mode, choices.OneIn(8), Vague::kTake);
  if (!vector.steps.empty()) Describe(vector, options, kUnselected, index, "");
  return vector;
}

// Returns the number of vectors, or -1 if a file cannot be written.
int64_t Write(const std::string& folder, const GeneratorOptions& options, uint64_t count) {
  const Menu menu(options);
  int64_t written = 0;
  for (uint64_t index = 0; index < count; ++index) {
    const TestVector vector = Make(options, menu, index);
    if (vector.steps.empty()) continue;
    const std::string file = folder + "/" + CaseName(kUnselected.kind, index) + ".tvec";
    if (const Result<Done> done = WriteFileAtomically(file, WriteTestVector(vector)); !done) {
      std::fprintf(stderr, "%s\n", done.error().message.c_str());
      return -1;
    }
    ++written;
  }
  return written;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: unselected_graphs FOLDER SEED COUNT\n");
    return 2;
  }
  assay::GeneratorOptions options;
  options.level = assay::kLevel8K;
  options.seed = std::strtoull(argv[2], nullptr, 10);
  const int64_t written = assay::Write(argv[1], options, std::strtoull(argv[3], nullptr, 10));
  if (written < 0) return 2;
  std::printf("%lld vectors in %s\n", static_cast<long long>(written), argv[1]);
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fold_graph.h"
#include "result.h"
#include "test_vector.h"

namespace assay {
class CommandLine;
}

namespace assay::cli {

// Options that say which inputs of a graph are constant, and how the graph is folded.
struct FoldingOptions {
  std::string function;                            // --function
  std::string mode = "split";                      // --mode
  std::vector<std::string> compile_time, runtime;  // --compiletime-const, --runtime-const
  std::string policy = "ratio:8";                  // --policy
  bool no_postpone = false;                        // --no-postpone
  std::vector<std::string> pure;                   // --pure
  bool dynamic = false;                            // --dynamic
  std::optional<int64_t> graph;                    // --graph
};
void AddFoldingOptions(CommandLine& line, FoldingOptions& options);

// Returns the options for folding a graph of `vector`, which has the rules that the graph is judged
// by. Error kUsage names the option.
Result<FoldOptions> FoldOptionsOf(const FoldingOptions& options, const TestVector& vector);

// A graph to be folded, as the only graph of a vector. The vector has what the file says about the
// graph, including its steps. `arguments` has the constness of its inputs.
struct FoldInput {
  TestVector vector;
  std::vector<Constness> arguments;
};

// Loads the graph of a `.tosa`, `.json`, `.mlir`, `.mlirbc`, `.graph`, `.spv`, `.spvasm` or `.tvec`
// file or an Arm test directory that the options choose. Options override what the file says about
// an input. Error kUsage for an input that does not exist or is named twice, and if it is not clear
// which graph is meant.
Result<FoldInput> LoadFoldInput(const std::string& path, const FoldingOptions& options);

// Loads all graphs that the steps of a file invoke, or the one that the options choose, with their
// steps. TestVector::constness has the constness of each graph's inputs. Errors are those of
// LoadFoldInput().
Result<TestVector> LoadFoldSequence(const std::string& path, const FoldingOptions& options);

}  // namespace assay::cli

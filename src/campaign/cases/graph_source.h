// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapped_file.h"
#include "path_kind.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// The help of an option that LoadGraphOrVector() reads.
inline constexpr char kGraphOrVectorHelp[] =
    "a .tosa, .json, .mlir, .mlirbc, .graph, .spv, .spvasm or .tvec file, or an Arm test directory";

// The vector at a path, or the graph there in a vector that holds nothing else. `function` is that
// of an MLIR file or the entry point of a SPIR-V module, and empty for the only one. `notes` gets
// what was passed over or filled in in a graph; if it is null, these notes are printed. Errors are
// those of KindOfSource() and of the readers, and kUsage for a folder that is no Arm test
// directory. Blocks of the graph that read tensors of the block that runs them get these as inputs
// (ResolveCaptures()), unless `captures` keeps the graph as its file has it. `seed_of_missing` is
// as for LoadMlir().
enum class Captures { kResolved, kAsWritten };
struct GraphOrVector {
  TestVector vector;
  bool is_graph = false;
};
Result<GraphOrVector> LoadGraphOrVector(const std::string& path, const std::string& function,
                                        std::vector<std::string>* notes = nullptr,
                                        Captures captures = Captures::kResolved,
                                        std::optional<uint64_t> seed_of_missing = std::nullopt);

// Returns the number of one of `count` things, from 0: `index`, or the only one without it.
// Error kUsage says that `path` has so many `what`, and that `option` takes a number.
Result<size_t> Choose(const std::string& path, const char* option, const char* what, size_t count,
                      std::optional<int64_t> index);

// Returns the bytes of a `.tosa` file, or the bytes that a `.json` file describes.
Result<SharedBytes> LoadTosaBytes(const std::string& path);

}  // namespace assay

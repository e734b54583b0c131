// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "case_source.h"
#include "equal_graphs.h"
#include "json_value.h"
#include "mlir_rewriter.h"
#include "result.h"

namespace assay {

// The graphs of a suite before and after a constant folder, compared for all inputs. The result of
// a graph is an object: its vector, number, verdict and detail, and a cause if it differs.

// Verdicts beside those of FoldVerdictName(). kNotFolded: MLIR does not fold the graph. kBadInput:
// the file is damaged. kFailed: a resource was missing, or the process was lost. For the last two,
// the detail names the file.
inline constexpr char kNotFolded[] = "not folded", kBadInput[] = "bad input", kFailed[] = "failed";

// Compares the graphs of one vector, in a worker. Returns the results, as the text of an array.
std::string CompareFolded(const CaseList& cases, int64_t index, MlirRewriter& rewriter,
                          const FoldCheckOptions& check);
// Returns the result for a vector whose worker was lost.
Json LostComparison(const std::string& path, const std::string& how);

// Returns the name of a cause: "CLAMP fp32 (canonicalize: ClampIsNoOp)".
std::string NameOfFoldCause(const Json& cause);

// The distinct causes of differences, each with the smallest vector that shows it.
class FoldCauses {
 public:
  // Takes the vector out of `line`, the result of a graph.
  void Add(Json& line);
  // Writes a vector for each cause to a folder, unless that is "", with the line that replays it
  // with the rewrite. Returns the causes, in the order in which they were first seen.
  Result<std::vector<Json>> Write(const std::string& folder, const std::string& rewrite) const;

 private:
  struct Kept {
    std::vector<uint8_t> bytes;  // of the vector
    int64_t graphs = 1;
    Json cause;
  };
  static std::pair<int64_t, size_t> SizeOf(const Kept& kept);

  std::map<std::string, Kept> kept_;
  std::vector<std::string> order_;  // in which they were first seen
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay.h"
#include "case_result.h"
#include "case_source.h"
#include "declarations.h"
#include "result.h"
#include "test_vector.h"

// The content of the handles.

struct assay_lines {
  std::vector<std::string> lines;
};

struct assay_suite {
  assay::CaseList cases;           // reads one pack at a time
  mutable std::mutex mutex;        // of `cases`
  std::vector<std::string> paths;  // of the vectors
};

struct assay_vector {
  explicit assay_vector(assay::TestVector content);

  const assay::TestVector vector;
  const std::vector<assay::OperatorUse> operators;
  // The live ranges of each buffer of each plan.
  std::vector<std::vector<std::vector<assay_live_range>>> live;

  // Forms of the content, each computed when it is first asked for.
  mutable std::mutex mutex;
  mutable std::map<size_t, std::vector<uint8_t>> bytes;  // of the vector: one item
  mutable std::map<size_t, std::vector<uint8_t>> graph_bytes;
  mutable std::map<size_t, std::string> graph_texts;
};

// A tensor that a caller gives, byte by byte.
struct GivenTensor {
  assay::TensorType type;
  std::vector<uint8_t> bytes;
};

struct assay_outcomes {
  struct Step {
    assay::OutcomeKind kind = assay::OutcomeKind::kUnsupported;
    std::string rule, message;
    std::vector<std::optional<GivenTensor>> outputs;
    std::map<std::string, GivenTensor> state;
  };
  std::vector<Step> steps;
  // The declared outputs of each step.
  std::vector<std::vector<assay::TensorType>> declared;
  std::vector<std::string> declarations;
};

struct assay_judgement {
  assay::CaseResult result;
  // By finding: its texts by assay_finding_field, and the row-major index of its element.
  std::vector<std::vector<std::string>> texts;
  std::vector<int64_t> elements;
};

namespace assay::api {

// Returns the main block that a step invokes; null if its graph has none.
const Block* MainOf(const TestVector& vector, size_t step);

// Returns a view of a tensor, whose elements and shape it does not own.
assay_tensor_view ViewOf(const char* name, const TensorType& type, const void* data, size_t size);
assay_tensor_view ViewOf(const char* name, const Tensor& tensor);

// Returns the bytes of a tensor of a type; the greatest number if they are more.
size_t BytesOf(const TensorType& type);

// Returns the type that a view says. An Error begins with `what`.
Result<TensorType> TypeOf(const assay_tensor_view& view, const std::string& what);
// Returns a copy of the tensor. An Error begins with `what`.
Result<Tensor> TensorOf(const assay_tensor_view& view, const std::string& what);

// Returns a handle on the lines of a text.
std::unique_ptr<assay_lines> LinesOf(std::string_view text);

// Returns "step STEP: WHAT".
inline std::string PlaceInStep(size_t step, const std::string& what) {
  return "step " + std::to_string(step) + ": " + what;
}

// Returns item `index` of a list as a text; "" if there is none.
inline const char* TextAt(const std::vector<std::string>& list, size_t index) {
  return index < list.size() ? list[index].c_str() : "";
}

}  // namespace assay::api

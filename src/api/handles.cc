// SPDX-License-Identifier: Apache-2.0
#include "handles.h"

#include <algorithm>
#include <utility>

#include "guarded.h"
#include "judge_outcomes.h"
#include "packing.h"
#include "version.h"

assay_vector::assay_vector(assay::TestVector content)
    : vector(std::move(content)), operators(assay::OperatorsOf(vector)) {
  for (const assay::PlanRecord& plan : vector.plans) {
    auto& buffers = live.emplace_back();
    for (const assay::BufferInfo& buffer : plan.planned.problem.buffers) {
      auto& ranges = buffers.emplace_back();
      for (const assay::LiveRange& range : buffer.live) {
        ranges.push_back(
            {range.lower, range.upper, range.window_lower, range.window_upper.value_or(-1)});
      }
    }
  }
}

namespace assay::api {

const Block* MainOf(const TestVector& vector, size_t step) {
  return vector.GraphOf(vector.steps[step]).Main();
}

assay_tensor_view ViewOf(const char* name, const TensorType& type, const void* data, size_t size) {
  return {name,
          data,
          size,
          type.shape.begin(),
          static_cast<uint32_t>(type.shape.rank()),
          static_cast<assay_dtype>(type.type)};
}

assay_tensor_view ViewOf(const char* name, const Tensor& tensor) {
  return ViewOf(name, tensor.tensor_type(), tensor.bytes().data(), tensor.bytes().size());
}

size_t BytesOf(const TensorType& type) {
  const auto elements = static_cast<size_t>(type.shape.Elements());
  size_t bytes = 0;
  const auto each = static_cast<size_t>(ElementBytes(type.type));
  return __builtin_mul_overflow(elements, each, &bytes) ? SIZE_MAX : bytes;
}

Result<TensorType> TypeOf(const assay_tensor_view& view, const std::string& what) {
  const auto type = static_cast<DType>(view.dtype);
  if (view.dtype > UINT8_MAX || ElementBytes(type) == 0) {
    return BadArgument(what + ": there is no element type " + std::to_string(view.dtype));
  }
  if (view.rank > static_cast<uint32_t>(Shape::kMaxRank)) {
    return BadArgument(what + ": has rank " + std::to_string(view.rank));
  }
  if (view.rank > 0 && view.shape == nullptr) return NullPointer((what + ": shape").c_str());
  return TensorType{type, Shape(std::span(view.shape, view.rank))};
}

Result<Tensor> TensorOf(const assay_tensor_view& view, const std::string& what) {
  const Result<TensorType> type = TypeOf(view, what);
  if (!type) return type.error();
  if (view.data == nullptr && view.size > 0) return NullPointer((what + ": data").c_str());
  Result<Tensor> tensor = TensorOfElements(type->type, type->shape,
                                           {static_cast<const uint8_t*>(view.data), view.size});
  if (tensor) return tensor;
  return BadArgument(what + ": " + tensor.error().message);
}

std::unique_ptr<assay_lines> LinesOf(std::string_view text) {
  auto lines = std::make_unique<assay_lines>();
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines->lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace assay::api

const char* assay_library_version(void) { return assay::kToolkitVersion.data(); }

// Names of the tables are literals, which end with a zero.
const char* assay_dtype_name(assay_dtype dtype) {
  if (assay_dtype_size(dtype) == 0) return "";
  return assay::TypeName(static_cast<assay::DType>(dtype)).data();
}
size_t assay_dtype_size(assay_dtype dtype) {
  return static_cast<size_t>(assay::ElementBytes(static_cast<assay::DType>(dtype)));
}

size_t assay_lines_count(const assay_lines* lines) {
  return lines == nullptr ? 0 : lines->lines.size();
}
const char* assay_lines_line(const assay_lines* lines, size_t index) {
  return lines == nullptr ? "" : assay::api::TextAt(lines->lines, index);
}
void assay_lines_free(assay_lines* lines) { delete lines; }

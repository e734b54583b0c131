// SPDX-License-Identifier: Apache-2.0
#include "assay_serialization.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "tosa_serialization_handler.h"

// The opaque structs of C are never defined. An assay_X of C is one of the classes below.
namespace assay {
namespace {

const TosaSerializationHandler& Of(const assay_graph* graph) {
  return *reinterpret_cast<const TosaSerializationHandler*>(graph);
}
const TosaSerializationRegion& Of(const assay_region* region) {
  return *reinterpret_cast<const TosaSerializationRegion*>(region);
}
const TosaSerializationBasicBlock& Of(const assay_block* block) {
  return *reinterpret_cast<const TosaSerializationBasicBlock*>(block);
}
const TosaSerializationOperator& Of(const assay_operator* op) {
  return *reinterpret_cast<const TosaSerializationOperator*>(op);
}
const TosaSerializationTensor& Of(const assay_tensor* tensor) {
  return *reinterpret_cast<const TosaSerializationTensor*>(tensor);
}
const TosaSerializationShape& Of(const assay_shape* shape) {
  return *reinterpret_cast<const TosaSerializationShape*>(shape);
}

// Returns the element of a list as a C pointer, or null.
template <class Opaque, class T>
const Opaque* At(const std::vector<T>& list, size_t index) {
  return index < list.size() ? reinterpret_cast<const Opaque*>(&list[index]) : nullptr;
}

const char* TextAt(const std::vector<std::string>& list, size_t index) {
  return index < list.size() ? list[index].c_str() : nullptr;
}

const char* OrEmpty(const char* text) { return text == nullptr ? "" : text; }

void SayError(std::string_view what, char* error, size_t error_size) {
  if (error == nullptr || error_size == 0) return;
  const size_t length = std::min(what.size(), error_size - 1);
  std::copy_n(what.data(), length, error);
  error[length] = '\0';
}

// Returns a new handler that `load` filled, or null and the reason. It never throws.
template <class Load>
assay_graph* Open(const Load& load, char* error, size_t error_size) noexcept {
  try {
    auto handler = std::make_unique<TosaSerializationHandler>();
    const Result<Done> loaded = load(*handler);
    if (loaded) return reinterpret_cast<assay_graph*>(handler.release());
    SayError(loaded.error().message, error, error_size);
  } catch (const std::exception& exception) {  // out of memory
    SayError(exception.what(), error, error_size);
  }
  return nullptr;
}

// Fills in the C description of an attribute, for each kind.
struct Describe {
  assay_attribute& to;

  void operator()(bool value) const { Number(ASSAY_ATTRIBUTE_BOOL, value); }
  void operator()(int32_t value) const { Number(ASSAY_ATTRIBUTE_INT, value); }
  void operator()(uint32_t value) const { Number(ASSAY_ATTRIBUTE_ENUM, value); }
  void operator()(const std::vector<int32_t>& value) const {
    to.kind = ASSAY_ATTRIBUTE_INTS;
    to.ints = value.data();
    to.size = value.size();
  }
  void operator()(const std::string& value) const {
    to.kind = ASSAY_ATTRIBUTE_TEXT;
    to.text = value.c_str();
    to.size = value.size();
  }
  void operator()(const std::vector<uint8_t>& value) const {
    to.kind = ASSAY_ATTRIBUTE_BYTES;
    to.bytes = value.data();
    to.size = value.size();
  }
  void Number(assay_attribute_kind kind, int64_t value) const {
    to.kind = kind;
    to.number = value;
  }
};

}  // namespace
}  // namespace assay

using assay::At;
using assay::Of;
using assay::TextAt;

assay_graph* assay_open_file(const char* path, char* error, size_t error_size) {
  return assay::Open(
      [path](assay::TosaSerializationHandler& handler) {
        return handler.LoadFileTosaFlatbuffer(assay::OrEmpty(path));
      },
      error, error_size);
}

assay_graph* assay_open_bytes(const void* bytes, size_t size, const char* name, char* error,
                              size_t error_size) {
  return assay::Open(
      [=](assay::TosaSerializationHandler& handler) {
        return handler.LoadTosaFlatbuffer({static_cast<const uint8_t*>(bytes), size},
                                          assay::OrEmpty(name));
      },
      error, error_size);
}

void assay_close(assay_graph* graph) {
  delete reinterpret_cast<assay::TosaSerializationHandler*>(graph);
}

assay_version assay_graph_version(const assay_graph* graph) {
  const assay::SpecVersion& version = Of(graph).GetVersion();
  return {version.major, version.minor, version.patch, version.draft};
}

size_t assay_graph_regions(const assay_graph* graph) { return Of(graph).GetRegions().size(); }
const assay_region* assay_graph_region(const assay_graph* graph, size_t index) {
  return At<assay_region>(Of(graph).GetRegions(), index);
}
const assay_block* assay_graph_main_block(const assay_graph* graph) {
  return reinterpret_cast<const assay_block*>(Of(graph).GetMainBlock());
}

const char* assay_region_name(const assay_region* region) { return Of(region).GetName().c_str(); }
size_t assay_region_blocks(const assay_region* region) { return Of(region).GetBlocks().size(); }
const assay_block* assay_region_block(const assay_region* region, size_t index) {
  return At<assay_block>(Of(region).GetBlocks(), index);
}

const char* assay_block_name(const assay_block* block) { return Of(block).GetName().c_str(); }
size_t assay_block_operators(const assay_block* block) { return Of(block).GetOperators().size(); }
const assay_operator* assay_block_operator(const assay_block* block, size_t index) {
  return At<assay_operator>(Of(block).GetOperators(), index);
}
size_t assay_block_tensors(const assay_block* block) { return Of(block).GetTensors().size(); }
const assay_tensor* assay_block_tensor(const assay_block* block, size_t index) {
  return At<assay_tensor>(Of(block).GetTensors(), index);
}
const assay_tensor* assay_block_tensor_by_name(const assay_block* block, const char* name) {
  return reinterpret_cast<const assay_tensor*>(Of(block).GetTensorByName(name));
}
size_t assay_block_shapes(const assay_block* block) { return Of(block).GetShapes().size(); }
const assay_shape* assay_block_shape(const assay_block* block, size_t index) {
  return At<assay_shape>(Of(block).GetShapes(), index);
}
const assay_shape* assay_block_shape_by_name(const assay_block* block, const char* name) {
  return reinterpret_cast<const assay_shape*>(Of(block).GetShapeByName(name));
}
size_t assay_block_inputs(const assay_block* block) { return Of(block).GetInputs().size(); }
const char* assay_block_input(const assay_block* block, size_t index) {
  return TextAt(Of(block).GetInputs(), index);
}
size_t assay_block_outputs(const assay_block* block) { return Of(block).GetOutputs().size(); }
const char* assay_block_output(const assay_block* block, size_t index) {
  return TextAt(Of(block).GetOutputs(), index);
}

uint32_t assay_operator_op(const assay_operator* op) {
  return static_cast<uint32_t>(Of(op).GetOp());
}
const char* assay_operator_name(const assay_operator* op) {
  return assay::OperatorName(Of(op).GetOp()).data();
}
size_t assay_operator_inputs(const assay_operator* op) {
  return Of(op).GetInputTensorNames().size();
}
const char* assay_operator_input(const assay_operator* op, size_t index) {
  return TextAt(Of(op).GetInputTensorNames(), index);
}
size_t assay_operator_outputs(const assay_operator* op) {
  return Of(op).GetOutputTensorNames().size();
}
const char* assay_operator_output(const assay_operator* op, size_t index) {
  return TextAt(Of(op).GetOutputTensorNames(), index);
}
const char* assay_operator_location(const assay_operator* op) {
  return Of(op).GetLocation().c_str();
}
size_t assay_operator_attributes(const assay_operator* op) {
  return Of(op).GetAttribute().GetFields().size();
}
bool assay_operator_attribute(const assay_operator* op, size_t index, assay_attribute* attribute) {
  const auto& fields = Of(op).GetAttribute().GetFields();
  if (index >= fields.size()) return false;
  *attribute = {};
  attribute->name = assay::AttributeName(fields[index].first).data();
  std::visit(assay::Describe{*attribute}, fields[index].second);
  return true;
}

const char* assay_tensor_name(const assay_tensor* tensor) { return Of(tensor).GetName().c_str(); }
uint32_t assay_tensor_dtype(const assay_tensor* tensor) {
  return static_cast<uint32_t>(Of(tensor).GetDtype());
}
const char* assay_tensor_dtype_name(const assay_tensor* tensor) {
  return assay::TypeName(Of(tensor).GetDtype()).data();
}
size_t assay_tensor_rank(const assay_tensor* tensor) { return Of(tensor).GetShape().size(); }
const int32_t* assay_tensor_shape(const assay_tensor* tensor) {
  return Of(tensor).GetShape().data();
}
bool assay_tensor_is_unranked(const assay_tensor* tensor) { return Of(tensor).GetIsUnranked(); }
const uint8_t* assay_tensor_data(const assay_tensor* tensor) { return Of(tensor).GetData().data(); }
size_t assay_tensor_data_size(const assay_tensor* tensor) { return Of(tensor).GetData().size(); }
bool assay_tensor_is_variable(const assay_tensor* tensor) { return Of(tensor).GetVariable(); }
const char* assay_tensor_variable_name(const assay_tensor* tensor) {
  return Of(tensor).GetVariableName().c_str();
}

const char* assay_shape_name(const assay_shape* shape) { return Of(shape).GetName().c_str(); }
size_t assay_shape_rank(const assay_shape* shape) { return Of(shape).GetRank(); }
const uint8_t* assay_shape_data(const assay_shape* shape) { return Of(shape).GetData().data(); }
size_t assay_shape_data_size(const assay_shape* shape) { return Of(shape).GetData().size(); }

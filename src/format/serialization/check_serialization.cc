// SPDX-License-Identifier: Apache-2.0
#include "check_serialization.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "packing.h"
#include "wire_fields.h"

namespace assay {
namespace {

using Block = TosaSerializationBasicBlock;
using Names = std::vector<std::string>;

// The declaration of a name in a block: a tensor or a shape.
struct Declared {
  const TosaSerializationTensor* tensor = nullptr;
  const TosaSerializationShape* shape = nullptr;
  bool used = false;
};
using Declarations = std::unordered_map<std::string_view, Declared>;

// Returns the reason why data are not the elements of a type and shape; "" if they are.
std::string ProblemOf(std::span<const uint8_t> data, DType type, std::span<const int32_t> dims) {
  const Shape shape(dims);
  const Result<Tensor> elements = Unpack(type, shape, data);
  if (!elements) return elements.error().message;
  const auto rest = data.subspan(static_cast<size_t>(PackedBytes(type, shape.Elements())));
  const bool padded = std::all_of(rest.begin(), rest.end(), [](uint8_t byte) { return byte == 0; });
  return padded ? "" : "more than its elements, and no zeros";
}

std::string ProblemOf(const Declared& constant) {
  if (constant.shape != nullptr) {
    const uint32_t rank = constant.shape->GetRank();
    if (rank > uint32_t{INT32_MAX}) return "";
    const auto length = static_cast<int32_t>(rank);
    return ProblemOf(constant.shape->GetData(), DType::kShape, {&length, 1});
  }
  const TosaSerializationTensor& tensor = *constant.tensor;
  const bool readable = tensor.GetDtype() != DType::kUnknown && !tensor.GetIsUnranked() &&
                        tensor.GetShape().size() <= Shape::kMaxRank;
  return readable ? ProblemOf(tensor.GetData(), tensor.GetDtype(), tensor.GetShape()) : "";
}

class BlockCheck {
 public:
  // `outer` has the names of the first block of the file. Readers let other blocks use them.
  BlockCheck(const Block& block, const Declarations& outer, std::vector<Breach>& breaches)
      : block_(block), outer_(outer), breaches_(breaches) {}

  // Returns what the block declares.
  Declarations Run() {
    for (const auto& tensor : block_.GetTensors()) {
      Declare(tensor.GetName(), {&tensor, nullptr, false});
      CheckTensor(tensor);
    }
    for (const auto& shape : block_.GetShapes()) Declare(shape.GetName(), {nullptr, &shape, false});
    for (size_t i = 0; i < block_.GetOperators().size(); ++i) CheckOperator(i);
    for (const std::string& name : block_.GetInputs()) Use(name, Place());
    for (const std::string& name : block_.GetOutputs()) Use(name, Place());
    CheckUse();
    return std::move(declarations_);
  }

 private:
  std::string Place() const { return "block " + block_.GetName(); }
  std::string PlaceOf(std::string_view name) const {
    return "tensor " + std::string(name) + " of " + Place();
  }
  std::string PlaceOf(size_t index) const {
    return "operator " + std::to_string(index) + " (" +
           std::string(OperatorName(block_.GetOperators()[index].GetOp())) + ") of " + Place();
  }
  void Note(std::string_view rule, std::string where) {
    breaches_.push_back({"graph/ERROR_IF/" + std::string(rule), std::move(where)});
  }

  void Declare(const std::string& name, const Declared& declared) {
    if (!declarations_.emplace(name, declared).second) Note("unique-names", PlaceOf(name));
  }

  void CheckTensor(const TosaSerializationTensor& tensor) {
    if (tensor.GetDtype() == DType::kUnknown) Note("unknown-type", PlaceOf(tensor.GetName()));
    if (tensor.GetIsUnranked()) return Note("unranked-tensor", PlaceOf(tensor.GetName()));
    if (tensor.GetShape().size() > Shape::kMaxRank) {
      breaches_.push_back({"graph/LEVEL_CHECK/tensor-rank", PlaceOf(tensor.GetName())});
    }
    if (tensor.GetVariable() && !tensor.GetData().empty()) CheckData({&tensor, nullptr, true});
  }

  void CheckData(const Declared& constant) {
    const std::string problem = ProblemOf(constant);
    const std::string& name =
        constant.shape != nullptr ? constant.shape->GetName() : constant.tensor->GetName();
    if (!problem.empty()) Note("constant-data", PlaceOf(name) + ": " + problem);
  }

  // Returns the declaration of the name and marks it as used. Returns null if there is none.
  const Declared* Use(const std::string& name, const std::string& where) {
    const auto found = declarations_.find(name);
    if (found != declarations_.end()) {
      found->second.used = true;
      return &found->second;
    }
    if (!outer_.contains(name)) Note("undefined-tensor", name + " in " + where);
    return nullptr;
  }

  void CheckOperator(size_t index) {
    const TosaSerializationOperator& op = block_.GetOperators()[index];
    if (op.GetOp() == Op::kUnknown) Note("unknown-operator", PlaceOf(index));
    if (!HasItsTable(op)) Note("attribute-table", PlaceOf(index));
    const Declared* first_input = nullptr;
    const Declared* first_output = nullptr;
    for (const std::string& name : op.GetInputTensorNames()) {
      const Declared* input = Use(name, PlaceOf(index));
      if (&name == &op.GetInputTensorNames().front()) first_input = input;
    }
    for (const std::string& name : op.GetOutputTensorNames()) {
      const Declared* output = Use(name, PlaceOf(index));
      if (&name == &op.GetOutputTensorNames().front()) first_output = output;
    }
    CheckVariable(op.GetOp(), index, first_input, first_output);
    if (IsConstant(op.GetOp()) && first_output != nullptr) CheckData(*first_output);
  }

  void CheckVariable(Op op, size_t index, const Declared* input, const Declared* output) {
    const bool declares = op == Op::kVariable || op == Op::kVariableWrite;
    if (!declares && op != Op::kVariableRead) return;
    const Declared* operand = declares ? output : input;
    const bool is_variable =
        operand != nullptr && operand->tensor != nullptr && operand->tensor->GetVariable();
    if (!is_variable) Note("variable-operand", PlaceOf(index));
  }

  // If the operator's table is empty, any empty table will do: Arm's converter uses those of other
  // operators.
  static bool HasItsTable(const TosaSerializationOperator& op) {
    const Op type = op.GetAttributeType();
    if (op.GetOp() == Op::kUnknown || type == op.GetOp()) return true;
    return type != Op::kUnknown && WireFields(op.GetOp()).empty() && WireFields(type).empty();
  }

  // Reports unused names in the order of the file. A variable may be declared for other blocks.
  void CheckUse() {
    for (const auto& tensor : block_.GetTensors()) {
      if (tensor.GetVariable() || declarations_[tensor.GetName()].used) continue;
      Note("unused-tensor", PlaceOf(tensor.GetName()));
    }
    for (const auto& shape : block_.GetShapes()) {
      if (!declarations_[shape.GetName()].used) Note("unused-tensor", PlaceOf(shape.GetName()));
    }
  }

  const Block& block_;
  const Declarations& outer_;
  std::vector<Breach>& breaches_;
  Declarations declarations_;
};

}  // namespace

std::vector<Breach> CheckSerialization(const TosaSerializationHandler& file) {
  std::vector<Breach> breaches;
  const TosaSerializationRegion* main = file.GetMainRegion();
  if (main != nullptr && main->GetName() != "main") {
    breaches.push_back({"graph/ERROR_IF/main-region", "region " + main->GetName()});
  }
  Declarations outer;
  bool is_first = true;
  for (const TosaSerializationRegion& region : file.GetRegions()) {
    for (const Block& block : region.GetBlocks()) {
      Declarations declared = BlockCheck(block, outer, breaches).Run();
      if (std::exchange(is_first, false)) outer = std::move(declared);
    }
  }
  return breaches;
}

}  // namespace assay

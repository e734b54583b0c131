// SPDX-License-Identifier: Apache-2.0
#include "operator_breaches.h"

#include <algorithm>
#include <limits>

#include "check.h"
#include "convert_tensor.h"
#include "nasty_values.h"
#include "operator_facts.h"
#include "run_operator.h"
#include "tensor_elements.h"

namespace assay {
namespace {

// Returns the elements of a tensor in another type or shape. If the element type changes, they
// become zeros.
Tensor Refill(const Tensor& tensor, const TensorType& type) {
  if (tensor.type() != type.type || tensor.elements() == 0) {
    return Tensor::Splat(type.type, type.shape, 0);
  }
  const std::span<const uint8_t> from = tensor.bytes();
  std::vector<uint8_t> bytes(static_cast<size_t>(type.shape.Elements() * ElementBytes(type.type)));
  for (size_t at = 0; at < bytes.size(); at += from.size()) {
    std::copy_n(from.begin(), std::min(from.size(), bytes.size() - at),
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return Tensor::FromBytes(type.type, type.shape, std::move(bytes));
}

Tensor WithElement(const Tensor& tensor, int64_t index, int64_t value) {
  std::vector<int64_t> elements = IntegerElements(tensor);
  elements[static_cast<size_t>(index)] = value;
  return Tensor::FromIntegers(tensor.type(), tensor.shape(), elements);
}

class FaultList {
 public:
  FaultList(const TestVector& valid, Op op, std::span<const DType> types, const Level& level)
      : copy_(valid), edit_(copy_, op), types_(types), level_(level) {}

  std::vector<OperatorFault> Make() {
    AddCounts();
    for (size_t i = 0; i < edit_.op().inputs.size(); ++i) AddOperand(i);
    for (size_t i = 0; i < edit_.op().outputs.size(); ++i) AddResult(i);
    for (const auto& [id, value] : edit_.op().attributes.entries()) AddAttribute(id, value);
    return std::move(faults_);
  }

 private:
  void Add(OperatorFault fault) { faults_.push_back(std::move(fault)); }

  // Adds the fault followed by new shapes of the results, and the fault alone.
  void AddBoth(const OperatorFault& fault) {
    Add([fault](FaultEdit& edit) { return fault(edit) && edit.InferOutputs(); });
    Add(fault);
  }

  void AddCounts() {
    Add([](FaultEdit& edit) {
      if (edit.op().inputs.empty()) return false;
      edit.op().inputs.pop_back();
      return true;
    });
    Add([](FaultEdit& edit) {
      edit.op().inputs.clear();
      return true;
    });
    Add([](FaultEdit& edit) {
      if (edit.op().inputs.empty()) return false;
      edit.op().inputs.push_back(edit.op().inputs[0]);
      return true;
    });
    Add([](FaultEdit& edit) {
      if (edit.op().outputs.empty()) return false;
      const TensorType type = edit.OutputType(0);
      edit.op().outputs.push_back(edit.AddTensor(type));
      return true;
    });
    AddBoth([longer = level_.max_tensor_list_size + 2](FaultEdit& edit) {
      if (!FactsOf(edit.op().op).input_list || edit.op().inputs.empty()) return false;
      edit.op().inputs.resize(static_cast<size_t>(longer), edit.op().inputs.back());
      return true;
    });
  }

  // Returns shapes that differ from `shape` in one respect, of at most `elements_max` elements.
  std::vector<Shape> Variations(const Shape& shape, int64_t elements_max = kElementsMax) const {
    std::vector<Shape> all;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      for (const int64_t size :
           {shape[axis] + int64_t{1}, shape[axis] + int64_t{2}, shape[axis] - int64_t{1},
            int64_t{2} * shape[axis], int64_t{1}, int64_t{0}, int64_t{3}, int64_t{16384}}) {
        Shape other = shape;
        other[axis] = static_cast<int32_t>(std::min<int64_t>(size, INT32_MAX));
        if (other[axis] >= 0 && other != shape && other.Elements() <= elements_max) {
          all.push_back(other);
        }
      }
      Shape without = shape;
      without.Erase(axis);
      all.push_back(without);
    }
    if (shape.rank() >= Shape::kMaxRank) return all;
    for (const int axis : {0, shape.rank()}) {
      Shape with = shape;
      with.Insert(axis, 1);
      all.push_back(with);
    }
    if (shape.rank() == 0) all.push_back({2});
    Shape deep = shape;
    while (deep.rank() <= level_.max_rank && deep.rank() < Shape::kMaxRank) deep.Insert(0, 1);
    all.push_back(deep);
    return all;
  }

  void AddOperand(size_t i) {
    const TensorType old = edit_.InputType(i);
    const Tensor* constant = edit_.Constant(i);
    if (constant != nullptr) AddConstant(i, *constant);
    for (const Shape& shape :
         Variations(old.shape, constant == nullptr ? kElementsMax : kConstantElementsMax)) {
      const TensorType type = {old.type, shape};
      if (old.type == DType::kShape && shape.rank() != 1) continue;  // no file can hold it
      AddBoth([i, type](FaultEdit& edit) {
        edit.SetInput(i, type);
        return true;
      });
      AddBoth([old, shape](FaultEdit& edit) { return SetAllOf(edit, old.shape, shape); });
    }
    if (old.type == DType::kShape) return;
    for (const DType other : types_) {
      if (other == old.type) continue;
      Add([i, type = TensorType{other, old.shape}](FaultEdit& edit) {
        edit.SetInput(i, type);
        return true;
      });
    }
  }

  // Changes the shape of all operands and results that have shape `old`.
  static bool SetAllOf(FaultEdit& edit, const Shape& old, const Shape& shape) {
    for (size_t k = 0; k < edit.op().inputs.size(); ++k) {
      const TensorType type = edit.InputType(k);
      if (type.type != DType::kShape && type.shape == old) edit.SetInput(k, {type.type, shape});
    }
    for (size_t k = 0; k < edit.op().outputs.size(); ++k) {
      const TensorType type = edit.OutputType(k);
      if (type.shape == old) edit.SetOutput(k, {type.type, shape});
    }
    return true;
  }

  void AddConstant(size_t i, const Tensor& old) {
    if (old.type() != DType::kShape) {
      Add([i](FaultEdit& edit) {
        edit.MakeVariable(i);
        return true;
      });
    }
    if (IsFloat(old.type())) {
      Add([i, one = Filled(old.tensor_type(), 1)](FaultEdit& edit) {
        edit.SetConstant(i, one);
        return true;
      });
      return;
    }
    if (old.elements() > kListMax) return;  // a table: no rule asks what it holds
    for (int64_t element = 0; element < std::min<int64_t>(old.elements(), kEntriesMax); ++element) {
      for (const int64_t value : Values(old.Integer(element))) {
        if (old.type() != DType::kShape &&
            (value < MinimumInteger(old.type()) || value > MaximumInteger(old.type()))) {
          continue;
        }
        const Tensor other = WithElement(old, element, value);
        AddValueOf(i, other);
        // The opposite side of PAD's padding makes up for the difference.
        const int64_t opposite = element ^ 1;
        if (old.type() != DType::kShape || opposite >= old.elements()) continue;
        AddValueOf(
            i, WithElement(other, opposite, old.Integer(opposite) + old.Integer(element) - value));
      }
    }
  }

  void AddValueOf(size_t i, const Tensor& value) {
    AddBoth([i, value](FaultEdit& edit) {
      edit.SetConstant(i, value);
      return true;
    });
  }

  void AddResult(size_t i) {
    const TensorType old = edit_.OutputType(i);
    for (const Shape& shape : Variations(old.shape)) {
      Add([i, type = TensorType{old.type, shape}](FaultEdit& edit) {
        edit.SetOutput(i, type);
        return true;
      });
    }
    for (const DType other : types_) {
      if (other == old.type) continue;
      Add([i, type = TensorType{other, old.shape}](FaultEdit& edit) {
        edit.SetOutput(i, type);
        return true;
      });
    }
  }

  // Returns numbers near a number, near zero, and beyond the limits of the level.
  std::vector<int64_t> Values(int64_t old) const {
    std::vector<int64_t> values;
    for (const int64_t value : {old - 1,
                                old + 1,
                                old + 2,
                                2 * old,
                                -old,
                                int64_t{-8},
                                int64_t{-7},
                                int64_t{-6},
                                int64_t{-5},
                                int64_t{-4},
                                int64_t{-3},
                                int64_t{-2},
                                int64_t{-1},
                                int64_t{0},
                                int64_t{1},
                                int64_t{2},
                                int64_t{16},
                                int64_t{64},
                                int64_t{100},
                                int64_t{2049},
                                int64_t{level_.max_kernel} + 1,
                                int64_t{level_.max_scale} + 1}) {
      const bool known = std::find(values.begin(), values.end(), value) != values.end();
      if (value != old && !known && value >= INT32_MIN && value <= INT32_MAX) {
        values.push_back(value);
      }
    }
    return values;
  }

  void AddAttribute(AttributeId id, const AttributeValue& old) {
    if (const auto* flag = std::get_if<bool>(&old)) {
      AddValue(id, !*flag);
      AddScaleFlag(id);
    } else if (const auto* number = std::get_if<int32_t>(&old)) {
      for (const int64_t value : Values(*number)) AddNumber(id, static_cast<int32_t>(value));
    } else if (const auto* list = std::get_if<std::vector<int32_t>>(&old)) {
      AddList(id, *list);
    } else if (const auto* tensor = std::get_if<Tensor>(&old)) {
      AddBound(id, *tensor);
    }
  }

  void AddValue(AttributeId id, const AttributeValue& value) {
    AddBoth([id, value](FaultEdit& edit) {
      edit.op().attributes.Set(id, value);
      return true;
    });
  }

  void AddNumber(AttributeId id, int32_t value) {
    // Files have no room for other values of enumerations; nan_mode is not broken for integers
    // (reading `nan-mode-default`).
    const std::string_view type = FindAttribute(edit_.op().op, id)->type;
    if (type == "i32_t") return AddValue(id, value);
    if (value < 0 || value > 3) return;
    if (type == "nan_propagation_mode_t" && (value > 0 || !IsFloat(edit_.InputType(0).type))) {
      return;
    }
    if (type == "resize_mode_t" && value > 2) return;
    AddValue(id, value);
  }

  void AddList(AttributeId id, const std::vector<int32_t>& old) {
    std::vector<int32_t> longer = old;
    longer.push_back(old.empty() ? 0 : old.back());
    AddValue(id, longer);
    if (old.empty()) return;
    AddValue(id, std::vector<int32_t>(old.begin(), old.end() - 1));
    for (size_t k = 0; k < old.size(); ++k) {
      std::vector<int32_t> other = old;
      for (const int64_t value : Values(old[k])) {
        other[k] = static_cast<int32_t>(value);
        AddValue(id, other);
        // The padding on the opposite side makes up for the difference.
        if ((k ^ 1) >= old.size()) continue;
        const int64_t makes_up = old[k ^ 1] + old[k] - value;
        std::vector<int32_t> both = other;
        both[k ^ 1] = static_cast<int32_t>(std::clamp<int64_t>(makes_up, INT32_MIN, INT32_MAX));
        AddValue(id, both);
      }
    }
  }

  // Adds other bounds of CLAMP: bounds on the other side, and a NaN.
  void AddBound(AttributeId id, const Tensor& old) {
    if (id != AttributeId::kMinVal && id != AttributeId::kMaxVal) return;
    const DType type = old.type();
    std::vector<Tensor> others;
    if (IsFloat(type)) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      for (const double value : {nan, -240.0, 240.0}) others.push_back(Filled({type, {}}, value));
    } else {
      others.push_back(Tensor::Splat(type, {}, MinimumInteger(type)));
      others.push_back(Tensor::Splat(type, {}, MaximumInteger(type)));
    }
    for (const Tensor& other : others) AddValue(id, other);
  }

  // Adds the opposite of RESCALE's scale32, with multipliers to match.
  void AddScaleFlag(AttributeId id) {
    if (id != AttributeId::kScale32) return;
    Add([](FaultEdit& edit) {
      const bool flag = !edit.op().attributes.Flag(AttributeId::kScale32);
      edit.op().attributes.Set(AttributeId::kScale32, flag);
      const Shape shape = edit.InputType(1).shape;
      edit.SetInput(1, {flag ? DType::kInt32 : DType::kInt16, shape});
      return true;
    });
  }

  static constexpr int64_t kElementsMax = 1 << 15;
  static constexpr int64_t kConstantElementsMax = 1 << 11;
  static constexpr int64_t kListMax = 64;
  static constexpr int64_t kEntriesMax = 12;

  TestVector copy_;
  FaultEdit edit_;
  std::span<const DType> types_;
  const Level& level_;
  std::vector<OperatorFault> faults_;
};

}  // namespace

FaultEdit::FaultEdit(TestVector& vector, Op op) : vector_(vector) {
  const auto& operators = main().operators;
  const auto found = std::find_if(operators.begin(), operators.end(),
                                  [op](const Operator& other) { return other.op == op; });
  Check(found != operators.end(), "the main block has the operator");
  at_ = static_cast<size_t>(found - operators.begin());
}

Operator* FaultEdit::ProducerOf(TensorIndex tensor) {
  const int32_t producer = main().Producers()[static_cast<size_t>(tensor)];
  return producer < 0 ? nullptr : &main().operators[static_cast<size_t>(producer)];
}

std::optional<size_t> FaultEdit::InputPosition(TensorIndex tensor) {
  const auto& inputs = main().inputs;
  const auto found = std::find(inputs.begin(), inputs.end(), tensor);
  if (found == inputs.end()) return std::nullopt;
  return static_cast<size_t>(found - inputs.begin());
}

const Tensor* FaultEdit::Constant(size_t i) {
  const Operator* producer = ProducerOf(op().inputs[i]);
  const bool constant = producer != nullptr && IsConstant(producer->op);
  return constant ? &producer->attributes.Value(AttributeId::kValues) : nullptr;
}

void FaultEdit::SetInput(size_t i, const TensorType& type) {
  const TensorIndex tensor = op().inputs[i];
  main().tensors[static_cast<size_t>(tensor)].type = type;
  if (const std::optional<size_t> position = InputPosition(tensor)) {
    Tensor& value = step_inputs()[*position];
    value = Refill(value, type);
  } else if (const Tensor* constant = Constant(i)) {
    ProducerOf(tensor)->attributes.Set(AttributeId::kValues, Refill(*constant, type));
  }
  // Bounds are kept in the type of the operand.
  for (const AttributeId bound : {AttributeId::kMinVal, AttributeId::kMaxVal}) {
    if (i > 0 || !op().attributes.Has(bound)) continue;
    const Tensor old = op().attributes.Value(bound);
    if (old.type() != type.type) op().attributes.Set(bound, Refill(old, {type.type, {}}));
  }
}

void FaultEdit::SetConstant(size_t i, Tensor value) {
  const TensorIndex tensor = op().inputs[i];
  main().tensors[static_cast<size_t>(tensor)].type = value.tensor_type();
  ProducerOf(tensor)->attributes.Set(AttributeId::kValues, std::move(value));
}

void FaultEdit::SetOutput(size_t i, const TensorType& type) {
  main().tensors[static_cast<size_t>(op().outputs[i])].type = type;
  // A file keeps the values of a constant in its type and shape.
  if (!op().attributes.Has(AttributeId::kValues)) return;
  op().attributes.Set(AttributeId::kValues,
                      Refill(op().attributes.Value(AttributeId::kValues), type));
}

void FaultEdit::MakeVariable(size_t i) {
  const Tensor value = *Constant(i);
  op().inputs[i] = AddTensor(value.tensor_type());
  main().inputs.push_back(op().inputs[i]);
  step_inputs().push_back(value);
}

TensorIndex FaultEdit::AddTensor(const TensorType& type) {
  return main().AddTensor("added" + std::to_string(main().tensors.size()), type);
}

std::optional<FaultEdit::Operands> FaultEdit::ReadOperands() {
  Operands operands = {main().TypesOf(op().inputs), main().TypesOf(op().outputs), {}, {}};
  operands.elements.resize(op().inputs.size());
  for (size_t i = 0; i < op().inputs.size(); ++i) {
    if (!FactsOf(op().op).NeedsConstant(i)) continue;
    const Tensor* constant = Constant(i);
    if (constant == nullptr) return std::nullopt;
    operands.elements[i] = *ToScalars(*constant).elements;
  }
  operands.constants.assign(operands.elements.begin(), operands.elements.end());
  return operands;
}

std::optional<std::vector<const char*>> FaultEdit::BrokenRules(const Level& level) {
  const std::optional<Operands> operands = ReadOperands();
  if (!operands) return std::nullopt;
  std::vector<const char*> broken;
  Judgement judgement(broken);
  CheckOperator(
      {op().op, &op().attributes, operands->inputs, operands->outputs, operands->constants}, level,
      judgement);
  return broken;
}

bool FaultEdit::InferOutputs() {
  const std::optional<Operands> operands = ReadOperands();
  if (!operands) return false;
  Signature signature = {op().op, &op().attributes, operands->inputs, operands->outputs,
                         operands->constants};
  if (!HasMeaning(signature, kLevelNone)) return false;
  std::vector<TensorType> inferred;
  for (const TensorType& declared : operands->outputs) inferred.push_back({declared.type, {}});
  signature.outputs = {};
  if (!assay::InferOutputs(signature, inferred)) return false;
  if (inferred.size() != operands->outputs.size()) return false;
  for (size_t i = 0; i < inferred.size(); ++i) SetOutput(i, inferred[i]);
  return true;
}

std::vector<OperatorFault> FaultsOf(const TestVector& valid, Op op, std::span<const DType> types,
                                    const Level& level) {
  return FaultList(valid, op, types, level).Make();
}

}  // namespace assay

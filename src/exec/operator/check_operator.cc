// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "operator_facts.h"
#include "operator_set.h"
#include "run_operator.h"

namespace assay {
namespace {

// The checks that tosa_execute_graph makes before an operator runs (specification, "Operator
// Graphs"). They compare operands and attributes with the Arguments table, and types with the type
// rows.
class ArgumentCheck {
 public:
  ArgumentCheck(const Signature& signature, const Level& level, Judgement& judgement,
                std::span<const DType> also)
      : s_(signature), level_(level), facts_(FactsOf(signature.op)), j_(judgement), also_(also) {}

  // Returns false if an error makes the operator's own rules meaningless: the number or the rank of
  // an operand, or an attribute that is missing or has another form.
  bool Run() {
    if (!AcceptsCounts(s_.op, s_.inputs.size(), s_.outputs.size())) {
      j_.ErrorIf(true, facts_.arguments);
      return false;
    }
    whole_.fill(nullptr);
    dimension_.fill(-1);
    CheckOperands(facts_.inputs, s_.inputs, facts_.input_list);
    CheckAttributes();
    CheckOperands(facts_.outputs, s_.outputs, facts_.output_list);
    CheckTypes();
    return has_meaning_;
  }

 private:
  void CheckAttributes() {
    for (const OperatorFacts::Attribute& attribute : facts_.attributes) {
      const AttributeValue* value = s_.attributes->Find(attribute.id);
      const bool fits = value == nullptr ? attribute.optional : HasForm(attribute, *value);
      j_.ErrorIf(!fits, facts_.attribute_rule);
      has_meaning_ = has_meaning_ && fits;
    }
  }

  bool HasForm(const OperatorFacts::Attribute& attribute, const AttributeValue& value) const {
    const auto* number = std::get_if<int32_t>(&value);
    const auto* numbers = std::get_if<std::vector<int32_t>>(&value);
    const auto* tensor = std::get_if<Tensor>(&value);
    switch (attribute.form) {
      case AttributeForm::kInt:
        return number != nullptr;
      case AttributeForm::kFlag:
        return std::holds_alternative<bool>(value);
      case AttributeForm::kText:
        return std::holds_alternative<std::string>(value);
      case AttributeForm::kNanMode:
      case AttributeForm::kResizeMode:
        return number != nullptr && *number >= 1 && *number <= 2;
      case AttributeForm::kRoundingMode:
        return number != nullptr && *number >= 1 && *number <= 3;
      case AttributeForm::kAccumulator:
        return number != nullptr && IsAccumulator(static_cast<DType>(*number));
      case AttributeForm::kVariableType:
        return number != nullptr && IsVariableType(static_cast<DType>(*number));
      case AttributeForm::kTensor:
        return tensor != nullptr && tensor->has_value();
      case AttributeForm::kElement:
        return tensor != nullptr && tensor->elements() == 1 && tensor->type() == s_.in(0);
      case AttributeForm::kInts:
        return numbers != nullptr &&
               (!attribute.length || std::ssize(*numbers) == *attribute.length);
      case AttributeForm::kIntPerAxis:
        return numbers != nullptr && std::ssize(*numbers) == s_.shape(0).rank();
    }
    return false;
  }

  // acc_type_t and var_t include some types, but not all.
  static bool IsAccumulator(DType type) {
    return type == DType::kInt32 || type == DType::kInt48 || type == DType::kFp16 ||
           type == DType::kFp32;
  }
  static bool IsVariableType(DType type) {
    return type == DType::kBool || type == DType::kInt8 || type == DType::kInt16 ||
           type == DType::kInt32 || type == DType::kFp16 || type == DType::kBf16 ||
           type == DType::kFp32;
  }

  void CheckOperands(const std::vector<OperatorFacts::Operand>& operands,
                     std::span<const TensorType> types, std::optional<size_t> list) {
    const size_t extra =
        types.size() - operands.size() + 1;  // members of the list, if there is one
    size_t at = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      const size_t count = i == list ? extra : 1;
      for (size_t k = 0; k < count; ++k) CheckOperand(operands[i], types[at++]);
    }
  }

  void Agree(const OperatorFacts::Operand& operand, bool holds) {
    j_.ErrorIf(!holds, facts_.arguments);
    // The operator's rules read constants by position.
    has_meaning_ = has_meaning_ && (holds || !operand.compile_time_constant);
  }

  void CheckOperand(const OperatorFacts::Operand& operand, const TensorType& type) {
    const Shape& shape = type.shape;
    CheckSize(type);
    if (operand.is_shape || type.type == DType::kShape) {
      Agree(operand, operand.is_shape == (type.type == DType::kShape));
    }
    CheckRank(operand, shape);
    if (operand.whole_symbol) {
      const Shape*& first = whole_[static_cast<size_t>(*operand.whole_symbol)];
      if (first == nullptr) first = &shape;
      Agree(operand, *first == shape);
    }
    if (operand.length_of_rank > 0 && shape.rank() == 1) {
      // RESHAPE's `shape` refers to the output, which comes later.
      const Shape* ranked = whole_[static_cast<size_t>(operand.ranked_symbol)];
      if (ranked == nullptr && !s_.outputs.empty()) ranked = &s_.outputs[0].shape;
      if (ranked != nullptr) {
        Agree(operand, shape[0] == operand.length_of_rank * ranked->rank() ||
                           (ranked->rank() == 0 && shape[0] == 0));
      }
    }
    if (!operand.by_dimension || shape.rank() != operand.dimension_count) return;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const OperatorFacts::Dimension dimension = operand.all_dimensions[static_cast<size_t>(axis)];
      if (dimension.kind == OperatorFacts::Dimension::kLiteral) {
        Agree(operand, shape[axis] == dimension.value);
      } else if (dimension.kind == OperatorFacts::Dimension::kSymbol) {
        int32_t& known = dimension_[static_cast<size_t>(dimension.value)];
        if (known < 0) known = shape[axis];
        Agree(operand, known == shape[axis]);
      }
    }
  }

  void CheckRank(const OperatorFacts::Operand& operand, const Shape& shape) {
    if (!operand.rank) return;
    if (operand.rank->max >= kLevelMaxRank - 1 && shape.rank() > level_.max_rank) {
      j_.Require(false, operand.rank_level);
      return;
    }
    // An empty shape_t value has shape [0]; nevertheless its rank is 1.
    const bool fits = shape.rank() >= operand.rank->min &&
                      shape.rank() <= RankMax(operand.rank->max, level_.max_rank);
    j_.ErrorIf(!fits, facts_.arguments);
    has_meaning_ = has_meaning_ && fits;
  }

  void CheckSize(const TensorType& type) {
    if (type.type == DType::kShape) return;
    j_.ErrorIf(type.type == DType::kUnknown, facts_.types);
    if (type.type == DType::kUnknown) return;
    const int64_t elements = type.shape.Elements();
    int64_t bytes;
    const bool counted =
        !__builtin_mul_overflow(elements, int64_t{ElementBytes(type.type)}, &bytes);
    j_.Require(elements >= 1 && counted && bytes <= level_.MaxTensorSize(), facts_.tensor_size);
  }

  // Returns the element types. They are stored in `few` if that is long enough, else in `many`.
  static std::span<const DType> TypesOf(std::span<const TensorType> tensors, std::span<DType> few,
                                        std::vector<DType>& many) {
    if (tensors.size() > few.size()) {
      many.resize(tensors.size());
      few = many;
    }
    for (size_t i = 0; i < tensors.size(); ++i) few[i] = tensors[i].type;
    return few.first(tensors.size());
  }

  void CheckTypes() {
    std::array<DType, 8> small_in;
    std::vector<DType> many_in;
    const std::span<const DType> in = TypesOf(s_.inputs, small_in, many_in);
    std::array<DType, 8> small_out;
    std::vector<DType> many_out;
    const std::span<const DType> out = TypesOf(s_.outputs, small_out, many_out);
    const DType named = s_.attributes->named_type();
    // VARIABLE's type variable is bound only by an initial value (reading `variable-types`).
    const bool binds = s_.op != Op::kVariable || s_.attributes->Has(AttributeId::kInitialValue);
    j_.ErrorIf(!FindTypeRow(s_.op, in, out, named) && !IsOneAlso(in, out, named),
               binds ? facts_.types : "VARIABLE/ERROR_IF/declared-type");
  }

  // Returns true if there are types beside those of the type rows, and all types here are among
  // them.
  bool IsOneAlso(std::span<const DType> in, std::span<const DType> out, DType named) const {
    const auto is_one = [this](DType type) {
      return std::find(also_.begin(), also_.end(), type) != also_.end();
    };
    return !also_.empty() && std::all_of(in.begin(), in.end(), is_one) &&
           std::all_of(out.begin(), out.end(), is_one) &&
           (named == DType::kUnknown || is_one(named));
  }

  const Signature& s_;
  const Level& level_;
  const OperatorFacts& facts_;
  Judgement& j_;
  std::span<const DType> also_;
  std::array<const Shape*, 8> whole_;
  std::array<int32_t, 16> dimension_;
  bool has_meaning_ = true;
};

}  // namespace

void CheckOperator(const Signature& signature, const Level& level, Judgement& judgement,
                   std::span<const DType> types) {
  const bool has_meaning = ArgumentCheck(signature, level, judgement, types).Run();
  const ops::OperatorDefinition& definition = ops::DefinitionOf(signature.op);
  if (judgement.valid()) {
    definition.check(signature, level, judgement);
  } else if (judgement.broken() != nullptr && has_meaning) {
    // The verdict is known already. The operator's own rules are collected nevertheless.
    Judgement own(*judgement.broken());
    definition.check(signature, level, own);
    judgement.Merge(own);
  }
}

bool HasMeaning(const Signature& signature, const Level& level) {
  Judgement judgement;
  return ArgumentCheck(signature, level, judgement, {}).Run();
}

bool InferOutputs(const Signature& signature, std::vector<TensorType>& outputs) {
  return ops::DefinitionOf(signature.op).infer(signature, outputs);
}

}  // namespace assay

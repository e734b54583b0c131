// SPDX-License-Identifier: Apache-2.0
#include "mutant_call.h"

#include <algorithm>
#include <cmath>

#include "check.h"
#include "float_format.h"
#include "mutant_elements.h"
#include "operator_facts.h"
#include "operator_set.h"

namespace assay {
namespace {

using Value = DomainTensor<Scalar>;

// --- attributes

std::vector<int32_t> ChangedList(Twist twist, const TwistDetail& detail,
                                 std::vector<int32_t> list) {
  const auto a = static_cast<size_t>(detail.a), b = static_cast<size_t>(detail.b);
  switch (twist) {
    case Twist::kEntriesExchanged:
      if (std::max(a, b) < list.size()) std::swap(list[a], list[b]);
      return list;
    case Twist::kEntriesReversed:
      std::reverse(list.begin(), list.end());
      return list;
    case Twist::kEntriesSet:
      list.assign(list.size(), detail.a);
      return list;
    case Twist::kPermsInverted: {
      const std::vector<int32_t> perms = list;
      for (size_t i = 0; i < perms.size(); ++i) {
        list[static_cast<size_t>(perms[i])] = static_cast<int32_t>(i);
      }
      return list;
    }
    default:
      return list;
  }
}

// Returns min_val of a CLAMP as -max_val.
Tensor Opposite(const Tensor& x) {
  if (IsFloat(x.type())) {
    const double value[] = {-x.Float(0)};
    return Tensor::FromFloats(x.type(), x.shape(), value);
  }
  const int64_t value[] = {-x.Integer(0)};
  return Tensor::FromIntegers(x.type(), x.shape(), value);
}

Attributes ChangedAttributes(const Mutant& mutant, const Attributes& original, int rank) {
  Attributes attributes = original;
  const AttributeId id = mutant.detail.attribute;
  switch (mutant.twist) {
    case Twist::kAttributeSet:
      if (const AttributeValue* value = original.Find(id)) {
        const bool flag = std::holds_alternative<bool>(*value);
        attributes.Set(id, flag ? AttributeValue(mutant.detail.a != 0)
                                : AttributeValue(int32_t{mutant.detail.a}));
      }
      return attributes;
    case Twist::kFlagInverted:
      attributes.Set(id, !original.Flag(id));
      return attributes;
    case Twist::kAxisNext:
      attributes.Set(id, rank == 0 ? 0 : (original.Int(id) + 1) % rank);
      return attributes;
    case Twist::kBoundsSymmetric:
      attributes.Set(AttributeId::kMinVal, Opposite(original.Value(AttributeId::kMaxVal)));
      return attributes;
    case Twist::kChoicesExchanged:
      attributes.Set(id, int32_t{mutant.detail.a} + mutant.detail.b - original.Int(id));
      return attributes;
    case Twist::kEntriesExchanged:
    case Twist::kEntriesReversed:
    case Twist::kEntriesSet:
      attributes.Set(id, ChangedList(mutant.twist, mutant.detail, original.Ints(id)));
      return attributes;
    case Twist::kPermsInverted:
      attributes.Set(AttributeId::kPerms,
                     ChangedList(mutant.twist, mutant.detail, original.Ints(AttributeId::kPerms)));
      return attributes;
    default:
      return attributes;
  }
}

// --- the whole

// The operators whose kernels stay within their operands only if attributes and shapes agree.
constexpr Op kNeedAgreement[] = {Op::kArgmax,    Op::kAvgPool2d, Op::kMaxPool2d, Op::kReduceAll,
                                 Op::kReduceAny, Op::kReduceMax, Op::kReduceMin, Op::kReduceProduct,
                                 Op::kReduceSum, Op::kResize};

// An operator's call with the changes of a mutant, and the memory for the changed data.
class MutantCall {
 public:
  MutantCall(const Mutant& mutant, const Call<ValueDomain>& call, uint32_t constant_operands)
      : mutant_(mutant),
        constant_operands_(constant_operands),
        op_(call.signature.op),
        call_(call),
        attributes_(ChangedAttributes(mutant, call.attributes(),
                                      call.inputs.empty() ? 0 : call.shape(0).rank())) {
    for (const Value* input : call.inputs) inputs_.push_back(*input);
    for (const TensorType& type : call.signature.outputs) output_types_.push_back(type);
    reached_ = AttributeMatters() && attributes_ != call.attributes();
    ChangeOperands();
    Describe();
  }

  // Returns what RunMutant() does.
  bool Run(const Level& level, Judgement& judgement) {
    if (std::ranges::count(kNeedAgreement, op_) != 0 && !Agree(level)) Restore();
    results_.resize(output_types_.size());
    for (size_t i = 0; i < results_.size(); ++i) {
      results_[i].resize(static_cast<size_t>(output_types_[i].shape.Elements()));
    }
    const ops::OperatorDefinition& definition = ops::DefinitionOf(op_);
    if (definition.move != nullptr) {
      Move(definition);
    } else {
      MutantDomain domain(mutant_.twist);
      definition.meaning.mutant(domain, Call<MutantDomain>{signature_, pointers_, results_});
      if (mutant_.IsCanary()) judgement.Merge(domain.judgement());
      reached_ = reached_ || domain.reached();
    }
    Deliver();
    return reached_ && !IsIdle();
  }

 private:
  const Shape& DeclaredShape(size_t output) const { return call_.signature.outputs[output].shape; }
  bool IsKnown(size_t input) const {
    return !call_.signature.constants[input].empty() ||
           (input < 32 && (constant_operands_ >> input & 1) != 0);
  }

  // Replaces the elements of an operand. Elements that were not known before may be others.
  void Replace(size_t i, Elements elements) {
    reached_ = reached_ || !AreEqual(elements, *inputs_[i].elements);
    inputs_[i].elements = std::make_shared<const Elements>(std::move(elements));
  }

  // Returns false for an attribute that says nothing about these types and constants.
  bool AttributeMatters() const {
    if (mutant_.detail.attribute == AttributeId::kNanMode) {
      return std::ranges::any_of(call_.signature.inputs,
                                 [](const TensorType& type) { return IsFloat(type.type); });
    }
    if (mutant_.detail.attribute != AttributeId::kRoundingMode) return true;
    const auto& shifts = call_.signature.constants[2];  // DOUBLE_ROUND matters beyond 31
    return shifts.empty() ||
           std::ranges::any_of(shifts, [](Scalar shift) { return shift.integer() > 31; });
  }

  // Returns true if no operands show the change: the bound of a CLAMP that no value exceeds, a NaN
  // that stays one, or what a CAST to a float may do or does anyway. A CAST of floats may round to
  // nearest or toward zero, and may flush, but not to fp8. An overflow is infinite.
  bool IsIdle() const {
    const Twist twist = mutant_.twist;
    if (op_ == Op::kCast && IsFloat(call_.out())) {
      const DType from = call_.in(), to = call_.out();
      const FloatFormat& format = FormatOf(to);
      const bool truncates = twist == Twist::kStoreTruncates;
      const bool flushes = twist == Twist::kStoreFlushes;
      if (!IsFloat(from)) {
        const bool is_exact = IntegerBits(from) <= format.fraction_bits + 1;
        return is_exact && (truncates || flushes || twist == Twist::kStoreHalfAway ||
                            twist == Twist::kStoreSaturates);
      }
      if (twist == Twist::kOperandInfinityFinite) {
        return std::isinf(RoundToType(to, FormatOf(from).max));
      }
      const bool overflows = FormatOf(from).exponent_bits > format.exponent_bits;
      return (truncates && !overflows) || (flushes && !format.must_keep_subnormals);
    }
    if (op_ != Op::kClamp) return false;
    if (twist == Twist::kNanFirstLost) return call_.attributes().nan_mode() == NanMode::kPropagate;
    const bool is_lower = twist == Twist::kClipLowerLost;
    if (!is_lower && twist != Twist::kClipUpperLost) return false;
    const Tensor& bound =
        call_.attributes().Value(is_lower ? AttributeId::kMinVal : AttributeId::kMaxVal);
    const DType type = bound.type();
    if (IsFloat(type)) return std::isinf(bound.Float(0));
    return bound.Integer(0) == (is_lower ? MinimumInteger(type) : MaximumInteger(type));
  }

  void ChangeOperands() {
    const auto a = static_cast<size_t>(mutant_.detail.a), b = static_cast<size_t>(mutant_.detail.b);
    if (mutant_.twist == Twist::kOperandsExchanged) {
      if (std::max(a, b) >= inputs_.size()) return;
      if (inputs_[a].type.type != inputs_[b].type.type) return;
      std::swap(inputs_[a], inputs_[b]);
      const bool are_known = IsKnown(a) && IsKnown(b);
      reached_ = !are_known || !AreEqual(*inputs_[a].elements, *inputs_[b].elements);
    } else if (mutant_.twist == Twist::kOffsetSet || mutant_.twist == Twist::kOffsetsExchanged) {
      ChangeOffsets();
    } else if (mutant_.twist == Twist::kZeroPointsZeroed) {
      ZeroZeroPoints();
    } else if (mutant_.twist == Twist::kBroadcastTruncated) {
      TruncateBroadcast();
    } else if (mutant_.twist >= Twist::kOperandZeroed &&
               mutant_.twist <= Twist::kOperandZeroUnsigned && a < inputs_.size()) {
      const auto& [type, shape] = inputs_[a].type;
      const Elements numbered = Numbered(inputs_[a].elements->size());
      reached_ = !IsKnown(a) && (ChangesSome(mutant_, type) ||
                                 !AreEqual(numbered, Reordered(mutant_.twist, numbered, shape)));
      Elements elements = Reordered(mutant_.twist, *inputs_[a].elements, shape);
      for (Scalar& x : elements) x = Changed(mutant_, type, x);
      Replace(a, std::move(elements));
    }
  }

  void ZeroZeroPoints() {
    const std::vector<OperatorFacts::Operand>& operands = FactsOf(op_).inputs;
    for (size_t i = 0; i < operands.size(); ++i) {
      const std::string_view name = operands[i].row->name;
      if (!name.ends_with("_zp") || name == "output_zp") continue;
      Replace(i, Elements(inputs_[i].elements->size()));
    }
  }

  // Changes the smaller of two operands, or each of SELECT's three operands.
  void TruncateBroadcast() {
    const Shape& shape = DeclaredShape(0);
    const int64_t sizes[] = {inputs_[0].size(), inputs_[1].size()};
    for (size_t i = 0; i < (op_ == Op::kSelect ? 3 : 2); ++i) {
      Value& input = inputs_[i];
      if (op_ != Op::kSelect && sizes[i] >= sizes[1 - i]) continue;
      Elements elements = Fitted(*input.elements, input.type.shape, shape);
      std::fill(elements.begin() + input.size(), elements.end(), Scalar());
      reached_ = reached_ || std::ssize(elements) > input.size();
      input = {{input.type.type, shape}, std::make_shared<const Elements>(std::move(elements))};
    }
  }

  // RESIZE: changes the offset. The border is changed as well, so that the output keeps its size.
  void ChangeOffsets() {
    Elements offset = *inputs_[2].elements;
    Elements border = *inputs_[3].elements;
    if (mutant_.twist == Twist::kOffsetsExchanged) std::swap(offset[0], offset[1]);
    if (mutant_.twist == Twist::kOffsetSet) {
      offset[static_cast<size_t>(mutant_.detail.a)] = Scalar::OfInteger(0);
    }
    for (size_t i = 0; i < 2; ++i) {
      const int64_t moved = offset[i].integer() - (*inputs_[2].elements)[i].integer();
      border[i] = Scalar::OfInteger(border[i].integer() + moved);
    }
    Replace(2, std::move(offset));
    Replace(3, std::move(border));
  }

  // Builds the signature of the changed operands, which the kernel reads.
  void Describe() {
    types_.clear();
    pointers_.clear();
    constants_.clear();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      types_.push_back(inputs_[i].type);
      pointers_.push_back(&inputs_[i]);
      constants_.push_back(!call_.signature.constants[i].empty()
                               ? std::span<const Scalar>(*inputs_[i].elements)
                               : std::span<const Scalar>());
    }
    signature_ = {op_, &attributes_, types_, output_types_, constants_};
  }

  // Sets the output types of the changed operator. Returns false if there is no such operator.
  bool Agree(const Level& level) {
    std::vector<TensorType> inferred = output_types_;
    for (TensorType& type : inferred) type.shape = {};
    const Signature open = {op_, &attributes_, types_, {}, constants_};
    if (!ops::DefinitionOf(op_).infer(open, inferred)) return false;
    for (size_t i = 0; i < inferred.size(); ++i) {
      if (inferred[i].type != output_types_[i].type) return false;
    }
    // An output that is much larger than the declared one is refused.
    if (inferred[0].shape.Elements() > 64 * output_types_[0].shape.Elements() + 4096) return false;
    const Signature changed = {op_, &attributes_, types_, inferred, constants_};
    Judgement judgement;
    CheckOperator(changed, level, judgement);
    if (judgement.valid()) output_types_ = std::move(inferred);
    signature_.outputs = output_types_;
    return judgement.valid();
  }

  // Restores the operands and attributes.
  void Restore() {
    reached_ = false;
    attributes_ = call_.attributes();
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i] = *call_.inputs[i];
    Describe();
  }

  // Moves data. An element whose source is outside the operand stays 0.
  void Move(const ops::OperatorDefinition& definition) {
    std::vector<ops::Run> runs;
    definition.move(signature_, runs);
    Elements& to = results_[0];
    size_t i = 0;
    for (const ops::Run& run : runs) {
      const Value& from = inputs_[static_cast<size_t>(run.operand)];
      for (int64_t k = 0; k < run.count && i < to.size(); ++k, ++i) {
        const int64_t element = run.first + k * run.step;
        const bool inside = element >= 0 && element < from.size();
        if (inside) to[i] = from[element];
      }
    }
  }

  void Deliver() {
    if (mutant_.twist == Twist::kResultsExchanged && results_.size() == 2) {
      std::swap(results_[0], results_[1]);
      reached_ = true;
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      Elements& result = results_[i];
      if (output_types_[i].shape != DeclaredShape(i)) {
        result = Fitted(result, output_types_[i].shape, DeclaredShape(i));
      }
      if (static_cast<int>(i) == mutant_.detail.a || mutant_.twist == Twist::kAddsOperand) {
        Elements numbered = Numbered(result.size());
        ChangeResult(output_types_[i].type, DeclaredShape(i), numbered);
        reached_ = reached_ || ChangesSome(mutant_, output_types_[i].type) ||
                   !AreEqual(numbered, Numbered(result.size()));
        ChangeResult(output_types_[i].type, DeclaredShape(i), result);
      }
      for (Scalar& x : result) x = Held(output_types_[i].type, x);
      call_.outputs[i] = std::move(result);
    }
  }

  void ChangeResult(DType type, const Shape& shape, Elements& result) const {
    const size_t size = result.size();
    switch (mutant_.twist) {
      case Twist::kLastLost:
        result.back() = Scalar();
        return;
      case Twist::kTailLost:
        std::fill(result.begin() + static_cast<ptrdiff_t>(size - size % 8), result.end(), Scalar());
        return;
      case Twist::kLastTwoExchanged:
        if (size > 1) std::swap(result[size - 1], result[size - 2]);
        return;
      case Twist::kBatchRepeated:
        result = BatchRepeated(result, shape);
        return;
      case Twist::kRowsReversed:
        result = RowsReversed(result, shape);
        return;
      case Twist::kColumnMajor:
        result = ColumnMajor(result, call_.shape(0));
        return;
      case Twist::kRepeatsElements:
        result = ElementsRepeated(*call_.input(0).elements, call_.shape(0), shape);
        return;
      case Twist::kAddsOperand:
        AddOperand(type, result);
        return;
      case Twist::kResultNegated:
      case Twist::kResultInFp32:
      case Twist::kResultNanZero:
      case Twist::kResultInfinityFinite:
        for (Scalar& x : result) x = Changed(mutant_, type, x);
        return;
      default:
        return;
    }
  }

  void AddOperand(DType type, Elements& result) const {
    const Value& operand = call_.input(mutant_.detail.a);
    for (size_t i = 0; i < result.size(); ++i) {
      const Scalar x = operand[static_cast<int64_t>(i)];
      if (x.integer() == result[i].integer()) continue;
      result[i] = IsFloat(type) ? Scalar::OfFloat(RoundToType(type, x.real() + result[i].real()))
                                : Scalar::OfInteger(x.integer() + result[i].integer());
    }
  }

  const Mutant& mutant_;
  const uint32_t constant_operands_;
  const Op op_;
  const Call<ValueDomain>& call_;
  Attributes attributes_;
  std::vector<Value> inputs_;
  std::vector<TensorType> output_types_;
  std::vector<Elements> results_;
  std::vector<TensorType> types_;
  std::vector<const Value*> pointers_;
  std::vector<std::span<const Scalar>> constants_;
  Signature signature_;
  bool reached_ = false;  // the mutant changes something, for some elements
};

}  // namespace

bool ChangesKernel(const Mutant& mutant, Op op) {
  return mutant.twist < Twist::kConditionNegated && mutant.HoldsFor(op);
}

bool Overlooks(const Mutant& mutant, std::string_view rule) {
  return mutant.twist == Twist::kRuleOverlooked && mutant.detail.rule == rule;
}

bool RunMutant(const Mutant& mutant, const Level& level, const Call<ValueDomain>& call,
               uint32_t constant_operands, Judgement& judgement) {
  return MutantCall(mutant, call, constant_operands).Run(level, judgement);
}

}  // namespace assay

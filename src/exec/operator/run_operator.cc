// SPDX-License-Identifier: Apache-2.0
#include "run_operator.h"

#include <algorithm>
#include <array>
#include <optional>

#include "check.h"
#include "member_call.h"
#include "memory.h"
#include "mutant_call.h"
#include "native_kernels.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "split_call.h"

namespace assay {
namespace {

// Copies the values of the elements of an operand, determined or not.
void CopyValues(const ValueTensor& tensor, std::span<Scalar> to) { tensor.CopyScalars(to); }
void CopyValues(const BoundTensor& tensor, std::span<Scalar> to) {
  if (tensor.plain()) return tensor.values().CopyScalars(to);
  const std::vector<Bounded>& elements = *tensor.elements().elements;
  std::ranges::transform(elements, to.begin(), [](const Bounded& x) { return x.value; });
}

template <class D>
void Move(const ops::OperatorDefinition& definition, const Call<D>& call) {
  std::vector<ops::Run> runs;
  definition.move(call.signature, runs);
  auto to = call.output().begin();
  for (const ops::Run& run : runs) {
    const auto& from = *call.input(run.operand).elements;
    const int64_t last = run.first + (run.count - 1) * run.step;
    Check(std::min(run.first, last) >= 0 && std::max(run.first, last) < std::ssize(from) &&
              run.count <= call.output().end() - to,
          "a run within its operand and the output");
    for (int64_t i = 0; i < run.count; ++i) {
      *to++ = from[static_cast<size_t>(run.first + i * run.step)];
    }
  }
  Check(to == call.output().end(), "an origin of every output element");
}

template <class D>
void RunMeaning(D& d, const ops::OperatorDefinition& definition, const Call<D>& call) {
  if (definition.move != nullptr) return Move(definition, call);
  const auto run = [&definition](D& domain, const Call<D>& part) {
    if constexpr (std::is_same_v<D, ValueDomain>) {
      definition.meaning.value(domain, part);
    } else {
      definition.meaning.bound(domain, part);
    }
  };
  if (!RunInParts(d, call, run)) run(d, call);
}

// Calls a meaning by run_call(call), for the operands in domain D. Its results become those of
// `run`, which may be of another domain.
template <class D, class InFlightDomain, class RunCall>
void CallMeaning(const Signature& signature,
                 std::span<const DomainTensor<typename D::Element>* const> inputs,
                 InFlightDomain& d, OperatorRun<InFlightDomain>& run, RunCall run_call) {
  using Result = typename D::Result;
  std::vector<std::vector<Result>> results(signature.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].resize(static_cast<size_t>(signature.outputs[i].shape.Elements()));
  }
  run_call(Call<D>{signature, inputs, results});
  if (d.judgement().fate() == Fate::kUnpredictable) return;
  for (size_t i = 0; i < results.size(); ++i) {
    run.outputs.emplace_back(DomainTensor<Result>{
        signature.outputs[i], std::make_shared<const std::vector<Result>>(std::move(results[i]))});
  }
}

// Runs the template, the mutant in force, or the member of the ensemble that computes.
template <class D>
void RunTemplate(D& d, const Level& level, bool mutated, const Signature& signature,
                 OperatorRun<D>& run) {
  std::vector<const DomainTensor<typename D::Element>*> inputs;
  inputs.reserve(run.inputs.size());
  for (const auto* input : run.inputs) inputs.push_back(&input->elements());
  CallMeaning<D>(signature, inputs, d, run, [&](const Call<D>& call) {
    if constexpr (std::is_same_v<D, ValueDomain>) {
      if (mutated) {
        run.mutant_reached |=
            RunMutant(*run.mutant, level, call, run.constant_operands, d.judgement());
        return;
      }
      if (run.member != nullptr && ops::DefinitionOf(run.op->op).move == nullptr) {
        return RunMember(*run.member, run.member_seed, call, d.judgement());
      }
    }
    RunMeaning(d, ops::DefinitionOf(run.op->op), call);
  });
}

void ReadBalls(const BallDomain& d, const BoundTensor& tensor, std::vector<Ball>& balls) {
  const DType type = tensor.type().type;
  if (!tensor.plain()) return d.Read(type, *tensor.elements().elements, balls);
  const auto for_each = [&](auto visit) { tensor.values().ForEachFloat(visit); };
  d.Read(type, static_cast<size_t>(tensor.size()), for_each, balls);
}

// Runs the operator on balls. Returns false, and does nothing, if the operator has no such meaning
// for its types.
bool RunBalls(BoundDomain& d, const Signature& signature, OperatorRun<BoundDomain>& run) {
  const ops::OperatorDefinition& definition = ops::DefinitionOf(signature.op);
  const auto is_float = [](const TensorType& type) { return IsFloat(type.type); };
  if (definition.balls == nullptr || !std::ranges::all_of(signature.inputs, is_float)) return false;
  constexpr size_t kMost = 5;  // the most operands of such an operator
  Check(run.inputs.size() <= kMost, "room for the operands");
  static thread_local std::array<std::shared_ptr<std::vector<Ball>>, kMost> rooms;  // reused
  std::array<DomainTensor<Ball>, kMost> operands;
  std::array<const DomainTensor<Ball>*, kMost> inputs;
  BallDomain balls(d, signature.in(0));
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (rooms[i] == nullptr) rooms[i] = std::make_shared<std::vector<Ball>>();
    ReadBalls(balls, *run.inputs[i], *rooms[i]);
    operands[i] = {signature.inputs[i], rooms[i]};
    inputs[i] = &operands[i];
  }
  CallMeaning<BallDomain>(signature, std::span(inputs).first(run.inputs.size()), d, run,
                          [&](const Call<BallDomain>& call) { definition.balls(balls, call); });
  return true;
}

// Runs the native kernel. Returns false, and does nothing, if there is no native kernel or only the
// template can compute the result.
bool RunNative(const Signature& signature, OperatorRun<ValueDomain>& run) {
  if (signature.op == Op::kConst) {
    run.outputs.emplace_back(signature.attributes->Value(AttributeId::kValues));
    return true;
  }
  const NativeKernel kernel = NativeKernelOf(signature);
  if (kernel == nullptr) return false;
  const TensorType& type = signature.outputs[0];
  const auto bytes = RoomFor(static_cast<size_t>(type.shape.Elements() * ElementBytes(type.type)));
  if (!kernel({signature, run.inputs, bytes.get()})) return false;
  run.outputs.push_back(ValueTensor::OfCanonical(Tensor::FromShared(type.type, type.shape, bytes)));
  return true;
}

// The kind of the results of an operator in the bound domain if its operands are plain.
enum class Results : uint8_t {
  kPicked,    // unchanged elements of operands, or integers computed from integers
  kExact,     // the values of the value domain, unless an operand may be flushed
  kComputed,  // with bounds
};

// Returns true if every value of `from` is a value of `to`.
bool Widens(DType from, DType to) {
  return FormatOf(to).fraction_bits >= FormatOf(from).fraction_bits &&
         FormatOf(to).exponent_bits >= FormatOf(from).exponent_bits;
}

Results ResultsOf(const Signature& s) {
  const auto is_integer = [](const TensorType& type) { return !IsFloat(type.type); };
  const bool integers = std::ranges::all_of(s.inputs, is_integer);
  if (s.op == Op::kRescale) {
    return s.attributes->Int(AttributeId::kRoundingMode) ==
                   static_cast<int32_t>(RoundingMode::kInexactRound)
               ? Results::kComputed
               : Results::kPicked;
  }
  if (s.op == Op::kCast) {
    if (!integers && (!IsFloat(s.outputs[0].type) || Widens(s.in(0), s.outputs[0].type))) {
      return Results::kExact;
    }
  } else if (s.op != Op::kClamp) {  // whose bounds may be flushed as well
    switch (ops::DefinitionOf(s.op).traits.results) {
      case ops::ResultOrigin::kPassed:
        return Results::kPicked;
      case ops::ResultOrigin::kChosen:
      case ops::ResultOrigin::kResigned:
      case ops::ResultOrigin::kCompared:
        if (!integers) return Results::kExact;
        break;
      case ops::ResultOrigin::kRounded:
      case ops::ResultOrigin::kCalculated:
        break;
    }
  }
  return integers && std::ranges::all_of(s.outputs, is_integer) ? Results::kPicked
                                                                : Results::kComputed;
}

// Returns the zero signs of the results, for plain operands. Returns nothing if they differ among
// the results, or if the results do not follow from the values.
std::optional<ZeroSigns> ZeroSignsOf(Results results, std::span<const BoundTensor* const> inputs) {
  if (results == Results::kComputed) return std::nullopt;
  bool known = false;  // there are zeros of known sign
  bool open = results == Results::kExact;
  for (const BoundTensor* input : inputs) {
    if (!IsFloat(input->type().type)) continue;
    const Extremes extremes = input->values().extremes();
    if (results == Results::kExact) {
      if (extremes.flushable) return std::nullopt;
    } else if (input->zero_signs() == ZeroSigns::kOpen) {
      open = true;
    } else {
      known |= extremes.zero;
    }
  }
  if (known && open) return std::nullopt;
  return open ? ZeroSigns::kOpen : ZeroSigns::kKnown;
}

void Compute(ValueDomain& d, const Level& level, Kernels kernels, bool mutated,
             const Signature& signature, OperatorRun<ValueDomain>& run) {
  const bool as_member = run.member != nullptr && ComputesOtherwise(signature);
  const bool native = kernels == Kernels::kFast && !mutated && !as_member;
  if (!native || !RunNative(signature, run)) RunTemplate(d, level, mutated, signature, run);
}

void Compute(BoundDomain& d, const Level& level, Kernels kernels, bool mutated,
             const Signature& signature, OperatorRun<BoundDomain>& run) {
  const auto is_plain = [](const BoundTensor* input) { return input->plain(); };
  std::optional<ZeroSigns> zero_signs;
  if (kernels == Kernels::kFast && std::ranges::all_of(run.inputs, is_plain)) {
    zero_signs = ZeroSignsOf(ResultsOf(signature), run.inputs);
  }
  if (!zero_signs) {
    const bool on_balls = kernels == Kernels::kFast && RunBalls(d, signature, run);
    if (!on_balls) RunTemplate(d, level, mutated, signature, run);
    return;
  }
  static thread_local OperatorRun<ValueDomain> values;  // reused, to avoid allocation
  values.op = run.op;
  values.mutant = run.mutant;
  values.constant_operands = run.constant_operands;
  values.inputs.clear();
  values.outputs.clear();
  for (const BoundTensor* input : run.inputs) values.inputs.push_back(&input->values());
  d.OnValues([&](ValueDomain& v) { Compute(v, level, kernels, mutated, signature, values); });
  for (ValueTensor& output : values.outputs) {
    run.outputs.emplace_back(std::move(output), *zero_signs);
  }
  values.outputs.clear();
}

// Returns true if the static part accepts the operator. Broken rules go to d.judgement().
template <class D>
bool IsAccepted(D& d, const Level& level, const Signature& signature, const OperatorRun<D>& run) {
  Judgement judgement;
  CheckOperator(signature, level, judgement);
  if (run.mutant != nullptr && Overlooks(*run.mutant, judgement.rule())) judgement = Judgement();
  if (judgement.valid() && !run.types_inferred) {
    // An output dimension of REDUCE_* or CONCAT that is not the computed one breaks no ERROR_IF. It
    // makes the pseudocode index outside a tensor.
    static thread_local std::vector<TensorType> inferred;
    inferred.assign(run.output_types.begin(), run.output_types.end());
    for (TensorType& type : inferred) type.shape = {};
    const Signature open = {
        signature.op, signature.attributes, signature.inputs, {}, signature.constants};
    judgement.Require(InferOutputs(open, inferred) && inferred == run.output_types,
                      FactsOf(signature.op).index_to_offset);
  }
  d.judgement().Merge(judgement);
  return judgement.valid();
}

}  // namespace

template <class Value>
void OperandConstants<Value>::Read(Op op, std::span<const Value* const> operands) {
  const OperatorFacts& facts = FactsOf(op);
  const auto count_of = [&](size_t i) {
    return facts.NeedsConstant(i) ? static_cast<size_t>(operands[i]->size()) : 0;
  };
  size_t count = 0;
  for (size_t i = 0; i < operands.size(); ++i) count += count_of(i);
  room_.resize(count);
  views_.assign(operands.size(), {});
  std::span<Scalar> rest = room_;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (count_of(i) == 0) continue;
    const std::span<Scalar> values = rest.first(count_of(i));
    CopyValues(*operands[i], values);
    views_[i] = values;
    rest = rest.subspan(values.size());
  }
}

template class OperandConstants<ValueTensor>;
template class OperandConstants<BoundTensor>;

template <class D>
void RunOperator(D& d, const Level& level, Kernels kernels, OperatorRun<D>& run) {
  if (!run.types_inferred) {
    run.input_types.resize(run.inputs.size());
    for (size_t i = 0; i < run.inputs.size(); ++i) run.input_types[i] = run.inputs[i]->type();
    run.constants.Read(run.op->op, run.inputs);
  }
  const Signature signature = {run.op->op, &run.op->attributes, run.input_types, run.output_types,
                               run.constants.views()};
  run.outputs.clear();
  run.capped = false;
  run.accepted = run.was_accepted || IsAccepted(d, level, signature, run);
  if (!run.accepted) return;

  const bool mutated = run.mutant != nullptr && ChangesKernel(*run.mutant, run.op->op);
  if (ops::DefinitionOf(run.op->op).view && !mutated) {
    run.outputs.push_back(run.inputs[0]->Reshaped(run.output_types[0]));
    return;
  }
  int64_t elements = 0;
  for (const TensorType& type : run.output_types) {
    if (run.op->op == Op::kConst) break;  // its result shares the bytes of the graph
    elements += std::min(type.shape.Elements(), run.elements_max);
    run.capped |= type.shape.Elements() > run.elements_max || elements > run.elements_max;
  }
  if (run.capped) return;
  Compute(d, level, kernels, mutated, signature, run);
}

template void RunOperator(ValueDomain&, const Level&, Kernels, OperatorRun<ValueDomain>&);
template void RunOperator(BoundDomain&, const Level&, Kernels, OperatorRun<BoundDomain>&);

}  // namespace assay

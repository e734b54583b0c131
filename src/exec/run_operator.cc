#include "run_operator.h"

#include <algorithm>
#include <array>

#include "check.h"
#include "memory.h"
#include "native_kernels.h"
#include "operator_facts.h"
#include "run_mutant.h"

namespace assay {
namespace {

// The elements of the operands that rules read, as Signature::constants wants them.
template <class D>
class Constants {
 public:
  Constants(const Constants&) = delete;
  Constants& operator=(const Constants&) = delete;
  Constants(const OperatorFacts& facts, std::span<const InFlightOf<D>* const> in) {
    if (in.size() > few_.size()) many_.resize(in.size());
    views_ = in.size() > few_.size() ? std::span(many_) : std::span(few_).first(in.size());
    if (facts.constant_inputs == 0) return;
    if constexpr (!std::is_same_v<D, ValueDomain>) {
      size_t count = 0;
      for (size_t i = 0; i < in.size() && i < 32; ++i) {
        if ((facts.constant_inputs >> i & 1) != 0) count += in[i]->elements->size();
      }
      copies_.reserve(count);
    }
    for (size_t i = 0; i < in.size() && i < 32; ++i) {
      if ((facts.constant_inputs >> i & 1) == 0) continue;
      const auto& elements = *ElementsOf(*in[i]).elements;
      if constexpr (std::is_same_v<D, ValueDomain>) {
        views_[i] = elements;
      } else {
        const size_t first = copies_.size();
        for (const auto& x : elements) copies_.push_back(D::ToScalar(x));
        views_[i] = std::span(copies_).subspan(first);
      }
    }
  }
  std::span<const std::span<const Scalar>> views() const { return views_; }

 private:
  std::vector<Scalar> copies_;  // of all of them, one after the other
  std::array<std::span<const Scalar>, 8> few_;
  std::vector<std::span<const Scalar>> many_;
  std::span<std::span<const Scalar>> views_;
};

// What the seeded fault `missing-check` does not check.
constexpr std::string_view kMissingRule = "RESCALE/ERROR_IF/7";

template <class D>
void Move(const D& d, const ops::OperatorDefinition& definition, const Call<D>& call) {
  std::vector<ops::Run> runs;
  definition.move(call.signature, runs);
  auto to = call.output().begin();
  const bool zero_padding = d.Has(Fault::kPadWithZero) && definition.op == Op::kPad;
  for (const ops::Run& run : runs) {
    const auto& from = *call.input(run.operand).elements;
    const int64_t last = run.first + (run.count - 1) * run.step;
    Check(std::min(run.first, last) >= 0 && std::max(run.first, last) < std::ssize(from) &&
              run.count <= call.output().end() - to,
          "a run within its operand and the output");
    for (int64_t i = 0; i < run.count; ++i) {
      const auto at = static_cast<size_t>(run.first + i * run.step);
      *to++ = zero_padding && run.operand == 2 ? d.Zero(call.out()) : from[at];
    }
  }
  Check(to == call.output().end(), "an origin of every output element");
}

template <class D>
void Compute(D& d, const ops::OperatorDefinition& definition, const Call<D>& call) {
  if (definition.move != nullptr) {
    Move(d, definition, call);
  } else if constexpr (std::is_same_v<D, ValueDomain>) {
    definition.value(d, call);
  } else {
    definition.bound(d, call);
  }
}

// Runs the template, or what the mutant in force makes of it.
template <class D>
void RunTemplate(D& d, const Level& level, bool mutated, const Signature& signature,
                 OperatorRun<D>& run) {
  using Element = typename D::Element;
  std::vector<const DomainTensor<Element>*> inputs;
  for (const auto* input : run.inputs) inputs.push_back(&ElementsOf(*input));
  std::vector<std::vector<Element>> results(run.output_types.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].resize(static_cast<size_t>(run.output_types[i].shape.Elements()));
  }
  const Call<D> call = {signature, inputs, results};
  if constexpr (std::is_same_v<D, ValueDomain>) {
    if (mutated) RunMutant(*run.mutant, level, call);
  }
  if (!mutated) Compute(d, *ops::DefinitionOf(run.op->op), call);
  if (d.judgement().fate() == Fate::kUnpredictable) return;
  for (size_t i = 0; i < results.size(); ++i) {
    run.outputs.push_back(InFlightOf<D>(DomainTensor<Element>{
        run.output_types[i], std::make_shared<const std::vector<Element>>(std::move(results[i]))}));
  }
}

// False, with nothing done, if there is no native kernel for the operator or only the template can
// tell what comes out.
bool RunNative(const Signature& signature, OperatorRun<ValueDomain>& run) {
  const NativeKernel kernel = NativeKernelOf(signature);
  if (kernel == nullptr) return false;
  const TensorType& type = run.output_types[0];
  const auto bytes = RoomFor(static_cast<size_t>(type.shape.Elements() * ElementBytes(type.type)));
  if (!kernel({signature, run.inputs, bytes.get()})) return false;
  run.outputs.push_back(ValueTensor::OfCanonical(Tensor::FromShared(type.type, type.shape, bytes)));
  return true;
}

}  // namespace

template <class D>
void RunOperator(D& d, const Level& level, Kernels kernels, OperatorRun<D>& run) {
  const ops::OperatorDefinition* definition = ops::DefinitionOf(run.op->op);
  Check(definition != nullptr, "the operator has a definition");

  std::array<TensorType, 8> few;
  std::vector<TensorType> many;
  std::span<TensorType> types(few.data(), std::min(run.inputs.size(), few.size()));
  if (run.inputs.size() > few.size()) {
    many.resize(run.inputs.size());
    types = many;
  }
  for (size_t i = 0; i < run.inputs.size(); ++i) types[i] = TypeOf(*run.inputs[i]);

  const OperatorFacts& facts = FactsOf(run.op->op);
  const Constants<D> constants(facts, run.inputs);
  const Signature signature = {run.op->op, &run.op->attributes, types, run.output_types,
                               constants.views()};
  Judgement judgement;
  CheckOperator(signature, level, judgement);
  if (d.Has(Fault::kMissingCheck) && judgement.rule() == kMissingRule) judgement = Judgement();
  if (judgement.valid()) {
    // What no ERROR_IF catches (REDUCE_*, CONCAT: an output dimension that is not the computed one)
    // makes the pseudocode index outside a tensor.
    static thread_local std::vector<TensorType> inferred;
    inferred.assign(run.output_types.begin(), run.output_types.end());
    for (TensorType& type : inferred) type.shape = {};
    const Signature open = {signature.op, signature.attributes, types, {}, constants.views()};
    judgement.Require(definition->infer(open, inferred) && inferred == run.output_types,
                      facts.index_to_offset.c_str());
  }
  d.judgement().Merge(judgement);
  run.outputs.clear();
  run.capped = false;
  if (!judgement.valid()) return;

  const bool mutated = run.mutant != nullptr && ChangesKernel(*run.mutant, run.op->op);
  if (definition->view && !mutated) {
    run.outputs.push_back(Reshaped(*run.inputs[0], run.output_types[0]));
    return;
  }
  int64_t elements = 0;
  for (const TensorType& type : run.output_types) {
    elements += std::min(type.shape.Elements(), run.elements_max);
    run.capped |= type.shape.Elements() > run.elements_max || elements > run.elements_max;
  }
  if (run.capped) return;
  if constexpr (std::is_same_v<D, ValueDomain>) {
    const bool plain = d.fault() == Fault::kNone && !mutated;
    if (kernels == Kernels::kFast && plain && RunNative(signature, run)) return;
  }
  RunTemplate(d, level, mutated, signature, run);
}

template void RunOperator(ValueDomain&, const Level&, Kernels, OperatorRun<ValueDomain>&);
template void RunOperator(BoundDomain&, const Level&, Kernels, OperatorRun<BoundDomain>&);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "member_call.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "float_format.h"
#include "member.h"
#include "operator_set.h"

namespace assay {
namespace {

using Operand = DomainTensor<Scalar>;

// Returns the operand with zeros in place of subnormals. Returns nothing if it has none, or if its
// type keeps them.
std::optional<Operand> Flushed(const Operand& operand) {
  const DType type = operand.type.type;
  if (!IsFloat(type) || FormatOf(type).must_keep_subnormals) return std::nullopt;
  const double normal_min = FormatOf(type).normal_min;
  const auto is_subnormal = [normal_min](Scalar x) {
    return x.real() != 0 && std::fabs(x.real()) < normal_min;
  };
  if (std::ranges::none_of(*operand.elements, is_subnormal)) return std::nullopt;
  std::vector<Scalar> flushed = *operand.elements;
  for (Scalar& x : flushed) {
    if (is_subnormal(x)) x = Scalar::OfFloat(std::copysign(0.0, x.real()));
  }
  return Operand{operand.type, std::make_shared<const std::vector<Scalar>>(std::move(flushed))};
}

}  // namespace

bool ComputesOtherwise(const Signature& signature) {
  const auto is_float = [](const TensorType& type) { return IsFloat(type.type); };
  return std::ranges::any_of(signature.inputs, is_float) ||
         std::ranges::any_of(signature.outputs, is_float);
}

void RunMember(const Member& member, uint64_t seed, const Call<ValueDomain>& call,
               Judgement& judgement) {
  std::vector<Operand> flushed;
  std::vector<const Operand*> inputs(call.inputs.begin(), call.inputs.end());
  flushed.reserve(inputs.size());
  for (const Operand*& input : inputs) {
    if (!member.flushes) break;
    std::optional<Operand> copy = Flushed(*input);
    if (copy) input = &flushed.emplace_back(*std::move(copy));
  }
  const Op op = call.signature.op;
  MemberDomain domain(member, op == Op::kCast, seed);
  ops::DefinitionOf(op).meaning.member(domain,
                                       Call<MemberDomain>{call.signature, inputs, call.outputs});
  judgement.Merge(domain.judgement());
}

}  // namespace assay

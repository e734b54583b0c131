// SPDX-License-Identifier: Apache-2.0
#include "custom.h"

#include "quoted.h"

namespace assay {
namespace {

DomainTensor<Scalar> Values(const DomainTensor<Bounded>& tensor) {
  std::vector<Scalar> values;
  for (const Bounded& x : *tensor.elements) values.push_back(x.value);
  return {tensor.type, std::make_shared<const std::vector<Scalar>>(std::move(values))};
}

}  // namespace

std::string CustomName(const Operator& op) {
  const auto text = [&](AttributeId id) {
    return Quoted(op.attributes.Has(id) ? op.attributes.Text(id) : "");
  };
  return "CUSTOM " + text(AttributeId::kOperatorName) + " of domain " +
         text(AttributeId::kDomainName);
}

void RunCustom(ValueDomain& d, CustomMeaning meaning, const Call<ValueDomain>& call) {
  meaning(d, call);
}

void RunCustom(BoundDomain& d, CustomMeaning meaning, const Call<BoundDomain>& call) {
  std::vector<DomainTensor<Scalar>> tensors;
  for (const DomainTensor<Bounded>* input : call.inputs) tensors.push_back(Values(*input));
  std::vector<const DomainTensor<Scalar>*> inputs;
  for (const DomainTensor<Scalar>& tensor : tensors) inputs.push_back(&tensor);
  std::vector<std::vector<Scalar>> outputs;
  for (const std::vector<Bounded>& output : call.outputs) outputs.emplace_back(output.size());
  ValueDomain values;
  meaning(values, {call.signature, inputs, outputs});
  d.judgement().Merge(values.judgement());
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t k = 0; k < outputs[i].size(); ++k) {
      call.outputs[i][k] = {outputs[i][k], 0, 0, Certainty::kUndecided};
    }
  }
}

}  // namespace assay

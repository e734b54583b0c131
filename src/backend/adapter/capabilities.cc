// SPDX-License-Identifier: Apache-2.0
#include "capabilities.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace assay {
namespace {

int64_t Limit(uint64_t limit) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(std::min(limit, kMost));
}

TypeChoice ChoiceOf(const worker::Capability& capability) {
  TypeChoice choice;
  choice.inputs = capability.inputs;
  choice.outputs = capability.outputs;
  for (const worker::AttributeRange& range : capability.attributes) {
    const Quantity quantity = {Quantity::Kind::kAttribute, range.attribute, -1};
    choice.ranges.push_back({quantity, range.min, range.max, range.values});
  }
  return choice;
}

}  // namespace

Target TargetOf(const worker::Ready& ready) {
  Target target;
  target.name = ready.name;
  target.operators.emplace();
  std::vector<Op> of_any_type;
  for (const worker::OperatorSupport& support : ready.operators) {
    OperatorUses& uses = (*target.operators)[support.op];
    if (support.types.empty()) of_any_type.push_back(support.op);
    for (const DType type : support.types) uses.types.push_back({.first = type});
  }
  for (const worker::Capability& capability : ready.capabilities) {
    (*target.operators)[capability.op].types.push_back(ChoiceOf(capability));
  }
  for (const Op op : of_any_type) (*target.operators)[op].types.clear();
  const worker::Limits& limits = ready.limits;
  target.limits.rank = limits.rank;
  target.limits.dimension = Limit(limits.dimension);
  target.limits.elements = Limit(limits.elements);
  target.limits.constant_bytes = Limit(limits.constant_bytes);
  target.limits.graphs = limits.graphs;
  return target;
}

}  // namespace assay

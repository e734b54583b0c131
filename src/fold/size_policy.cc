// SPDX-License-Identifier: Apache-2.0
#include "size_policy.h"

#include <algorithm>
#include <limits>

namespace assay {
namespace {

constexpr int64_t kVast = std::numeric_limits<int64_t>::max() / 4;

// Adds numbers that are not negative. The sum stops at kVast.
int64_t Sum(int64_t a, int64_t b) {
  return std::min(a, kVast) + std::min(b, kVast - std::min(a, kVast));
}

}  // namespace

int64_t StoredBytes(const TensorType& type) {
  const int64_t elements = type.shape.Elements();
  return elements > kVast / 8 ? kVast : elements * ElementBytes(type.type);
}

bool Admits(const SizePolicy& policy, int64_t bytes, int64_t root_bytes) {
  switch (policy.kind) {
    case SizePolicyKind::kRatio:
      // This is bytes <= limit * root_bytes, without the product.
      return bytes == 0 || (policy.limit > 0 && (bytes - 1) / policy.limit < root_bytes);
    case SizePolicyKind::kAdditive:
      return bytes <= root_bytes || bytes - root_bytes <= policy.limit;
    case SizePolicyKind::kAbsolute:
      return bytes <= policy.limit;
  }
  return false;
}

SizeRule::SizeRule(const Dataflow& flow, SizePolicy policy, FoldFault fault)
    : flow_(flow),
      policy_(policy),
      fault_(fault),
      least_(flow.main().tensors.size()),
      most_(flow.main().tensors.size()),
      seen_(flow.main().tensors.size()) {
  const auto at = [](auto index) { return static_cast<size_t>(index); };
  for (size_t i = 0; i < least_.size(); ++i) {
    if (IsRoot(static_cast<TensorIndex>(i))) {
      least_[i] = most_[i] = StoredBytes(flow.main().tensors[i].type);
    }
  }
  for (const int32_t op : flow.order()) {
    if (IsConstant(flow.main().operators[at(op)].op)) continue;
    int64_t least = 0, most = 0;
    const std::vector<TensorIndex>& uses = flow.UsesOf(op);
    for (size_t i = 0; i < uses.size(); ++i) {
      if (flow.IsParameter(op, i)) continue;
      least = std::max(least, least_[at(uses[i])]);
      most = Sum(most, most_[at(uses[i])]);
    }
    for (const TensorIndex output : flow.main().operators[at(op)].outputs) {
      least_[at(output)] = least;
      most_[at(output)] = most;
    }
  }
}

bool SizeRule::IsRoot(TensorIndex tensor) const {
  const int32_t producer = flow_.ProducerOf(tensor);
  return producer < 0 || IsConstant(flow_.main().operators[static_cast<size_t>(producer)].op);
}

bool SizeRule::AdmitsValue(TensorIndex tensor) {
  return AdmitsBytes(StoredBytes(flow_.main().TypeOf(tensor)), {tensor});
}

bool SizeRule::AdmitsBytes(int64_t bytes, const std::vector<TensorIndex>& from) {
  if (fault_ == FoldFault::kLimitExcluded) ++bytes;
  int64_t least = 0, most = 0;
  for (const TensorIndex tensor : from) {
    least = std::max(least, least_[static_cast<size_t>(tensor)]);
    most = Sum(most, most_[static_cast<size_t>(tensor)]);
  }
  if (Admits(policy_, bytes, least)) return true;
  if (!Admits(policy_, bytes, most)) return false;
  return Admits(policy_, bytes, RootBytes(from));
}

int64_t SizeRule::RootBytes(const std::vector<TensorIndex>& from) {
  ++search_;
  int64_t bytes = 0;
  std::vector<TensorIndex> stack;
  const auto meet = [&](TensorIndex tensor) {
    int32_t& seen = seen_[static_cast<size_t>(tensor)];
    if (seen == search_) return;
    seen = search_;
    stack.push_back(tensor);
  };
  for (const TensorIndex tensor : from) meet(tensor);
  while (!stack.empty()) {
    const TensorIndex tensor = stack.back();
    stack.pop_back();
    if (IsRoot(tensor)) {
      bytes = Sum(bytes, StoredBytes(flow_.main().TypeOf(tensor)));
      continue;
    }
    const int32_t producer = flow_.ProducerOf(tensor);
    const std::vector<TensorIndex>& uses = flow_.UsesOf(producer);
    for (size_t i = 0; i < uses.size(); ++i) {
      if (!flow_.IsParameter(producer, i)) meet(uses[i]);
    }
  }
  return bytes;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "draft_block.h"

#include <utility>

namespace assay {

DraftBlock::DraftBlock(Block block) : block_(std::move(block)) {
  for (const TensorInfo& tensor : block_.tensors) names_.insert(tensor.name);
}

std::string DraftBlock::NameOf(TensorIndex tensor) const {
  return block_.tensors[static_cast<size_t>(tensor)].name;
}

TensorIndex DraftBlock::AddTensor(const std::string& base, TensorType type) {
  std::string name = base;
  for (int number = 1; !names_.insert(name).second; ++number) {
    name = base + "_" + std::to_string(number);
  }
  return block_.AddTensor(std::move(name), std::move(type));
}

TensorIndex DraftBlock::AddValue(const std::string& base, const Tensor& value) {
  const TensorIndex tensor = AddTensor(base, value.tensor_type());
  values_.emplace(tensor, value);
  return tensor;
}

std::optional<Tensor> DraftBlock::ValueOf(TensorIndex tensor) const {
  const auto found = values_.find(tensor);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

void DraftBlock::Rollback(size_t mark) {
  while (block_.tensors.size() > mark) {
    names_.erase(block_.tensors.back().name);
    values_.erase(static_cast<TensorIndex>(block_.tensors.size() - 1));
    block_.tensors.pop_back();
  }
}

}  // namespace assay

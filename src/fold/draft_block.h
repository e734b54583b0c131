// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "graph.h"

namespace assay {

// A block to which tensors can be added and removed again. Types and names are returned as copies,
// because adding a tensor moves the others.
class DraftBlock {
 public:
  explicit DraftBlock(Block block);

  const Block& block() const { return block_; }
  TensorType TypeOf(TensorIndex tensor) const { return block_.TypeOf(tensor); }
  std::string NameOf(TensorIndex tensor) const;

  // Adds a tensor with a new name that begins with `base`.
  TensorIndex AddTensor(const std::string& base, TensorType type);
  // Adds such a tensor with a known value.
  TensorIndex AddValue(const std::string& base, const Tensor& value);
  // Returns the value that was given to AddValue(), or nothing for other tensors.
  std::optional<Tensor> ValueOf(TensorIndex tensor) const;

  // Rollback() removes all tensors that were added since the mark.
  size_t mark() const { return block_.tensors.size(); }
  void Rollback(size_t mark);

 private:
  Block block_;
  std::unordered_set<std::string> names_;
  std::map<TensorIndex, Tensor> values_;
};

}  // namespace assay

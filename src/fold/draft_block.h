#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "graph.h"

namespace assay {

// A block that gets new tensors behind its own, and may lose them again. Types and names are given
// as copies: the tensors move when there are more.
class DraftBlock {
 public:
  explicit DraftBlock(Block block);

  const Block& block() const { return block_; }
  TensorType TypeOf(TensorIndex tensor) const { return block_.TypeOf(tensor); }
  std::string NameOf(TensorIndex tensor) const;

  // A tensor whose name begins with `base` and is that of no other.
  TensorIndex AddTensor(const std::string& base, TensorType type);
  // The same, with a value that is known.
  TensorIndex AddValue(const std::string& base, const Tensor& value);
  // What was given to AddValue(), if the tensor is one of those.
  std::optional<Tensor> ValueOf(TensorIndex tensor) const;

  // Everything added since the mark disappears.
  size_t mark() const { return block_.tensors.size(); }
  void Rollback(size_t mark);

 private:
  Block block_;
  std::unordered_set<std::string> names_;
  std::map<TensorIndex, Tensor> values_;
};

}  // namespace assay

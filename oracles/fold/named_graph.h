// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph.h"

namespace assay {

// An operator with its tensors by name.
struct NamedOperator {
  Op op = Op::kUnknown;
  Attributes attributes;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  bool has_effect =
      false;  // acts on variables, or is CUSTOM, or runs a block with such an operator
  friend bool operator==(const NamedOperator&, const NamedOperator&) = default;
};

// The main block of a graph in a form to edit and to compare. Operators know their tensors by name,
// so their order and the numbers of tensors do not matter.
class NamedGraph {
 public:
  // Takes a graph in which CheckGraph() finds nothing; it must outlive this object. CUSTOM
  // operators of `pure_domains` have no effect.
  explicit NamedGraph(const Graph& graph, const std::set<std::string>& pure_domains = {});

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  // Returns the operators by position; a removed one is empty.
  const std::vector<std::optional<NamedOperator>>& operators() const { return operators_; }

  const TensorInfo* Find(const std::string& tensor) const;           // null: there is none
  const NamedOperator* ProducerOf(const std::string& tensor) const;  // null: nothing, or effects
  const Tensor* ConstantIn(const std::string& tensor) const;         // null: no CONST, CONST_SHAPE
  // Returns a graph without inputs that computes a tensor from the CONSTs that it depends on, and
  // from what follows from them alone. Its output is the tensor, if these suffice; otherwise it has
  // none.
  Graph ConstantPart(const std::string& tensor) const;
  // Returns how often operators read a tensor.
  int ReadsOf(const std::string& tensor) const;
  bool IsOutput(const std::string& tensor) const { return output_set_.contains(tensor); }

  // Adds an operator. Its result tensors must be new, or nothing must produce them.
  void Add(NamedOperator op, const std::vector<TensorType>& types);
  void RemoveProducerOf(const std::string& tensor);

  // Returns the operators for which `is_root` is true, and those that they and the outputs need, in
  // the order of the list.
  template <class Predicate>
  std::vector<const NamedOperator*> Needed(Predicate is_root) const {
    std::vector<size_t> roots;
    for (size_t i = 0; i < operators_.size(); ++i) {
      if (operators_[i] && std::invoke(is_root, *operators_[i])) roots.push_back(i);
    }
    return NeededBy(roots, outputs_);
  }

 private:
  std::vector<const NamedOperator*> ConstantsOf(const std::string& tensor) const;
  void Insert(NamedOperator op);
  std::vector<const NamedOperator*> NeededBy(const std::vector<size_t>& roots,
                                             std::vector<std::string> wanted) const;

  const Graph* whole_;
  std::vector<std::string> inputs_, outputs_;
  std::set<std::string> output_set_;
  std::map<std::string, TensorInfo> tensors_;
  std::vector<std::optional<NamedOperator>> operators_;
  std::map<std::string, size_t> producers_;  // of tensors without effects
  std::map<std::string, int> reads_;
};

}  // namespace assay

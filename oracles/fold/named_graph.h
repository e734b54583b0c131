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

// The main block of a graph as something to edit and to compare: operators know their tensors by
// name, so that their order and the numbers of tensors do not matter.
class NamedGraph {
 public:
  // Of a graph in which CheckGraph() finds nothing, and which must stay. CUSTOM operators of
  // `pure_domains` have no effect.
  explicit NamedGraph(const Graph& graph, const std::set<std::string>& pure_domains = {});

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  // By position; one that was removed is empty.
  const std::vector<std::optional<NamedOperator>>& operators() const { return operators_; }

  const TensorInfo* Find(const std::string& tensor) const;           // null: there is none
  const NamedOperator* ProducerOf(const std::string& tensor) const;  // null: nothing, or effects
  const Tensor* ConstantIn(const std::string& tensor) const;         // null: no CONST, CONST_SHAPE
  // What the CONSTs that a tensor depends on, and what follows from them alone, come to, as a graph
  // without inputs. Its output is the tensor, if that is part of it; else it has none.
  Graph ConstantPart(const std::string& tensor) const;
  // How often operators read a tensor.
  int ReadsOf(const std::string& tensor) const;
  bool IsOutput(const std::string& tensor) const { return output_set_.contains(tensor); }

  // A tensor of that name must not be there, or nothing must produce it.
  void Add(NamedOperator op, const std::vector<TensorType>& types);
  void RemoveProducerOf(const std::string& tensor);

  // The operators of which `is_root` is true, and those that outputs and they need, in the order of
  // the list.
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

// Whether an operand is one that has to be a compile-time constant: a parameter of the operator, as
// zero points are, and not what it computes with.
bool IsParameter(Op op, size_t operand);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "named_graph.h"

#include <algorithm>
#include <utility>

#include "block_index.h"

namespace assay {
namespace {

// Finds the operators of a graph that have an effect.
class Effects {
 public:
  Effects(const Graph& graph, const std::set<std::string>& pure_domains)
      : blocks_(graph), pure_domains_(pure_domains) {}

  bool Has(const Block& block, const Operator& op) {
    if (IsVariableOperator(op.op)) return true;
    if (op.op == Op::kCustom) {
      return !pure_domains_.contains(op.attributes.Text(AttributeId::kDomainName));
    }
    for (const auto* tensors : {&op.inputs, &op.outputs}) {
      for (const TensorIndex tensor : *tensors) {
        if (block.tensors[static_cast<size_t>(tensor)].variable) return true;
      }
    }
    return std::ranges::any_of(op.attributes.entries(), [&](const auto& entry) {
      return NamesBlock(entry.first) && Has(*blocks_.Callee(op, entry.first));
    });
  }

 private:
  // Returns true if a block has an operator with an effect. Visits each block once.
  bool Has(const Block& block) {
    const auto known = known_.find(&block);
    if (known != known_.end()) return known->second;
    const bool has =
        std::ranges::any_of(block.operators, [&](const Operator& op) { return Has(block, op); });
    return known_[&block] = has;
  }

  const BlockIndex blocks_;
  const std::set<std::string>& pure_domains_;
  std::map<const Block*, bool> known_;
};

}  // namespace

NamedGraph::NamedGraph(const Graph& graph, const std::set<std::string>& pure_domains)
    : whole_(&graph) {
  const Block& block = *graph.Main();
  const auto names_of = [&block](const std::vector<TensorIndex>& tensors) {
    std::vector<std::string> names;
    for (const TensorIndex tensor : tensors) {
      names.push_back(block.tensors[static_cast<size_t>(tensor)].name);
    }
    return names;
  };
  for (const TensorInfo& info : block.tensors) tensors_.emplace(info.name, info);
  inputs_ = names_of(block.inputs);
  outputs_ = names_of(block.outputs);
  output_set_.insert(outputs_.begin(), outputs_.end());
  Effects effects(graph, pure_domains);
  for (const Operator& op : block.operators) {
    Insert(
        {op.op, op.attributes, names_of(op.inputs), names_of(op.outputs), effects.Has(block, op)});
  }
}

const TensorInfo* NamedGraph::Find(const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  return found == tensors_.end() ? nullptr : &found->second;
}

const NamedOperator* NamedGraph::ProducerOf(const std::string& tensor) const {
  const auto found = producers_.find(tensor);
  return found == producers_.end() ? nullptr : &*operators_[found->second];
}

const Tensor* NamedGraph::ConstantIn(const std::string& tensor) const {
  const NamedOperator* producer = ProducerOf(tensor);
  if (producer == nullptr || !IsConstant(producer->op)) return nullptr;
  return &producer->attributes.Value(AttributeId::kValues);
}

// Returns the operators on which a tensor depends and of which every operand is a constant or
// follows from one; operands come first.
std::vector<const NamedOperator*> NamedGraph::ConstantsOf(const std::string& tensor) const {
  std::vector<const NamedOperator*> constants;
  std::set<std::string> seen, known;
  std::vector<std::pair<std::string, bool>> stack = {{tensor, false}};  // true: after its operands
  while (!stack.empty()) {
    const auto [name, is_ready] = stack.back();
    stack.pop_back();
    const NamedOperator* producer = ProducerOf(name);
    if (producer == nullptr) continue;
    if (!is_ready) {
      if (!seen.insert(producer->outputs[0]).second) continue;
      stack.emplace_back(name, true);
      for (const std::string& input : producer->inputs) stack.emplace_back(input, false);
    } else if (std::ranges::all_of(producer->inputs, [&known](const std::string& input) {
                 return known.contains(input);
               })) {
      known.insert(producer->outputs.begin(), producer->outputs.end());
      constants.push_back(producer);
    }
  }
  return constants;
}

Graph NamedGraph::ConstantPart(const std::string& tensor) const {
  Graph part = EmptyGraph();
  part.version = whole_->version;
  Block main = *part.Main();
  std::map<std::string, TensorIndex> indices;
  const auto at = [&](const std::string& name) {
    const auto [index, is_new] =
        indices.try_emplace(name, static_cast<TensorIndex>(main.tensors.size()));
    if (is_new) main.tensors.push_back(*Find(name));
    return index->second;
  };
  for (const NamedOperator* op : ConstantsOf(tensor)) {
    Operator copy = {op->op, op->attributes, {}, {}};
    for (const std::string& input : op->inputs) copy.inputs.push_back(at(input));
    for (const std::string& output : op->outputs) copy.outputs.push_back(at(output));
    main.operators.push_back(std::move(copy));
    if (IsControlFlow(op->op)) part = *whole_;  // with the blocks that it runs
  }
  if (indices.contains(tensor)) main.outputs = {at(tensor)};
  *part.Main() = std::move(main);
  return part;
}

int NamedGraph::ReadsOf(const std::string& tensor) const {
  const auto found = reads_.find(tensor);
  return found == reads_.end() ? 0 : found->second;
}

void NamedGraph::Insert(NamedOperator op) {
  for (const std::string& input : op.inputs) ++reads_[input];
  if (!op.has_effect) {
    for (const std::string& output : op.outputs) producers_[output] = operators_.size();
  }
  operators_.emplace_back(std::move(op));
}

void NamedGraph::Add(NamedOperator op, const std::vector<TensorType>& types) {
  for (size_t i = 0; i < types.size(); ++i) {
    TensorInfo& info = tensors_[op.outputs[i]];
    info.name = op.outputs[i];
    info.type = types[i];
  }
  Insert(std::move(op));
}

void NamedGraph::RemoveProducerOf(const std::string& tensor) {
  const size_t position = producers_.at(tensor);
  const NamedOperator op = *std::exchange(operators_[position], std::nullopt);
  for (const std::string& input : op.inputs) --reads_[input];
  for (const std::string& output : op.outputs) producers_.erase(output);
}

std::vector<const NamedOperator*> NamedGraph::NeededBy(const std::vector<size_t>& roots,
                                                       std::vector<std::string> wanted) const {
  std::set<size_t> needed(roots.begin(), roots.end());
  for (const size_t root : roots) {
    wanted.insert(wanted.end(), operators_[root]->inputs.begin(), operators_[root]->inputs.end());
  }
  while (!wanted.empty()) {
    const auto producer = producers_.find(wanted.back());
    wanted.pop_back();
    if (producer == producers_.end() || !needed.insert(producer->second).second) continue;
    const NamedOperator& op = *operators_[producer->second];
    wanted.insert(wanted.end(), op.inputs.begin(), op.inputs.end());
  }
  std::vector<const NamedOperator*> operators;
  for (const size_t position : needed) operators.push_back(&*operators_[position]);
  return operators;
}

}  // namespace assay

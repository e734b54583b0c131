// SPDX-License-Identifier: Apache-2.0
#include "normal_form.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph_edit.h"

namespace assay {
namespace {

// Returns the tensors that the operators and outputs of a block read, in order, each once.
std::vector<TensorIndex> InOrderOfUse(const Block& block) {
  std::vector<TensorIndex> order;
  std::vector<char> seen(block.tensors.size(), 0);
  const auto add = [&](TensorIndex tensor) {
    if (std::exchange(seen[static_cast<size_t>(tensor)], 1) == 0) order.push_back(tensor);
  };
  for (const Operator& op : block.operators) {
    for (const TensorIndex input : op.inputs) add(input);
  }
  for (const TensorIndex output : block.outputs) add(output);
  return order;
}

std::vector<size_t> PlacesIn(const std::vector<TensorIndex>& order, size_t tensors) {
  std::vector<size_t> places(tensors, tensors);
  for (size_t i = 0; i < order.size(); ++i) places[static_cast<size_t>(order[i])] = i;
  return places;
}

void MergeEqualConstants(Block& block) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < block.operators.size(); ++i) {
    if (!IsConstant(block.operators[i].op)) continue;
    const auto equal = std::ranges::find_if(kept, [&](size_t k) {
      const Operator &a = block.operators[k], &b = block.operators[i];
      return a.op == b.op &&
             a.attributes.Value(AttributeId::kValues) == b.attributes.Value(AttributeId::kValues);
    });
    if (equal == kept.end()) {
      kept.push_back(i);
      continue;
    }
    const TensorIndex from = block.operators[i].outputs[0];
    const TensorIndex to = block.operators[*equal].outputs[0];
    ReplaceUses(block, from, to);
  }
}

// An absent local_bound means false.
void RemoveDefaults(Block& block) {
  for (Operator& op : block.operators) {
    const bool has_bound = op.attributes.Has(AttributeId::kLocalBound);
    if (has_bound && !op.attributes.Flag(AttributeId::kLocalBound)) {
      op.attributes.Remove(AttributeId::kLocalBound);
    }
  }
}

void ConstantsFirst(Block& block) {
  const auto places = PlacesIn(InOrderOfUse(block), block.tensors.size());
  const auto place = [&places](const Operator& op) {
    return places[static_cast<size_t>(op.outputs[0])];
  };
  const auto rest = std::stable_partition(block.operators.begin(), block.operators.end(),
                                          [](const Operator& op) { return IsConstant(op.op); });
  std::stable_sort(block.operators.begin(), rest,
                   [&](const Operator& a, const Operator& b) { return place(a) < place(b); });
}

void OrderInputs(GraphEdit& edit) {
  Block& block = edit.main();
  const auto places = PlacesIn(InOrderOfUse(block), block.tensors.size());
  std::vector<size_t> order(block.inputs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {},
                           [&](size_t i) { return places[static_cast<size_t>(block.inputs[i])]; });
  const auto reorder = [&order](auto& list) {
    auto old = list;
    for (size_t i = 0; i < order.size(); ++i) list[i] = std::move(old[order[i]]);
  };
  reorder(block.inputs);
  for (const size_t step : edit.steps()) reorder(edit.vector().steps[step].inputs);
}

// Puts tensors in the order in which they come to be, and names them.
void NumberTensors(Block& block) {
  std::vector<TensorIndex> order = block.inputs;
  for (const Operator& op : block.operators) {
    order.insert(order.end(), op.outputs.begin(), op.outputs.end());
  }
  std::vector<char> seen(block.tensors.size(), 0);
  std::erase_if(order, [&seen](TensorIndex t) {
    return std::exchange(seen[static_cast<size_t>(t)], 1) != 0;
  });
  for (size_t t = 0; t < block.tensors.size(); ++t) {
    if (seen[t] == 0) order.push_back(static_cast<TensorIndex>(t));
  }
  std::vector<char> letters(block.tensors.size(), 't');
  for (const TensorIndex input : block.inputs) letters[static_cast<size_t>(input)] = 'i';
  for (const Operator& op : block.operators) {
    if (op.op == Op::kConst) letters[static_cast<size_t>(op.outputs[0])] = 'c';
    if (op.op == Op::kConstShape) letters[static_cast<size_t>(op.outputs[0])] = 's';
  }
  std::vector<TensorInfo> tensors;
  std::vector<TensorIndex> index(block.tensors.size(), -1);
  for (const TensorIndex t : order) {
    index[static_cast<size_t>(t)] = static_cast<TensorIndex>(tensors.size());
    TensorInfo& info = tensors.emplace_back(block.tensors[static_cast<size_t>(t)]);
    if (!info.variable) {
      info.name = letters[static_cast<size_t>(t)] + std::to_string(tensors.size() - 1);
    }
  }
  block.tensors = std::move(tensors);
  ForEachOperand(block, [&index](TensorIndex& t) { t = index[static_cast<size_t>(t)]; });
}

// New names by old ones, in the order in which they were given.
using Names = std::vector<std::pair<std::string, std::string>>;

const std::string* Find(const Names& names, const std::string& old) {
  const auto found = std::ranges::find(names, old, &Names::value_type::first);
  return found == names.end() ? nullptr : &found->second;
}

// Names the blocks that a block runs, and those that they run, in the order of the calls.
void NameCallees(const Graph& graph, const Block& block, Names& names) {
  for (const Operator& op : block.operators) {
    for (const std::string& name : CalleesOf(op)) {
      const Block* callee = graph.FindBlock(name);
      if (callee == nullptr || callee == graph.Main() || Find(names, name) != nullptr) continue;
      names.emplace_back(name, "block" + std::to_string(names.size()));
      NameCallees(graph, *callee, names);
    }
  }
}

// Puts blocks in the order in which they are called first, each in a region of its own, and names
// them. Leaves a graph alone in which a name means more than one block.
void OrderBlocks(Graph& graph) {
  Names names;
  NameCallees(graph, *graph.Main(), names);
  if (graph.regions[0].blocks.size() != 1 || graph.regions.size() != names.size() + 1) return;
  std::vector<Region> regions = {graph.regions[0]};
  for (const auto& [old, now] : names) {
    const auto region = std::ranges::find(graph.regions, old, &Region::name);
    if (region == graph.regions.end() || region->blocks.size() != 1) return;
    regions.push_back(*region);
    regions.back().name = regions.back().blocks[0].name = now;
  }
  graph.regions = std::move(regions);
  for (Block& block : graph.Blocks()) {
    for (Operator& op : block.operators) {
      for (const AttributeId id : kBlockAttributes) {
        if (!op.attributes.Has(id)) continue;
        const std::string* now = Find(names, op.attributes.Text(id));
        if (now != nullptr) op.attributes.Set(id, *now);
      }
    }
  }
}

// Names variables in the order in which the graphs have them.
void NameVariables(TestVector& vector) {
  Names names;
  const auto named = [&names](const std::string& old) {
    if (Find(names, old) == nullptr) names.emplace_back(old, "v" + std::to_string(names.size()));
    return *Find(names, old);
  };
  for (Graph& graph : vector.graphs) {
    for (Block& block : graph.Blocks()) {
      for (TensorInfo& info : block.tensors) {
        if (!info.variable) continue;
        info.name = named(info.name);
        if (!info.variable_name.empty()) info.variable_name = info.name;
      }
      for (Operator& op : block.operators) {
        if (!IsVariableOperator(op.op) || !op.attributes.Has(AttributeId::kName)) continue;
        op.attributes.Set(AttributeId::kName, named(op.attributes.Text(AttributeId::kName)));
      }
    }
  }
  for (Step& step : vector.steps) {
    std::map<std::string, Tensor> loaded;
    for (auto& [name, value] : step.state_before) loaded.emplace(named(name), std::move(value));
    step.state_before = std::move(loaded);
  }
}

}  // namespace

TestVector NormalForm(const TestVector& vector, bool names_variables) {
  TestVector normal = vector;
  if (names_variables) NameVariables(normal);
  for (size_t g = 0; g < normal.graphs.size(); ++g) {
    if (normal.graphs[g].Main() == nullptr) continue;
    GraphEdit edit(normal, static_cast<int32_t>(g));
    RemoveDefaults(edit.main());
    MergeEqualConstants(edit.main());
    edit.Sweep();
    OrderInputs(edit);
    ConstantsFirst(edit.main());
    NumberTensors(edit.main());
    OrderBlocks(edit.graph());
    for (Block* nested : NestedBlocks(edit.graph())) NumberTensors(*nested);
  }
  return normal;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "dataflow.h"

#include <algorithm>
#include <unordered_map>

#include "execution_order.h"
#include "levels.h"
#include "operator_facts.h"

namespace assay {

Dataflow::Dataflow(const Graph& graph, std::span<const Constness> arguments,
                   const std::set<std::string>& pure_domains, FoldFault fault)
    : graph_(graph),
      index_(graph),
      arguments_(arguments.begin(), arguments.end()),
      pure_domains_(pure_domains),
      fault_(fault),
      producers_(main().Producers()),
      order_(OrderOf(main(), producers_)),
      readers_(main().tensors.size()),
      is_output_(main().tensors.size()) {
  for (const TensorIndex output : main().outputs) is_output_[At(output)] = true;
  for (const Operator& op : main().operators) {
    uses_.push_back(op.inputs);
    varies_.push_back(Varies(main(), op));
  }
  AddCaptures();
  for (int32_t op = 0; op < std::ssize(uses_); ++op) {
    for (const TensorIndex use : UsesOf(op)) {
      std::vector<int32_t>& readers = readers_[At(use)];
      if (readers.empty() || readers.back() != op) readers.push_back(op);
    }
  }
  Spread();
}

bool Dataflow::IsParameter(int32_t op, size_t use) const {
  const Operator& one = main().operators[At(op)];
  if (use >= one.inputs.size()) return false;
  const auto& operands = assay::FactsOf(one.op).inputs;
  return use < operands.size() && operands[use].compile_time_constant;
}

// Returns true if a fault treats an operator with effects as one without.
bool Dataflow::IsFree(const Operator& op) const {
  return (Has(FoldFault::kWritesFolded) && op.op == Op::kVariableWrite) ||
         (Has(FoldFault::kNoOperandsConstant) && op.inputs.empty());
}

// Returns true if an operator varies whatever it reads. The blocks that it runs do not count here.
bool Dataflow::Varies(const Block& block, const Operator& op) const {
  if (IsFree(op)) return false;
  if (IsVariableOperator(op.op)) return true;
  if (op.op == Op::kCustom &&
      (!op.attributes.Has(AttributeId::kDomainName) ||
       !pure_domains_.contains(op.attributes.Text(AttributeId::kDomainName)))) {
    return true;
  }
  const auto is_variable = [&block](TensorIndex tensor) {
    return block.tensors[At(tensor)].variable;
  };
  return std::any_of(op.inputs.begin(), op.inputs.end(), is_variable) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), is_variable);
}

Dataflow::BlockFacts Dataflow::FactsOf(const std::string& name, int depth) {
  // A block that runs itself, or that is nested deeper than in a valid graph, may do anything.
  if (depth > kLevelNone.max_nesting) return {true, {}};
  const auto [entry, is_new] = blocks_.try_emplace(name);
  if (!is_new) return entry->second.value_or(BlockFacts{true, {}});
  BlockFacts facts;
  const Block* block = index_.Find(name);
  if (block == nullptr) facts.varies = true;
  if (block != nullptr) {
    std::set<std::string> made, read;
    for (const TensorIndex input : block->inputs) made.insert(block->tensors[At(input)].name);
    for (const TensorIndex output : block->outputs) read.insert(block->tensors[At(output)].name);
    for (const Operator& op : block->operators) {
      facts.varies = facts.varies || Varies(*block, op);
      for (const TensorIndex input : op.inputs) read.insert(block->tensors[At(input)].name);
      for (const TensorIndex output : op.outputs) made.insert(block->tensors[At(output)].name);
      for (const std::string& callee : CalleesOf(op)) {
        BlockFacts inner = FactsOf(callee, depth + 1);
        facts.varies = facts.varies || inner.varies;
        read.merge(inner.captured);
      }
    }
    std::set_difference(read.begin(), read.end(), made.begin(), made.end(),
                        std::inserter(facts.captured, facts.captured.end()));
  }
  blocks_[name] = facts;
  return facts;
}

void Dataflow::AddCaptures() {
  std::unordered_map<std::string, TensorIndex> by_name;
  for (int32_t op = 0; op < std::ssize(uses_); ++op) {
    for (const std::string& callee : CalleesOf(main().operators[At(op)])) {
      const BlockFacts facts = FactsOf(callee, 1);
      if (Has(FoldFault::kBlocksNotSearched)) continue;
      varies_[At(op)] = varies_[At(op)] || facts.varies;
      if (!facts.captured.empty() && by_name.empty()) {
        for (size_t i = 0; i < main().tensors.size(); ++i) {
          by_name.emplace(main().tensors[i].name, static_cast<TensorIndex>(i));
        }
      }
      for (const std::string& name : facts.captured) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) {
          varies_[At(op)] = true;
        } else {
          uses_[At(op)].push_back(found->second);
        }
      }
    }
  }
}

// Returns the least constness of all that an operator uses.
Constness Dataflow::Joined(int32_t op) const {
  std::span<const TensorIndex> uses = UsesOf(op);
  const Op kind = main().operators[At(op)].op;
  if (Has(FoldFault::kFirstOperandOnly)) uses = uses.first(std::min<size_t>(uses.size(), 1));
  if (Has(FoldFault::kConditionIgnored) && kind == Op::kCondIf) uses = uses.subspan(1);
  if (Has(FoldFault::kLoopByOneOperand) && kind == Op::kWhileLoop) uses = uses.last(1);
  Constness least = Constness::kCompileTime, most = Constness::kVarying;
  for (const TensorIndex use : uses) {
    least = std::min(least, OfTensor(use));
    most = std::max(most, OfTensor(use));
  }
  return Has(FoldFault::kAnyOperand) && !uses.empty() ? most : least;
}

void Dataflow::Spread() {
  tensors_.assign(main().tensors.size(), Constness::kVarying);
  operators_.assign(main().operators.size(), Constness::kVarying);
  for (size_t i = 0; i < main().inputs.size(); ++i) {
    const TensorIndex input = main().inputs[i];
    if (!main().tensors[At(input)].variable) tensors_[At(input)] = arguments_[i];
  }
  for (const int32_t op : order_) {
    const Constness constness = varies_[At(op)] ? Constness::kVarying : Joined(op);
    operators_[At(op)] = constness;
    for (const TensorIndex output : main().operators[At(op)].outputs) {
      tensors_[At(output)] = constness;
    }
  }
}

void Dataflow::Pin(const std::vector<int32_t>& pinned) {
  if (pinned.empty()) return;
  for (const int32_t op : pinned) varies_[At(op)] = true;
  Spread();
}

}  // namespace assay

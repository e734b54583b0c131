// SPDX-License-Identifier: Apache-2.0
#include "check_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "block_index.h"
#include "check_calls.h"
#include "convert_tensor.h"
#include "execution_order.h"
#include "graph_text.h"
#include "joined.h"
#include "operator_facts.h"
#include "run_operator.h"

namespace assay {
namespace {

// Returns the types of the operands and results of an operator, the elements of small constants,
// and its attributes: "fp32[2,3], shape[1]{7} -> fp32[7], axis=1".
std::string SeenIn(const Block& block, const Operator& op, const std::vector<int32_t>& producers) {
  const auto type_of = [&](TensorIndex tensor) {
    const int32_t producer = producers[static_cast<size_t>(tensor)];
    const Operator* constant =
        producer < 0 ? nullptr : &block.operators[static_cast<size_t>(producer)];
    const AttributeValue* value = constant != nullptr && IsConstant(constant->op)
                                      ? constant->attributes.Find(AttributeId::kValues)
                                      : nullptr;
    const auto* values = value == nullptr ? nullptr : std::get_if<Tensor>(value);
    const bool is_small =
        values != nullptr && values->has_value() && values->elements() <= Shape::kMaxRank;
    return is_small ? TensorText(*values) : block.TypeOf(tensor).ToString();
  };
  std::string text = Joined(op.inputs, ", ", type_of);
  if (!op.outputs.empty())
    text += (text.empty() ? "-> " : " -> ") + Joined(op.outputs, ", ", type_of);
  if (IsConstant(op.op)) return text;
  for (const auto& [id, value] : op.attributes.entries()) {
    text += (text.empty() ? "" : ", ") + AttributeText(id, value);
  }
  return text;
}

// Returns the first type rows of an operator.
std::string AllowedTypes(Op op) {
  constexpr size_t kRowsMax = 16;
  const OperatorRow& row = RowOf(op);
  std::string text;
  for (size_t i = 0; i < std::min(row.type_rows.size(), kRowsMax); ++i) {
    text += i == 0 ? "" : ";";
    for (size_t v = 0; v < row.type_variables.size(); ++v) {
      text += (text.empty() ? "" : " ") + std::string(row.type_variables[v]) + "=" +
              std::string(TypeName(row.type_rows[i].types[v]));
    }
  }
  if (row.type_rows.size() <= kRowsMax) return text;
  return text + "; more with `assay spec " + std::string(row.name) + "`";
}

class GraphCheck {
 public:
  GraphCheck(const Graph& graph, const Level& level, Requirements target)
      : graph_(graph), blocks_(graph), level_(level), target_(target) {}

  std::vector<Breach> Run() {
    CheckNames();
    FindRunners();
    for (const Block& block : graph_.Blocks()) CheckBlock(block);
    std::vector<const Block*> callers;
    if (const Block* main = graph_.Main()) CheckNesting(*main, callers);
    return std::move(breaches_);
  }

 private:
  void Note(std::string rule, std::string where) {
    breaches_.push_back({std::move(rule), std::move(where)});
  }
  void NoteOperator(std::string rule, const Block& block, size_t index) {
    const Operator& op = block.operators[index];
    std::string where = Place(block, index) + ": " + SeenIn(block, op, ProducersOf(block));
    if (rule.ends_with("/ERROR_IF/types")) where += "; allowed: " + AllowedTypes(op.op);
    Note(std::move(rule), std::move(where));
  }

  static std::string Place(const Block& block) { return "block " + block.name; }
  static std::string Place(const Block& block, size_t index) {
    return "operator " + std::to_string(index) + " (" +
           std::string(OperatorName(block.operators[index].op)) + ") of " + Place(block) +
           (block.operators[index].location.empty() ? "" : ", " + block.operators[index].location);
  }
  static std::string Place(const Block& block, TensorIndex tensor) {
    return "tensor " + block.tensors[static_cast<size_t>(tensor)].name + " of " + Place(block);
  }

  const std::vector<int32_t>& ProducersOf(const Block& block) {
    std::vector<int32_t>& producers = producers_[&block];
    if (producers.size() != block.tensors.size()) producers = block.Producers();
    return producers;
  }

  void CheckNames() {
    if (graph_.Main() == nullptr) Note("graph/ERROR_IF/main-block", "the graph");
    std::set<std::string> regions;
    for (const Region& region : graph_.regions) {
      if (!regions.insert(region.name).second) {
        Note("graph/ERROR_IF/unique-regions", "region " + region.name);
      }
      std::set<std::string> blocks;
      for (const Block& block : region.blocks) {
        if (!blocks.insert(block.name).second) Note("graph/ERROR_IF/unique-blocks", Place(block));
      }
    }
  }

  // Records a runner for each block that control flow runs.
  void FindRunners() {
    for (const auto& [block, op] : graph_.Operators()) {
      for (const AttributeId attribute : kBlockAttributes) {
        if (const Block* callee = Callee(op, attribute)) runners_.emplace(callee, &block);
      }
    }
  }

  void CheckBlock(const Block& block) {
    CheckTensors(block);
    CheckOrder(block);
    const std::vector<int32_t>& producers = ProducersOf(block);
    for (size_t i = 0; i < block.operators.size(); ++i) {
      CheckOneOperator(block, i, producers);
      CheckTarget(block, i);
      CheckCallsOf(block, i);
    }
  }

  void CheckTensors(const Block& block) {
    enum class Made : uint8_t { kNot, kInput, kByOperator };
    std::vector<Made> made(block.tensors.size(), Made::kNot);
    std::set<std::string> names;
    for (size_t i = 0; i < block.tensors.size(); ++i) {
      if (!names.insert(block.tensors[i].name).second) {
        Note("graph/ERROR_IF/unique-names", Place(block, static_cast<TensorIndex>(i)));
      }
    }
    const auto refuse_shape = [&](TensorIndex tensor) {
      if (block.TypeOf(tensor).type == DType::kShape) {
        Note("graph/ERROR_IF/shape-operand", Place(block, tensor));
      }
    };
    for (const TensorIndex input : block.inputs) {
      made[static_cast<size_t>(input)] = Made::kInput;
      refuse_shape(input);
    }
    for (const Operator& op : block.operators) {
      for (const TensorIndex output : op.outputs) {
        Made& state = made[static_cast<size_t>(output)];
        if (block.tensors[static_cast<size_t>(output)].variable) continue;
        if (state == Made::kInput) Note("graph/ERROR_IF/produced-input", Place(block, output));
        if (state == Made::kByOperator) {
          Note("graph/ERROR_IF/duplicate-producer", Place(block, output));
        }
        state = Made::kByOperator;
      }
    }
    std::set<TensorIndex> missing;
    const auto read = [&](TensorIndex tensor) {
      const auto at = static_cast<size_t>(tensor);
      if (made[at] == Made::kNot && !block.tensors[at].variable) missing.insert(tensor);
    };
    for (const Operator& op : block.operators) {
      std::for_each(op.inputs.begin(), op.inputs.end(), read);
    }
    std::for_each(block.outputs.begin(), block.outputs.end(), read);
    for (const TensorIndex tensor : missing) {
      const auto runner = runners_.find(&block);
      Note(UnmadeRule(block.tensors[static_cast<size_t>(tensor)],
                      runner == runners_.end() ? nullptr : runner->second),
           Place(block, tensor));
    }
    std::for_each(block.outputs.begin(), block.outputs.end(), refuse_shape);
  }

  // Reports operators on cycles: those that wait for a tensor that is produced, but never ready.
  void CheckOrder(const Block& block) {
    std::vector<uint8_t> done(block.operators.size());
    for (const int32_t index : OrderOf(block, block.Producers())) {
      done[static_cast<size_t>(index)] = 1;
    }
    const auto stuck = std::find(done.begin(), done.end(), uint8_t{0});
    if (stuck != done.end()) {
      NoteOperator("graph/ERROR_IF/cycle", block, static_cast<size_t>(stuck - done.begin()));
    }
  }

  void CheckOneOperator(const Block& block, size_t index, const std::vector<int32_t>& producers) {
    const Operator& op = block.operators[index];
    if (op.op == Op::kUnknown) return NoteOperator("graph/ERROR_IF/unknown-operator", block, index);
    const std::vector<TensorType> inputs = block.TypesOf(op.inputs);
    const std::vector<TensorType> outputs = block.TypesOf(op.outputs);
    std::vector<std::vector<Scalar>> elements(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!FactsOf(op.op).NeedsConstant(i)) continue;
      auto constant = ConstantElements(block, producers[static_cast<size_t>(op.inputs[i])]);
      if (!constant || std::ssize(*constant) != inputs[i].shape.Elements()) {
        // The operator's other rules cannot be checked without its constants.
        if (!constant && !target_.Contains(Feature::kExtDynamic)) {
          NoteOperator("graph/ERROR_IF/compile-time-constant", block, index);
        }
        return;
      }
      elements[i] = std::move(*constant);
    }
    const std::vector<std::span<const Scalar>> constants(elements.begin(), elements.end());
    std::vector<const char*> broken;
    Judgement judgement(broken);
    CheckOperator({op.op, &op.attributes, inputs, outputs, constants}, level_, judgement);
    for (const char* rule : broken) NoteOperator(rule, block, index);
  }

  // Checks that the target, if there is one, includes the operator with its types and modes
  // (reading `unsupported-rows`). An operator without a type row is only an error.
  void CheckTarget(const Block& block, size_t index) {
    const bool named = target_.Contains(Feature::kProInt) || target_.Contains(Feature::kProFp);
    const TypeRow* row = named ? TypeRowOf(block, block.operators[index]) : nullptr;
    if (row == nullptr) return;
    if (!IsSupported(*row, target_) || !target_.ContainsAll(ModesOf(block.operators[index]))) {
      NoteOperator("graph/TARGET/operators", block, index);
    }
  }

  const Block* Callee(const Operator& op, AttributeId attribute) const {
    return blocks_.Callee(op, attribute);
  }

  void CheckCallsOf(const Block& block, size_t index) {
    if (!IsControlFlow(block.operators[index].op)) return;
    std::vector<const char*> broken;
    Judgement judgement(broken);
    CheckCalls(blocks_, block, block.operators[index], judgement);
    for (const char* rule : broken) NoteOperator(rule, block, index);
  }

  // Follows the calls from the main block. `callers` are the blocks that lead to this one.
  void CheckNesting(const Block& block, std::vector<const Block*>& callers) {
    callers.push_back(&block);
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const Operator& op = block.operators[i];
      if (op.op != Op::kCondIf && op.op != Op::kWhileLoop) continue;
      if (std::ssize(callers) > level_.max_nesting) {
        NoteOperator(std::string(OperatorName(op.op)) + "/ERROR_IF/1", block, i);
        continue;
      }
      for (const AttributeId attribute : kBlockAttributes) {
        const Block* callee = Callee(op, attribute);
        if (callee == nullptr || visited_[callee] >= std::ssize(callers)) continue;
        if (std::find(callers.begin(), callers.end(), callee) != callers.end()) {
          NoteOperator("graph/ERROR_IF/recursion", block, i);
          visited_[callee] = level_.max_nesting + 1;
          continue;
        }
        visited_[callee] = std::ssize(callers);
        CheckNesting(*callee, callers);
      }
    }
    callers.pop_back();
  }

  const Graph& graph_;
  const BlockIndex blocks_;
  const Level& level_;
  Requirements target_;
  std::map<const Block*, const Block*> runners_;
  std::map<const Block*, std::vector<int32_t>> producers_;
  std::map<const Block*, std::ptrdiff_t> visited_;  // the depth; again only if deeper
  std::vector<Breach> breaches_;
};

}  // namespace

std::optional<std::vector<Scalar>> ConstantElements(const Block& block, int32_t producer) {
  if (producer < 0) return std::nullopt;
  const Operator& op = block.operators[static_cast<size_t>(producer)];
  if (!IsConstant(op.op)) return std::nullopt;
  const AttributeValue* values = op.attributes.Find(AttributeId::kValues);
  const Tensor* tensor = values == nullptr ? nullptr : std::get_if<Tensor>(values);
  if (tensor == nullptr || !tensor->has_value()) return std::nullopt;
  return *ToScalars(*tensor).elements;
}

std::vector<Breach> CheckGraph(const Graph& graph, const Level& level, Requirements target) {
  return GraphCheck(graph, level, target).Run();
}

std::vector<Breach> CheckVector(const TestVector& vector) {
  Requirements target;
  for (const std::string& name : vector.requirements) {
    if (const auto feature = FeatureByName(name)) target = target | Requirements{*feature};
  }
  std::vector<Breach> breaches;
  for (const Graph& graph : vector.graphs) {
    const Level level = LevelByName(vector.level).value_or(kLevel8K);
    for (Breach& breach : CheckGraph(graph, level, target)) breaches.push_back(std::move(breach));
  }
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    const Block* main = vector.GraphOf(step).Main();
    if (main == nullptr) continue;
    std::vector<TensorType> given;
    for (const Tensor& input : step.inputs) given.push_back(input.tensor_type());
    Judgement judgement;
    CheckInputs(*main, given, judgement);
    if (!judgement.valid()) breaches.push_back({judgement.rule(), "step " + std::to_string(i)});
  }
  return breaches;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "explain_finding.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "calculation.h"
#include "clean_text.h"
#include "comparison.h"
#include "convert_tensor.h"
#include "executor.h"
#include "explained_call.h"
#include "finding_text.h"
#include "graph_text.h"
#include "operator_facts.h"
#include "operator_table.h"
#include "readings.h"
#include "rules.h"
#include "trace.h"

namespace assay {
namespace {

// The most elements whose calculation one explanation shows.
constexpr size_t kElementsMax = 24;

// The operators of one step, each with the operands of its last run.
class LastCalls final : public Trace {
 public:
  struct Run {
    OperatorCall call;
    std::vector<DomainTensor<Scalar>> results;
    int64_t number = 0;     // in the order of execution
    int64_t previous = -1;  // the number of the run before it
  };

  LastCalls(const TestVector& vector, int32_t step) : step_(step) {
    outcomes_ = ExecuteVector(vector, {.trace = this});
  }
  const Run* Of(const Operator* op) const {
    const auto run = runs_.find(op);
    return run == runs_.end() ? nullptr : &run->second;
  }
  const Outcome& outcome() const { return outcomes_[static_cast<size_t>(step_)]; }

  void Invokes(int32_t /*context*/) override { ++current_; }
  void Ran(const ExecutedOperator& executed) override {
    if (current_ != step_) return;
    Run run;
    run.call.op = &executed.op;
    for (const auto* input : executed.inputs) run.call.inputs.push_back(*input);
    run.call.outputs.assign(executed.outputs.begin(), executed.outputs.end());
    for (const auto* result : executed.results) run.results.push_back(*result);
    run.number = executed_++;
    if (const Run* previous = Of(&executed.op)) run.previous = previous->number;
    runs_.insert_or_assign(&executed.op, std::move(run));
  }

 private:
  int32_t step_, current_ = -1;
  int64_t executed_ = 0;
  std::vector<Outcome> outcomes_;
  std::map<const Operator*, Run> runs_;
};

// An element of a tensor of a block.
struct Place {
  const Block* block;
  TensorIndex tensor;
  int64_t element;
  auto operator<=>(const Place&) const = default;
};

std::string NameOf(const Place& place) {
  const TensorInfo& tensor = place.block->tensors[static_cast<size_t>(place.tensor)];
  return tensor.name + PositionText(tensor.type.shape, place.element);
}

// Writes the way to an element, from the element backwards.
class Explainer {
 public:
  Explainer(const Graph& graph, const LastCalls& calls) : graph_(graph), calls_(calls) {}

  // Returns the element's value in the last run of `reader`, and its origin, as text.
  std::string ValueIn(const OperatorCall& reader, size_t operand, const Place& place) const {
    const DType type = place.block->TypeOf(place.tensor).type;
    return NameOf(place) + " = " +
           NumberText(type, IsFloat(type), reader.inputs[operand][place.element]) + ", " +
           OriginOf(place);
  }

  std::string Write(const Place& place, int depth) {
    Follow(place, depth);
    while (!next_.empty() && done_.size() < kElementsMax) {
      const auto [at, rest] = next_.front();
      next_.pop_front();
      if (done_.insert(at).second) WriteElement(at, rest);
    }
    if (!next_.empty()) text_ += "further elements are left out\n";
    return std::move(text_);
  }

 private:
  // Notes an element for the text, if an operator makes it.
  void Follow(const Place& place, int depth) {
    const Operator* op = place.block->ProducerOf(place.tensor);
    const bool is_made = op != nullptr && op->op != Op::kConst && op->op != Op::kConstShape;
    if (is_made && depth > 0) next_.emplace_back(place, depth);
  }

  std::string OriginOf(const Place& place) const {
    const Operator* op = place.block->ProducerOf(place.tensor);
    if (op != nullptr) {
      const bool is_constant = op->op == Op::kConst || op->op == Op::kConstShape;
      return is_constant ? "a constant" : "from " + std::string(OperatorName(op->op));
    }
    const auto input = std::ranges::find(place.block->inputs, place.tensor);
    if (input == place.block->inputs.end()) return "no operator makes it";
    return "input " + std::to_string(input - place.block->inputs.begin()) +
           (place.block == graph_.Main() ? "" : " of block " + place.block->name);
  }

  void WriteElement(const Place& place, int depth) {
    const Operator& op = *place.block->ProducerOf(place.tensor);
    const auto output =
        static_cast<int>(std::ranges::find(op.outputs, place.tensor) - op.outputs.begin());
    text_ += "  " + OperatorText(*place.block, op) + "\n";
    const LastCalls::Run* run = calls_.Of(&op);
    if (run == nullptr) {
      text_ += "    did not run to its end\n";
      return;
    }
    const TensorType& type = place.block->TypeOf(place.tensor);
    const std::string result = "    " + NameOf(place) + " = " +
                               NumberText(type.type, IsFloat(type.type),
                                          run->results[static_cast<size_t>(output)][place.element]);
    if (op.op == Op::kCondIf || op.op == Op::kWhileLoop) {
      text_ += result + "\n";
      return EnterBlock(op, *run, output, place, depth);
    }
    const auto operand_of = [&](const Calculation::Place& at) {
      return Place{place.block, op.inputs[at.operand], at.element};
    };
    const auto name_of = [&](uint32_t operand, int64_t element) {
      return NameOf(operand_of({operand, element}));
    };
    const auto explained = ExplainElement(run->call, output, place.element, name_of);
    if (!explained) {
      text_ += result + (op.op == Op::kVariableRead ? ", the value of the variable\n"
                                                    : ", not explained further\n");
      return;
    }
    if (explained->moved_from) {
      const Place from = operand_of(*explained->moved_from);
      text_ += result + ", which is " + NameOf(from) + ", " + OriginOf(from) + "\n";
      return Follow(from, depth);
    }
    WriteParameters(place.block, *run);
    std::set<Place> written;  // a tensor may be two operands
    for (const Calculation::Place& at : explained->text.places) {
      const Place from = operand_of(at);
      if (FactsOf(op.op).NeedsConstant(at.operand) || !written.insert(from).second) continue;
      text_ += "    " + ValueIn(run->call, at.operand, from) + "\n";
      Follow(from, depth - 1);
    }
    for (const std::string& line : explained->text.lines) text_ += "    " + line + "\n";
    text_ += result + "\n";
  }

  // Writes the operands whose elements the rules read: a multiplier, a zero point.
  void WriteParameters(const Block* block, const LastCalls::Run& run) {
    const Operator& op = *run.call.op;
    std::set<TensorIndex> written;
    for (uint32_t i = 0; i < op.inputs.size(); ++i) {
      if (!FactsOf(op.op).NeedsConstant(i) || !written.insert(op.inputs[i]).second) continue;
      const DomainTensor<Scalar>& operand = run.call.inputs[i];
      text_ += "    " + block->tensors[static_cast<size_t>(op.inputs[i])].name + " = " +
               TensorText(ToTensor(operand)) + ", " + OriginOf({block, op.inputs[i], 0}) + "\n";
    }
  }

  // Returns true if an operator of the block ran after the run of that number.
  bool RanSince(const Block& block, int64_t number) const {
    return std::ranges::any_of(block.operators, [&](const Operator& op) {
      const LastCalls::Run* run = calls_.Of(&op);
      return run != nullptr && run->number > number;
    });
  }

  // Goes on with the block that gives the result of control flow.
  void EnterBlock(const Operator& op, const LastCalls::Run& run, int output, const Place& at,
                  int depth) {
    const bool is_loop = op.op == Op::kWhileLoop;
    const bool takes_then = !is_loop && run.call.inputs[0][0].integer() != 0;
    const AttributeId callee = is_loop      ? AttributeId::kBodyGraph
                               : takes_then ? AttributeId::kThenGraph
                                            : AttributeId::kElseGraph;
    const Block* block = graph_.FindBlock(op.attributes.Text(callee));
    if (block == nullptr) return;
    if (is_loop && !RanSince(*block, run.previous)) {
      const Place initial = {at.block, op.inputs[static_cast<size_t>(output)], at.element};
      text_ += "    the body of the loop did not run; it is " + NameOf(initial) + ", " +
               OriginOf(initial) + "\n";
      return Follow(initial, depth);
    }
    const TensorIndex tensor = block->outputs[static_cast<size_t>(output)];
    text_ += std::string("    it comes from ") + (is_loop ? "the last turn of block " : "block ") +
             block->name + ", " + NameOf({block, tensor, at.element}) + ", " +
             OriginOf({block, tensor, at.element}) + "\n";
    Follow({block, tensor, at.element}, depth);
  }

  const Graph& graph_;
  const LastCalls& calls_;
  std::deque<std::pair<Place, int>> next_;
  std::set<Place> done_;
  std::string text_;
};

const Step& StepOf(const TestVector& vector, int32_t step) {
  return vector.steps[static_cast<size_t>(step)];
}

// Returns the type of an output of a step; null if there is no such output.
const TensorType* OutputType(const TestVector& vector, int32_t step, std::string_view name) {
  const Block* main = vector.GraphOf(StepOf(vector, step)).Main();
  if (main == nullptr) return nullptr;
  for (const TensorIndex output : main->outputs) {
    if (main->tensors[static_cast<size_t>(output)].name == name) return &main->TypeOf(output);
  }
  return nullptr;
}

// A VARIABLE_WRITE that ran.
struct Write {
  const Block* block = nullptr;
  const LastCalls::Run* run = nullptr;
};

// Returns the last one to a variable in a step; no run if there was none.
Write LastWrite(const Graph& graph, const LastCalls& calls, const std::string& variable) {
  Write last;
  for (const auto& [block, op] : graph.Operators()) {
    const LastCalls::Run* run = calls.Of(&op);
    const bool writes = op.op == Op::kVariableWrite && run != nullptr &&
                        op.attributes.Text(AttributeId::kName) == variable;
    if (writes && (last.run == nullptr || run->number > last.run->number)) last = {&block, run};
  }
  return last;
}

// Returns the operators of a graph that a rule is about, a line each.
std::string OperatorsUnder(const Graph& graph, const Rule& rule) {
  std::string text;
  for (const auto& [block, op] : graph.Operators()) {
    if (op.op == rule.op) text += "  " + OperatorText(block, op) + "\n";
  }
  return text;
}

std::string ExplainOutcome(const TestVector& vector, const Finding& finding) {
  const Step& step = StepOf(vector, finding.step);
  const Rule* rule = FindRule(step.expected == OutcomeKind::kValid ? finding.rule : step.rule);
  std::string text = "which rule decides\n";
  if (step.expected == OutcomeKind::kValid) {
    text += "  the graph keeps every rule, so it must run";
    text += rule == nullptr
                ? "\n"
                : "; this one, too:\n  " + rule->id + ": " + std::string(rule->text) + "\n";
  } else if (rule != nullptr) {
    text += "  " + rule->id + ": " + std::string(rule->text) + "\n";
    text += rule->kind == RuleKind::kErrorIf
                ? "  this condition holds, so the graph is an error:\n"
                : "  this condition does not hold, so the graph is unpredictable:\n";
  }
  if (rule != nullptr) text += OperatorsUnder(vector.GraphOf(StepOf(vector, finding.step)), *rule);
  return text;
}

// Explains where the type and the shape of an output come from.
std::string ExplainType(const TestVector& vector, const Finding& finding) {
  std::string text = "where the type and the shape come from\n";
  const Block* main = vector.GraphOf(StepOf(vector, finding.step)).Main();
  const auto tensor = main == nullptr ? std::nullopt : main->FindTensor(finding.tensor);
  const Operator* op = tensor ? main->ProducerOf(*tensor) : nullptr;
  if (op == nullptr) {
    text += "  the graph declares them\n";
  } else {
    text += "  " + OperatorText(*main, *op) + "\n";
    std::set<TensorIndex> written;
    for (const TensorIndex input : op->inputs) {
      if (written.insert(input).second) text += "    " + DeclarationText(*main, input) + "\n";
    }
  }
  return text + "\nwhat is allowed\n  only " + finding.expected + "\n\nwhat came back\n  " +
         finding.got + "\n";
}

std::string ReadingsText(const Finding& finding) {
  std::string text;
  for (const std::string& id : finding.readings) {
    const Reading* reading = FindReading(id);
    if (reading != nullptr) text += "  " + id + ": " + std::string(reading->taken) + "\n";
  }
  return text.empty() ? "" : "readings of the specification that this rests on\n" + text;
}

std::string AllowedLines(const Finding& finding) {
  std::string text = "what is allowed\n";
  if (!finding.allowed.empty()) {
    text +=
        "  " + (finding.allowed == "exact" ? "only " + finding.expected : finding.allowed) + "\n";
  }
  if (finding.op != Op::kUnknown) {
    text += "  " + std::string(OperatorName(finding.op)) + ": " +
            std::string(RowOf(finding.op).precision) + "\n";
  }
  if (!finding.rests_on.empty()) {
    text += "  the backend declares " + finding.rests_on + ", and only that excludes the result\n";
  }
  return text;
}

}  // namespace

Result<ExplainedPlace> PlaceOfFinding(const TestVector& vector, const Finding& finding) {
  const bool is_state = finding.violation == Violation::kState;
  if ((!is_state && finding.violation != Violation::kValue) || finding.position.empty()) {
    return Unsupported("the finding is about no element");
  }
  if (finding.step < 0 || finding.step >= std::ssize(vector.steps)) {
    return BadInput("the vector has no step " + std::to_string(finding.step));
  }
  if (!is_state) return PlaceOfElement(vector, finding.step, finding.tensor + finding.position);
  const auto& state = StepOf(vector, finding.step).state_after;
  const auto variable = state.find(finding.tensor);
  if (variable == state.end()) return BadInput("the vector has no variable " + finding.tensor);
  const auto index = IndexOfPosition(variable->second.value.shape(), finding.position);
  if (!index) return BadInput(finding.tensor + " has no element " + finding.position);
  return ExplainedPlace{finding.step, finding.tensor, true, *index};
}

Result<ExplainedPlace> PlaceOfElement(const TestVector& vector, int32_t step,
                                      const std::string& element) {
  if (step < 0 || step >= std::ssize(vector.steps)) {
    return BadInput("the vector has no step " + std::to_string(step));
  }
  const size_t begin = std::min(element.rfind('['), element.size());
  const std::string name = element.substr(0, begin);
  const TensorType* type = OutputType(vector, step, name);
  if (type == nullptr) {
    return BadInput("step " + std::to_string(step) + " has no output " + CleanText(name));
  }
  const auto index = IndexOfPosition(type->shape, std::string_view(element).substr(begin));
  if (!index) {
    return BadInput(CleanText(element) + ": is no element of " + type->ToString());
  }
  return ExplainedPlace{step, name, false, *index};
}

Result<std::string> ExplainElementOf(const TestVector& vector, const ExplainedPlace& place,
                                     int depth) {
  const Graph& graph = vector.GraphOf(StepOf(vector, place.step));
  const LastCalls calls(vector, place.step);
  if (calls.outcome().kind != OutcomeKind::kValid) {
    return Unsupported("step " + std::to_string(place.step) +
                       " is not valid: " + calls.outcome().rule + calls.outcome().message);
  }
  Place at = {graph.Main(), 0, place.element};
  std::string text;
  Explainer explainer(graph, calls);
  if (place.is_variable) {
    const Write write = LastWrite(graph, calls, place.tensor);
    if (write.run == nullptr) {
      return "  the step does not write the variable " + place.tensor + "\n";
    }
    at = {write.block, write.run->call.op->inputs[0], place.element};
    text = "  VARIABLE_WRITE puts into the variable " + place.tensor + ": " +
           explainer.ValueIn(write.run->call, 0, at) + "\n";
  } else {
    at.tensor = *at.block->FindTensor(place.tensor);
  }
  text += explainer.Write(at, depth);
  return text.empty() ? "  " + NameOf(at) + " is no result of an operator\n" : text;
}

std::string ExplainFinding(const TestVector& vector, const Finding& finding, int depth) {
  std::string text = FindingHeadline(finding) + "\n" + FindingText(finding) + "\n";
  if (finding.step < 0 || finding.step >= std::ssize(vector.steps)) return CleanText(text);
  if (finding.violation == Violation::kOutcome) {
    text += "\n" + ExplainOutcome(vector, finding);
  } else if (finding.violation == Violation::kType) {
    text += "\n" + ExplainType(vector, finding);
  } else if (const Result<ExplainedPlace> place = PlaceOfFinding(vector, finding)) {
    const Result<std::string> way = ExplainElementOf(vector, *place, depth);
    text += "\nhow the right value comes about, from the element backwards\n" +
            (way ? *way : "  " + way.error().message + "\n");
    text += "\n" + AllowedLines(finding) + "\nwhat came back\n  " + finding.got + "\n";
  }
  const std::string readings = ReadingsText(finding);
  if (!readings.empty()) text += "\n" + readings;
  return CleanText(text);
}

}  // namespace assay

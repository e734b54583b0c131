// Subnormal numbers: kept or flushed, but not both in one run.
#include <array>
#include <cmath>

#include "blame.h"
#include "compare.h"
#include "executor.h"
#include "float_format.h"
#include "operator_table.h"
#include "oracle.h"

namespace assay {
namespace {

// An element that shows what a backend does with subnormal numbers of a type.
struct Evidence {
  bool found = false;
  int32_t step = 0;
  size_t output = 0;
  int64_t element = 0;
};

// By type: the first that was kept and the first that was flushed.
struct Habits {
  std::array<Evidence, 16> kept, flushed;
};

// Whether results of the operator went through arithmetic. What is only moved, selected or given
// another sign may have been kept by a machine that flushes (reading `flush-all-or-none`).
bool Calculates(Op op) {
  switch (op) {
    case Op::kUnknown:
    case Op::kAbs:
    case Op::kNegate:
    case Op::kMaximum:
    case Op::kMinimum:
    case Op::kClamp:
    case Op::kReduceMax:
    case Op::kReduceMin:
    case Op::kMaxPool2d:
    case Op::kSelect:
      return false;
    default:
      break;
  }
  for (const std::string_view moving :
       {"data-layout", "scatter-gather", "data-node", "control-flow", "variable", "custom"}) {
    if (RowOf(op).category == moving) return false;
  }
  return true;
}

bool IsSubnormal(DType type, double x) {
  return x != 0 && std::fabs(x) < FormatOf(type).normal_min;
}

// A zero that no error allows, only the permission to flush.
bool IsFlushed(const Expectation& expectation, int64_t i, double got) {
  if (got != 0) return false;
  const auto at = static_cast<size_t>(i);
  const bool bounded = !expectation.error.empty();
  const double reference = bounded ? expectation.reference[at] : expectation.value.Float(i);
  const double error = bounded ? expectation.error[at] : 0;
  return std::isfinite(reference) && std::fabs(reference) > error;
}

// Reports whether a step that has a result got one.
bool IsAnswered(const Step& step, const Outcome& outcome) {
  return step.expected == OutcomeKind::kValid && outcome.kind == OutcomeKind::kValid &&
         outcome.outputs.size() == step.outputs.size();
}

void Observe(const TestVector& vector, std::span<const Outcome> outcomes, int32_t index,
             Habits& habits) {
  const auto at = static_cast<size_t>(index);
  const Step& step = vector.steps[at];
  const Outcome& outcome = outcomes[at];
  if (!IsAnswered(step, outcome)) return;
  const Graph& graph = vector.graphs[static_cast<size_t>(step.graph)];
  for (size_t output = 0; output < step.outputs.size(); ++output) {
    const Expectation& expectation = step.outputs[output];
    const Tensor& got = outcome.outputs[output];
    const DType type = expectation.value.type();
    if (!IsFloat(type) || FormatOf(type).must_keep_subnormals) continue;
    if (!Calculates(ProducerOf(graph, output).op) || Compare(expectation, got).Wrong()) continue;
    const std::vector<double> values = NumbersOf(got);
    for (int64_t i = 0; i < got.elements(); ++i) {
      const double value = values[static_cast<size_t>(i)];
      const bool kept = IsSubnormal(type, value);
      if (!kept && !IsFlushed(expectation, i, value)) continue;
      Evidence& evidence = (kept ? habits.kept : habits.flushed)[static_cast<size_t>(type)];
      if (!evidence.found) evidence = {true, index, output, i};
    }
  }
}

Tensor Flushed(const Tensor& tensor, DType type) {
  if (!tensor.has_value() || tensor.type() != type) return tensor;
  std::vector<double> numbers = NumbersOf(tensor);
  for (double& x : numbers) x = IsSubnormal(type, x) ? std::copysign(0.0, x) : x;
  return Tensor::FromFloats(type, tensor.shape(), numbers);
}

// Makes each subnormal number of the type that a vector gives a zero of its sign.
void FlushGiven(TestVector& vector, DType type) {
  for (Graph& graph : vector.graphs) {
    for (Region& region : graph.regions) {
      for (Block& block : region.blocks) {
        for (TensorInfo& tensor : block.tensors) {
          tensor.initial_value = Flushed(tensor.initial_value, type);
        }
        for (Operator& op : block.operators) {
          for (const AttributeId id : {AttributeId::kValues, AttributeId::kInitialValue}) {
            if (op.attributes.Has(id))
              op.attributes.Set(id, Flushed(op.attributes.Value(id), type));
          }
        }
      }
    }
  }
  for (Step& step : vector.steps) {
    for (Tensor& input : step.inputs) input = Flushed(input, type);
    for (auto& [name, tensor] : step.state_before) tensor = Flushed(tensor, type);
  }
}

// Finds a result of arithmetic that no backend has which flushes the type's subnormal numbers
// before it calculates: CEIL(2^-20) = 1, 2^-20 > 0, 2^-20 * 2^10.
Evidence KeptOperand(const TestVector& vector, std::span<const Outcome> outcomes, DType type) {
  TestVector flushed = vector;
  FlushGiven(flushed, type);
  std::string reason;
  if (!Expect(flushed, {}, &reason)) return {};
  for (size_t index = 0; index < vector.steps.size() && index < outcomes.size(); ++index) {
    const Step& step = vector.steps[index];
    const Outcome& outcome = outcomes[index];
    if (!IsAnswered(step, outcome) || !IsAnswered(flushed.steps[index], outcome)) continue;
    const Graph& graph = vector.graphs[static_cast<size_t>(step.graph)];
    for (size_t output = 0; output < step.outputs.size(); ++output) {
      const Tensor& got = outcome.outputs[output];
      if (!Calculates(ProducerOf(graph, output).op) || Compare(step.outputs[output], got).Wrong()) {
        continue;
      }
      const Comparison comparison = Compare(flushed.steps[index].outputs[output], got);
      if (comparison.wrong == 0) continue;
      return {true, static_cast<int32_t>(index), output, comparison.first_wrong};
    }
  }
  return {};
}

std::string WhereText(const TestVector& vector, const Evidence& evidence) {
  const Step& step = vector.steps[static_cast<size_t>(evidence.step)];
  const Block& main = *vector.graphs[static_cast<size_t>(step.graph)].Main();
  const TensorIndex tensor = main.outputs[evidence.output];
  return "element " + std::to_string(evidence.element) + " of " +
         main.tensors[static_cast<size_t>(tensor)].name + " in step " +
         std::to_string(evidence.step);
}

// The run as a whole is judged with its last step.
Verdict Judge(const TestVector& vector, std::span<const Outcome> outcomes, int index) {
  Verdict verdict;
  if (static_cast<size_t>(index) + 1 != vector.steps.size()) return verdict;
  Habits habits;
  for (size_t i = 0; i < vector.steps.size() && i < outcomes.size(); ++i) {
    Observe(vector, outcomes, static_cast<int32_t>(i), habits);
  }
  for (size_t type = 0; type < habits.kept.size(); ++type) {
    const Evidence& flushed = habits.flushed[type];
    if (!flushed.found) continue;
    Evidence kept = habits.kept[type];
    if (!kept.found) kept = KeptOperand(vector, outcomes, static_cast<DType>(type));
    if (!kept.found) continue;
    const Step& step = vector.steps[static_cast<size_t>(flushed.step)];
    const Suspect suspect =
        ProducerOf(vector.graphs[static_cast<size_t>(step.graph)], flushed.output);
    Finding finding;
    finding.violation = "flush";
    finding.rule = "flush-all-or-none";
    finding.op = suspect.op;
    finding.type = suspect.type;
    finding.expected = "all subnormal numbers of " +
                       std::string(TypeName(static_cast<DType>(type))) + " flushed, or none";
    finding.got = WhereText(vector, kept) + " kept, " + WhereText(vector, flushed) + " flushed";
    verdict.findings.push_back(std::move(finding));
  }
  if (!verdict.findings.empty()) verdict.kind = VerdictKind::kDisagrees;
  return verdict;
}

constexpr OracleCanary kCanaries[] = {{"flush", "flushes-some"}};

}  // namespace

namespace oracles {
extern const Oracle flushing_oracle = {
    .name = "flushing",
    .question = "are the subnormal numbers of a type all kept in a run, or all flushed?",
    .relies_on = "the bounds of the expectation, and that operators which calculate do alike",
    .canaries = kCanaries,
    .judge = Judge,
};
}  // namespace oracles
}  // namespace assay

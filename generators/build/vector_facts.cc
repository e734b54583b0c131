// SPDX-License-Identifier: Apache-2.0
#include "vector_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "float_codec.h"
#include "float_format.h"
#include "generator.h"
#include "graph_edit.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "readings.h"
#include "rules.h"
#include "tensor_elements.h"
#include "variable_order.h"
#include "version.h"

namespace assay {
namespace {

DType OutputType(const Block& block, const Operator& op) {
  return op.outputs.empty() ? DType::kUnknown : block.TypeOf(op.outputs[0]).type;
}

DType InputType(const Block& block, const Operator& op) {
  return op.inputs.empty() ? OutputType(block, op) : block.TypeOf(op.inputs[0]).type;
}

// Returns the values of a CONST; null if it is none, or, in a malformed graph, has none.
const Tensor* ValuesOf(const Operator& op) {
  const AttributeValue* values = op.attributes.Find(AttributeId::kValues);
  return op.op != Op::kConst || values == nullptr ? nullptr : std::get_if<Tensor>(values);
}

// Returns true if a constant operand holds anything but zeros.
bool IsNonzeroConstant(const Block& block, const Operator& op, size_t input) {
  if (input >= op.inputs.size()) return false;
  for (const Operator& producer : block.operators) {
    const Tensor* values = ValuesOf(producer);
    if (values == nullptr || !std::ranges::count(producer.outputs, op.inputs[input])) continue;
    for (int64_t i = 0; i < values->elements(); ++i) {
      if (IsFloat(values->type()) ? values->Float(i) != 0 : values->Integer(i) != 0) return true;
    }
  }
  return false;
}

// Returns true if the condition of a loop has a rank above 0, in any graph that the name may stand
// for.
bool HasShapedCondition(const TestVector& vector, const Operator& op) {
  if (!op.attributes.Has(AttributeId::kCondGraph)) return false;
  const std::string& name = op.attributes.Text(AttributeId::kCondGraph);
  return std::any_of(vector.graphs.begin(), vector.graphs.end(), [&name](const Graph& graph) {
    const Block* block = graph.FindBlock(name);
    return block != nullptr && !block->outputs.empty() &&
           block->TypeOf(block->outputs[0]).shape.rank() > 0;
  });
}

// Returns true if accumulator and output differ by an odd number of fraction bits.
bool HalvesOddBits(const Block& block, const Operator& op) {
  if (!op.attributes.Has(AttributeId::kAccType) || op.outputs.empty()) return false;
  const DType acc_type = op.attributes.type(AttributeId::kAccType);
  const DType out_type = block.TypeOf(op.outputs[0]).type;
  if (!IsFloat(acc_type) || !IsFloat(out_type)) return false;
  return (FormatOf(acc_type).fraction_bits - FormatOf(out_type).fraction_bits) % 2 != 0;
}

// Returns true if the windows of a pool of floats differ in their counts, or if the count of a
// window is no number of the type.
bool CountsMatter(DType type, const Attributes& attributes) {
  if (!IsFloat(type) || !attributes.Has(AttributeId::kPad)) return false;
  if (!attributes.Has(AttributeId::kKernel)) return false;
  const auto& pad = attributes.Ints(AttributeId::kPad);
  const auto& kernel = attributes.Ints(AttributeId::kKernel);
  double count = 1;
  for (const int32_t size : kernel) count *= size;
  return std::any_of(pad.begin(), pad.end(), [](int32_t p) { return p != 0; }) ||
         RoundToType(type, count) != count;
}

// Returns true if control flow runs the block.
bool IsNested(const TestVector& vector, const Block& block) {
  return std::none_of(vector.graphs.begin(), vector.graphs.end(),
                      [&](const Graph& graph) { return graph.Main() == &block; });
}

// Returns true if the errors of a tensor are judged together.
bool HasStatistics(const TestVector& vector) {
  for (const Step& step : vector.steps) {
    for (const Expectation& output : step.outputs) {
      if (output.statistics) return true;
    }
  }
  return false;
}

// Returns true if a verdict on this operator depends on one of its readings. If `refused`, the
// verdict is that the operator is an error. The result is true for readings that the list below
// does not name.
bool HangsOn(std::string_view reading, const TestVector& vector, const Block& block,
             const Operator& op, bool refused) {
  const DType type = InputType(block, op);
  const Attributes& attributes = op.attributes;
  const auto any_of = [reading](std::initializer_list<std::string_view> ids) {
    return std::find(ids.begin(), ids.end(), reading) != ids.end();
  };
  // Only errors depend on these.
  if (any_of({"first-error-wins", "control-flow-types", "nan-mode-default", "resize-mode-row"})) {
    return refused;
  }
  const bool keeps_seen = vector.semantics == reading;
  if (reading == "nested-keeps-seen") return keeps_seen;
  if (reading == "nested-seen") {
    return op.op == Op::kVariable && vector.semantics == "1.0" &&
           (IsNested(vector, block) || block.FollowsControlFlow(op));
  }
  if (reading == "variable-order") return HangsOnOrder(vector, block, op);
  if (reading == "loop-condition") return refused || HasShapedCondition(vector, op);
  if (any_of({"test-set-order", "test-set-results", "variance-bound"})) {
    return HasStatistics(vector);
  }
  if (any_of({"abs-sign", "negate-zero", "copied-floats", "bias-term", "precision-type"})) {
    return IsFloat(type);
  }
  if (reading == "accumulator-bits") return HalvesOddBits(block, op);
  if (reading == "average-count") return CountsMatter(type, attributes);
  if (reading == "cast-rounding") {
    return IsFloat(type) && IsFloat(OutputType(block, op));
  }
  // Elements of RESIZE are undecided if their bound is infinite.
  if (reading == "infinite-bound") return op.op != Op::kResize;
  if (reading == "half-exponent") return type == DType::kFp32 || type == DType::kBf16;
  if (reading == "matmul-zero-point") {
    return IsNonzeroConstant(block, op, 2) || IsNonzeroConstant(block, op, 3);
  }
  if (reading == "conv2d-weight-type") return IsNonzeroConstant(block, op, 4);
  if (reading == "mul-shift-type") return IsNonzeroConstant(block, op, 2);
  if (reading == "mul-low-bits") return type == DType::kInt32 && !IsNonzeroConstant(block, op, 2);
  if (reading == "resize-nearest") {
    return IsFloat(type) && attributes.Has(AttributeId::kMode) &&
           attributes.Int(AttributeId::kMode) == static_cast<int32_t>(ResizeMode::kNearest);
  }
  if (reading == "resize-products") {
    return OutputType(block, op) == DType::kInt48;
  }
  if (reading == "table-entries") return type == DType::kInt16;
  // Malformed graphs may lack an attribute.
  const auto is_set = [&](AttributeId id) { return attributes.Has(id) && attributes.Flag(id); };
  const auto is_number = [&](AttributeId id, int32_t number) {
    return attributes.Has(id) && attributes.Int(id) == number;
  };
  if (reading == "reduce-axis-one") return is_number(AttributeId::kAxis, 1);
  if (reading == "rescale-unsigned-clip") return is_set(AttributeId::kOutputUnsigned);
  if (reading == "rescale-inexact-unsigned") {
    return is_set(AttributeId::kOutputUnsigned) &&
           is_number(AttributeId::kRoundingMode, static_cast<int32_t>(RoundingMode::kInexactRound));
  }
  if (reading == "rescale-unsigned-zero-point") {
    return is_set(AttributeId::kOutputUnsigned) || is_set(AttributeId::kInputUnsigned);
  }
  return true;
}

// Returns the judged readings of an operator; a table of ReadingsOf() that is computed once.
std::span<const Reading* const> JudgedReadingsOf(Op op) {
  static const auto table = [] {
    std::array<std::vector<const Reading*>, kOperatorCount + 1> by_op;
    for (const OperatorRow& row : AllOperators()) {
      for (const Reading* reading : ReadingsOf(row.op)) {
        if (reading->judged) by_op[static_cast<size_t>(row.op)].push_back(reading);
      }
    }
    return by_op;
  }();
  return table[static_cast<size_t>(op)];
}

// Returns the reading by which a rule of graphs makes a case an error that no ERROR_IF of the text
// names; null if there is none.
const Reading* ReadingOfGraphRule(std::string_view rule) {
  const Rule* row = FindRule(rule);
  if (row == nullptr || row->op != Op::kUnknown) return nullptr;
  const std::string_view name = rule.substr(rule.rfind('/') + 1);
  if (name == "input-list" || name == "shape-operand") return nullptr;
  const Reading* own = FindReading(name);
  return own != nullptr ? own : FindReading("malformed-graph");
}

bool HasSpecial(const Tensor& tensor) {
  if (!IsFloat(tensor.type())) return false;
  return WithFormat(tensor.type(), [&]<const FloatFormat & format>() {
    bool special = false;
    ForEachStored<FloatBits<format>>(
        tensor, [&](auto bits) { special |= (bits & kMagnitudeCode<format>) > kMaxCode<format>; });
    return special;
  });
}

// Drops the operators of a graph that output `tensor` of its main block does not depend on. Returns
// false, with the graph unchanged, if it has no such output.
bool KeepWhatMakes(std::string_view tensor, Graph& graph) {
  if (graph.Main() == nullptr) return false;
  Block& main = *graph.Main();
  const auto is_it = [&](TensorIndex output) {
    return main.tensors[static_cast<size_t>(output)].name == tensor;
  };
  const auto output = std::ranges::find_if(main.outputs, is_it);
  if (output == main.outputs.end()) return false;
  main.outputs = {*output};
  SweepNested(main);
  SweepRegions(graph);
  return true;
}

// Returns true if an operator of the block calculates with a float that another one had to round.
bool HasSequence(const Block& block) {
  std::set<TensorIndex> rounded;
  for (const Operator& op : block.operators) {
    const bool reads = std::ranges::any_of(
        op.inputs, [&rounded](TensorIndex input) { return rounded.contains(input); });
    const ops::ResultOrigin origin = ops::DefinitionOf(op.op).traits.results;
    const bool calculates =
        origin == ops::ResultOrigin::kRounded || origin == ops::ResultOrigin::kCalculated;
    if (reads && calculates) return true;
    if (!reads && !calculates) continue;
    for (const TensorIndex output : op.outputs) {
      if (IsFloat(block.TypeOf(output).type)) rounded.insert(output);
    }
  }
  return false;
}

}  // namespace

Requirements RequirementsOf(const TestVector& vector, Requirements target) {
  Requirements needed;
  std::vector<const TypeRow*> rows;
  for (const auto& [block, op] : vector.Operators()) {
    const TypeRow* row = TypeRowOf(block, op);
    if (row != nullptr && !row->any_of.empty()) rows.push_back(row);
  }
  const auto add_rows = [&](bool with_choice) {
    for (const TypeRow* row : rows) {
      if ((row->any_of.size() > 1) != with_choice) continue;
      const auto fits = [&](const Requirements& have) {
        return std::find_if(row->any_of.begin(), row->any_of.end(),
                            [&](const Requirements& r) { return have.ContainsAll(r); });
      };
      auto choice = fits(needed);
      if (choice == row->any_of.end()) choice = fits(target);
      if (choice == row->any_of.end()) choice = row->any_of.begin();
      needed = needed | *choice;
    }
  };
  add_rows(false);
  add_rows(true);
  for (const PlacedOperator& placed : vector.Operators()) needed = needed | ModesOf(placed.op);
  if (std::ranges::any_of(vector.graphs, HasVariableTensors)) {
    needed = needed | Requirements{Feature::kExtVariable};
  }
  // An extension comes on top of one of its profiles.
  for (const FeatureRow& row : AllFeatures()) {
    if (!needed.Contains(row.feature) || row.needs_one_of.Empty()) continue;
    std::optional<Feature> chosen;
    bool satisfied = false;
    for (const Feature profile : {Feature::kProInt, Feature::kProFp}) {
      if (!row.needs_one_of.Contains(profile)) continue;
      satisfied |= needed.Contains(profile);
      if (!chosen || (!target.Contains(*chosen) && target.Contains(profile))) chosen = profile;
    }
    if (!satisfied && chosen) needed = needed | Requirements{*chosen};
  }
  if (needed.Empty()) {
    needed = target.Contains(Feature::kProFp) && !target.Contains(Feature::kProInt)
                 ? Requirements{Feature::kProFp}
                 : Requirements{Feature::kProInt};
  }
  return needed;
}

std::vector<std::string> NamesOf(Requirements requirements) {
  std::vector<std::string> names;
  for (const FeatureRow& row : AllFeatures()) {
    if (requirements.Contains(row.feature)) names.emplace_back(row.name);
  }
  return names;
}

Basis BasisOf(const TestVector& vector, int32_t step, std::string_view tensor) {
  if (static_cast<size_t>(step) >= vector.steps.size()) return {};
  TestVector part = vector;
  part.steps.resize(static_cast<size_t>(step) + 1);
  SweepVector(part);
  Graph& graph = part.graphs[static_cast<size_t>(part.steps.back().graph)];
  if (!HasVariables(graph) && KeepWhatMakes(tensor, graph)) {
    part.steps = {part.steps.back()};
    SweepVector(part);
  }
  Basis basis;
  for (std::string& tag : TagsOf(part)) {
    if (FindReading(tag) != nullptr) basis.readings.push_back(std::move(tag));
  }
  std::set<Op> operators;
  for (const PlacedOperator& placed : part.Operators()) operators.insert(placed.op.op);
  basis.operators.assign(operators.begin(), operators.end());
  return basis;
}

std::vector<std::string> TagsOf(const TestVector& vector) {
  std::vector<std::string> tags;
  bool refused = false;
  for (const Step& step : vector.steps) {
    if (step.expected != OutcomeKind::kError) continue;
    refused = true;
    if (const Reading* reading = ReadingOfGraphRule(step.rule)) tags.emplace_back(reading->id);
  }
  for (const auto& [block, op] : vector.Operators()) {
    for (const Reading* reading : JudgedReadingsOf(op.op)) {
      if (HangsOn(reading->id, vector, block, op, refused)) tags.emplace_back(reading->id);
    }
    if (IsControlFlow(op.op)) tags.emplace_back("control-flow");
    if (IsVariableOperator(op.op)) tags.emplace_back("state");
    const Tensor* values = ValuesOf(op);
    if (values != nullptr && HasSpecial(*values)) tags.emplace_back("special-values");
  }
  for (const Graph& graph : vector.graphs) {
    for (const Block& block : graph.Blocks()) {
      if (!refused && HasSequence(block)) tags.emplace_back("operator-sequence");
    }
    if (HasVariableTensors(graph)) tags.emplace_back("state");
  }
  for (const Step& step : vector.steps) {
    for (const Tensor& input : step.inputs) {
      if (HasSpecial(input)) tags.emplace_back("special-values");
    }
    for (const Expectation& output : step.outputs) {
      if (std::any_of(output.error.begin(), output.error.end(),
                      [](double error) { return std::isnan(error); })) {
        tags.emplace_back("undecided");
      }
    }
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

void Describe(TestVector& vector, const GeneratorOptions& options, const Generator& generator,
              uint64_t index, std::string_view title) {
  vector.requirements = NamesOf(RequirementsOf(vector, options.target));
  vector.tags = TagsOf(vector);
  vector.level = std::string(options.level.name);
  vector.provenance.campaign = options.seed;
  vector.provenance.index = index;
  vector.provenance.kind = std::string(generator.kind);
  vector.provenance.generator_version = generator.version;
  vector.provenance.toolkit_version = kToolkitVersion;
  vector.name = NameOf(generator, index, title);
}

std::string NameOf(const Generator& generator, uint64_t index, std::string_view title) {
  std::string name = std::string(generator.kind) + "-" + std::to_string(index);
  if (!title.empty()) name += "-" + std::string(title);
  return name;
}

}  // namespace assay

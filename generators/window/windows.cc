#include "windows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "block_nodes.h"
#include "executor.h"
#include "first_operands.h"
#include "fused_shapes.h"
#include "graph_text.h"
#include "operator_facts.h"
#include "vector_facts.h"
#include "version.h"

namespace assay {
namespace {

using Nodes = BlockNodes::Nodes;

bool NeedsConstant(const Operator& op, size_t input) {
  return input < 32 && (FactsOf(op.op).constant_inputs >> input & 1) != 0;
}

// Makes the graph and the step of a window.
class Cutter {
 public:
  Cutter(const BlockNodes& nodes, const Nodes& set) {
    TestVector& vector = window_.vector;
    vector.graphs = {EmptyGraph()};
    vector.steps.resize(1);
    std::vector<Op> operators;
    for (const int32_t node : set) {
      Add(nodes, node);
      const Op op = nodes.OperatorOf(node).op;
      operators.push_back(op);
      window_.operators += (operators.size() > 1 ? ", " : "") + std::string(OperatorName(op));
    }
    for (const int32_t node : set) {
      for (const TensorIndex output : nodes.OperatorOf(node).outputs) {
        if (nodes.IsNeededOutside(output, set)) main().outputs.push_back(index_.at(output));
      }
    }
    window_.size = static_cast<int>(set.size());
    window_.fused = AreFusedInPractice(operators);
    window_.identity = Identity();
  }

  Window& window() { return window_; }

 private:
  Block& main() { return *window_.vector.graphs[0].Main(); }

  TensorIndex AddTensor(const TensorInfo& info, TensorIndex from) {
    const auto index = static_cast<TensorIndex>(main().tensors.size());
    main().tensors.push_back({info.name, info.type, false, {}, {}});
    index_.emplace(from, index);
    return index;
  }

  // Adds an operand that comes from outside.
  void AddOperand(const BlockNodes& nodes, int32_t node, size_t input) {
    const Operator& op = nodes.OperatorOf(node);
    const TensorIndex from = op.inputs[input];
    const Operator* constant = nodes.ConstantOf(from);
    const TensorIndex to = AddTensor(nodes.Info(from), from);
    const Tensor& value = nodes.OperandsOf(node)[input];
    const bool is_shape = value.type() == DType::kShape;
    if (constant != nullptr) {
      main().operators.push_back({constant->op, constant->attributes, {}, {to}});
    } else if (is_shape || NeedsConstant(op, input)) {
      const Op made = is_shape ? Op::kConstShape : Op::kConst;
      main().operators.push_back({made, {{AttributeId::kValues, value}}, {}, {to}});
    } else {
      main().inputs.push_back(to);
      window_.vector.steps[0].inputs.push_back(value);
    }
  }

  void Add(const BlockNodes& nodes, int32_t node) {
    const Operator& op = nodes.OperatorOf(node);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!index_.contains(op.inputs[i])) AddOperand(nodes, node, i);
    }
    Operator copy = {op.op, op.attributes, {}, {}};
    for (const TensorIndex input : op.inputs) copy.inputs.push_back(index_.at(input));
    for (const TensorIndex output : op.outputs) {
      copy.outputs.push_back(AddTensor(nodes.Info(output), output));
    }
    main().operators.push_back(std::move(copy));
  }

  // Returns the text of the graph without the names of tensors and without values that no operator
  // needs at compile time.
  std::string Identity() {
    std::set<TensorIndex> fixed;
    for (const Operator& op : main().operators) {
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (NeedsConstant(op, i)) fixed.insert(op.inputs[i]);
      }
    }
    std::string text;
    const auto add = [&](const char* before, const std::vector<TensorIndex>& tensors) {
      text += before;
      for (const TensorIndex tensor : tensors) {
        text += std::to_string(tensor) + ":" + main().TypeOf(tensor).ToString() + " ";
      }
    };
    for (const Operator& op : main().operators) {
      text += OperatorName(op.op);
      add(" ", op.inputs);
      add("> ", op.outputs);
      for (const auto& [id, value] : op.attributes.entries()) {
        if (op.op == Op::kConst && !fixed.contains(op.outputs[0])) continue;
        const Tensor* tensor = std::get_if<Tensor>(&value);
        text += tensor == nullptr ? AttributeText(id, value)
                                  : TensorText(*tensor, std::numeric_limits<int64_t>::max());
        text += " ";
      }
      text += "\n";
    }
    add("", main().outputs);
    return text;
  }

  Window window_;
  std::map<TensorIndex, TensorIndex> index_;  // from the block to the window
};

// Gives a window the facts that it has from the vector that it comes from.
void DescribeFrom(const TestVector& whole, Window& window) {
  TestVector& vector = window.vector;
  vector.name = (whole.name.empty() ? "" : whole.name + ": ") + window.operators;
  vector.spec = whole.spec;
  vector.requirements = whole.requirements;
  vector.level = whole.level;
  vector.semantics = whole.semantics;
  vector.graphs[0].version = whole.graphs[static_cast<size_t>(window.stands_for[0].graph)].version;
  vector.provenance = whole.provenance;
  vector.provenance.kind = "window";
  vector.provenance.toolkit_version = kToolkitVersion;
  vector.provenance.note = "window of " + (whole.name.empty() ? "a graph" : whole.name);
}

// Returns the profiles and extensions that a vector names; all if it names none.
Requirements TargetOf(const TestVector& vector) {
  Requirements target;
  for (const FeatureRow& row : AllFeatures()) {
    const bool named =
        std::ranges::find(vector.requirements, row.name) != vector.requirements.end();
    if (named || vector.requirements.empty()) target = target | Requirements{row.feature};
  }
  return target;
}

int32_t FirstStepOf(const TestVector& vector, int32_t graph) {
  const auto step = std::ranges::find(vector.steps, graph, &Step::graph);
  return static_cast<int32_t>(step - vector.steps.begin());
}

}  // namespace

WindowList FindWindows(const TestVector& vector, const WindowLimits& limits) {
  WindowList list;
  const FirstOperands operands(vector);
  std::map<std::string, size_t> known;  // by identity
  for (size_t g = 0; g < vector.graphs.size(); ++g) {
    const auto blocks = vector.graphs[g].Blocks();
    const auto graph = static_cast<int32_t>(g);
    for (size_t b = 0; b < blocks.size(); ++b) {
      const BlockNodes nodes(blocks[b], operands);
      const auto add = [&](const Nodes& set) {
        ++list.found;
        Window window = std::move(Cutter(nodes, set).window());
        const auto [at, is_new] = known.try_emplace(window.identity, list.windows.size());
        if (is_new) list.windows.push_back(std::move(window));
        Window& same = list.windows[at->second];
        for (const int32_t node : set) {
          same.stands_for.push_back({graph, static_cast<int32_t>(b), nodes.PositionOf(node)});
        }
        if (!is_new) return;
        same.step = FirstStepOf(vector, graph);
        DescribeFrom(vector, same);
      };
      for (int32_t root = 0; root < nodes.size(); ++root) {
        const auto found = nodes.ConvexSetsFrom(root, limits.operators_max, limits.sets_max);
        std::ranges::for_each(found.sets, add);
        list.cut_short += found.complete ? 0 : 1;
      }
    }
  }
  FusedFirst(list.windows);
  return list;
}

void FusedFirst(std::vector<Window>& windows) {
  std::ranges::stable_sort(windows, [](const Window& a, const Window& b) {
    return a.fused != b.fused ? a.fused : a.size < b.size;
  });
}

bool ExpectWindow(Window& window, std::string* reason) {
  TestVector& vector = window.vector;
  if (!Expect(vector, {}, reason)) return false;
  const Step& step = vector.steps[0];
  if (step.expected != OutcomeKind::kValid) {
    *reason = std::string(OutcomeName(step.expected)) + " by " + step.rule;
    return false;
  }
  const bool decides = std::ranges::any_of(step.outputs, [](const Expectation& output) {
    return output.error.empty() ||
           std::ranges::any_of(output.error, [](double error) { return !std::isnan(error); });
  });
  if (!decides) {
    *reason = "no sound rule reaches the outputs";
    return false;
  }
  vector.requirements = NamesOf(RequirementsOf(vector, TargetOf(vector)));
  vector.tags = TagsOf(vector);
  return true;
}

bool IsFullyDecided(const TestVector& vector) {
  return std::ranges::all_of(vector.steps, [](const Step& step) {
    return std::ranges::all_of(step.outputs, [](const Expectation& output) {
      return std::ranges::none_of(output.error, [](double error) { return std::isnan(error); });
    });
  });
}

std::vector<OperatorPlace> WorkingPlaces(const TestVector& vector) {
  std::vector<OperatorPlace> places;
  for (size_t g = 0; g < vector.graphs.size(); ++g) {
    const auto blocks = vector.graphs[g].Blocks();
    for (size_t b = 0; b < blocks.size(); ++b) {
      const std::vector<Operator>& operators = blocks[b].get().operators;
      for (size_t i = 0; i < operators.size(); ++i) {
        if (IsConstant(operators[i].op)) continue;
        places.push_back(
            {static_cast<int32_t>(g), static_cast<int32_t>(b), static_cast<int32_t>(i)});
      }
    }
  }
  return places;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "windows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "block_nodes.h"
#include "executor.h"
#include "first_operands.h"
#include "vector_facts.h"
#include "window_graph.h"

namespace assay {
namespace {

using Nodes = BlockNodes::Nodes;

// Returns the window of a set of operators.
Window Cut(const Block& block, const BlockNodes& nodes, const Nodes& set) {
  WindowGraph window(block);
  for (const int32_t node : set) {
    const Operator& op = nodes.OperatorOf(node);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (window.Has(op.inputs[i])) continue;
      window.AddOperand(op, i, nodes.ConstantOf(op.inputs[i]), nodes.OperandsOf(node)[i]);
    }
    window.AddOperator(op);
  }
  for (const int32_t node : set) {
    for (const TensorIndex output : nodes.OperatorOf(node).outputs) {
      if (nodes.IsNeededOutside(output, set)) window.AddOutput(output);
    }
  }
  return window.Finish();
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
        Window window = Cut(blocks[b], nodes, set);
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
    if (reason != nullptr) *reason = std::string(OutcomeName(step.expected)) + " by " + step.rule;
    return false;
  }
  const bool decides = std::ranges::any_of(step.outputs, [](const Expectation& output) {
    return output.error.empty() ||
           std::ranges::any_of(output.error, [](double error) { return !std::isnan(error); });
  });
  if (!decides) {
    if (reason != nullptr) *reason = "no sound rule reaches the outputs";
    return false;
  }
  vector.requirements = NamesOf(RequirementsOf(vector, TargetOf(vector)));
  vector.tags = TagsOf(vector);
  return true;
}

bool IsFullyDecided(const Expectation& expectation) {
  return std::ranges::none_of(expectation.error, [](double error) { return std::isnan(error); });
}

double VagueError(const Expectation& expectation) {
  double largest = 0;
  const Tensor& value = expectation.value;
  for (int64_t i = 0; IsFloat(value.type()) && i < value.elements(); ++i) {
    const double magnitude = std::fabs(value.Float(i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest / 16;
}

bool IsVague(const Expectation& expectation) {
  if (expectation.error.empty()) return false;
  const bool is_float = IsFloat(expectation.value.type());
  const double most = is_float ? VagueError(expectation) : 0;
  return std::ranges::any_of(expectation.error, [&](double error) {
    return !std::isfinite(error) || (is_float && error > most);
  });
}

bool IsFullyDecided(const TestVector& vector) {
  return std::ranges::all_of(vector.steps, [](const Step& step) {
    return std::ranges::all_of(step.outputs,
                               [](const Expectation& output) { return IsFullyDecided(output); });
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

// SPDX-License-Identifier: Apache-2.0
#include "target_check.h"

#include <algorithm>
#include <map>

#include "graph_text.h"
#include "joined.h"
#include "operator_facts.h"
#include "target_range.h"
#include "target_text.h"

namespace assay {
namespace {

std::string TensorName(const Block& block, TensorIndex tensor) {
  const std::string text = DeclarationText(block, tensor);  // "%in:i8[3,1]"
  return text.substr(0, text.size() - block.TypeOf(tensor).ToString().size() - 1);
}

std::vector<DType> TypesOf(const Block& block, const std::vector<TensorIndex>& tensors) {
  std::vector<DType> types;
  for (const TensorIndex tensor : tensors) types.push_back(block.TypeOf(tensor).type);
  return types;
}

// Tells whether the types fit a list of a TypeChoice. The last type of the list is repeated.
bool Fit(const std::vector<DType>& types, const std::vector<DType>& allowed) {
  for (size_t i = 0; i < types.size() && !allowed.empty(); ++i) {
    const DType type = allowed[std::min(i, allowed.size() - 1)];
    if (type != DType::kUnknown && type != types[i]) return false;
  }
  return true;
}

// Checks one vector against one target.
class TargetCheck {
 public:
  TargetCheck(const Target& target, const TestVector& vector, size_t misfits_max)
      : target_(target), vector_(vector), misfits_max_(misfits_max) {}

  std::vector<Misfit> Run() {
    for (size_t i = 0; i < vector_.graphs.size() && !full(); ++i) {
      if (vector_.graphs.size() > 1) graph_ = "graph " + std::to_string(i) + ": ";
      CheckOperators(vector_.graphs[i]);
    }
    for (size_t i = 0; i < vector_.graphs.size() && !full(); ++i) {
      if (vector_.graphs.size() > 1) graph_ = "graph " + std::to_string(i) + ": ";
      CheckTensors(vector_.graphs[i]);
      CheckNesting(vector_.graphs[i]);
    }
    graph_.clear();
    CheckWhole();
    return std::move(misfits_);
  }

 private:
  bool full() const { return misfits_.size() >= misfits_max_; }

  void Add(std::string where, std::string what, std::string limit, std::string brief) {
    if (full()) return;
    misfits_.push_back({std::move(where), std::move(what), std::move(limit), std::move(brief)});
  }

  void CheckOperators(const Graph& graph) {
    for (const auto& [block, op] : graph.Operators()) {
      if (full()) return;
      CheckOne(block, op);
    }
  }

  std::string PlaceOf(const Block& block, const Operator& op) const {
    std::string place = graph_ + std::string(OperatorName(op.op));
    if (!op.outputs.empty()) place += " " + TensorName(block, op.outputs[0]);
    return place;
  }

  void CheckOne(const Block& block, const Operator& op) {
    const std::string name(OperatorName(op.op));
    const OperatorUses* uses = UsesOf(target_, op.op);
    if (uses == nullptr) {
      Add(PlaceOf(block, op), "an operator that the target lacks", "", name);
      return;
    }
    CheckFeatures(block, op);
    CheckTypes(block, op, *uses);
    CheckRanges(block, op, uses->ranges);
    CheckConstants(block, op, *uses);
  }

  void CheckFeatures(const Block& block, const Operator& op) {
    if (!target_.features) return;
    const Requirements& have = *target_.features;
    const auto lacks = [&](Requirements needed) {
      for (const FeatureRow& row : AllFeatures()) {
        if (!needed.Contains(row.feature) || have.Contains(row.feature)) continue;
        Add(PlaceOf(block, op), "needs " + std::string(row.name), "which the target lacks",
            std::string(OperatorName(op.op)) + " without " + std::string(row.name));
        return;
      }
    };
    const TypeRow* row = TypeRowOf(block, op);
    if (row != nullptr && !row->any_of.empty() && !IsSupported(*row, have)) lacks(row->any_of[0]);
    lacks(ModesOf(op));
  }

  // Returns true if the operator has the choice's types, ranges aside.
  static bool HasTypes(const Block& block, const Operator& op, const TypeChoice& choice) {
    if (choice.first != DType::kUnknown && choice.first != CharacteristicType(block, op)) {
      return false;
    }
    const std::vector<DType> inputs = TypesOf(block, op.inputs);
    const std::vector<DType> outputs = TypesOf(block, op.outputs);
    if (!Fit(inputs, choice.inputs) || !Fit(outputs, choice.outputs)) return false;
    if (choice.variables == std::array<DType, 4>{}) return true;
    const TypeRow* row = TypeRowOf(block, op);
    if (row == nullptr) return false;
    for (size_t i = 0; i < choice.variables.size(); ++i) {
      const DType type = choice.variables[i];
      if (type != DType::kUnknown && type != row->types[i]) return false;
    }
    return true;
  }

  void CheckTypes(const Block& block, const Operator& op, const OperatorUses& uses) {
    if (uses.types.empty()) return;
    const TypeChoice* nearest = nullptr;
    for (const TypeChoice& choice : uses.types) {
      if (!HasTypes(block, op, choice)) continue;
      const auto holds = [&](const TargetRange& range) { return Holds(block, op, range); };
      if (std::ranges::all_of(choice.ranges, holds)) return;
      nearest = &choice;
    }
    if (nearest != nullptr) {
      CheckRanges(block, op, nearest->ranges);
      return;
    }
    const auto by_first = [](const TypeChoice& choice) { return choice.first != DType::kUnknown; };
    const std::string name(OperatorName(op.op));
    if (std::ranges::all_of(uses.types, by_first)) {
      const std::string type(TypeName(CharacteristicType(block, op)));
      Add(PlaceOf(block, op), "type " + type, "the target has " + KnownTypes(uses),
          name + " of " + type);
      return;
    }
    const std::string types =
        (op.inputs.empty() ? "" : TypesText(TypesOf(block, op.inputs)) + " to ") +
        TypesText(TypesOf(block, op.outputs));
    Add(PlaceOf(block, op), "types " + types, "which the target does not list for " + name,
        name + " of " + types);
  }

  static std::string KnownTypes(const OperatorUses& uses) {
    return Joined(uses.types, ", ",
                  [](const TypeChoice& choice) { return TypeName(choice.first); });
  }

  static bool Holds(const Block& block, const Operator& op, const TargetRange& range) {
    const auto numbers = Measure(block, op, range.quantity);
    return !numbers ||
           std::ranges::all_of(*numbers, [&](int64_t number) { return range.Holds(number); });
  }

  void CheckRanges(const Block& block, const Operator& op, const std::vector<TargetRange>& ranges) {
    for (const TargetRange& range : ranges) {
      if (Holds(block, op, range)) continue;
      const std::vector<int64_t> numbers = *Measure(block, op, range.quantity);
      const std::string name = NameOf(op.op, range.quantity);
      std::string by_cross, by_comma;
      for (const int64_t number : numbers) {
        const std::string text = NumberText(op.op, range.quantity, number);
        by_cross += (by_cross.empty() ? "" : "x") + text;
        by_comma += (by_comma.empty() ? "" : ",") + text;
      }
      if (numbers.size() > 1) by_comma = "[" + by_comma + "]";
      Add(PlaceOf(block, op), name + " " + by_cross, "the target has " + RangeText(op.op, range),
          std::string(OperatorName(op.op)) + " with " + name + "=" + by_comma);
    }
  }

  void CheckConstants(const Block& block, const Operator& op, const OperatorUses& uses) {
    for (const int operand : uses.constants) {
      if (operand >= std::ssize(op.inputs)) continue;
      const Operator* producer = block.ProducerOf(op.inputs[static_cast<size_t>(operand)]);
      if (producer != nullptr && IsConstant(producer->op)) continue;
      const std::string name = NameOf(op.op, {Quantity::Kind::kConstant, {}, operand});
      Add(PlaceOf(block, op), name + " is no constant", "the target takes only constants",
          std::string(OperatorName(op.op)) + " with a computed " + name);
    }
  }

  void CheckTensors(const Graph& graph) {
    const TargetLimits& limits = target_.limits;
    const auto most = [](int64_t limit) {
      return "the target has at most " + std::to_string(limit);
    };
    int64_t constant_bytes = 0;
    for (const Block& block : graph.Blocks()) {
      for (size_t i = 0; i < block.tensors.size(); ++i) {
        if (full()) return;
        const TensorInfo& tensor = block.tensors[i];
        const Shape& shape = tensor.type.shape;
        const auto place = [&] {
          return graph_ + "tensor " + TensorName(block, static_cast<TensorIndex>(i));
        };
        const auto check = [&](const std::string& what, int64_t number, int64_t limit,
                               const std::string& brief) {
          if (limit > 0 && number > limit) {
            Add(place(), what + " " + std::to_string(number), most(limit), brief);
          }
        };
        check("rank", shape.rank(), limits.rank,
              "a tensor of rank " + std::to_string(shape.rank()));
        for (const int32_t dimension : shape.dims()) {
          if (limits.dimension == 0 || dimension <= limits.dimension) continue;
          check("dimension", dimension, limits.dimension,
                "a dimension of " + std::to_string(dimension));
          break;
        }
        check("elements", shape.Elements(), limits.elements,
              "a tensor of " + std::to_string(shape.Elements()) + " elements");
        CheckElementType(tensor, place);
        if (tensor.variable && !target_.variable_tensors) {
          Add(place(), "variable=true", "the target has no variable tensors", "variable tensors");
        }
      }
      for (const Operator& op : block.operators) {
        if (!IsConstant(op.op) || !op.attributes.Has(AttributeId::kValues)) continue;
        constant_bytes += std::ssize(op.attributes.Value(AttributeId::kValues).bytes());
      }
    }
    if (limits.constant_bytes > 0 && constant_bytes > limits.constant_bytes) {
      const std::string bytes = "constants of " + std::to_string(constant_bytes) + " bytes";
      Add(graph_.substr(0, graph_.size() < 2 ? 0 : graph_.size() - 2), bytes,
          most(limits.constant_bytes), bytes);
    }
  }

  template <class Place>
  void CheckElementType(const TensorInfo& tensor, Place place) {
    const DType type = tensor.type.type;
    if (target_.types.empty() || type == DType::kShape) return;
    if (std::ranges::find(target_.types, type) != target_.types.end()) return;
    const std::string name(TypeName(type));
    Add(place(), "type " + name, "the target has " + TypesText(target_.types), "type " + name);
  }

  // Returns how deep control flow is nested in a block and in the blocks that it runs. `depths` has
  // the blocks that were looked at, and 0 for those that are being looked at.
  static int64_t DepthOf(const Graph& graph, const Block& block,
                         std::map<const Block*, int64_t>& depths) {
    const auto [known, is_new] = depths.try_emplace(&block, 0);
    if (!is_new) return known->second;
    int64_t depth = 0;
    for (const Operator& op : block.operators) {
      for (const std::string& name : CalleesOf(op)) {
        const Block* callee = graph.FindBlock(name);
        if (callee != nullptr) depth = std::max(depth, 1 + DepthOf(graph, *callee, depths));
      }
    }
    return depths[&block] = depth;
  }

  void CheckNesting(const Graph& graph) {
    const int64_t limit = target_.limits.nesting;
    if (limit == 0 || graph.Main() == nullptr) return;
    std::map<const Block*, int64_t> depths;
    const int64_t depth = DepthOf(graph, *graph.Main(), depths);
    if (depth <= limit) return;
    Add(graph_ + "control flow", "nesting " + std::to_string(depth),
        "the target has at most " + std::to_string(limit),
        "control flow of depth " + std::to_string(depth));
  }

  void CheckWhole() {
    const int64_t graphs = std::ssize(vector_.graphs);
    const int64_t limit = target_.limits.graphs;
    if (limit > 0 && graphs > limit) {
      Add("", std::to_string(graphs) + " graphs", "the target has at most " + std::to_string(limit),
          std::to_string(graphs) + " graphs");
    }
    if (target_.level != "none" && vector_.level != target_.level) {
      Add("", "level " + vector_.level, "the target has level " + target_.level,
          "level " + vector_.level);
    }
    const bool is_dynamic =
        std::ranges::find(vector_.requirements, FeatureName(Feature::kExtDynamic)) !=
        vector_.requirements.end();
    if (is_dynamic && target_.features && !target_.features->Contains(Feature::kExtDynamic)) {
      Add("", "needs EXT-DYNAMIC", "which the target lacks", "EXT-DYNAMIC");
    }
  }

  const Target& target_;
  const TestVector& vector_;
  size_t misfits_max_;
  std::string graph_;  // "graph 1: " where there are several
  std::vector<Misfit> misfits_;
};

}  // namespace

std::string Misfit::ToString() const {
  return (where.empty() ? "" : where + ": ") + what + (limit.empty() ? "" : ", " + limit);
}

std::vector<Misfit> Misfits(const Target& target, const TestVector& vector, size_t misfits_max) {
  return TargetCheck(target, vector, misfits_max).Run();
}

bool FitsAll(std::span<const Target> targets, const TestVector& vector) {
  return std::ranges::all_of(
      targets, [&](const Target& target) { return Misfits(target, vector, 1).empty(); });
}

}  // namespace assay

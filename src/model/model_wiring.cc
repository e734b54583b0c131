// SPDX-License-Identifier: Apache-2.0
#include "model_wiring.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model_values.h"

namespace assay {
namespace {

class WiringSearch {
 public:
  WiringSearch(const Block& main, const NeededPart& part)
      : main_(main), producers_(main.Producers()) {
    for (const TensorIndex input : main.inputs) AddMade(input, input);
    for (size_t i = 0; i < part.operators.size(); ++i) AddLayer(i + 1, part.operators[i]);
  }
  std::vector<WiringFault> Take() { return std::move(faults_); }

 private:
  // A tensor that the model has computed: its place among those of its type and shape, and the
  // tensor that has its elements, which is another one behind IDENTITY and RESHAPE.
  struct Made {
    std::vector<TensorIndex>* alike;
    size_t place;
    TensorIndex elements;
  };
  bool IsMade(TensorIndex tensor) const { return made_.contains(tensor); }
  void AddMade(TensorIndex tensor, TensorIndex elements) {
    std::vector<TensorIndex>& alike = by_type_[main_.TypeOf(tensor).ToString()];
    made_[tensor] = {&alike, alike.size(), elements};
    alike.push_back(tensor);
  }
  const Operator* MakerOf(TensorIndex tensor) const {
    const int32_t at = producers_[static_cast<size_t>(tensor)];
    return at < 0 ? nullptr : &main_.operators[static_cast<size_t>(at)];
  }
  bool AreAlike(TensorIndex a, TensorIndex b) const { return main_.TypeOf(a) == main_.TypeOf(b); }
  std::optional<TensorIndex> FirstOperand(const Operator& op) const {
    const auto found = std::ranges::find_if(op.inputs, [this](auto t) { return IsMade(t); });
    return found == op.inputs.end() ? std::nullopt : std::optional(*found);
  }

  void AddLayer(size_t layer, int32_t position) {
    const Operator& op = main_.operators[static_cast<size_t>(position)];
    const std::set<TensorIndex> operands(op.inputs.begin(), op.inputs.end());
    for (const TensorIndex operand : operands) {
      if (IsMade(operand)) AddOperand(layer, position, operand);
    }
    const std::optional<TensorIndex> operand = FirstOperand(op);
    const bool renames = op.op == Op::kIdentity || op.op == Op::kReshape;
    if (operand && !renames && op.outputs.size() == 1) AddSkipped(layer, op, *operand);
    for (const TensorIndex result : op.outputs) {
      AddMade(result, renames && operand ? made_.at(*operand).elements : result);
    }
  }

  void AddOperand(size_t layer, int32_t position, TensorIndex operand) {
    const Made& made = made_.at(operand);
    const auto differ = [&](TensorIndex t) { return made_.at(t).elements != made.elements; };
    const auto at = made.alike->begin() + static_cast<ptrdiff_t>(made.place);
    const auto before = std::find_if(std::make_reverse_iterator(at), made.alike->rend(), differ);
    if (before != made.alike->rend()) {
      faults_.push_back({WiringKind::kOtherTensor, layer, position, operand, *before});
    }
    const auto after = std::find_if(at, made.alike->end(), differ);
    if (after != made.alike->end()) {
      faults_.push_back({WiringKind::kBufferReused, layer, position, operand, *after});
    }
  }

  void AddSkipped(size_t layer, const Operator& op, TensorIndex operand) {
    const TensorIndex result = op.outputs[0];
    if (AreAlike(operand, result)) {
      faults_.push_back({WiringKind::kOperatorSkipped, layer, -1, result, operand});
      if (op.op == Op::kRescale) {
        faults_.push_back({WiringKind::kDoneTwice, layer, -1, result, operand});
      }
    }
    const auto rounds = [](const Operator& each) {
      return each.op == Op::kCast || each.op == Op::kRescale;
    };
    const Operator* const maker = MakerOf(operand);
    if (maker == nullptr || !rounds(op) || !rounds(*maker)) return;
    const std::optional<TensorIndex> first = FirstOperand(*maker);
    if (first && AreAlike(*first, result)) {
      faults_.push_back({WiringKind::kRoundingSkipped, layer, -1, result, *first});
    }
  }

  const Block& main_;
  std::vector<int32_t> producers_;
  std::map<std::string, std::vector<TensorIndex>> by_type_;  // in the order of computation
  std::map<TensorIndex, Made> made_;  // inputs, and results of the layers so far
  std::vector<WiringFault> faults_;
};

}  // namespace

std::vector<WiringFault> WiringFaultsOf(const TestVector& model, const NeededPart& part) {
  return WiringSearch(MainOf(model), part).Take();
}

std::vector<Softmax> SoftmaxesOf(const Block& main, const NeededPart& part) {
  const std::vector<int32_t> producers = main.Producers();
  // Returns the position of the operator that makes a tensor; -1 if it is another one.
  const auto maker = [&](TensorIndex tensor, Op op) {
    const int32_t at = producers[static_cast<size_t>(tensor)];
    return at >= 0 && main.operators[static_cast<size_t>(at)].op == op ? at : -1;
  };
  // Returns operand i of the operator at a position.
  const auto operand = [&](int32_t at, size_t i) {
    return main.operators[static_cast<size_t>(at)].inputs[i];
  };
  std::vector<Softmax> found;
  for (const int32_t mul : part.operators) {
    if (main.operators[static_cast<size_t>(mul)].op != Op::kMul) continue;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const int32_t exp = maker(operand(mul, i), Op::kExp);
      const int32_t reciprocal = maker(operand(mul, 1 - i), Op::kReciprocal);
      if (exp < 0 || reciprocal < 0) continue;
      const int32_t sum = maker(operand(reciprocal, 0), Op::kReduceSum);
      const int32_t sub = maker(operand(exp, 0), Op::kSub);
      if (sum < 0 || sub < 0 || operand(sum, 0) != operand(mul, i)) continue;
      const int32_t most = maker(operand(sub, 1), Op::kReduceMax);
      if (most < 0 || operand(most, 0) != operand(sub, 0)) continue;
      found.push_back({{most, sub, exp, sum, reciprocal, mul}});
    }
  }
  return found;
}

void Plant(const WiringFault& fault, Block& main) {
  if (fault.kind == WiringKind::kDoneTwice) {
    const auto maker = std::ranges::find_if(main.operators, [&](const Operator& op) {
      return std::ranges::count(op.outputs, fault.from) > 0;
    });
    Operator again = *maker;
    const auto result = static_cast<TensorIndex>(main.tensors.size());
    main.tensors.push_back(main.tensors[static_cast<size_t>(fault.from)]);
    main.tensors.back().name += " twice";
    std::ranges::replace(again.inputs, fault.to, fault.from);
    again.outputs = std::vector<TensorIndex>{result};
    const auto after = main.operators.insert(maker + 1, std::move(again)) + 1;
    for (auto reader = after; reader != main.operators.end(); ++reader) {
      std::ranges::replace(reader->inputs, fault.from, result);
    }
    std::ranges::replace(main.outputs, fault.from, result);
    return;
  }
  for (size_t i = 0; i < main.operators.size(); ++i) {
    if (fault.reader >= 0 && static_cast<size_t>(fault.reader) != i) continue;
    std::ranges::replace(main.operators[i].inputs, fault.from, fault.to);
  }
  if (fault.reader < 0) std::ranges::replace(main.outputs, fault.from, fault.to);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "model_lattice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "exact_sums.h"
#include "executor.h"
#include "float_format.h"
#include "lattice_weights.h"
#include "model_values.h"
#include "random.h"
#include "tapped_windows.h"

namespace assay {
namespace {

// The bits of float inputs, with each attempt fewer.
constexpr int kAttempts = 4;
constexpr int kTries = 4;  // of a layer, with fewer connections each time
constexpr int32_t kConnectionsMax = 16;
constexpr double kRangeOfInputs = 4;
constexpr double kUnboundedSpread = 32;  // of results that no CLAMP bounds
constexpr double kDenseDeviation = 4;    // of the weights of the dense layer

int InputBits(DType type, int attempt) {
  const int precision = FormatOf(type).fraction_bits + 1;
  return std::max(precision / 3 - 2 * attempt, 1);
}

ExecutionOptions PlainSums() { return {.declarations = {.plain_sums = true}}; }

bool IsExact(const Expectation& expectation) {
  return std::ranges::all_of(expectation.error, [](double error) { return error == 0; });
}

// Returns true for operators that a lattice can make exact: if one is not, coarser inputs may help.
bool MayBeExact(const Operator& op) {
  if (op.op == Op::kAvgPool2d) {
    // Only a division by a power of two is exact.
    const std::vector<int32_t>& kernel = op.attributes.Ints(AttributeId::kKernel);
    return std::ranges::all_of(kernel, [](int32_t side) {
      return side > 0 && std::has_single_bit(static_cast<uint32_t>(side));
    });
  }
  return RoleOf(op.op, 0) != ConstantRole::kKept || RoleOf(op.op, 1) != ConstantRole::kKept ||
         op.op == Op::kReduceSum;
}

// Returns true for a number of few bits, such as 6 or 0.125.
bool HasFewBits(double x) {
  constexpr double kMost = 64;
  const double unit = UnitOf(std::span(&x, 1));
  return unit == 0 || std::fabs(x) / unit < kMost;
}

// The bounds that a value is clamped to.
struct ClampBounds {
  double low = 0, high = 0;
  bool is_there = false;
  bool IsTwoSided() const { return is_there && high < 1e4 && low > -1e4; }
};

// Gives weights to the layers of a model in the order of execution.
class LatticeWalk {
 public:
  LatticeWalk(TestVector model, const NeededPart& part, int attempt, uint64_t seed, int64_t sample)
      : model_(std::move(model)),
        part_(part),
        attempt_(attempt),
        random_(Random::For(seed, static_cast<uint64_t>(sample), "lattice",
                            static_cast<uint32_t>(attempt))),
        producers_(MainOf(model_).Producers()) {
    // The dense layer is another one with each sample.
    const auto with_weights =
        std::ranges::count_if(part_.operators, [this](int32_t at) { return HasWeights(at); });
    if (with_weights > 0)
      dense_ = static_cast<int64_t>((seed + static_cast<uint64_t>(sample)) %
                                    static_cast<uint64_t>(with_weights));
  }

  // Returns false if an operator could not be executed: see why().
  bool Walk() {
    DrawInputs();
    return std::ranges::all_of(part_.operators, [this](int32_t at) { return Visit(at); });
  }
  const std::string& why() const { return why_; }

  const TestVector& model() const { return model_; }
  // Returns true if some input is the weights of a dot product.
  bool HasInputWeights() const {
    return std::ranges::any_of(main().inputs,
                               [this](TensorIndex t) { return WeightsOf(t) != nullptr; });
  }
  // Returns the number of constants that are not those of the original.
  int64_t Replaced(const TestVector& original) const {
    return std::ranges::count_if(settled_, [&](int32_t position) {
      const Operator& old = MainOf(original).operators[static_cast<size_t>(position)];
      return old.attributes != At(position).attributes;
    });
  }
  bool failed() const { return failed_; }

 private:
  const Block& main() const { return MainOf(model_); }
  const Operator& At(int32_t position) const {
    return main().operators[static_cast<size_t>(position)];
  }

  // Returns the position of the CONST of a float operand; nothing if it is something else.
  std::optional<int32_t> FloatConstant(const Operator& op, size_t operand) const {
    if (operand >= op.inputs.size() || !IsFloat(main().TypeOf(op.inputs[operand]).type)) return {};
    const int32_t producer = producers_[static_cast<size_t>(op.inputs[operand])];
    if (producer < 0 || At(producer).op != Op::kConst) return std::nullopt;
    return producer;
  }

  bool HasWeights(int32_t position) const {
    const Operator& op = At(position);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (RoleOf(op.op, i) == ConstantRole::kWeight && FloatConstant(op, i)) return true;
    }
    return false;
  }

  const Tensor& ConstantAt(int32_t position) const {
    return At(position).attributes.Value(AttributeId::kValues);
  }

  void Replace(int32_t position, const std::vector<double>& elements) {
    Operator& op = model_.graphs[0].Main()->operators[static_cast<size_t>(position)];
    const Tensor& old = ConstantAt(position);
    op.attributes.Set(AttributeId::kValues, Tensor::FromFloats(old.type(), old.shape(), elements));
    settled_.insert(position);
  }

  // Returns the first operator that reads a float as the weights of its dot product, as operand 1;
  // null if none does.
  const Operator* WeightsOf(TensorIndex tensor) const {
    if (!IsFloat(main().TypeOf(tensor).type)) return nullptr;
    for (const int32_t position : part_.operators) {
      const Operator& op = At(position);
      const bool reads = op.inputs.size() > 1 && op.inputs[1] == tensor;
      if (reads && RoleOf(op.op, 1) == ConstantRole::kWeight) return &op;
    }
    return nullptr;
  }

  void DrawInputs() {
    std::vector<Tensor>& inputs = model_.steps[0].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& old = inputs[i];
      if (const Operator* reader = WeightsOf(main().inputs[i])) {
        const int32_t taps = TapsOf(reader->op, 1, old.shape());
        WeightPlan plan;
        plan.connections = std::clamp(ConnectionsToCover(reader->op, 1, old.shape()) >> attempt_, 1,
                                      std::min(kConnectionsMax, taps));
        inputs[i] = Tensor::FromFloats(old.type(), old.shape(),
                                       DrawWeights(random_, reader->op, 1, old.shape(), plan));
      } else if (IsFloat(old.type())) {
        const int64_t most = int64_t{1} << InputBits(old.type(), attempt_);
        std::vector<double> elements(static_cast<size_t>(old.elements()));
        for (double& x : elements) {
          x = static_cast<double>(random_.Between(-most, most)) * kRangeOfInputs /
              static_cast<double>(most);
        }
        inputs[i] = Tensor::FromFloats(old.type(), old.shape(), elements);
      }
      values_.insert_or_assign(main().inputs[i], inputs[i]);
    }
  }

  // Executes an operator alone on the values before it. Returns nothing if it cannot be executed.
  std::optional<std::vector<Expectation>> Execute(int32_t position) {
    shown_ = ShownFor(position);
    const std::optional<TappedWindow> tapped = window_at_(position);
    if (!tapped || tapped->window.size != 1) return std::nullopt;
    TestVector vector = tapped->window.vector;
    if (!Expect(vector, OptionsFor(vector, PlainSums()))) return std::nullopt;
    if (vector.steps[0].expected != OutcomeKind::kValid) return std::nullopt;
    return std::move(vector.steps[0].outputs);
  }

  // A window is made for an operator whose results are shown, and reads operands that are shown.
  std::map<TensorIndex, Tensor> ShownFor(int32_t position) const {
    std::map<TensorIndex, Tensor> shown;
    for (const TensorIndex input : At(position).inputs) {
      if (const auto value = values_.find(input); value != values_.end()) shown.insert(*value);
    }
    for (const TensorIndex output : At(position).outputs) {
      const TensorType& type = main().TypeOf(output);
      shown.emplace(output, Tensor::Splat(type.type, type.shape, 0));
    }
    return shown;
  }

  // Chooses the constants of an operator and executes it.
  bool Visit(int32_t position) {
    const Operator& op = At(position);
    std::vector<size_t> open;  // operands that are float constants not chosen yet
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const auto constant = FloatConstant(op, i);
      const bool is_kept = RoleOf(op.op, i) == ConstantRole::kKept;
      if (constant && !is_kept && !settled_.contains(*constant)) open.push_back(i);
    }
    const bool is_dense = HasWeights(position) && dense_-- == 0;
    std::optional<std::vector<Expectation>> results;
    for (int tries = 0; tries < (open.empty() ? 1 : kTries); ++tries) {
      for (const size_t operand : open) Choose(position, operand, tries, is_dense);
      results = Execute(position);
      if (results && std::ranges::all_of(*results, IsExact)) break;
    }
    if (!results) return ExecuteAll(position);
    if (MayBeExact(op) && !std::ranges::all_of(*results, IsExact)) failed_ = true;
    for (size_t i = 0; i < op.outputs.size() && i < results->size(); ++i) {
      values_.insert_or_assign(op.outputs[i], (*results)[i].value);
    }
    return true;
  }

  // Takes the results of an operator that cannot run alone from the whole model.
  bool ExecuteAll(int32_t position) {
    const ModelValues all = ValuesOf(model_, part_);
    if (all.outcome.kind != OutcomeKind::kValid) {
      const Operator& op = At(position);
      why_ = std::string(OperatorName(op.op)) +
             (op.outputs.empty() ? ""
                                 : " " + main().tensors[static_cast<size_t>(op.outputs[0])].name) +
             " cannot be executed: " +
             (all.outcome.rule.empty() ? all.outcome.message : all.outcome.rule);
      return false;
    }
    for (const TensorIndex output : At(position).outputs) {
      const auto value = all.values.find(output);
      if (value != all.values.end()) values_.insert_or_assign(output, value->second);
    }
    return true;
  }

  void Choose(int32_t position, size_t operand, int tries, bool is_dense) {
    const int32_t constant = *FloatConstant(At(position), operand);
    switch (RoleOf(At(position).op, operand)) {
      case ConstantRole::kWeight:
        return ChooseWeights(position, operand, constant, tries, is_dense && tries == 0);
      case ConstantRole::kBias:
        return ChooseBias(position, constant);
      case ConstantRole::kShift:
        return ChooseShift(position, operand, constant, tries);
      case ConstantRole::kScale:
        return ChooseScale(constant, tries);
      case ConstantRole::kValue:
        return ChooseValue(position, operand, constant, tries);
      case ConstantRole::kMoved:
        return ChooseMoved(position, operand, constant, tries);
      case ConstantRole::kKept:
        return;
    }
  }

  // Returns the operand that is no constant; -1 if all are.
  TensorIndex DataOf(const Operator& op, size_t other_than) const {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (i != other_than && values_.contains(op.inputs[i])) return op.inputs[i];
    }
    return -1;
  }
  std::vector<double> DataElements(const Operator& op, size_t other_than) const {
    const TensorIndex data = DataOf(op, other_than);
    if (data < 0 || !IsFloat(main().TypeOf(data).type)) return {};
    return FloatsOf(values_.at(data));
  }

  void ChooseWeights(int32_t position, size_t operand, int32_t constant, int tries, bool is_dense) {
    const Operator& op = At(position);
    const Shape shape = ConstantAt(constant).shape();
    const ClampBounds bounds = BoundsBehind(op.outputs[0], 2);
    const int32_t taps = TapsOf(op.op, operand, shape);
    const double deviation = StandardDeviationOf(DataElements(op, operand));
    const double most = bounds.IsTwoSided() ? bounds.high - bounds.low : kUnboundedSpread;
    WeightPlan plan;
    plan.dense = is_dense;
    plan.connections = std::clamp(Connections(bounds, deviation) >> (tries + attempt_ / 2), 1,
                                  std::min(kConnectionsMax, taps));
    plan.connections = std::clamp(ConnectionsToCover(op.op, operand, shape) >> tries,
                                  plan.connections, std::min(kConnectionsMax, taps));
    // A power of two changes no bits of the results, but it makes their unit smaller. A clamp
    // behind it, which keeps its bounds, then leaves more bits. Late attempts let it saturate
    // instead.
    const double spread =
        deviation * (is_dense ? kDenseDeviation * std::sqrt(taps) : std::sqrt(plan.connections));
    constexpr int kScaledAttempts = 2;
    const bool is_wide = spread > 2 * most && attempt_ < kScaledAttempts;
    if (is_wide || (spread > 0 && spread < 1 / kUnboundedSpread)) {
      plan.unit = PowerOfTwoNear(std::min(most / 2, 1.0) / spread);
    }
    Replace(constant, DrawWeights(random_, op.op, operand, shape, plan));
  }

  // Returns how many inputs an output should read: so many that changes do not die out behind a
  // clamp, and so few that most results are inside it, or that the range does not grow without one.
  int32_t Connections(const ClampBounds& bounds, double deviation) {
    if (!bounds.IsTwoSided()) return static_cast<int32_t>(random_.Between(2, 3));
    const double wanted = (bounds.high - bounds.low) / std::max(deviation, 0.5);
    return static_cast<int32_t>(std::clamp(wanted * wanted, 1.0, 8.0));
  }

  // Puts the median of each channel half way between the bounds behind it.
  void ChooseBias(int32_t position, int32_t constant) {
    const Operator& op = At(position);
    const Shape shape = ConstantAt(constant).shape();
    std::vector<double> bias(static_cast<size_t>(shape.Elements()), 0);
    Replace(constant, bias);
    const auto results = Execute(position);
    const double unit = UnitOf(DataElements(op, 2)) * UnitOfOperand(op, 1);
    if (!results || unit == 0) return;
    const Tensor& result = (*results)[0].value;
    Replace(constant,
            Centers(shape, result.shape(), FloatsOf(result), unit, BoundsBehind(op.outputs[0], 2)));
  }

  double UnitOfOperand(const Operator& op, size_t operand) const {
    const auto constant = FloatConstant(op, operand);
    if (constant) return UnitOf(FloatsOf(ConstantAt(*constant)));
    const auto value = values_.find(op.inputs[operand]);
    return value == values_.end() ? 0 : UnitOf(FloatsOf(value->second));
  }

  // Returns what moves the elements that each element of a constant meets into the bounds.
  std::vector<double> Centers(const Shape& shape, const Shape& of_result,
                              const std::vector<double>& result, double unit,
                              const ClampBounds& bounds) {
    std::vector<double> centers;
    for (std::vector<double>& met : ElementsMet(shape, of_result, result)) {
      double center = static_cast<double>(random_.Between(-7, 7)) / 4;
      if (bounds.IsTwoSided()) {
        const double aside = static_cast<double>(random_.Between(-16, 16)) / 128;
        center = (bounds.low + bounds.high) / 2 + aside * (bounds.high - bounds.low);
      } else if (bounds.is_there) {
        center = 0.3 * StandardDeviationOf(met);
      }
      if (bounds.is_there) center -= MedianOf(met);
      const double rounded = std::nearbyint(center / unit) * unit;
      centers.push_back(rounded == 0 ? unit : rounded);
    }
    return centers;
  }

  void ChooseShift(int32_t position, size_t operand, int32_t constant, int tries) {
    const Operator& op = At(position);
    const std::vector<double> old = FloatsOf(ConstantAt(constant));
    if (old.size() == 1 && tries == 0 && HasFewBits(old[0])) return Replace(constant, old);
    const std::vector<double> data = DataElements(op, operand);
    const double unit = UnitOf(data);
    if (unit == 0) return;
    std::vector<double> shift = old;
    if (old.size() == 1) {
      shift[0] = std::nearbyint(old[0] / unit) * unit;
    } else {
      const bool is_added = op.op == Op::kAdd;
      shift = Centers(ConstantAt(constant).shape(), main().TypeOf(DataOf(op, operand)).shape, data,
                      unit, BoundsBehind(op.outputs[0], 1));
      for (double& x : shift) x = is_added ? x : -x;
    }
    Replace(constant, shift);
  }

  void ChooseScale(int32_t constant, int tries) {
    std::vector<double> scale = FloatsOf(ConstantAt(constant));
    if (scale.size() == 1) {
      if (tries > 0 || !HasFewBits(scale[0])) scale[0] = PowerOfTwoNear(scale[0]);
    } else {
      for (double& x : scale) x = random_.OneIn(2) ? -1 : 1;
    }
    Replace(constant, scale);
  }

  // Rounds values to the unit of the others; draws those of which there are many.
  void ChooseValue(int32_t position, size_t operand, int32_t constant, int tries) {
    std::vector<double> chosen = FloatsOf(ConstantAt(constant));
    if (chosen.size() == 1 && tries == 0 && HasFewBits(chosen[0])) {
      return Replace(constant, chosen);
    }
    const DType type = ConstantAt(constant).type();
    double unit = UnitOf(DataElements(At(position), operand));
    const auto most = static_cast<double>(int64_t{1} << InputBits(type, attempt_));
    if (unit == 0) unit = kRangeOfInputs / most;
    for (double& x : chosen) {
      x = static_cast<double>(
              random_.Between(-static_cast<int64_t>(most), static_cast<int64_t>(most))) *
          unit;
    }
    Replace(constant, chosen);
  }

  // Draws a constant that is moved first. If a dot product reads it then, it has as few weights.
  void ChooseMoved(int32_t position, size_t operand, int32_t constant, int tries) {
    const TensorIndex moved = At(position).outputs[0];
    for (const int32_t reader : part_.operators) {
      const Operator& op = At(reader);
      const auto read = std::ranges::find(op.inputs, moved);
      if (read == op.inputs.end()) continue;
      const auto at = static_cast<size_t>(read - op.inputs.begin());
      if (RoleOf(op.op, at) != ConstantRole::kWeight) continue;
      const int32_t taps = TapsOf(op.op, at, main().TypeOf(moved).shape);
      const int32_t connections = std::max(kConnectionsMax / 4 >> tries, 1);
      std::vector<double> weights(static_cast<size_t>(ConstantAt(constant).elements()));
      for (double& w : weights) {
        const bool is_used = random_.Between(1, taps) <= connections;
        const double sign = random_.OneIn(2) ? -1 : 1;
        w = is_used ? sign : 0;
      }
      return Replace(constant, weights);
    }
    ChooseValue(position, operand, constant, tries);
  }

  // Returns the bounds of a CLAMP that reads a tensor, maybe through one or two operators.
  ClampBounds BoundsBehind(TensorIndex tensor, int through) const {
    for (const int32_t position : part_.operators) {
      const Operator& op = At(position);
      if (std::ranges::find(op.inputs, tensor) == op.inputs.end()) continue;
      if (op.op == Op::kClamp) {
        const auto bound = [&](AttributeId attribute) {
          return op.attributes.Value(attribute).Float(0);
        };
        return {bound(AttributeId::kMinVal), bound(AttributeId::kMaxVal), true};
      }
      const bool passes = op.op == Op::kAdd || op.op == Op::kMul || op.op == Op::kReshape;
      if (passes && through > 0) return BoundsBehind(op.outputs[0], through - 1);
    }
    return {};
  }

  TestVector model_;
  const NeededPart& part_;
  const int attempt_;
  Random random_;
  const std::vector<int32_t> producers_;
  int64_t dense_ = -1;  // the layers with weights before the dense one
  std::map<TensorIndex, Tensor> values_;
  std::map<TensorIndex, Tensor> shown_;  // to the operator that is executed
  const std::function<std::optional<TappedWindow>(int32_t)> window_at_ =
      TappedWindowAt(model_, 0, shown_);
  std::set<int32_t> settled_;  // the constants that an operator has chosen
  bool failed_ = false;
  std::string why_;
};

// Gives a float constant that some operands keep as it is, such as zero points, and others replace,
// such as a bias, a copy for those that keep it. Compilers share equal constants.
void Unshare(TestVector& model) {
  Block& main = *model.graphs[0].Main();
  const auto keeps = [](const Operator& op, size_t operand) {
    return RoleOf(op.op, operand) == ConstantRole::kKept;
  };
  std::vector<Operator> copies;
  for (const Operator& constant : main.operators) {
    if (constant.op != Op::kConst || !IsFloat(main.TypeOf(constant.outputs[0]).type)) continue;
    const TensorIndex tensor = constant.outputs[0];
    std::vector<TensorIndex*> kept;
    bool is_replaced = false;
    for (Operator& op : main.operators) {
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i] != tensor) continue;
        if (keeps(op, i)) kept.push_back(&op.inputs[i]);
        is_replaced |= !keeps(op, i);
      }
    }
    if (kept.empty() || !is_replaced) continue;
    TensorInfo info = main.tensors[static_cast<size_t>(tensor)];
    info.name += " as it was";
    const auto copy = static_cast<TensorIndex>(main.tensors.size());
    main.tensors.push_back(std::move(info));
    for (TensorIndex* const operand : kept) *operand = copy;
    copies.push_back(constant);
    copies.back().outputs = std::vector<TensorIndex>{copy};
  }
  main.operators.insert(main.operators.begin(), copies.begin(), copies.end());
}

// Counts what is exact in the whole model. Returns false, with the reason, if nothing can be
// expected of it.
bool Measure(const NeededPart& part, LatticeModel& model, std::string* reason) {
  TestVector all = model.vector;
  Block& main = *all.graphs[0].Main();
  const std::vector<TensorIndex> outputs = main.outputs;
  std::set<TensorIndex> distinct(part.inner.begin(), part.inner.end());
  distinct.insert(outputs.begin(), outputs.end());
  const std::vector<TensorIndex> tensors(distinct.begin(), distinct.end());
  main.outputs = tensors;
  if (!Expect(all, OptionsFor(all, PlainSums()), reason)) return false;
  if (all.steps[0].expected != OutcomeKind::kValid) {
    *reason = all.steps[0].rule;
    return false;
  }
  const auto expectation_of = [&](TensorIndex tensor) -> const Expectation* {
    const auto at = std::ranges::lower_bound(tensors, tensor);
    if (at == tensors.end() || *at != tensor) return nullptr;
    return &all.steps[0].outputs[static_cast<size_t>(at - tensors.begin())];
  };
  model.layers = std::ssize(part.operators);
  for (const int32_t position : part.operators) {
    const Operator& op = main.operators[static_cast<size_t>(position)];
    const bool is_exact = std::ranges::all_of(op.outputs, [&](TensorIndex output) {
      const Expectation* expected = expectation_of(output);
      return expected == nullptr || IsExact(*expected);
    });
    model.exact_layers += is_exact ? 1 : 0;
    if (is_exact || !model.first_inexact.empty()) continue;
    model.exact_up_to = model.exact_layers;
    model.first_inexact = std::string(OperatorName(op.op)) + " " +
                          main.tensors[static_cast<size_t>(op.outputs[0])].name;
  }
  if (model.first_inexact.empty()) model.exact_up_to = model.layers;
  for (const TensorIndex output : outputs) {
    const Expectation& expected = *expectation_of(output);
    model.outputs += expected.value.elements();
    const auto is_zero = [](double error) { return error == 0; };
    model.exact_outputs += expected.error.empty() ? expected.value.elements()
                                                  : std::ranges::count_if(expected.error, is_zero);
  }
  return true;
}

}  // namespace

std::string LatticeModel::Summary() const {
  std::string text = std::to_string(replaced) + " constants on a lattice; with plain sums ";
  if (first_inexact.empty()) {
    text += "all " + std::to_string(layers) + " layers are exact";
  } else {
    text += "exact up to layer " + std::to_string(exact_up_to) + " of " + std::to_string(layers) +
            ", behind it " + first_inexact + " is not; " + std::to_string(exact_layers) +
            " layers are exact";
  }
  return text + ", and " + std::to_string(exact_outputs) + " of " + std::to_string(outputs) +
         " output elements";
}

Result<LatticeModel> OnLattice(const TestVector& given, uint64_t seed, int64_t sample) {
  TestVector model = given;
  Unshare(model);
  const NeededPart part = PartNeededBy(MainOf(model), MainOf(model).outputs);
  LatticeModel best;
  std::string reason;
  bool is_first = true;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    LatticeWalk walk(model, part, attempt, seed, sample);
    if (!walk.Walk()) {
      reason = walk.why();
      continue;
    }
    if (walk.Replaced(model) == 0 && !walk.HasInputWeights()) {
      return UsageError(
          "the model has no floating-point weights to replace, neither constants nor inputs");
    }
    LatticeModel candidate;
    candidate.vector = walk.model();
    candidate.replaced = walk.Replaced(model);
    if (!Measure(part, candidate, &reason)) continue;
    if (is_first || candidate.exact_layers > best.exact_layers) best = std::move(candidate);
    is_first = false;
    if (!walk.failed()) break;
  }
  if (is_first) return Unsupported(reason);
  best.vector.tags.emplace_back("lattice");
  return best;
}

}  // namespace assay

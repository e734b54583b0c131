// SPDX-License-Identifier: Apache-2.0
#include "model_layers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "accuracy.h"
#include "ensemble_run.h"
#include "finding_text.h"
#include "interrupt.h"
#include "judge_case.h"
#include "judge_windows.h"
#include "model_inputs.h"
#include "tapped_windows.h"
#include "target_check.h"
#include "tensor_numbers.h"
#include "windows.h"

namespace assay {
namespace {

constexpr int kTimeOutsMax = 3;
constexpr int64_t kBytesTogether = int64_t{128} << 20;  // of the layers of a run

// Returns the bytes of the constants, inputs and expectations of a layer.
int64_t BytesOfLayer(const TestVector& alone) {
  int64_t bytes = 0;
  for (const Operator& op : MainOf(alone).operators) {
    if (IsConstant(op.op)) bytes += std::ssize(op.attributes.Value(AttributeId::kValues).bytes());
  }
  for (const Tensor& input : alone.steps[0].inputs) bytes += std::ssize(input.bytes());
  for (const Expectation& output : alone.steps[0].outputs) {
    bytes += std::ssize(output.value.bytes());
    bytes += std::ssize(std::as_bytes(std::span(output.reference)));
    bytes += std::ssize(std::as_bytes(std::span(output.error)));
  }
  return bytes;
}

std::string NameOf(const Layer& layer) {
  return "layer " + std::to_string(layer.number) + ": " + std::string(OperatorName(layer.use.op)) +
         " " + layer.name;
}

double NumberAt(const Tensor& tensor, int64_t element) {
  return IsFloat(tensor.type()) ? tensor.Float(element)
                                : static_cast<double>(tensor.Integer(element));
}

// Returns the unit in the last place of a float that has one, otherwise 1.
double UnitAt(const Tensor& tensor, int64_t element) {
  const double unit =
      IsFloat(tensor.type()) ? UlpError(tensor.type(), tensor.Float(element), 1) : 1;
  return unit > 0 ? unit : 1;
}

Layer LayerAt(const TestVector& model, int32_t position, const std::vector<ModelValues>& steps) {
  const Block& main = MainOf(model);
  const Operator& op = main.operators[static_cast<size_t>(position)];
  Layer layer;
  layer.position = position;
  layer.location = op.location;
  layer.use = {op.op, CharacteristicType(main, op)};
  layer.multiply_accumulates = MultiplyAccumulates(main, op);
  layer.result.operators = {layer.use};
  if (op.op == Op::kVariableWrite) layer.name = op.attributes.Text(AttributeId::kName);
  if (op.outputs.empty()) return layer;
  layer.name = main.tensors[static_cast<size_t>(op.outputs[0])].name;
  layer.type = main.TypeOf(op.outputs[0]);
  bool is_first = true;
  for (const ModelValues& step : steps) {
    const auto found = step.values.find(op.outputs[0]);
    if (found == step.values.end()) continue;
    layer.informative = std::max(layer.informative, InformativeShare(found->second));
    ForEachNumber(found->second, [&](double x) {
      if (!std::isfinite(x)) return;
      layer.least = is_first ? x : std::min(layer.least, x);
      layer.greatest = is_first ? x : std::max(layer.greatest, x);
      is_first = false;
    });
  }
  return layer;
}

// Returns the result of a layer that a signal has kept from running.
CaseResult NotRun(const CaseResult& result) {
  CaseResult open;
  open.name = result.name;
  open.vector = result.vector;
  open.note = "not run, because the command was interrupted";
  return open;
}

// Returns a window that is a layer alone, with its expectation; nothing if it is none.
std::optional<Window> AloneOf(const TestVector& model, std::optional<TappedWindow> tapped) {
  if (!tapped) return std::nullopt;
  Window& window = tapped->window;
  if (window.size != 1 || !ExpectWindow(window)) return std::nullopt;
  window.vector.name = (model.name.empty() ? "" : model.name + ": ") + window.operators;
  return std::move(window);
}

// Adds what another step of the model has shown of a layer: what is wrong stays wrong, and what is
// undecided stays open.
void AddStep(Layer&& more, Layer& layer) {
  const auto rank = [](const Layer& each) {
    const CaseState state = each.result.state;
    return state == CaseState::kDisagrees ? 2 : state == CaseState::kAgrees ? 0 : 1;
  };
  Distance& sum = layer.distance;
  sum.units = std::fmax(sum.units, more.distance.units);
  sum.of_allowed = std::fmax(sum.of_allowed, more.distance.of_allowed);
  sum.allowed_units = std::fmax(sum.allowed_units, more.distance.allowed_units);
  if (rank(more) <= rank(layer)) return;
  layer.step = more.step;
  layer.result = std::move(more.result);
}

// Makes layers into vectors and judges some at a time.
class LayerJudge {
 public:
  LayerJudge(Backend& backend, const TestVector& model, const ModelJudging& options,
             std::vector<Layer>& layers)
      : backend_(backend), model_(model), options_(options), layers_(layers) {}

  void Add(size_t layer, std::optional<Window> window) {
    Layer& added = layers_[layer];
    CaseResult& result = added.result;
    if (!window) {
      result.note = std::string("judged with the whole model only: ") +
                    (IsControlFlow(added.use.op)        ? "it runs other graphs of the model"
                     : IsVariableOperator(added.use.op) ? "its variable belongs to the whole model"
                                                        : "no vector has this operator alone");
      return;
    }
    for (const Target& target : options_.targets) {
      const std::vector<Misfit> misfits = Misfits(target, window->vector, 1);
      if (misfits.empty()) continue;
      result.state = CaseState::kUnsupported;
      result.note = "outside the target: " + misfits[0].ToString();
      return;
    }
    if (options_.power != nullptr) options_.power->Measure(added.number, *window);
    Add(layer, std::move(window->vector));
  }

  void Add(size_t layer, TestVector alone) {
    const int64_t bytes = BytesOfLayer(alone);
    if (bytes_ + bytes > kBytesTogether) Judge();
    bytes_ += bytes;
    waiting_.emplace_back(layer, std::move(alone));
  }

  // Judges the layers that wait. If a run fails, each is judged alone.
  void Judge() {
    const bool together = waiting_.size() > 1 && !Interrupted() && JudgeTogether();
    if (!together) {
      for (const auto& [layer, vector] : waiting_) JudgeOne(layer, vector);
    }
    waiting_.clear();
    bytes_ = 0;
  }

 private:
  bool JudgeTogether() {
    std::vector<const TestVector*> vectors;
    for (const auto& [layer, vector] : waiting_) vectors.push_back(&vector);
    const TestVector all = Together(model_, vectors);
    if (!backend_.WhyUnsupported(all).empty()) return false;
    const Result<std::vector<Outcome>> run = backend_.Run(all);
    if (!run || run->size() != waiting_.size()) return false;
    const auto is_valid = [](const Outcome& outcome) {
      return outcome.kind == OutcomeKind::kValid;
    };
    if (!std::ranges::all_of(*run, is_valid)) return false;
    for (size_t i = 0; i < waiting_.size(); ++i) {
      const auto& [layer, vector] = waiting_[i];
      Conclude(layer, vector, {(*run)[i]});
      if (layers_[layer].result.state == CaseState::kDisagrees) Confirm(layer, vector);
    }
    return true;
  }

  void Conclude(size_t layer, const TestVector& vector, const std::vector<Outcome>& outcomes) {
    Layer& judged = layers_[layer];
    judged.result.outcome = OutcomeKind::kValid;
    judged.distance = {};
    JudgeOutcomes(vector, outcomes, backend_.Declared(), judged.result);
    if (options_.keep_results) judged.results = outcomes[0].outputs;
    const std::vector<Expectation>& expected = vector.steps[0].outputs;
    for (size_t i = 0; i < expected.size() && i < outcomes[0].outputs.size(); ++i) {
      const Distance distance = DistanceFrom(expected[i], outcomes[0].outputs[i]);
      judged.distance.units = std::fmax(judged.distance.units, distance.units);
      judged.distance.of_allowed = std::fmax(judged.distance.of_allowed, distance.of_allowed);
      judged.distance.allowed_units =
          std::fmax(judged.distance.allowed_units, distance.allowed_units);
    }
  }

  // Runs a layer alone that was wrong among others. It is never right after that.
  void Confirm(size_t layer, const TestVector& vector) {
    CaseResult& result = layers_[layer].result;
    const std::string seen = FindingHeadline(result.verdict.findings[0]);
    backend_.RunNextAlone();
    JudgeOne(layer, vector);
    if (result.state != CaseState::kAgrees) return;
    result.state = CaseState::kUndecided;
    result.note = "not repeatable: " + seen + " in a run with other layers, and right alone";
  }

  // Runs a layer alone. A finding must come twice.
  void JudgeOne(size_t layer, const TestVector& vector) {
    CaseResult& result = layers_[layer].result;
    if (Interrupted()) {
      result = NotRun(result);
      layers_[layer].distance = {};
      return;
    }
    if (time_outs_ >= kTimeOutsMax) {
      result.note = "not run, after the backend has reached its limits";
      return;
    }
    if (backend_.WhyUnsupported(vector).empty()) {
      const Result<std::vector<Outcome>> run = backend_.Run(vector);
      const bool is_valid = run && !run->empty() && (*run)[0].kind == OutcomeKind::kValid;
      if (is_valid) Conclude(layer, vector, *run);
      if (is_valid && result.state != CaseState::kDisagrees) return;
    }
    std::string name = result.name;
    result = JudgeOnBackend(backend_, {vector, {}}, name, 1);
    result.name = std::move(name);
    time_outs_ += TakeTimeOut(options_.limits, result) ? 1 : 0;
  }

  Backend& backend_;
  const TestVector& model_;
  const ModelJudging& options_;
  std::vector<Layer>& layers_;
  std::vector<std::pair<size_t, TestVector>> waiting_;
  int64_t bytes_ = 0;
  int time_outs_ = 0;
};

}  // namespace

double UnitsApart(const Tensor& wanted, const Tensor& got, int64_t element) {
  const double x = NumberAt(wanted, element), y = NumberAt(got, element);
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  const double apart = std::fabs(y - x) / UnitAt(wanted, element);
  return std::isnan(apart) ? HUGE_VAL : apart;
}

Distance DistanceFrom(const Expectation& expected, const Tensor& got) {
  Distance distance;
  const Tensor& value = expected.value;
  if (!got.has_value() || got.tensor_type() != value.tensor_type()) return distance;
  distance.units = 0;
  if (expected.error.empty() && got == value) return distance;
  for (int64_t i = 0; i < value.elements(); ++i) {
    distance.units = std::max(distance.units, UnitsApart(value, got, i));
    if (expected.error.empty()) continue;
    const auto at = static_cast<size_t>(i);
    const double allowed = expected.error[at];
    const double found = NumberAt(got, i);
    if (!std::isfinite(found) || !(allowed > 0)) continue;
    distance.allowed_units = std::fmax(distance.allowed_units, allowed / UnitAt(value, i));
    const double taken = std::fabs(found - expected.reference[at]) / allowed;
    distance.of_allowed = std::fmax(distance.of_allowed, taken);
  }
  return distance;
}

bool TakeTimeOut(const BackendOptions& limits, CaseResult& result) {
  if (result.state != CaseState::kDisagrees ||
      result.verdict.findings[0].violation != Violation::kTimeOut) {
    return false;
  }
  const auto seconds = [](double x) { return std::to_string(std::llround(x)) + " s"; };
  result.state = CaseState::kUndecided;
  result.verdict = {};
  result.note = "the backend took more than its limits for this model, " +
                seconds(limits.cpu_seconds) + " of processor time or " +
                seconds(limits.wall_seconds);
  return true;
}

std::optional<TestVector> LayerAlone(const TestVector& model, const Layer& layer,
                                     const std::vector<ModelValues>& values) {
  const ModelValues& step = values[static_cast<size_t>(layer.step)];
  std::optional<Window> alone =
      AloneOf(model, TappedWindowAt(model, layer.step, step.values)(layer.position));
  if (!alone) return std::nullopt;
  return std::move(alone->vector);
}

std::vector<Layer> JudgeLayers(Backend& backend, const TestVector& model, const NeededPart& part,
                               const std::vector<ModelValues>& values, const ModelJudging& options,
                               size_t before) {
  std::vector<Layer> layers;
  for (const int32_t position : part.operators) {
    layers.push_back(LayerAt(model, position, values));
    Layer& layer = layers.back();
    layer.number = before + layers.size();
    layer.result.name = layer.result.vector = NameOf(layer);
    if (values.empty()) layer.result.note = "the model does not run it with these inputs";
  }
  if (values.empty()) return layers;
  std::vector<Layer> judged;  // those of the first step, and of others those with new operands
  LayerJudge judge(backend, model, options, judged);
  std::vector<std::vector<std::vector<Tensor>>> operands(layers.size());  // of each layer so far
  for (size_t s = 0; s < values.size(); ++s) {
    const auto step = static_cast<int32_t>(s);
    const auto window_at = TappedWindowAt(model, step, values[s].values);
    for (size_t i = 0; i < layers.size(); ++i) {
      std::optional<Window> alone = AloneOf(model, window_at(layers[i].position));
      const std::vector<Tensor>* inputs = alone ? &alone->vector.steps[0].inputs : nullptr;
      if (s > 0 && (inputs == nullptr || std::ranges::count(operands[i], *inputs) > 0)) continue;
      if (inputs != nullptr && values.size() > 1) operands[i].push_back(*inputs);
      judged.push_back(layers[i]);
      judged.back().step = step;
      judge.Add(judged.size() - 1, std::move(alone));
    }
  }
  judge.Judge();
  std::ranges::move(judged.begin(), judged.begin() + std::ssize(layers), layers.begin());
  for (size_t k = layers.size(); k < judged.size(); ++k) {
    Layer& layer = layers[judged[k].number - before - 1];
    AddStep(std::move(judged[k]), layer);
  }
  return layers;
}

std::vector<Layer> JudgeMade(Backend& backend, const TestVector& model,
                             const std::vector<Layer>& layers,
                             const std::vector<MadeOperands>& made, const ModelJudging& options) {
  std::vector<Layer> judged;
  for (const MadeOperands& each : made) {
    Layer& layer = judged.emplace_back(layers[each.layer - 1]);
    layer.result = {};
    layer.result.name = layer.result.vector = NameOf(layer);
    layer.result.operators = {layer.use};
  }
  LayerJudge judge(backend, model, options, judged);
  for (size_t i = 0; i < made.size(); ++i) judge.Add(i, made[i].vector);
  judge.Judge();
  return judged;
}

}  // namespace assay

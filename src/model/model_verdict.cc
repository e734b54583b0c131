// SPDX-License-Identifier: Apache-2.0
#include "model_verdict.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "apply_known.h"
#include "called_blocks.h"
#include "counted_backend.h"
#include "declared_verdict.h"
#include "executor.h"
#include "interrupt.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "judge_taps.h"
#include "judge_windows.h"
#include "layer_location.h"
#include "target_check.h"

namespace assay {
namespace {

constexpr int64_t kValuesBytesMax = int64_t{32} << 20;  // of values that are always kept

int64_t BytesOf(const std::vector<ModelValues>& values) {
  int64_t bytes = 0;
  for (const ModelValues& step : values) {
    for (const auto& [index, tensor] : step.values) bytes += std::ssize(tensor.bytes());
  }
  return bytes;
}

bool IsExactAt(const Expectation& expected, size_t element) {
  return expected.error.empty() || expected.error[element] == 0;
}

Evidence EvidenceOf(const TestVector& model) {
  std::optional<TestVector> plain;
  if (IsLattice(model) && LeavesElementsOpen(model)) {
    plain = ExpectationUnder(model)({.plain_sums = true});
  }
  Evidence evidence;
  for (size_t s = 0; s < model.steps.size(); ++s) {
    const std::vector<Expectation>& outputs = model.steps[s].outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      for (size_t k = 0; k < static_cast<size_t>(outputs[i].value.elements()); ++k) {
        if (IsExactAt(outputs[i], k)) {
          ++evidence.exact;
        } else if (plain && IsExactAt(plain->steps[s].outputs[i], k)) {
          ++evidence.by_lattice;
        } else {
          ++(std::isnan(outputs[i].error[k]) ? evidence.open : evidence.by_sets);
        }
      }
    }
  }
  return evidence;
}

bool IsWrong(const CaseResult& result) {
  return result.state == CaseState::kDisagrees &&
         result.verdict.findings[0].violation != Violation::kTimeOut;
}

// Searches for the layer with which a model goes wrong that is right layer by layer.
class CutSearch {
 public:
  CutSearch(Backend& backend, const TestVector& model, const NeededPart& part)
      : backend_(backend), model_(model), part_(part) {}

  // Returns the number of layers of the shortest wrong cut that was found; nothing if no cut is
  // wrong. With one layer less the model is right.
  std::optional<size_t> Search() {
    size_t right = 0;
    size_t wrong = part_.operators.size();
    if (!IsWrongAfter(wrong)) return std::nullopt;
    while (wrong - right > 1) {
      const size_t middle = (right + wrong) / 2;
      (IsWrongAfter(middle) ? wrong : right) = middle;
    }
    return wrong;
  }

  // The shortest wrong cut that was run, and its result.
  const TestVector& vector() const { return vector_; }
  const CaseResult& result() const { return result_; }

 private:
  bool IsWrongAfter(size_t layers) {
    const std::vector<TensorIndex> outputs = CutOutputs(MainOf(model_), part_, layers);
    if (outputs.empty()) return false;
    TestVector cut = WithOutputs(model_, outputs);
    if (!Expect(cut, {})) return false;
    backend_.RunNextAlone();
    CaseResult result = JudgeOnce(backend_, cut, "");
    if (!IsWrong(result)) return false;
    vector_ = std::move(cut);
    result_ = std::move(result);
    return true;
  }

  Backend& backend_;
  const TestVector& model_;
  const NeededPart& part_;
  TestVector vector_;
  CaseResult result_;
};

// Returns the layer with a result of this name; nothing if there is none.
std::optional<size_t> LayerNamed(const std::vector<Layer>& layers, const std::string& tensor) {
  const auto found = std::ranges::find_if(layers, [&tensor](const Layer& layer) {
    return layer.name == tensor && layer.use.op != Op::kVariableWrite;
  });
  if (found == layers.end()) return std::nullopt;
  return static_cast<size_t>(found - layers.begin());
}

// Returns the last of the first `count` layers that writes a variable; nothing if there is none.
std::optional<size_t> LastWrite(const std::vector<Layer>& layers, size_t count,
                                std::string_view variable) {
  for (size_t i = count; i-- > 0;) {
    if (layers[i].use.op == Op::kVariableWrite && layers[i].name == variable) return i;
  }
  return std::nullopt;
}

// Returns the write that is wrong if a model that ends with layer `last` shows this finding:
// variables are compared after all writes, and a VARIABLE_READ shows the last one before it.
// Returns nothing if the finding is about no variable.
std::optional<WrongLayer> WrongWrite(const TestVector& model, const std::vector<Layer>& layers,
                                     size_t last, const Finding& finding) {
  const std::string number = std::to_string(last + 1);
  const Operator& op = MainOf(model).operators[static_cast<size_t>(layers[last].position)];
  std::optional<size_t> write;
  std::string seen_by;
  if (finding.violation == Violation::kState) {
    write = LastWrite(layers, layers.size(), finding.tensor);
    seen_by =
        "by the variable " + finding.tensor + " after the model that ends with layer " + number;
  } else if (op.op == Op::kVariableRead) {
    // The value may be one of the step before.
    const std::string& variable = op.attributes.Text(AttributeId::kName);
    write = LastWrite(layers, last, variable);
    if (!write) write = LastWrite(layers, layers.size(), variable);
    seen_by = "by layer " + number + ", VARIABLE_READ" +
              (finding.message.empty() ? "" : ": " + finding.message);
  }
  if (!write) return std::nullopt;
  return WrongLayer{*write, std::move(seen_by), false, std::nullopt, {}};
}

// Returns a wrong layer with the window that shows it, if that fails alone.
WrongLayer Shown(size_t layer, std::string seen_by, std::optional<FailingWindow> window,
                 const CaseResult& whole) {
  WrongLayer wrong{layer, std::move(seen_by), false, std::nullopt, whole};
  if (window) {
    wrong.vector = std::move(window->vector);
    wrong.result = std::move(window->result);
  }
  return wrong;
}

// Returns the number of the layer of the main block that a layer is, or is inside of.
size_t OutermostOf(const std::vector<Layer>& layers, const Layer& layer) {
  return layer.inside == 0 ? layer.number : OutermostOf(layers, layers[layer.inside - 1]);
}

// Returns the first layer, in the order of execution, that is wrong alone; null if none is.
const Layer* FirstWrongAlone(const std::vector<Layer>& layers) {
  const Layer* first = nullptr;
  for (const Layer& layer : layers) {
    if (!IsWrong(layer.result)) continue;
    if (first == nullptr || OutermostOf(layers, layer) < OutermostOf(layers, *first)) {
      first = &layer;
    }
  }
  return first;
}

// Returns the way in which a layer that is wrong alone was found.
std::string SeenAlone(const Layer& layer) {
  if (!layer.is_run) {
    return "alone, on the operands of the control flow, which does not run its block here";
  }
  const bool is_in_step = layer.step > 0 && layer.inside == 0;
  return "alone, on the values that the reference executor has there" +
         (is_in_step ? " in step " + std::to_string(layer.step) : "");
}

// Searches for the layer with which a block goes wrong that the control flow with this number runs.
// The block is run as a model of its own. Returns nothing if it is right there.
std::optional<WrongLayer> FindWrongInside(Backend& backend, const std::vector<CalledBlock>& called,
                                          size_t number) {
  for (const CalledBlock& block : called) {
    if (block.caller_layer != number || block.values.empty()) continue;
    CutSearch search(backend, block.model, block.part);
    const std::optional<size_t> cut = search.Search();
    if (!cut) continue;
    const size_t layer = block.layers_before + *cut;
    if (auto inner = FindWrongInside(backend, called, layer)) return inner;
    return WrongLayer{layer - 1, "in its block as a model of its own, up to this layer; not alone",
                      false, search.vector(), search.result()};
  }
  return std::nullopt;
}

std::optional<WrongLayer> FindWrongLayer(Backend& backend, const TestVector& model,
                                         const NeededPart& part,
                                         const std::vector<ModelValues>& values,
                                         const std::vector<CalledBlock>& called,
                                         const ModelVerdict& verdict) {
  const std::vector<Layer>& layers = verdict.layers;
  if (const Layer* alone = FirstWrongAlone(layers)) {
    const CalledBlock* block = BlockOfLayer(called, alone->number);
    return WrongLayer{alone->number - 1, SeenAlone(*alone), false,
                      block == nullptr ? LayerAlone(model, *alone, values)
                                       : LayerAlone(block->model, *alone, block->values),
                      alone->result};
  }
  if (Interrupted()) return std::nullopt;
  const CaseResult& whole = verdict.whole;
  if (IsWrong(whole)) {
    const Finding& finding = whole.verdict.findings[0];
    const auto named = LayerNamed(layers, finding.tensor);
    if (named && !finding.window.empty()) {
      return Shown(*named, "in the window " + finding.window, FindFailingWindow(backend, model),
                   whole);
    }
    if (named && !finding.taps.empty()) {
      return Shown(*named, "on the values that the backend itself has there",
                   FindFailingTap(backend, model), whole);
    }
    CutSearch search(backend, model, part);
    if (const std::optional<size_t> cut = search.Search()) {
      if (auto inner = FindWrongInside(backend, called, *cut)) return inner;
      const auto write = WrongWrite(model, layers, *cut - 1, search.result().verdict.findings[0]);
      WrongLayer wrong = write.value_or(WrongLayer{
          *cut - 1, "in the model that ends with it, not alone", false, std::nullopt, {}});
      wrong.vector = search.vector();
      wrong.result = search.result();
      return wrong;
    }
    return std::nullopt;
  }
  if (whole.state != CaseState::kSuspect) return std::nullopt;
  const auto suspect =
      std::ranges::find(layers, CaseState::kSuspect, [](const Layer& l) { return l.result.state; });
  if (suspect != layers.end()) {
    return WrongLayer{static_cast<size_t>(suspect - layers.begin()), suspect->result.note, true,
                      std::nullopt, suspect->result};
  }
  const std::vector<Finding>& findings = whole.verdict.findings;
  if (!findings.empty() && !findings[0].taps.empty()) {
    const auto tapped = LayerNamed(layers, findings[0].tensor);
    if (tapped) return WrongLayer{*tapped, whole.note, true, std::nullopt, whole};
  }
  return std::nullopt;
}

std::vector<std::string> ReasonsOutside(const TestVector& model,
                                        const std::vector<Target>& targets) {
  std::vector<std::string> reasons;
  for (const Target& target : targets) {
    for (const Misfit& misfit : Misfits(target, model)) reasons.push_back(misfit.ToString());
  }
  return reasons;
}

CaseResult OutsideTheTarget(const TestVector& model, const std::string& path) {
  CaseResult result = NewCase(model, path);
  result.state = CaseState::kUnsupported;
  result.note = "outside the target";
  return result;
}

// Marks the layers that are wrong alone in ways that a file of known failures names. If there are
// some, and no other layer is wrong, they are why the whole model is.
void MarkKnown(const KnownFailures& known, ModelVerdict& verdict) {
  std::string reason;
  bool any_new = false;
  for (Layer& layer : verdict.layers) {
    if (layer.result.state != CaseState::kDisagrees) continue;
    MarkKnown(known, {}, layer.result);
    if (layer.result.state == CaseState::kDisagrees) any_new = true;
    if (layer.result.state == CaseState::kKnown && reason.empty()) reason = layer.result.note;
  }
  const bool is_wrong =
      verdict.whole.state == CaseState::kDisagrees || verdict.whole.state == CaseState::kSuspect;
  if (reason.empty() || any_new || !is_wrong) return;
  verdict.whole.state = CaseState::kKnown;
  verdict.whole.note = reason;
}

// Judges the layers of the blocks that control flow runs, behind those of the main block.
void JudgeCalledBlocks(Backend& backend, const std::vector<CalledBlock>& called,
                       const ModelJudging& options, std::vector<Layer>& layers) {
  for (const CalledBlock& block : called) {
    const Layer& caller = layers[block.caller_layer - 1];
    const std::string path =
        caller.path + std::string(OperatorName(caller.use.op)) +
        (caller.location.empty() ? " " + caller.name
                                 : " at " + LayerLocationText(caller.location)) +
        " / ";
    for (Layer& layer : JudgeLayers(backend, block.model, block.part, block.values, options,
                                    block.layers_before)) {
      layer.inside = block.caller_layer;
      layer.path = path;
      layer.is_run = block.is_run;
      layers.push_back(std::move(layer));
    }
  }
}

}  // namespace

Result<ModelVerdict> JudgeModel(Backend& backend, const TestVector& model, const std::string& path,
                                const ModelJudging& options) {
  CountedBackend counted(backend);
  const NeededPart part = PartOf(model);
  std::optional<std::vector<ModelValues>> values = ValuesOfSteps(model, part);
  const Outcome& outcome = values->back().outcome;
  if (outcome.kind == OutcomeKind::kUnsupported) {
    return Unsupported(path + ": " + outcome.message);
  }
  if (outcome.kind != OutcomeKind::kValid) {
    return BadInput(path + ": the model breaks " + outcome.rule + " with these inputs" +
                    (outcome.message.empty() ? "" : ": " + outcome.message));
  }
  // A large model gives up its values while the backend's own are judged, and computes them again.
  if (BytesOf(*values) > kValuesBytesMax) values.reset();
  TestVector expected = model;
  std::string reason;
  if (!Expect(expected, {}, &reason)) {
    return Unsupported(path + ": nothing can be expected of it: " + reason);
  }
  ModelVerdict verdict;
  verdict.evidence = EvidenceOf(expected);
  verdict.outside = ReasonsOutside(expected, options.targets);
  verdict.whole = verdict.outside.empty() ? JudgeInDepth(counted, {expected, {}}, path)
                                          : OutsideTheTarget(expected, path);
  const bool is_refused = verdict.whole.state == CaseState::kUnsupported && verdict.outside.empty();
  if (!is_refused && !verdict.whole.unreached) {
    TakeTimeOut(options.limits, verdict.whole);
    if (!values) values = ValuesOfSteps(model, part);
    verdict.layers = JudgeLayers(counted, expected, part, *values, options);
    const std::vector<CalledBlock> called = CalledBlocksOf(expected, part);
    JudgeCalledBlocks(counted, called, options, verdict.layers);
    if (options.power != nullptr) {
      options.power->MeasureReach(called);
      options.power->MeasureWiring(expected, part, called);
      const bool all_tapped = verdict.whole.tapped >= std::ssize(part.operators);
      if (all_tapped && counted.Declared().taps_used) {
        options.power->MeasureByTaps(expected, *values);
      }
    }
    MarkKnown(options.known, verdict);
    verdict.wrong = FindWrongLayer(counted, expected, part, *values, called, verdict);
  }
  verdict.runs = counted.runs();
  return verdict;
}

void AddMade(Backend& backend, const TestVector& model, const std::vector<MadeOperands>& made,
             const ModelJudging& options, ModelVerdict& verdict) {
  CountedBackend counted(backend);
  verdict.made = JudgeMade(counted, model, verdict.layers, made, options);
  verdict.runs += counted.runs();
  for (size_t i = 0; i < made.size(); ++i) {
    CaseResult& result = verdict.made[i].result;
    MarkKnown(options.known, {}, result);
    if (verdict.wrong || !IsWrong(result)) continue;
    verdict.wrong = WrongLayer{made[i].layer - 1, made[i].seen_by, false, made[i].vector, result};
  }
}

}  // namespace assay

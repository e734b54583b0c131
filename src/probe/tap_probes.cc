// SPDX-License-Identifier: Apache-2.0
#include "tap_probes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "clean_text.h"
#include "executor.h"
#include "finding_text.h"
#include "judge_vector.h"
#include "probe_graph.h"
#include "random.h"

namespace assay {
namespace {

constexpr int kTapProbeRows = 3, kTapProbeColumns = 33;
constexpr uint64_t kTapProbeSeed = 1;
const TensorType kTapProbeType = {DType::kFp32, {kTapProbeRows, kTapProbeColumns}};

Tensor Numbers(Random& random) {
  std::vector<double> numbers;
  for (int i = 0; i < kTapProbeRows * kTapProbeColumns; ++i) {
    numbers.push_back(std::ldexp(static_cast<double>(random.Between(-(1 << 23), 1 << 23)), -22));
  }
  return Tensor::FromFloats(kTapProbeType.type, kTapProbeType.shape, numbers);
}

// A vector with one inexact operator. Two operators read its result and change no number.
struct TapProbe {
  std::string what;  // "EXP fp32"
  TestVector vector;
  TensorIndex tap;
  // The outputs are the absolute values of the result, and the result itself.
};

TapProbe Read(std::string what, ProbeGraph& graph, TensorIndex result, const TensorType& type) {
  const TensorIndex absolute = graph.Add(Op::kAbs, {result}, type);
  const TensorIndex same = graph.Add(Op::kIdentity, {result}, type);
  return {std::move(what), graph.Finish({absolute, same}), result};
}

std::vector<TapProbe> TapProbes() {
  Random random(kTapProbeSeed);
  std::vector<TapProbe> probes;
  ProbeGraph exp;
  probes.push_back(Read("EXP fp32", exp,
                        exp.Add(Op::kExp, {exp.Input(Numbers(random))}, kTapProbeType),
                        kTapProbeType));
  ProbeGraph mul;
  const TensorIndex x = mul.Input(Numbers(random));
  const TensorIndex y = mul.Input(Numbers(random));
  const TensorIndex shift = mul.Constant(Tensor::Splat(DType::kInt8, {1}, 0));
  probes.push_back(
      Read("MUL fp32", mul, mul.Add(Op::kMul, {x, y, shift}, kTapProbeType), kTapProbeType));
  ProbeGraph sum;
  const TensorType column = {kTapProbeType.type, {kTapProbeRows, 1}};
  probes.push_back(Read("REDUCE_SUM fp32", sum,
                        sum.Add(Op::kReduceSum, {sum.Input(Numbers(random))}, column,
                                {{AttributeId::kAxis, int32_t{1}}}),
                        column));
  return probes;
}

// The answer to a probe: what is wrong with it, "" if nothing is.
struct TapAnswer {
  bool given = false;       // there is a value of the tap
  std::string unsupported;  // why there is no answer
  std::string wrong;        // with the values
  std::string unread;       // the readers of the tap have read something else
};

std::string JudgeWithTap(const TapProbe& probe, const Outcome& outcome, const Tensor& tap) {
  TestVector whole = probe.vector;
  whole.graphs[0].Main()->outputs.push_back(probe.tap);
  Outcome all = outcome;
  all.outputs.push_back(tap);
  std::string reason;
  if (!Expect(whole, {}, &reason)) return reason;
  const Verdict verdict = JudgeVector(whole, {&all, 1});
  if (verdict.kind == VerdictKind::kAgrees) return "";
  return verdict.findings.empty() ? verdict.reason : FindingText(verdict.findings[0]);
}

// Compares what the readers of a tap give with what they would make of its value.
std::string CompareReaders(const Outcome& outcome, const Tensor& tap) {
  for (int64_t i = 0; i < tap.elements(); ++i) {
    const bool absolute = outcome.outputs[0].Float(i) == std::fabs(tap.Float(i));
    const bool same = outcome.outputs[1].Float(i) == tap.Float(i);
    if (absolute && same) continue;
    return std::string(absolute ? "IDENTITY" : "ABS") + " has read another element " +
           std::to_string(i) + " than the backend shows";
  }
  return "";
}

TapAnswer AskForTap(Backend& backend, TapProbe probe) {
  TapAnswer answer;
  if (!Expect(probe.vector, {})) return answer;
  answer.unsupported = backend.WhyUnsupported(probe.vector);
  if (!answer.unsupported.empty()) return answer;
  if (!backend.OffersTaps(probe.vector)) {
    answer.unsupported = "it offers no taps";
    return answer;
  }
  const Result<TappedRun> run = backend.RunWithTaps(probe.vector, {{probe.tap}});
  if (!run || run->outcomes[0].kind != OutcomeKind::kValid) {
    const std::string words = run ? run->outcomes[0].message : run.error().message;
    if (run && run->outcomes[0].kind == OutcomeKind::kUnsupported) {
      answer.unsupported = words;
    } else {
      answer.given = true;
      answer.wrong = probe.what + ": " + words;
    }
    return answer;
  }
  const auto tap = run->taps[0].find(probe.tap);
  if (tap == run->taps[0].end()) {
    answer.unsupported = "it does not give the result of " + probe.what;
    return answer;
  }
  answer.given = true;
  answer.wrong = JudgeWithTap(probe, run->outcomes[0], tap->second);
  if (answer.wrong.empty()) answer.unread = CompareReaders(run->outcomes[0], tap->second);
  for (std::string* words : {&answer.wrong, &answer.unread}) {
    if (!words->empty()) *words = probe.what + ": " + *words;
  }
  return answer;
}

ExamPoint TapPoint(std::string question, const std::vector<TapAnswer>& answers,
                   std::string TapAnswer::*complaint) {
  ExamPoint point{std::move(question), ExamMark::kNotSupported, ""};
  int given = 0;
  std::string first;
  for (const TapAnswer& answer : answers) {
    given += answer.given ? 1 : 0;
    if (first.empty()) first = answer.*complaint;
    if (point.remark.empty()) point.remark = answer.unsupported;
  }
  if (given > 0) {
    point.mark = first.empty() ? ExamMark::kGood : ExamMark::kFailed;
    const auto all = std::to_string(answers.size());
    const std::string agree = given == std::ssize(answers)
                                  ? "all " + all + " probes agree"
                                  : "only " + std::to_string(given) + " of " + all +
                                        " probes ran, and agree; " + point.remark;
    point.remark = first.empty() ? agree : first;
  }
  point.remark = OneLine(point.remark);
  return point;
}

}  // namespace

std::vector<ExamPoint> ProbeTaps(Backend& backend) {
  std::vector<TapAnswer> answers;
  for (TapProbe& probe : TapProbes()) answers.push_back(AskForTap(backend, std::move(probe)));
  const auto is_wrong = [](const TapAnswer& answer) { return !answer.wrong.empty(); };
  ExamPoint values = TapPoint("gives the values of inner tensors", answers, &TapAnswer::wrong);
  ExamPoint used = TapPoint("keeps what taps-used declares", answers, &TapAnswer::unread);
  if (std::ranges::any_of(answers, is_wrong)) {
    used.mark = ExamMark::kFailed;
    used.remark = values.remark;
  }
  const bool probed = used.mark != ExamMark::kNotSupported;
  if (probed && !backend.Declared().taps_used) used.mark = ExamMark::kNotDeclared;
  return {std::move(values), std::move(used)};
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "backend_kind.h"
#include "canaries.h"
#include "float_format.h"
#include "name_search.h"
#include "own_executor.h"

namespace assay::backend {
namespace {

// A fault of a whole answer, independent of the calculation. It is applied to the outcome of one
// step.
struct AnswerFault {
  std::string_view name;
  std::string_view what;
  void (*spoil)(Outcome& outcome);
};

void End(Outcome& outcome, OutcomeKind kind, std::string message) {
  outcome = Outcome();
  outcome.kind = kind;
  outcome.message = std::move(message);
}

void Accept(Outcome& outcome) {
  if (outcome.kind == OutcomeKind::kError) End(outcome, OutcomeKind::kValid, "");
}

void RaiseRank(Outcome& outcome) {
  for (Tensor& output : outcome.outputs) {
    Shape shape = output.shape();
    if (shape.rank() == Shape::kMaxRank) continue;
    shape.PushBack(1);
    const auto bytes = output.bytes();
    output = Tensor::FromBytes(output.type(), shape, {bytes.begin(), bytes.end()});
  }
}

// Flushes the first, third, fifth... subnormal number of each tensor.
void FlushSome(Outcome& outcome) {
  for (Tensor& output : outcome.outputs) {
    if (!IsFloat(output.type())) continue;
    std::vector<double> values;
    bool flushes = true;
    for (int64_t i = 0; i < output.elements(); ++i) {
      values.push_back(output.Float(i));
      double& value = values.back();
      if (value == 0 || !(std::fabs(value) < FormatOf(output.type()).normal_min)) continue;
      if (std::exchange(flushes, !flushes)) value = std::copysign(0.0, value);
    }
    output = Tensor::FromFloats(output.type(), output.shape(), values);
  }
}

constexpr AnswerFault kAnswerFaults[] = {
    {"crashes", "every run crashes",
     [](Outcome& outcome) { End(outcome, OutcomeKind::kCrashed, "signal 11"); }},
    {"hangs", "no run ends",
     [](Outcome& outcome) { End(outcome, OutcomeKind::kTimedOut, "time limit"); }},
    {"accepts-all", "graphs that must be refused are answered without outputs", Accept},
    {"wrong-rank", "outputs have one dimension too many, of size 1", RaiseRank},
    {"flushes-some", "every second subnormal number of a result is flushed, the others are kept",
     FlushSome},
};

class SpoiltAnswers : public Backend {
 public:
  SpoiltAnswers(std::unique_ptr<Backend> executor, const AnswerFault& fault)
      : executor_(std::move(executor)), fault_(fault) {}

  std::string WhyUnsupported(const TestVector& vector) const override {
    return executor_->WhyUnsupported(vector);
  }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    Result<std::vector<Outcome>> outcomes = executor_->Run(vector);
    if (!outcomes) return outcomes;
    for (Outcome& outcome : *outcomes) fault_.spoil(outcome);
    return outcomes;
  }
  bool ChecksPlans() const override { return true; }
  std::string Describe() const override { return executor_->Describe(); }

 private:
  std::unique_ptr<Backend> executor_;
  const AnswerFault& fault_;
};

// Returns the rows of the fault tables, one per line.
std::string Help() {
  std::string help = "the reference executor with one seeded fault, which a suite must find:";
  const auto add = [&help](std::string_view name, std::string_view what) {
    help += "\ncanary:" + std::string(name) + ": " + std::string(what);
  };
  for (const Mutant& canary : AllCanaries()) add(canary.id, canary.what);
  for (const AnswerFault& row : kAnswerFaults) add(row.name, row.what);
  return help;
}

Result<std::unique_ptr<Backend>> OpenCanary(std::string_view argument,
                                            const BackendOptions& options) {
  std::vector<std::string_view> known;
  for (const AnswerFault& row : kAnswerFaults) known.push_back(row.name);
  for (const Mutant& canary : AllCanaries()) known.push_back(canary.id);
  const Result<size_t> found = FindName("fault (canary)", argument, known);
  if (!found) return found.error();
  const auto title = [name = known[*found]](std::string_view what) {
    return "canary:" + std::string(name) + " (" + std::string(what) + ")";
  };
  if (*found < std::size(kAnswerFaults)) {
    const AnswerFault& fault = kAnswerFaults[*found];
    return std::unique_ptr<Backend>(
        std::make_unique<SpoiltAnswers>(MakeOwnExecutor(title(fault.what), {}, options), fault));
  }
  const Mutant& canary = AllCanaries()[*found - std::size(kAnswerFaults)];
  return MakeOwnExecutor(title(canary.what), {.mutant = &canary}, options);
}

const std::string kCanaryHelp = Help();

}  // namespace

extern const BackendKind canary_backend = {
    .name = "canary",
    .argument = "NAME",
    .help = kCanaryHelp,
    .open = OpenCanary,
    .taps = "of any graph, except for faults of whole answers"};
}  // namespace assay::backend

// SPDX-License-Identifier: Apache-2.0
#include "own_executor.h"

#include "tapped_outputs.h"
#include "time_limit.h"

namespace assay {
namespace {

class OwnExecutor : public Backend {
 public:
  OwnExecutor(std::string description, const ExecutionOptions& execution,
              const BackendOptions& options)
      : description_(std::move(description)), execution_(execution), options_(options) {
    // Each operator computes once, and all its readers get the stored result.
    BackendDeclarations declared;
    declared.taps_used = true;
    Declare(declared);
  }

  std::string WhyUnsupported(const TestVector& vector) const override {
    if (!LevelByName(vector.level)) return "level " + vector.level;
    for (const auto& [block, op] : vector.Operators()) {
      if (op.op == Op::kCustom) return CustomName(op);
    }
    return {};
  }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    return RunWithin(vector, execution_.elements_max);
  }

  bool OffersTaps(const TestVector&) const override { return true; }

  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    Result<std::vector<Outcome>> outcomes =
        RunWithin(WithTapsAsOutputs(vector, asked), kKeptElementsMax);
    if (!outcomes) return outcomes.error();
    return TakeTapsFromOutputs(vector, asked, std::move(*outcomes));
  }

  bool ChecksPlans() const override { return true; }

  std::string Describe() const override { return description_; }

 private:
  std::vector<Outcome> RunWithin(const TestVector& vector, int64_t elements_max) const {
    ExecutionOptions execution = execution_;
    execution.elements_max = elements_max;
    const TimeLimit limit(options_.cpu_seconds, options_.wall_seconds);
    return ExecuteVector(vector, execution);
  }

  std::string description_;
  ExecutionOptions execution_;
  BackendOptions options_;
};

}  // namespace

std::unique_ptr<Backend> MakeOwnExecutor(std::string description, const ExecutionOptions& execution,
                                         const BackendOptions& options) {
  return std::make_unique<OwnExecutor>(std::move(description), execution, options);
}

}  // namespace assay

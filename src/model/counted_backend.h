// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"

namespace assay {

// Passes everything on to a backend, and counts its runs. `backend` must outlive it.
class CountedBackend : public Backend {
 public:
  explicit CountedBackend(Backend& backend) : backend_(backend) { Declare(backend.Declared()); }

  int64_t runs() const { return runs_; }

  std::string WhyUnsupported(const TestVector& vector) const override {
    return backend_.WhyUnsupported(vector);
  }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    ++runs_;
    return backend_.Run(vector);
  }
  void RunNextAlone() override { backend_.RunNextAlone(); }
  int64_t Process() const override { return backend_.Process(); }
  bool OffersTaps(const TestVector& vector) const override { return backend_.OffersTaps(vector); }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    ++runs_;
    return backend_.RunWithTaps(vector, asked);
  }
  std::string Errors() override { return backend_.Errors(); }
  std::optional<Error> MachineFailure() const override { return backend_.MachineFailure(); }
  std::string Describe() const override { return backend_.Describe(); }

 private:
  Backend& backend_;
  int64_t runs_ = 0;
};

}  // namespace assay

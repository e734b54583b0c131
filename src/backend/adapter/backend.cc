// SPDX-License-Identifier: Apache-2.0
#include "backend.h"

namespace assay {

std::optional<Result<std::vector<Outcome>>> Backend::RunAfterReset(const TestVector&) {
  return std::nullopt;
}

bool Backend::OffersTaps(const TestVector&) const { return false; }

Result<TappedRun> Backend::RunWithTaps(const TestVector&, const TapRequest&) {
  return Error{Error::Kind::kUnsupported, "offers no taps"};
}

BlamedPass Backend::BlamePass(const TestVector&, const JudgeAnswer&) { return {}; }

}  // namespace assay

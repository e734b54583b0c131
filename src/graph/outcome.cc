// SPDX-License-Identifier: Apache-2.0
#include "outcome.h"

namespace assay {

std::string_view OutcomeName(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kValid:
      return "valid";
    case OutcomeKind::kError:
      return "error";
    case OutcomeKind::kUnpredictable:
      return "unpredictable";
    case OutcomeKind::kUnsupported:
      return "unsupported";
    case OutcomeKind::kCrashed:
      return "crashed";
    case OutcomeKind::kTimedOut:
      return "timed-out";
  }
  return "unknown";
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "outcome.h"

namespace assay {

std::string_view OutcomeName(OutcomeKind kind) {
  constexpr std::string_view kNames[] = {"valid",       "error",   "unpredictable",
                                         "unsupported", "crashed", "timed-out"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace assay

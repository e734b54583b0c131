// SPDX-License-Identifier: Apache-2.0
#include "outcome.h"

#include "enum_names.h"

namespace assay {

std::string_view OutcomeName(OutcomeKind kind) {
  constexpr std::string_view kNames[] = {"valid",       "error",   "unpredictable",
                                         "unsupported", "crashed", "timed-out"};
  return EntryOf(kNames, kind);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "case_result.h"

namespace assay {

std::string_view CaseStateName(CaseState state) {
  constexpr std::string_view kNames[] = {"agrees",      "disagrees", "suspect", "undecided",
                                         "unsupported", "bad input", "defect",  "known"};
  return kNames[static_cast<size_t>(state)];
}

void AddNote(std::string_view note, CaseResult& result) {
  if (!result.note.empty()) result.note += "; ";
  result.note += note;
}

}  // namespace assay

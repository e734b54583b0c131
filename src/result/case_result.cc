// SPDX-License-Identifier: Apache-2.0
#include "case_result.h"

#include "enum_names.h"

namespace assay {

std::string_view CaseStateName(CaseState state) {
  constexpr std::string_view kNames[] = {"agrees",      "disagrees", "suspect", "undecided",
                                         "unsupported", "bad input", "defect",  "known"};
  return EntryOf(kNames, state);
}

void AddNote(std::string_view note, CaseResult& result) {
  if (!result.note.empty()) result.note += "; ";
  result.note += note;
}

}  // namespace assay

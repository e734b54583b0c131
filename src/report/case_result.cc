// SPDX-License-Identifier: Apache-2.0
#include "case_result.h"

namespace assay {

std::string_view CaseStateName(CaseState state) {
  switch (state) {
    case CaseState::kAgrees:
      return "agrees";
    case CaseState::kDisagrees:
      return "disagrees";
    case CaseState::kSuspect:
      return "suspect";
    case CaseState::kUndecided:
      return "undecided";
    case CaseState::kUnsupported:
      return "unsupported";
    case CaseState::kBadInput:
      return "bad input";
    case CaseState::kDefect:
      return "defect";
    case CaseState::kKnown:
      return "known";
  }
  return "unknown";
}

void AddNote(std::string_view note, CaseResult& result) {
  if (!result.note.empty()) result.note += "; ";
  result.note += note;
}

}  // namespace assay

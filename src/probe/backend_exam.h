// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend.h"

namespace assay {

// One question to a backend, and the answer.
struct ExamPoint {
  // kNotDeclared: a question about a declaration that the backend does not make. The remark says
  // what it does.
  enum class Mark { kGood, kFailed, kNotSupported, kNotDeclared };
  std::string question;  // "keeps state from step to step"
  Mark mark = Mark::kNotSupported;
  std::string remark;  // what it was asked with, what went wrong, or why it is not supported
};
using ExamMark = ExamPoint::Mark;

// Asks a backend whether it follows its protocol, with small vectors made for that. The questions
// are whether it answers and refuses, keeps the state of a context apart from others, starts each
// run without old state, and keeps what it declares about its floating point.
std::vector<ExamPoint> ExamineBackend(Backend& backend);

}  // namespace assay

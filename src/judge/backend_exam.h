#pragma once

#include <string>
#include <vector>

#include "backend.h"

namespace assay {

// One question to a backend, and what came of it.
struct ExamPoint {
  enum class Mark { kGood, kFailed, kNotSupported };
  std::string question;  // "keeps state from step to step"
  Mark mark = Mark::kNotSupported;
  std::string remark;  // what it was asked with, what went wrong, or why it is not supported
};

// Asks a backend whether it does what its protocol is for, with small vectors made for that:
// whether it answers and refuses, keeps the state of a context apart from that of others, and
// starts from nothing each time.
std::vector<ExamPoint> ExamineBackend(Backend& backend);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "test_vector.h"

namespace assay {

// A vector in a C program.
struct ProgramVector {
  std::string key;  // VectorKey()
  TestVector vector;
};

// Returns a C99 program that runs the vectors with the function `assay_run` of assay_run.h, and
// prints the answers for PrintedAnswers. It needs no files and no memory but its own, and works
// alike on machines of any byte order. Every graph that a step runs has a main block.
std::string CProgram(const std::vector<ProgramVector>& vectors);

// Returns the text of assay_run.h.
std::string_view CProgramHeader();

}  // namespace assay

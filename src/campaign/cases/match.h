// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay {

// A choice of vectors by their operators: "CONV2D i8, ADD". A term is OP [TYPE]; a comma means or.
class Match {
 public:
  // Chooses every vector.
  Match() = default;
  // Parses a choice. Error kUsage, one line, for a term that names no operator or no type.
  static Result<Match> Parse(std::string_view text);

  bool ChoosesAll() const { return terms_.empty(); }
  // Returns true if one of the vector's operators matches a term. TYPE is the element type of an
  // operator's first input, or of its first output if it has no input.
  bool Chooses(const TestVector& vector) const;

 private:
  struct Term {
    Op op;
    DType type;  // kUnknown: any
  };
  std::vector<Term> terms_;
};

}  // namespace assay

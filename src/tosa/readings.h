#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator.h"

namespace assay {

// One place where the text of TOSA 1.0.2 is ambiguous, contradicts itself or cannot be meant, and
// what we take it to mean. A vector whose expectation hangs on a reading carries its id as a tag,
// so that the author of a backend who reads the text otherwise can exclude it.
struct Reading {
  std::string_view id;         // kebab-case; the tag of vectors
  std::string_view operators;  // names separated by spaces; "" if it concerns graphs or all
  std::string_view where;      // section, or file of the pseudocode
  std::string_view says;       // what the text says
  std::string_view taken;      // what we do
  std::string_view why;
  std::string_view model;  // what Arm's reference model (June 2025) does
  // Whether verdicts may hang on it. If not, generators stay away from the place, and the executor
  // follows `taken` for what comes from elsewhere.
  bool judged;
};

// Graph and state first, then operators, then accuracy. Ids are unique.
std::span<const Reading> AllReadings();

// Null if there is no reading of that id.
const Reading* FindReading(std::string_view id);

// Those that name the operator.
std::vector<const Reading*> ReadingsOf(Op op);

// All readings as Markdown: the content of READINGS.md.
std::string ReadingsAsMarkdown();

}  // namespace assay

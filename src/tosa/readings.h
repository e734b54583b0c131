// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator.h"

namespace assay {

// One place where the text of TOSA 1.0.2 is ambiguous, contradicts itself or cannot be meant, and
// our reading of it. A vector whose expectation depends on a reading carries its id as a tag. So
// the author of a backend who reads the text in another way can exclude the vector.
struct Reading {
  std::string_view id;         // kebab-case; the tag of vectors
  std::string_view operators;  // names separated by spaces; "" if it concerns graphs or all
  std::string_view where;      // section, or file of the pseudocode
  std::string_view says;       // what the text says
  std::string_view taken;      // what we do
  std::string_view why;
  std::string_view model;  // what Arm's reference model (June 2025) does
  // True if verdicts may depend on the reading. If false, generators avoid the place, and the
  // executor follows `taken` for graphs from elsewhere.
  bool judged;
};

// Returns all readings: graph and state first, then operators, then accuracy. Ids are unique.
std::span<const Reading> AllReadings();

// Returns null if there is no reading of that id.
const Reading* FindReading(std::string_view id);

// Returns the readings that name the operator.
std::vector<const Reading*> ReadingsOf(Op op);

// Returns all readings as Markdown: the content of READINGS.md.
std::string ReadingsAsMarkdown();

}  // namespace assay

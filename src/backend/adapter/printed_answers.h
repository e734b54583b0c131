// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kept_answer.h"
#include "mapped_file.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// The answers that a C program of `assay export --as c` has printed. Lines that do not begin with
// "assay " are ignored, and so is a carriage return at the end of a line. The others are
//
//   assay declares NAME[, NAME]      what the backend declares; before the first vector, or absent
//   assay vector KEY                 the answers to this vector begin
//   assay output STEP K AT DIGITS    elements of output K of a step, from element AT on. Each has
//                                    two hexadecimal digits for each byte, the highest byte first
//   assay refused STEP WORDS         the step was refused
//   assay unsupported WORDS          the vector is not supported
//   assay end CHECKSUM               FNV-1a, 32 bits, of all bytes since the beginning of the line
//                                    "assay vector", as printed by a program without "\r"
class PrintedAnswers {
 public:
  // Opens a file. Error kBadInput if it has no such lines, or declares what is not known.
  static Result<PrintedAnswers> Open(const std::string& path);

  // The names of what the backend declares.
  const std::vector<std::string>& declarations() const { return declarations_; }

  bool Has(const std::string& key) const { return places_.contains(key); }

  // Returns the answers to a vector that Has(). Errors are those of RecordedAnswers::Find().
  Result<KeptAnswer> Find(const TestVector& vector, const std::string& key) const;

 private:
  struct Place {
    size_t begin = 0, end = 0;  // in the text, from "assay vector" to behind "assay end"
    bool ended = false;
  };

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.bytes.data()), bytes_.bytes.size()};
  }

  SharedBytes bytes_;
  std::vector<std::string> declarations_;
  std::map<std::string, Place, std::less<>> places_;  // by key, the last one that has ended
};

// Returns the next step of the checksum of printed lines: FNV-1a.
uint32_t AddToPrintedChecksum(uint32_t checksum, std::string_view text);
inline constexpr uint32_t kPrintedChecksumStart = 2166136261u;

}  // namespace assay

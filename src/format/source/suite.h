#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "types.h"

namespace assay {

// A suite: a folder with vectors and `suite.json`, which says what they are and what they reach.
struct Suite {
  struct Entry {
    std::string file;    // relative to the folder: "operator/000017.tvec"
    std::string sha256;  // of the file, 64 lower-case hexadecimal digits
  };
  // The state of a suite before it is complete: suite.json is written before the first vector.
  struct Incomplete {
    std::string command;             // makes the suite; with --out and --resume, completes it
    std::vector<std::string> kinds;  // case n is case n / K of kind n % K of K kinds
    int64_t cases = 0;               // some of them may have no vector
    // Once the command has come to its end: the files of the cases that it lost.
    std::vector<std::string> lost;
  };
  std::string toolkit_version;
  SpecVersion spec;
  uint64_t seed = 0;
  std::vector<std::string> requirements;  // profiles and extensions of its target
  std::string level;
  std::map<std::string, std::string> options;  // further options it was made with
  std::map<std::string, uint32_t> generators;  // version by kind
  std::map<std::string, int64_t> counts;       // vectors by kind
  std::map<std::string, int64_t> coverage;     // figures, as the caller counts them
  std::vector<Entry> vectors;
  std::optional<Incomplete> incomplete;
};

// The name of a case, "operator-000017", and its file in the suite's folder,
// "operator/operator-000017.tvec".
std::string CaseName(std::string_view kind, uint64_t index);
std::string CaseFile(std::string_view kind, uint64_t index);

// The file of a suite's folder: "DIR/suite.json".
std::string SuiteFile(std::string_view folder);

// The text of suite.json, the same for equal suites.
std::string SuiteText(const Suite& suite);

// The suite in `text`, which comes from a file called `name`. Error kUnsupported if it is of a
// newer format, kBadInput if it is damaged or names a file outside the folder.
Result<Suite> ParseSuite(std::string_view text, std::string_view name);

Result<Suite> ReadSuite(const std::string& folder);
Result<Done> WriteSuite(const std::string& folder, const Suite& suite);

// The content of a suite's folder, by paths that are relative to it.
struct SuiteFolder {
  // The vectors of the suite, in its order: those that it lists, there or not; of an incomplete one
  // those that are there.
  std::vector<std::string> vectors;
  std::vector<std::string> unlisted;   // other vectors (.tvec) below the folder, sorted
  std::vector<std::string> foreign;    // all that is not the suite's, the unlisted vectors included
  std::vector<std::string> leftovers;  // the suite's files by their temporary names
};
Result<SuiteFolder> ListSuite(const std::string& folder, const Suite& suite);

// One line that says what an incomplete suite lacks and how to complete it.
std::string WhatIsMissing(const std::string& folder, const Suite& suite,
                          const SuiteFolder& content);

// Whether every vector of the suite is there with its SHA-256; the Error names the first that is
// not.
Result<Done> VerifySuite(const std::string& folder, const Suite& suite);

}  // namespace assay

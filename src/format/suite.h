#pragma once

#include <cstdint>
#include <map>
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
};

// The file of a suite's folder: "DIR/suite.json".
std::string SuiteFile(std::string_view folder);

// The text of suite.json, the same for equal suites.
std::string SuiteText(const Suite& suite);

// The suite in `text`, which comes from a file called `name`. Error kUnsupported if it is of a
// newer format, kBadInput if it is damaged or names a file outside the folder.
Result<Suite> ParseSuite(std::string_view text, std::string_view name);

Result<Suite> ReadSuite(const std::string& folder);
Result<Done> WriteSuite(const std::string& folder, const Suite& suite);

// Whether every vector of the suite is there with its SHA-256; the Error names the first that is
// not.
Result<Done> VerifySuite(const std::string& folder, const Suite& suite);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
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

// A suite: a folder with vectors and `suite.json`, which describes them and their coverage.
struct Suite {
  // A file of a vector, or of a pack (vector_pack.h).
  struct Entry {
    std::string file;    // relative to the folder: "operator/000017.tvec", "pack-000003.tvecs"
    std::string sha256;  // of the file, 64 lower-case hexadecimal digits
    int64_t vectors = 1;
  };
  // The state of a suite before it is complete: suite.json is written before the first vector.
  struct Incomplete {
    std::string command;             // makes the suite; with --out and --resume, completes it
    std::vector<std::string> kinds;  // case n is case n / K of kind n % K of K kinds
    int64_t cases = 0;               // some of them may have no vector
    // The files of the cases that the command lost. Set at the end of the command.
    std::vector<std::string> lost;
  };
  // The part of the cases that the suite has, if it is a shard: every count-th one from `index`.
  struct Shard {
    int64_t index = 0, count = 1;
    std::vector<std::string> kinds;  // as in Incomplete
    int64_t cases = 0;               // of all shards together
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
  std::vector<Entry> vectors;                  // empty if the suite is packed
  std::optional<std::vector<Entry>> packs;     // of a packed suite
  std::optional<Shard> shard;
  std::optional<Incomplete> incomplete;

  // Returns the number of vectors of a complete suite.
  int64_t VectorCount() const;
};

// Return the name of a case, "operator-000017", and its file in the suite's folder,
// "operator/operator-000017.tvec".
std::string CaseName(std::string_view kind, uint64_t index);
std::string CaseFile(std::string_view kind, uint64_t index);

// Returns a SHA-256 that is the same for all shards of a suite, and for no other suite.
std::string IdentityOfShards(const Suite& suite);

// Returns the case to which a file of a suite's folder belongs; nothing if there is none.
std::optional<int64_t> CaseOf(const std::vector<std::string>& kinds, int64_t cases,
                              std::string_view file);

// Returns the file of a pack in the folder of a suite: "pack-000003.tvecs".
std::string PackFile(int64_t number);

// Returns the suite file of a folder: "DIR/suite.json".
std::string SuiteFile(std::string_view folder);
// Tells whether there is one. A link that leads nowhere counts: reading it is an Error.
bool HasSuite(std::string_view folder);

// Returns the text of suite.json, which is the same for equal suites.
std::string SuiteText(const Suite& suite);

// Parses the suite in `text`, which comes from a file called `name`. Error kUnsupported if it has a
// newer format, kBadInput if it is damaged or names a file outside the folder.
Result<Suite> ParseSuite(std::string_view text, std::string_view name);

Result<Suite> ReadSuite(const std::string& folder);

// Returns the SHA-256 of the suite file of each of these paths that has one, by path. It identifies
// the vectors of the suite, because the file lists their SHA-256.
std::map<std::string, std::string> SuiteHashes(const std::vector<std::string>& paths);
Result<Done> WriteSuite(const std::string& folder, const Suite& suite);

// The content of a suite's folder, as paths relative to it.
struct SuiteFolder {
  // The vectors or the packs of the suite, in its order. A complete suite lists them, and some may
  // be missing. For an incomplete suite, they are the existing ones.
  std::vector<std::string> vectors;
  std::vector<std::string> unlisted;   // other vectors and packs below the folder, sorted
  std::vector<std::string> foreign;    // all other files, the unlisted vectors included
  std::vector<std::string> leftovers;  // the suite's files by their temporary names
};
Result<SuiteFolder> ListSuite(const std::string& folder, const Suite& suite);

// Returns one line that says what an incomplete suite lacks and how to complete it.
std::string WhatIsMissing(const std::string& folder, const Suite& suite,
                          const SuiteFolder& content);

// Checks that every vector or pack of the suite exists and has its SHA-256. The Error names the
// first one that fails.
Result<Done> VerifySuite(const std::string& folder, const Suite& suite);

}  // namespace assay

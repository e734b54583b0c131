// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coverage_table.h"
#include "files.h"
#include "result.h"
#include "types.h"

namespace assay {

// A conformance package: a folder that is published, with vectors of one profile, the lists of
// those that every implementation must pass, and hashes of every file. README.md describes it.

// One vector of a package.
struct PackageVector {
  std::string file;                       // below vectors/: "operator/operator-000017.tvec"
  std::vector<std::string> requirements;  // the profiles and extensions that it needs
  std::vector<std::string> readings;      // the readings that its verdict rests on
  std::string informative;                // the reason why no list has it; "": it must pass
  friend bool operator==(const PackageVector&, const PackageVector&) = default;
};

struct ConformancePackage {
  std::string command;  // that makes it, without --out
  std::string assay;    // the version of Assay that made it
  SpecVersion spec;
  uint64_t seed = 0;
  std::string level;
  std::vector<std::string> features;  // profiles and extensions that vectors may need
  std::string target;                 // the SHA-256 of further targets; "" if there are none
  std::vector<PackageVector> vectors;
  std::string hash;  // SHA-256 of manifest.sha256, which has the hashes of all files; when read
  friend bool operator==(const ConformancePackage&, const ConformancePackage&) = default;
};

// The folder of the suite inside a package, and that of the Arm test directories.
inline constexpr char kPackageVectors[] = "vectors";
inline constexpr char kPackageArm[] = "arm";
// The file in the latter that lists steps which no directory holds: "NAME  # WHY".
inline constexpr char kArmLeftOut[] = "left-out.txt";

// Returns the name of the must-pass list of a vector: "PRO-INT", "PRO-INT + EXT-INT16".
std::string ListOf(const PackageVector& vector);

// Makes the folder of a package, takes its lock, and removes temporary files of the package that
// killed runs have left. Error kUsage if the folder is not empty or, with `resume`, has more than a
// part of a package; it names a file that is there. Errors of FolderLock::Take().
Result<FolderLock> OpenPackageFolder(const std::string& folder, bool resume);

// Writes every file of a package but the vectors, which are there, and suite.json, which will have
// the text `suite`: as long as that file is not complete, neither is the package. `coverage` is
// that of all vectors. `arm` also writes each step of each vector as an Arm test directory. The
// manifest lists these files and no other. Error kUsage if there are others below the folder.
Result<Done> WritePackage(const std::string& folder, const ConformancePackage& package,
                          std::span<const CoverageGroup> coverage, bool arm,
                          std::string_view suite);

// Reads a package. Error kBadInput if the folder holds none, or if a file is missing, was changed
// or added since it was written; the Error names the first one.
Result<ConformancePackage> ReadPackage(const std::string& folder);

// Returns a SHA-256 for each of these paths that is the suite of a package, by path: that of its
// suite file; for the Arm test directories, that of the manifest of the package. Other suites have
// none: the same vectors may be in files, in packs or in shards, and reports on them are the same.
std::map<std::string, std::string> PackageHashes(std::span<const std::string> paths);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace assay {

// A file format or a protocol that Assay defines. The version changes if a reader of the old
// version would misread the new one. corpus/formats/README.md says what each of them is for.
struct Format {
  std::string_view name;  // in JSON files with a member "format", its value
  int version;            // the version that this build writes
  int oldest = version;   // the oldest version that this build reads
};

// The text of TOSA that Assay implements.
inline constexpr std::string_view kSpecification = "1.0.2";

namespace formats {

inline constexpr Format kTestVector = {"test vector", 5, 1};
inline constexpr Format kSuite = {"suite", 1};
inline constexpr Format kReport = {"report", 2, 1};
inline constexpr Format kModelReport = {"model report", 1};
inline constexpr Format kTarget = {"target", 1};
inline constexpr Format kPlan = {"assay-plan", 1};
inline constexpr Format kKnownFailures = {"assay known failures", 2, 1};
inline constexpr Format kHistory = {"assay history", 1};
inline constexpr Format kTiming = {"assay timing", 1};
inline constexpr Format kAnswer = {"assay answer", 1};
inline constexpr Format kBackend = {"assay backend", 1};
inline constexpr Format kExport = {"assay export", 1};
inline constexpr Format kExportedVector = {"assay exported vector", 1};
inline constexpr Format kPackage = {"assay conformance package", 1};
inline constexpr Format kMustPass = {"assay must-pass lists", 1};
inline constexpr Format kStatement = {"assay conformance statement", 1};
// Read by the version of Assay that wrote them, and no other.
inline constexpr Format kShard = {"assay shard", 1};
inline constexpr Format kUnfinishedRun = {"assay unfinished run", 1};
// Protocols.
inline constexpr Format kWorker = {"worker protocol", 2, 1};
inline constexpr Format kPlugin = {"plugin interface", 2, 1};
inline constexpr Format kPlanAlgorithm = {"planning algorithm interface", 1};

// All of them, as `assay --version` lists them.
inline constexpr Format kAll[] = {
    kTestVector, kSuite,     kReport, kModelReport,   kTarget, kPlan,           kKnownFailures,
    kHistory,    kTiming,    kAnswer, kBackend,       kExport, kExportedVector, kPackage,
    kMustPass,   kStatement, kShard,  kUnfinishedRun, kWorker, kPlugin,         kPlanAlgorithm};

}  // namespace formats
}  // namespace assay

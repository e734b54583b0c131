// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finding_groups.h"
#include "report.h"
#include "result.h"

namespace assay {

// Known failures: a file of the user's that names findings that must not fail a run, with reasons.
// It is JSON:
//
//   {"format": "assay known failures", "version": 2,
//    "known": [{"group": "argmax-wrong-number-2a2a019b", "operators": ["ARGMAX fp16"],
//               "backend": "mlir", "reason": "NaN is taken as the maximum",
//               "link": "https://example.org/1", "since": "2026-11-26", "until": "2027-05-31"}]}
//
// An entry matches the findings that have all that it names:
//   group      the name of a group of findings (finding_groups.h)
//   operators  operators with their types, "ARGMAX fp16", or without, "ARGMAX": those that are
//              likely wrong (LikelyWrong()) are all among them
//   operator   the operator that the finding blames, "ARGMAX"
//   type       its element type, "fp16"
//   rule       the rule that the answer breaks, "CONV2D/ERROR_IF/3"
//   violation  "value", "crash", "time-out", ...
//   message    a part of what the backend says
//   vector     the path of the vector, or its end, with * and ? as in a shell
//   backend    the beginning of --backend, "mlir" or "worker:python3"
// It names at least one of these beside the backend, and a reason. A message without a word, and a
// pattern that matches the path of every vector ("*", "*.tvec"), are not enough. From the day after
// `until` on it matches nothing.
struct KnownFailure {
  std::string group, rule, message, vector, backend;
  std::vector<OperatorUse> operators;  // without a type: any; empty if not given, as in version 1
  Op op = Op::kUnknown;
  DType type = DType::kUnknown;
  std::optional<Violation> violation;
  std::string reason, link;
  std::string since, until;  // "2026-11-26"; "" if not given

  // Tells whether `operators` has this one, or is not given.
  bool Takes(const OperatorUse& use) const;
  std::string OperatorsText() const;  // "ARGMAX fp16, CLAMP fp32"
  // Returns what the entry matches: "ARGMAX fp16", "group argmax-wrong-number-2a2a019b".
  std::string Title() const;
  // Returns the reason, and the link behind it.
  std::string Why() const;
};

// Returns true for a date of the calendar, "2026-11-26".
bool IsDate(std::string_view text);

// Returns true if a path, or its end from a folder on, has a pattern with * and ? as in a shell.
bool HasPattern(std::string_view path, const std::string& pattern);

// The content of a file that knows nothing.
inline constexpr char kNothingKnown[] =
    R"({"format": "assay known failures", "version": 2, "known": []})";

class KnownFailures {
 public:
  // Knows nothing.
  KnownFailures() = default;
  // Parses the content of a file. `today` is a date, `backend` is as given to --backend. Error
  // kBadInput names the file and the place in it.
  static Result<KnownFailures> Parse(std::string_view text, std::string_view file,
                                     std::string today, std::string_view backend);

  bool is_given() const { return !file_.empty(); }
  const std::string& file() const { return file_; }
  const std::string& today() const { return today_; }
  const std::vector<KnownFailure>& entries() const { return entries_; }
  // Tells whether an entry is in force: not past its end, and for this backend.
  bool IsInForce(size_t entry) const;
  bool IsExpired(size_t entry) const;
  bool IsForBackend(size_t entry) const;

  // Returns the position of the first entry in force that matches a finding of a vector at `path`,
  // in this group. Nothing if there is none. Where the vector is not known, `path` is "".
  std::optional<size_t> Match(const Finding& finding, const GroupPlace& place,
                              std::string_view path) const;
  // Returns the first entry in force that names the group, whatever else it names; null if there is
  // none.
  const KnownFailure* Naming(std::string_view group) const;

 private:
  std::string file_, today_, backend_;
  std::vector<KnownFailure> entries_;
};

// Returns the content of a file of known failures with further entries: one for each group with
// findings that are not known. It names the operators that are likely wrong in these, today's date,
// and the title of the group as its reason. `text` is the file's present content, which stays.
Result<std::string> WithGroupsKnown(std::string_view text, std::string_view file,
                                    const KnownFailures& known, std::string_view backend,
                                    const std::vector<ReportedFinding>& findings);

}  // namespace assay

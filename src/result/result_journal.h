// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "files.h"
#include "result.h"
#include "run_journal.h"

namespace assay {

// The replies for vectors that a run leaves out, as JSON: a vector that --match does not choose,
// and one outside the target.
inline constexpr char kNotChosen[] = R"({"left_out":"not chosen"})";
inline constexpr char kOutside[] = R"({"left_out":"outside the target"})";
inline bool IsLeftOut(std::string_view reply) { return reply == kNotChosen || reply == kOutside; }

// Takes the index of a vector, and its reply: a CaseResult as JSON, in one line.
using ReplySink = std::function<Result<Done>(int64_t index, std::string_view reply)>;

// The replies of all vectors of a run, in a journal (RunJournal) that the next run goes on with.
// The replies of vectors that shall have another chance then are in memory alone.
class ResultJournal {
 public:
  // Keeps nothing: Add() does nothing, and EachResult() must not be called.
  ResultJournal() = default;
  // Opens the journal in a folder. Errors are those of RunJournal::Open().
  static Result<ResultJournal> Open(const std::string& folder, const RunIdentity& run, bool resume);
  // Opens a journal in a temporary folder, which goes with the object.
  static Result<ResultJournal> OpenTemporary(const RunIdentity& run);

  bool is_open() const { return journal_.has_value(); }
  // The number of replies that were there when the journal was opened.
  int64_t recorded() const { return journal_ ? journal_->recorded() : 0; }
  // Tells whether the reply of a vector was there.
  bool Has(int64_t index) const { return journal_ && journal_->Has(index); }
  // Reads a reply that Has(). Worker processes may call it.
  Result<std::string> Read(int64_t index) const { return journal_->Read(index); }

  // Adds the reply of a vector unless it was there. Indices ascend. With `runs_again`, the next run
  // judges the vector anew.
  Result<Done> Add(int64_t index, std::string reply, bool runs_again);

  // Calls back with the reply of each vector that was judged, in order.
  Result<Done> EachResult(const ReplySink& sink) const;

  // Forgets all replies.
  Result<Done> Clear();
  // Removes the file, because the run is finished.
  Result<Done> Remove() { return journal_ ? journal_->Remove() : Result<Done>(Done{}); }

 private:
  std::optional<TemporaryDirectory> folder_;
  std::optional<RunJournal> journal_;
  std::map<int64_t, std::string> run_again_;
};

}  // namespace assay

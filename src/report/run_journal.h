#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "result.h"

namespace assay {

// Everything that the replies of a run depend on. A run can only be resumed with the same.
struct RunIdentity {
  std::string command;  // one line, without options that change no reply
  std::string backend;  // Backend::Describe()
  std::string inputs;   // a SHA-256 of the files that the run reads
};

// The replies of the finished cases of a run, in a file in the folder of its report. The file only
// grows, and each reply is written when its case is finished. So a run that is killed loses the
// cases that were in progress, and no other. The run that goes on with it gets the recorded replies
// and computes the rest.
//
// The first line of the file identifies the run. Each other line has the index of a case, its reply
// and a part of its SHA-256. A last line without its end is left from a kill and is cut off.
// Replies survive the end of the process, but not of the machine.
class RunJournal {
 public:
  static constexpr char kFileName[] = "unfinished.jsonl";

  // Opens the file in `folder`, and makes it if there is none. Keeps the replies that it has if
  // `resume` is true. Error kUsage, of one line that says what to do, if there are replies and
  // `resume` is false, or if they are of another run. Error kBadInput if the file is damaged.
  static Result<RunJournal> Open(const std::string& folder, const RunIdentity& run, bool resume);
  RunJournal(RunJournal&& other) noexcept;
  RunJournal& operator=(RunJournal&& other) noexcept;
  ~RunJournal();

  // The number of replies that were there when the file was opened.
  int64_t recorded() const { return std::ssize(replies_); }
  // Tells whether the reply of an index was there.
  bool Has(int64_t index) const { return replies_.contains(index); }
  // Reads a reply that Has(). Worker processes may call it. Error kBadInput if it has changed.
  Result<std::string> Read(int64_t index) const;

  // Records a reply, a JSON value in one line, unless it was there.
  Result<Done> Add(int64_t index, std::string_view reply);
  // Forgets all replies.
  Result<Done> Clear();
  // Removes the file, because the run is finished.
  Result<Done> Remove();

 private:
  struct Line {
    off_t begin = 0;  // in the file
    size_t bytes = 0;
  };
  explicit RunJournal(std::string path) : path_(std::move(path)) {}
  Result<Done> Scan(const std::string& folder, const std::string& head, bool resume);
  Result<Done> Truncate(off_t bytes);

  std::string path_;
  int descriptor_ = -1;
  off_t head_bytes_ = 0;
  std::map<int64_t, Line> replies_;  // that were there
};

}  // namespace assay

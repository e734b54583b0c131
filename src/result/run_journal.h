// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "descriptor.h"
#include "result.h"

namespace assay {

// Everything that the replies of a run depend on. A run can only be resumed with the same.
struct RunIdentity {
  std::string command;  // one line, without options that change no reply
  std::string backend;  // Backend::Describe()
  std::string inputs;   // a SHA-256 of the files that the run reads
};

// A part of a file of replies, in which indices ascend.
struct ReplyRange {
  std::string path;
  off_t begin = 0, end = 0;
  std::string run = {};  // as in ReplyLine()
};

// Reads the replies of several ranges in the order of their indices. Keeps one line of each. Of
// several replies of one index, the one of the last range counts.
class ReplyReader {
 public:
  explicit ReplyReader(const std::vector<ReplyRange>& ranges);
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;
  ~ReplyReader();

  // Goes to the next reply. Returns false if there is none. Error kBadInput if a line is damaged.
  Result<bool> Next();
  // The index and the reply, and the range that it is from.
  int64_t index() const;
  std::string_view reply() const;
  size_t range() const { return at_; }

 private:
  struct Source;
  std::vector<std::unique_ptr<Source>> sources_;
  size_t at_ = 0;  // of the reply
  bool begun_ = false;
};

// Returns the line of a reply, with its end, as journals have it. `run` is a text that identifies
// the run. Readers who give another one find the line damaged.
std::string ReplyLine(int64_t index, std::string_view reply, std::string_view run = "");

// The replies of the finished cases of a run, in a file in the folder of its report. The file only
// grows, and each reply is written when its case is finished. So a run that is killed loses the
// cases that were in progress, and no other. The run that goes on with it gets the recorded replies
// and computes the rest.
//
// The first line of the file identifies the run. Each other line has the index of a case, its reply
// and a part of the SHA-256 of both and of the first line. A last line without its end is left from
// a kill and is cut off. Replies survive the end of the process, but not of the machine. The object
// keeps the place of one reply in 256.
class RunJournal {
 public:
  static constexpr char kFileName[] = "unfinished.jsonl";

  // Opens the file in `folder`, and makes it if there is none. Keeps the replies that it has if
  // `resume` is true. Error kUsage, of one line that says what to do, if there are replies and
  // `resume` is false, or if they are of another run. Error kBadInput if the file is damaged, or is
  // a link or no regular file.
  static Result<RunJournal> Open(const std::string& folder, const RunIdentity& run, bool resume);

  // The number of replies that were there when the file was opened.
  int64_t recorded() const { return recorded_; }
  // Tells whether the reply of an index was there. Fast if indices ascend.
  bool Has(int64_t index) const { return Find(index).has_value(); }
  // Reads a reply that Has(). Worker processes may call it. Error kBadInput if it has changed.
  Result<std::string> Read(int64_t index) const;
  // Returns the parts of the file in which indices ascend, with the replies added so far.
  std::vector<ReplyRange> Ranges() const;

  // Records a reply, a JSON value in one line, unless it was there. Indices ascend.
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
  // A part of the file in which indices ascend: what one process has written. It has the place of
  // one line in some hundred, so that memory does not grow with every reply.
  struct Part {
    struct Place {
      int64_t index = 0;
      off_t begin = 0;
    };
    off_t begin = 0, end = 0;
    int64_t last = -1;  // index
    int64_t lines = 0;
    std::vector<Place> places;
  };
  // The lines between two places of a part.
  struct Block {
    size_t part = 0, place = 0;
    std::map<int64_t, Line> lines;
  };
  explicit RunJournal(std::string path) : path_(std::move(path)) {}
  Result<Done> Scan(const std::string& folder, bool resume);
  off_t HeadBytes() const { return static_cast<off_t>(head_.size()) + 1; }
  void Note(int64_t index, Line line);
  Result<Done> Truncate(off_t bytes);
  std::optional<Line> Find(int64_t index) const;
  const Block& BlockAt(size_t part, size_t place) const;
  std::string Bytes(off_t begin, size_t count) const;

  std::string path_;
  Descriptor descriptor_;
  std::string head_;  // the first line, without its end
  int64_t recorded_ = 0;
  std::vector<Part> parts_;            // that were there
  off_t added_ = 0;                    // where the replies of this process begin
  mutable std::vector<Block> blocks_;  // read last, one for each part
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "run_journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "clean_text.h"
#include "files.h"
#include "formats.h"
#include "json_fields.h"
#include "json_text.h"
#include "sha256.h"
#include "version.h"

namespace assay {
namespace {

// A line is kSumPart, the sum of the rest of the line, kIndexPart, the index, kReplyPart, the reply
// and "}".
constexpr std::string_view kSumPart = R"({"sha256":")";
constexpr std::string_view kIndexPart = R"(","index":)";
constexpr std::string_view kReplyPart = R"(,"reply":)";
constexpr size_t kSumDigits = 16;

constexpr int64_t kLinesOfBlock = 256;

// The limit of a line. The reply of a case has far fewer bytes.
constexpr size_t kLineBytesMax = size_t{64} << 20;

std::string SumOf(std::string_view run, std::string_view text) {
  return Sha256(std::string(run).append(text)).substr(0, kSumDigits);
}

std::string LineOf(int64_t index, std::string_view reply, std::string_view run) {
  std::string rest(kIndexPart);
  rest.append(std::to_string(index)).append(kReplyPart).append(reply).append("}");
  return std::string(kSumPart) + SumOf(run, rest) + rest;
}

struct Reply {
  int64_t index = 0;
  std::string_view text;
};

// Takes a line apart. Returns nothing if LineOf() has not made it.
std::optional<Reply> ReplyIn(std::string_view line, std::string_view run) {
  if (!line.starts_with(kSumPart) || line.size() < kSumPart.size() + kSumDigits) {
    return std::nullopt;
  }
  const std::string_view sum = line.substr(kSumPart.size(), kSumDigits);
  std::string_view rest = line.substr(kSumPart.size() + kSumDigits);
  if (sum != SumOf(run, rest) || !rest.starts_with(kIndexPart) || !rest.ends_with('}')) {
    return std::nullopt;
  }
  rest.remove_prefix(kIndexPart.size());
  rest.remove_suffix(1);
  Reply reply;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), reply.index);
  if (code != std::errc() || reply.index < 0) return std::nullopt;
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  if (!rest.starts_with(kReplyPart)) return std::nullopt;
  reply.text = rest.substr(kReplyPart.size());
  return reply;
}

std::string HeadOf(const RunIdentity& run) {
  const Json json = {{"format", formats::kUnfinishedRun.name},
                     {"version", formats::kUnfinishedRun.version},
                     {"assay", kToolkitVersion},
                     {"run", run.command},
                     {"backend", run.backend},
                     {"inputs", run.inputs}};
  return JsonText(json);
}

// Returns why the run of one first line cannot go on with the replies below the other one.
std::string WhyNot(const std::string& there, const std::string& here) {
  const auto begun = ParseJson(there);
  const auto run = JsonFrom(here);
  const auto text = [](const Json& json, const char* name) {
    const bool is_there = json.is_object() && json.contains(name) && json.at(name).is_string();
    return is_there ? json.at(name).get<std::string>() : std::string();
  };
  if (text(begun, "run") != text(run, "run")) {
    return "holds another run: " + OneLine(text(begun, "run"));
  }
  if (text(begun, "backend") != text(run, "backend")) {
    return "holds a run on another backend: " + OneLine(text(begun, "backend"));
  }
  if (text(begun, "inputs") != text(run, "inputs")) {
    return "holds a run on other vectors: the files have changed since it began";
  }
  return "holds a run of another version of Assay";
}

// Reads the lines of a file from a place on, and keeps one of them.
class JournalLines {
 public:
  JournalLines(int descriptor, off_t begin) : descriptor_(descriptor), at_(begin) {}

  // Goes to the next line. Returns false if no other line ends, or if it is longer than
  // kLineBytesMax.
  bool Next() {
    begin_ += size_;
    size_ = 0;
    for (size_t seen = begin_;;) {
      const size_t end = buffer_.find('\n', seen);
      if (end != std::string::npos) {
        size_ = end + 1 - begin_;
        return true;
      }
      buffer_.erase(0, std::exchange(begin_, 0));
      seen = buffer_.size();
      if (is_too_long() || !ReadMore()) return false;
    }
  }
  // The line without its end.
  std::string_view line() const { return std::string_view(buffer_).substr(begin_, size_ - 1); }
  // Tells whether Next() has stopped at a line that is longer than kLineBytesMax.
  bool is_too_long() const { return size_ == 0 && buffer_.size() > kLineBytesMax; }

 private:
  bool ReadMore() {
    constexpr size_t kChunk = size_t{1} << 16;
    const size_t there = buffer_.size();
    buffer_.resize(there + kChunk);
    ssize_t got = 0;
    do {
      got = pread(descriptor_, buffer_.data() + there, kChunk, at_);
    } while (got < 0 && errno == EINTR);
    buffer_.resize(there + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    at_ += std::max<ssize_t>(got, 0);
    return got > 0;
  }

  int descriptor_;
  off_t at_;                     // in the file, behind the buffer
  std::string buffer_;           // the line, and what has been read behind it
  size_t begin_ = 0, size_ = 0;  // of the line with its end
};

std::string OrRemove(const std::string& path) { return "or remove " + path + " to start again"; }

}  // namespace

std::string ReplyLine(int64_t index, std::string_view reply, std::string_view run) {
  return LineOf(index, reply, run) + "\n";
}

struct ReplyReader::Source {
  std::string path, run;
  off_t at = 0, end = 0;
  Descriptor file;
  std::optional<JournalLines> lines;
  std::optional<Reply> reply;  // in `lines`; nothing at the end

  Result<Done> Advance() {
    reply.reset();
    if (at >= end) return Done{};
    if (!lines) {
      Result<Descriptor> opened = OpenOwnFile(path);
      if (!opened) return opened.error();
      file = std::move(*opened);
      lines.emplace(file, at);
    }
    if (lines->Next()) reply = ReplyIn(lines->line(), run);
    if (!reply) return BadInput(path + ": is damaged or was edited");
    at += static_cast<off_t>(lines->line().size()) + 1;
    return Done{};
  }
};

ReplyReader::ReplyReader(const std::vector<ReplyRange>& ranges) {
  for (const ReplyRange& range : ranges) {
    sources_.push_back(std::make_unique<Source>());
    Source& source = *sources_.back();
    source.path = range.path;
    source.run = range.run;
    source.at = range.begin;
    source.end = range.end;
  }
}

ReplyReader::~ReplyReader() = default;

Result<bool> ReplyReader::Next() {
  const int64_t last = begun_ ? index() : -1;
  for (std::unique_ptr<Source>& source : sources_) {
    if (begun_ && !(source->reply && source->reply->index == last)) continue;
    const Result<Done> advanced = source->Advance();
    if (!advanced) return advanced.error();
  }
  begun_ = true;
  std::optional<int64_t> next;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const std::optional<Reply>& reply = sources_[i]->reply;
    if (!reply || (next && reply->index > *next)) continue;
    next = reply->index;
    at_ = i;
  }
  return next.has_value();
}

int64_t ReplyReader::index() const { return sources_[at_]->reply->index; }

std::string_view ReplyReader::reply() const { return sources_[at_]->reply->text; }

Result<RunJournal> RunJournal::Open(const std::string& folder, const RunIdentity& run,
                                    bool resume) {
  RunJournal journal(JoinPath(folder, kFileName));
  journal.head_ = HeadOf(run);
  Result<Descriptor> opened = OpenOwnFile(journal.path_, O_RDWR | O_CREAT | O_APPEND);
  if (!opened) return opened.error();
  journal.descriptor_ = std::move(*opened);
  const Result<Done> scanned = journal.Scan(folder, resume);
  if (!scanned) return scanned.error();
  const bool is_new = journal.parts_.empty();
  journal.added_ = is_new ? journal.HeadBytes() : journal.parts_.back().end;
  const Result<Done> cut = journal.Truncate(is_new ? 0 : journal.added_);
  if (!cut) return cut.error();
  const std::string line = journal.head_ + "\n";
  if (is_new && !WriteAll(journal.descriptor_, line.data(), line.size())) {
    return SystemError(journal.path_, "write", errno);
  }
  return journal;
}

// Finds the replies in the file. A file without a reply is none.
Result<Done> RunJournal::Scan(const std::string& folder, bool resume) {
  JournalLines lines(descriptor_, 0);
  const auto damaged = [this](int64_t number) {
    return BadInput(path_ + ":" + std::to_string(number) +
                    ": is damaged or was edited; remove the file to start again");
  };
  if (!lines.Next()) return lines.is_too_long() ? Result<Done>(damaged(1)) : Done{};
  const std::string first(lines.line());
  auto begin = static_cast<off_t>(first.size()) + 1;
  int64_t number = 2;
  for (; lines.Next(); ++number) {
    const std::string_view line = lines.line();
    if (!resume) {
      return UsageError(folder + ": holds an unfinished run; --resume goes on with it, " +
                        OrRemove(path_));
    }
    if (first != head_) {
      return UsageError(folder + ": " + WhyNot(first, head_) + "; give that command, " +
                        OrRemove(path_));
    }
    const std::optional<Reply> reply = ReplyIn(line, head_);
    if (!reply) return damaged(number);
    Note(reply->index, Line{begin, line.size()});
    begin += static_cast<off_t>(line.size()) + 1;
  }
  if (lines.is_too_long()) return damaged(number);
  return Done{};
}

void RunJournal::Note(int64_t index, Line line) {
  if (parts_.empty() || index <= parts_.back().last) {
    parts_.emplace_back();
    parts_.back().begin = line.begin;
  }
  Part& part = parts_.back();
  if (part.lines++ % kLinesOfBlock == 0) part.places.push_back({index, line.begin});
  part.last = index;
  part.end = line.begin + static_cast<off_t>(line.bytes) + 1;
  ++recorded_;
}

// Reads bytes of the file; fewer if it has been cut.
std::string RunJournal::Bytes(off_t begin, size_t count) const {
  std::string bytes(count, '\0');
  size_t done = 0;
  while (done < count) {
    const ssize_t got =
        pread(descriptor_, bytes.data() + done, count - done, begin + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

const RunJournal::Block& RunJournal::BlockAt(size_t number, size_t place) const {
  blocks_.resize(parts_.size());
  Block& block = blocks_[number];
  if (!block.lines.empty() && block.place == place) return block;
  const Part& part = parts_[number];
  const off_t begin = part.places[place].begin;
  const off_t end = place + 1 < part.places.size() ? part.places[place + 1].begin : part.end;
  const std::string text = Bytes(begin, static_cast<size_t>(end - begin));
  block = {number, place, {}};
  for (size_t at = 0; at < text.size();) {
    const size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, line_end - at);
    if (const std::optional<Reply> reply = ReplyIn(line, head_)) {
      block.lines[reply->index] = {begin + static_cast<off_t>(at), line.size()};
    }
    at = line_end + 1;
  }
  return block;
}

std::optional<RunJournal::Line> RunJournal::Find(int64_t index) const {
  for (size_t number = parts_.size(); number-- > 0;) {
    const Part& part = parts_[number];
    if (index < part.places[0].index || index > part.last) continue;
    const auto after = std::ranges::upper_bound(part.places, index, {}, &Part::Place::index);
    const Block& block = BlockAt(number, static_cast<size_t>(after - part.places.begin()) - 1);
    const auto found = block.lines.find(index);
    if (found != block.lines.end()) return found->second;
  }
  return std::nullopt;
}

Result<std::string> RunJournal::Read(int64_t index) const {
  const std::optional<Line> at = Find(index);
  const std::string line = at ? Bytes(at->begin, at->bytes) : "";
  const std::optional<Reply> reply = ReplyIn(line, head_);
  if (!reply || reply->index != index) return BadInput(path_ + ": has changed while it was read");
  return std::string(reply->text);
}

std::vector<ReplyRange> RunJournal::Ranges() const {
  std::vector<ReplyRange> ranges;
  for (const Part& part : parts_) ranges.push_back({path_, part.begin, part.end, head_});
  struct stat status;
  if (fstat(descriptor_, &status) == 0 && status.st_size > added_) {
    ranges.push_back({path_, added_, status.st_size, head_});
  }
  return ranges;
}

Result<Done> RunJournal::Add(int64_t index, std::string_view reply) {
  if (Has(index)) return Done{};
  const std::string line = ReplyLine(index, reply, head_);
  if (line.size() > kLineBytesMax) {
    return ResourceError(path_ + ": the result of a vector has " + std::to_string(line.size()) +
                         " bytes; at most " + std::to_string(kLineBytesMax) + " are kept");
  }
  if (!WriteAll(descriptor_, line.data(), line.size())) return SystemError(path_, "write", errno);
  return Done{};
}

Result<Done> RunJournal::Clear() {
  parts_.clear();
  blocks_.clear();
  recorded_ = 0;
  added_ = HeadBytes();
  return Truncate(added_);
}

Result<Done> RunJournal::Remove() { return assay::Remove(path_); }

Result<Done> RunJournal::Truncate(off_t bytes) {
  if (ftruncate(descriptor_, bytes) != 0) return SystemError(path_, "write", errno);
  return Done{};
}

}  // namespace assay

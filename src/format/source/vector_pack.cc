// SPDX-License-Identifier: Apache-2.0
#include "vector_pack.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "descriptor.h"
#include "quoted.h"
#include "sha256.h"

namespace assay {
namespace {

// The first line of a file: the words, blanks, and the end of the line.
constexpr std::string_view kPackMagic = "assay-pack 1 ";
constexpr size_t kHeadBytes = 256;
constexpr size_t kAlignment = 64;  // of each vector, so that it can be read where it is
constexpr size_t kDigits = 64;     // of a SHA-256
// A larger pack is refused before memory is taken for it.
constexpr int64_t kStreamedBytesMax = int64_t{4} << 30;
constexpr size_t kStepBytes = size_t{1} << 24;  // read at once

struct Head {
  int64_t count = 0;  // of vectors
  int64_t index = 0;  // position of the index, which reaches to the end
  int64_t bytes = 0;  // of the whole pack
  std::string_view index_sha256;
};

std::string_view TextOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Takes a number and the blank behind it from the front of a text.
bool TakeNumber(std::string_view& text, int64_t& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<size_t>(end - text.data());
  if (code != std::errc() || number < 0 || digits >= text.size() || text[digits] != ' ') {
    return false;
  }
  text.remove_prefix(digits + 1);
  return true;
}

// Returns true for the beginning of a pack.
bool HasMagic(std::string_view text) {
  return text.substr(0, kPackMagic.size()) == kPackMagic.substr(0, text.size());
}

std::optional<Head> ParseHead(std::string_view text) {
  Head head;
  if (text.size() < kHeadBytes || !text.starts_with(kPackMagic)) return std::nullopt;
  text = text.substr(kPackMagic.size(), kHeadBytes - kPackMagic.size());
  if (!TakeNumber(text, head.count) || !TakeNumber(text, head.index) ||
      !TakeNumber(text, head.bytes) || text.size() <= kDigits) {
    return std::nullopt;
  }
  head.index_sha256 = text.substr(0, kDigits);
  text.remove_prefix(kDigits);
  const bool is_blank = text.find_first_not_of(' ') == text.size() - 1 && text.back() == '\n';
  const bool is_possible = head.index >= static_cast<int64_t>(kHeadBytes) &&
                           head.index <= head.bytes && head.count <= head.bytes - head.index;
  return is_blank && is_possible ? std::optional(head) : std::nullopt;
}

// Returns true for the path of a `.tvec` file that stays below the folder to which it is relative.
bool NamesFile(std::string_view name) {
  if (!name.ends_with(".tvec")) return false;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

Error NoPack(const std::string& name) { return BadInput(name + ": is no pack of vectors"); }
Error Damaged(const std::string& name, const std::string& what) {
  return BadInput(name + ": is damaged: " + what);
}

// Reads up to `count` bytes. Returns fewer at the end of the file and after a signal.
Result<size_t> ReadSome(int descriptor, uint8_t* to, size_t count, const std::string& name,
                        const std::function<bool()>& stopped) {
  size_t done = 0;
  while (done < count && !stopped()) {
    const ssize_t got = read(descriptor, to + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return BadInput(name + ": cannot read: " + std::generic_category().message(errno));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace

VectorPackWriter::VectorPackWriter() : bytes_(kHeadBytes, ' ') {}

void VectorPackWriter::Add(std::string_view name, std::span<const uint8_t> bytes) {
  bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment, 0);
  index_.append(std::to_string(bytes_.size())).append(" ").append(std::to_string(bytes.size()));
  index_.append(" ").append(Sha256(bytes)).append(" ").append(name).append("\n");
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  ++count_;
}

std::vector<uint8_t> VectorPackWriter::Finish() {
  const size_t index = bytes_.size();
  std::string head(kPackMagic);
  for (const size_t number : {static_cast<size_t>(count_), index, index + index_.size()}) {
    head.append(std::to_string(number)).append(" ");
  }
  head += Sha256(index_);
  head.resize(kHeadBytes - 1, ' ');
  head += '\n';
  std::copy(head.begin(), head.end(), bytes_.begin());
  bytes_.insert(bytes_.end(), index_.begin(), index_.end());
  index_.clear();
  count_ = 0;
  return std::exchange(bytes_, std::vector<uint8_t>(kHeadBytes, ' '));
}

Result<VectorPack> VectorPack::Open(const std::string& path, PackNames names) {
  Result<SharedBytes> bytes = MapRegularFile(path);
  if (!bytes) return bytes.error();
  return Parse(std::move(*bytes), path, names);
}

Result<VectorPack> VectorPack::Parse(SharedBytes bytes, std::string name, PackNames names) {
  const std::string_view text = TextOf(bytes.bytes);
  const std::optional<Head> head = ParseHead(text);
  if (!head) return NoPack(name);
  if (head->bytes != std::ssize(text)) {
    return Damaged(name, "has " + std::to_string(text.size()) + " of " +
                             std::to_string(head->bytes) + " bytes");
  }
  const auto index_begin = static_cast<size_t>(head->index);
  std::string_view index = text.substr(index_begin);
  if (Sha256(index) != head->index_sha256) {
    return Damaged(name, "the SHA-256 of its index differs");
  }
  VectorPack pack;
  pack.entries_.reserve(static_cast<size_t>(head->count));
  while (!index.empty()) {
    const size_t end = index.find('\n');
    std::string_view line = index.substr(0, end);
    int64_t begin = 0, size = 0;
    const bool has_numbers = end != std::string_view::npos && TakeNumber(line, begin) &&
                             TakeNumber(line, size) && line.size() > kDigits + 1;
    if (!has_numbers || begin > head->index || size > head->index - begin) {
      return Damaged(name, "its index has a line that cannot be");
    }
    pack.entries_.push_back({static_cast<size_t>(begin), static_cast<size_t>(size),
                             line.substr(0, kDigits), line.substr(kDigits + 1)});
    index.remove_prefix(end + 1);
  }
  if (pack.size() != head->count) return Damaged(name, "its index has another number of lines");
  if (names == PackNames::kFiles) {
    const auto wrong = std::ranges::find_if_not(pack.entries_, NamesFile, &Entry::name);
    if (wrong != pack.entries_.end()) {
      return Damaged(name, "its index has the name " + Quoted(wrong->name) +
                               ", which is no .tvec file below a folder");
    }
    std::vector<std::string_view> sorted;
    for (const Entry& entry : pack.entries_) sorted.push_back(entry.name);
    std::ranges::sort(sorted);
    const auto doubled = std::ranges::adjacent_find(sorted);
    if (doubled != sorted.end()) {
      return Damaged(name, "its index has the name " + Quoted(*doubled) + " twice");
    }
  }
  pack.bytes_ = std::move(bytes);
  pack.path_ = std::move(name);
  return pack;
}

Result<std::optional<VectorPack>> VectorPack::ReadNext(int descriptor, const std::string& name,
                                                       const std::function<bool()>& stopped) {
  std::vector<uint8_t> bytes(kHeadBytes);
  const Result<size_t> first = ReadSome(descriptor, bytes.data(), bytes.size(), name, stopped);
  if (!first) return first.error();
  if (stopped() || *first == 0) return std::optional<VectorPack>();
  const std::optional<Head> head =  // its SHA-256 is gone when `bytes` grows
      ParseHead(TextOf(std::span(bytes).first(*first)));
  if (!head && *first < kHeadBytes && HasMagic(TextOf(std::span(bytes).first(*first)))) {
    return BadInput(name + ": ends inside a pack of vectors");
  }
  if (!head) return NoPack(name);
  if (head->bytes > kStreamedBytesMax) {
    return Error{Error::Kind::kResource, name + ": has a pack of more than 4 GiB"};
  }
  // A damaged number takes no more memory than there are bytes.
  const auto size = static_cast<size_t>(head->bytes);
  while (bytes.size() < size) {
    const size_t begin = bytes.size();
    bytes.resize(std::min(size, begin + kStepBytes));
    const size_t wanted = bytes.size() - begin;
    const Result<size_t> got = ReadSome(descriptor, bytes.data() + begin, wanted, name, stopped);
    if (!got) return got.error();
    if (stopped()) return std::optional<VectorPack>();
    if (*got < wanted) return BadInput(name + ": ends inside a pack of vectors");
  }
  Result<VectorPack> pack = Parse(SharedBytesOf(std::move(bytes)), name);
  if (!pack) return pack.error();
  return std::optional(std::move(*pack));
}

std::string VectorPack::NameOf(int64_t number) const {
  return std::string(entries_[static_cast<size_t>(number)].name);
}

std::optional<int64_t> VectorPack::Find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  if (found == entries_.end()) return std::nullopt;
  return found - entries_.begin();
}

Result<SharedBytes> VectorPack::BytesOf(int64_t number) const {
  const Entry& entry = entries_[static_cast<size_t>(number)];
  const std::span<const uint8_t> bytes = bytes_.bytes.subspan(entry.begin, entry.size);
  if (Sha256(bytes) != entry.sha256) {
    return Damaged(path_, "the SHA-256 of " + std::string(entry.name) + " differs");
  }
  return SharedBytes{bytes_.owner, bytes};
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "npz_file.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "files.h"
#include "npy_file.h"
#include "quoted.h"

namespace assay {
namespace {

// The records of a zip archive (PKWARE's APPNOTE.TXT, 4.3): their signatures and fixed lengths.
constexpr uint32_t kEndSignature = 0x06054b50, kCentralSignature = 0x02014b50,
                   kLocalSignature = 0x04034b50;
constexpr size_t kEndBytes = 22, kCentralBytes = 46, kLocalBytes = 30;
constexpr size_t kCommentMost = 0xffff;
constexpr uint64_t kInZip64 = 0xffffffff;
constexpr uint64_t kStored = 0, kDeflated = 8, kEncrypted = 1;

Error Unsupported(std::string_view name, const std::string& what) {
  return {Error::Kind::kUnsupported, std::string(name) + ": " + what};
}

// Returns the little-endian number of `width` bytes at an offset, which is inside.
uint64_t NumberAt(std::span<const uint8_t> bytes, size_t offset, size_t width) {
  uint64_t number = 0;
  for (size_t i = width; i-- > 0;) number = number << 8 | bytes[offset + i];
  return number;
}

bool HasRecord(std::span<const uint8_t> bytes, size_t offset, size_t length, uint32_t signature) {
  return offset <= bytes.size() && bytes.size() - offset >= length &&
         NumberAt(bytes, offset, 4) == signature;
}

// Returns the offset of the record at the end of the archive. A comment may follow it.
std::optional<size_t> FindEnd(std::span<const uint8_t> bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const size_t last = bytes.size() - kEndBytes;
  for (size_t back = 0; back <= std::min(last, kCommentMost); ++back) {
    const size_t at = last - back;
    if (HasRecord(bytes, at, kEndBytes, kEndSignature) && NumberAt(bytes, at + 20, 2) == back) {
      return at;
    }
  }
  return std::nullopt;
}

std::string EntryText(const NpzEntry& entry) { return "entry " + Quoted(entry.name) + " "; }

// Sets where the bytes of an entry are, which its local header says.
Result<Done> FindData(std::span<const uint8_t> bytes, std::string_view name, size_t local,
                      NpzEntry& entry) {
  if (!HasRecord(bytes, local, kLocalBytes, kLocalSignature)) {
    return BadArray(name, EntryText(entry) + "has no header at offset " + std::to_string(local));
  }
  const uint64_t header =
      kLocalBytes + NumberAt(bytes, local + 26, 2) + NumberAt(bytes, local + 28, 2);
  if (bytes.size() - local < header || bytes.size() - local - header < entry.stored) {
    return BadArray(name, EntryText(entry) + "is longer than the file");
  }
  entry.data = local + header;
  return Done{};
}

// Reads the entry of the central directory at `offset`, and moves behind it.
Result<NpzEntry> ReadCentral(std::span<const uint8_t> bytes, std::string_view name,
                             size_t& offset) {
  if (!HasRecord(bytes, offset, kCentralBytes, kCentralSignature)) {
    return BadArray(name,
                    "offset " + std::to_string(offset) + ": the directory of the zip is damaged");
  }
  const auto field = [&](size_t at, size_t width) { return NumberAt(bytes, offset + at, width); };
  const uint64_t name_length = field(28, 2);
  const uint64_t length = kCentralBytes + name_length + field(30, 2) + field(32, 2);
  if (bytes.size() - offset < length) {
    return BadArray(name,
                    "offset " + std::to_string(offset) + ": the directory of the zip is cut off");
  }
  const auto* text = reinterpret_cast<const char*>(bytes.data() + offset + kCentralBytes);
  NpzEntry entry;
  entry.name.assign(text, name_length);
  if (entry.name.ends_with(".npy")) entry.name.resize(entry.name.size() - 4);
  const uint64_t method = field(10, 2), local = field(42, 4);
  entry.checksum = static_cast<uint32_t>(field(16, 4));
  entry.stored = field(20, 4);
  entry.size = field(24, 4);
  entry.deflated = method == kDeflated;
  if (entry.stored == kInZip64 || entry.size == kInZip64 || local == kInZip64) {
    return Unsupported(name, EntryText(entry) + "is larger than 4 GiB");
  }
  if ((field(8, 2) & kEncrypted) != 0) return Unsupported(name, EntryText(entry) + "is encrypted");
  if (method != kStored && method != kDeflated) {
    return Unsupported(name, EntryText(entry) + "is packed with method " + std::to_string(method) +
                                 "; only stored and deflated entries are read");
  }
  if (method == kStored && entry.stored != entry.size) {
    return BadArray(name, EntryText(entry) + "is stored, and has two sizes");
  }
  const Result<Done> found = FindData(bytes, name, local, entry);
  if (!found) return found.error();
  offset += length;
  return entry;
}

// Inflates the bytes of an entry. Error if they are damaged, or not of its size, or if `check` does
// not want them.
Result<std::vector<uint8_t>> Inflated(std::span<const uint8_t> packed, std::string_view name,
                                      const NpzEntry& entry, const CheckNpyStart& check) {
  const auto damaged = [&] {
    return BadArray(name, EntryText(entry) + "cannot be inflated: it is damaged");
  };
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return damaged();  // no header of zlib
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
  stream.next_in = const_cast<Bytef*>(packed.data());  // zlib does not write there
  stream.avail_in = static_cast<uInt>(packed.size());
  std::vector<uint8_t> bytes;
  int status = Z_OK;
  while (status == Z_OK && bytes.size() <= entry.size) {
    // One byte more than the size shows an entry that is too long.
    const size_t done = bytes.size();
    bytes.resize(std::min(std::max(2 * done, kNpyHeadBytesMax), entry.size + 1));
    stream.next_out = bytes.data() + done;
    stream.avail_out = static_cast<uInt>(bytes.size() - done);
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
    if (status == Z_OK && stream.avail_out > 0) break;  // all is read, and it does not end
    if (done > 0 || !check) continue;
    const Result<Done> wanted = check(bytes, entry.size);
    if (!wanted) return wanted.error();
    bytes.reserve(entry.size + 1);
  }
  if (status != Z_STREAM_END || bytes.size() != entry.size) return damaged();
  return bytes;
}

}  // namespace

Result<std::vector<NpzEntry>> ReadNpzDirectory(std::span<const uint8_t> bytes,
                                               std::string_view name) {
  const std::optional<size_t> end = FindEnd(bytes);
  if (!end) return BadArray(name, "not a .npz file, or cut off: no zip ends here");
  const uint64_t count = NumberAt(bytes, *end + 10, 2);
  if (NumberAt(bytes, *end + 4, 4) != 0 || NumberAt(bytes, *end + 8, 2) != count) {
    return Unsupported(name, "is a part of a zip of several files");
  }
  size_t offset = NumberAt(bytes, *end + 16, 4);
  if (offset == kInZip64 || count == 0xffff) return Unsupported(name, "is a zip64 archive");
  std::vector<NpzEntry> entries;
  std::set<std::string, std::less<>> names;
  uint64_t all = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Result<NpzEntry> entry = ReadCentral(bytes, name, offset);
    if (!entry) return entry.error();
    if (!names.insert(entry->name).second) {
      return BadArray(name, EntryText(*entry) + "is there twice");
    }
    all += entry->size;
    if (all > static_cast<uint64_t>(kFileBytesMax)) {
      return Error{Error::Kind::kResource, std::string(name) + ": its arrays have more than " +
                                               std::to_string(kFileBytesMax) + " bytes"};
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Result<std::vector<uint8_t>> ReadNpzEntry(std::span<const uint8_t> bytes, std::string_view name,
                                          const NpzEntry& entry, const CheckNpyStart& check) {
  const std::span<const uint8_t> packed = bytes.subspan(entry.data, entry.stored);
  if (!entry.deflated && check) {
    const Result<Done> wanted = check(packed, entry.size);
    if (!wanted) return wanted.error();
  }
  Result<std::vector<uint8_t>> content = entry.deflated
                                             ? Inflated(packed, name, entry, check)
                                             : std::vector<uint8_t>(packed.begin(), packed.end());
  if (content && crc32_z(0, content->data(), content->size()) != entry.checksum) {
    return BadArray(name, EntryText(entry) + "has a wrong checksum: it is damaged");
  }
  return content;
}

std::vector<uint8_t> WriteNpz(std::span<const NpzArray> arrays) {
  constexpr size_t kVersion = 20, kFirstOfJanuary1980 = 0x21;
  std::vector<uint8_t> all, directory;
  const auto put = [](std::vector<uint8_t>& to, size_t number, int width) {
    for (int i = 0; i < width; ++i) to.push_back(static_cast<uint8_t>(number >> (8 * i)));
  };
  for (const NpzArray& array : arrays) {
    const std::string name = array.name + ".npy";
    std::vector<uint8_t> common;  // of the header of the entry and its record in the directory
    put(common, kVersion, 2);
    put(common, 0, 2);  // flags
    put(common, kStored, 2);
    put(common, 0, 2);
    put(common, kFirstOfJanuary1980, 2);
    put(common, crc32(0, array.file.data(), static_cast<uInt>(array.file.size())), 4);
    put(common, array.file.size(), 4);
    put(common, array.file.size(), 4);
    put(common, name.size(), 2);
    put(common, 0, 2);  // extra field
    put(directory, kCentralSignature, 4);
    put(directory, kVersion, 2);
    directory.insert(directory.end(), common.begin(), common.end());
    put(directory, 0, 2 + 2);  // comment, disk
    put(directory, 0, 2 + 4);  // attributes
    put(directory, all.size(), 4);
    directory.insert(directory.end(), name.begin(), name.end());
    put(all, kLocalSignature, 4);
    all.insert(all.end(), common.begin(), common.end());
    all.insert(all.end(), name.begin(), name.end());
    all.insert(all.end(), array.file.begin(), array.file.end());
  }
  const size_t start = all.size();
  all.insert(all.end(), directory.begin(), directory.end());
  put(all, kEndSignature, 4);
  put(all, 0, 4);  // disks
  put(all, arrays.size(), 2);
  put(all, arrays.size(), 2);
  put(all, directory.size(), 4);
  put(all, start, 4);
  put(all, 0, 2);  // comment
  return all;
}

}  // namespace assay

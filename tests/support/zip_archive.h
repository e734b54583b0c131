// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// An entry of a zip archive. The fields that are not 0 replace what is right.
struct ZipEntry {
  std::string name;
  std::vector<uint8_t> content;
  bool deflated = false;  // in blocks that are not compressed
  uint32_t claimed_size = 0, checksum = 0;
  uint16_t method = 0, flags = 0;
};

// Writes zip archives, as NumPy's `.npz` files are.
class ZipArchive {
 public:
  ZipArchive& Add(const ZipEntry& entry) {
    const std::vector<uint8_t> stored = entry.deflated ? Deflated(entry.content) : entry.content;
    const size_t size = entry.claimed_size != 0 ? entry.claimed_size : entry.content.size();
    std::vector<uint8_t> common;  // of the local and the central header
    Put(common, 20, 2);
    Put(common, entry.flags, 2);
    Put(common, entry.method != 0 ? entry.method : entry.deflated ? 8 : 0, 2);
    Put(common, 0, 4);  // time and date
    Put(common, entry.checksum != 0 ? entry.checksum : Checksum(entry.content), 4);
    Put(common, stored.size(), 4);
    Put(common, size, 4);
    Put(common, entry.name.size(), 2);
    Put(common, 0, 2);  // extra field
    Put(central_, 0x02014b50, 4);
    Put(central_, 20, 2);
    central_.insert(central_.end(), common.begin(), common.end());
    Put(central_, 0, 2 + 2 + 2 + 4);  // comment, disk, attributes
    Put(central_, bytes_.size(), 4);
    PutText(central_, entry.name);
    Put(bytes_, 0x04034b50, 4);
    bytes_.insert(bytes_.end(), common.begin(), common.end());
    PutText(bytes_, entry.name);
    bytes_.insert(bytes_.end(), stored.begin(), stored.end());
    ++count_;
    return *this;
  }

  std::vector<uint8_t> Bytes() const {
    std::vector<uint8_t> all = bytes_;
    all.insert(all.end(), central_.begin(), central_.end());
    Put(all, 0x06054b50, 4);
    Put(all, 0, 4);
    Put(all, count_, 2);
    Put(all, count_, 2);
    Put(all, central_.size(), 4);
    Put(all, bytes_.size(), 4);
    Put(all, 0, 2);
    return all;
  }

 private:
  static void Put(std::vector<uint8_t>& bytes, uint64_t number, int width) {
    for (int i = 0; i < width; ++i, number >>= 8) bytes.push_back(static_cast<uint8_t>(number));
  }
  static void PutText(std::vector<uint8_t>& bytes, std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
  }

  static uint32_t Checksum(const std::vector<uint8_t>& bytes) {
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes) {
      crc ^= byte;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~crc;
  }

  static std::vector<uint8_t> Deflated(const std::vector<uint8_t>& content) {
    constexpr size_t kBlock = 0xffff;
    std::vector<uint8_t> bytes;
    for (size_t at = 0; at < content.size() || bytes.empty(); at += kBlock) {
      const size_t size = std::min(content.size() - at, kBlock);
      Put(bytes, at + size == content.size() ? 1 : 0, 1);
      Put(bytes, size, 2);
      Put(bytes, ~size, 2);
      const auto first = content.begin() + static_cast<std::ptrdiff_t>(at);
      bytes.insert(bytes.end(), first, first + static_cast<std::ptrdiff_t>(size));
    }
    return bytes;
  }

  std::vector<uint8_t> bytes_, central_;
  uint16_t count_ = 0;
};

}  // namespace assay

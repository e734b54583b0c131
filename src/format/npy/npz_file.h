// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// NumPy's `.npz` files: zip archives whose entries are `.npy` files, stored or deflated. An Error
// is one line, `NAME: what is wrong`. Entries of other methods, encrypted ones, and archives of
// several disks or in the zip64 form are kUnsupported.

// An entry as the central directory describes it. The sizes inside the archive have been checked
// against the file; `size`, after inflating, is only a claim.
struct NpzEntry {
  std::string name;   // of the array: without ".npy"
  size_t data = 0;    // offset of its bytes in the file
  size_t stored = 0;  // number of these bytes
  size_t size = 0;    // number of bytes of the .npy file
  bool deflated = false;
  uint32_t checksum = 0;
};

// Returns the entries in the order of the central directory. Their names are distinct, and their
// sizes add up to at most kFileBytesMax.
Result<std::vector<NpzEntry>> ReadNpzDirectory(std::span<const uint8_t> bytes,
                                               std::string_view name);

// Decides by the first bytes of a .npy file of `size` bytes, at least kNpyHeadBytesMax if there are
// as many, that the file is wanted. An Error says why it is not.
using CheckNpyStart = std::function<Result<Done>(std::span<const uint8_t> start, size_t size)>;

// Returns the .npy file of an entry of ReadNpzDirectory(). Its memory grows with the bytes that are
// really there. With `check`, no more than the first bytes are inflated before it has decided.
Result<std::vector<uint8_t>> ReadNpzEntry(std::span<const uint8_t> bytes, std::string_view name,
                                          const NpzEntry& entry, const CheckNpyStart& check = {});

// Returns an archive of `.npy` files by the names of their arrays, without ".npy". They are stored.
// All together have less than 4 GiB.
struct NpzArray {
  std::string name;
  std::vector<uint8_t> file;
};
std::vector<uint8_t> WriteNpz(std::span<const NpzArray> arrays);

}  // namespace assay

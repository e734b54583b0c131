// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay {

// The limits on the cost of reading a file, whatever its content. Exceeding a limit is an Error
// that names the limit. Tables do not nest in themselves, so the schema is the only limit of depth.
struct ReadLimits {
  // The most memory that the content of a file may take. For JSON it also covers making or reading
  // the text. The estimate is an upper bound: 64 bytes for each byte of a FlatBuffer that becomes
  // text, 12 for each character that is read, and 240 for each element of the lists around it. In
  // addition, a FlatBuffer takes at most 128 bytes for each of its bytes (some share what the
  // content repeats) and 64 KiB.
  int64_t memory_max = int64_t{4} << 30;
  // The largest file, in bytes: below 2 GiB of FlatBuffer, and the data behind it. (Files of a file
  // system are read up to kFileBytesMax of files.h.)
  int64_t file_max = int64_t{16} << 30;
  // The most tables of a FlatBuffer. A table that is referred to several times counts several
  // times. In addition, there may be no more than the file has room for, at eight bytes each.
  int64_t tables_max = int64_t{1} << 28;
  // The most tensors and shapes of all blocks, and the most operators.
  int64_t tensors_max = int64_t{1} << 24;
  int64_t operators_max = int64_t{1} << 24;
};

}  // namespace assay

#pragma once

#include <cstdint>

namespace assay {

// What reading a file may cost, whatever is in it. Hitting a limit is an Error that names it. What
// tables may hold is not nested: there is no limit of depth but the schema's.
struct ReadLimits {
  // Most memory that the content of a file may take. For JSON also that of making or reading its
  // text, estimated from above: 64 bytes for each byte of a FlatBuffer that becomes text, 12 for
  // each character that is read and 240 for each element of the lists that it is in. Apart from
  // this, a FlatBuffer takes at most 128 bytes for each of its bytes (some share what the content
  // repeats) and 64 KiB.
  int64_t memory_max = int64_t{4} << 30;
  // Largest file, in bytes: below 2 GiB of FlatBuffer, and data that stands behind it. (Files of a
  // file system are read up to kFileBytesMax of files.h.)
  int64_t file_max = int64_t{16} << 30;
  // Most tables of a FlatBuffer, those that are referred to several times counted as often. Apart
  // from this, as many as the file has room for, at eight bytes each.
  int64_t tables_max = int64_t{1} << 28;
  // Most tensors and shapes of all blocks, and most operators.
  int64_t tensors_max = int64_t{1} << 24;
  int64_t operators_max = int64_t{1} << 24;
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace assay {

// The memory that reading a file may take: a multiple of the file's size, up to a cap. It stops
// files that share a part many times.
class ReadBudget {
 public:
  static constexpr int64_t kMemoryPerFileByte = 128;
  static constexpr int64_t kMemoryPerFile = 64 << 10;

  ReadBudget(size_t file_bytes, int64_t memory_max)
      : bytes_max_(std::min(static_cast<int64_t>(file_bytes) * kMemoryPerFileByte + kMemoryPerFile,
                            memory_max)),
        bytes_left_(bytes_max_) {}

  // Charges `bytes`. Returns false if that exceeds the budget.
  bool Charge(size_t bytes) {
    if (static_cast<uint64_t>(bytes) > static_cast<uint64_t>(bytes_left_)) return false;
    bytes_left_ -= static_cast<int64_t>(bytes);
    return true;
  }

  int64_t bytes_max() const { return bytes_max_; }

  // Returns the message for a file that takes more.
  std::string TooMuch() const {
    return "takes more than " + std::to_string(bytes_max_) +
           " bytes of memory, the limit for this file";
  }

 private:
  int64_t bytes_max_;
  int64_t bytes_left_;
};

}  // namespace assay

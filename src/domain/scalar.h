// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace assay {

// One element of the value domain: an exact integer (also bool and shape), or a double. The
// tensor's type says which of the two it is; the word itself does not.
class Scalar {
 public:
  Scalar() = default;
  static Scalar OfInteger(int64_t value) { return Scalar(static_cast<uint64_t>(value)); }
  static Scalar OfFloat(double value) { return Scalar(std::bit_cast<uint64_t>(value)); }
  int64_t integer() const { return static_cast<int64_t>(word_); }
  double real() const { return std::bit_cast<double>(word_); }

 private:
  explicit Scalar(uint64_t word) : word_(word) {}
  uint64_t word_ = 0;
};

}  // namespace assay

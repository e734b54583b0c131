// SPDX-License-Identifier: Apache-2.0
#include "float_bytes.h"

#include <bit>
#include <cstring>

#include "float_codec.h"
#include "wide_vectors.h"

namespace assay {
namespace {

template <const FloatFormat& format>
struct Encoding {
  const double* numbers;
  uint8_t* bytes;
  size_t count;
  uint64_t* lost;  // not 0 if rounding changed a number

  [[gnu::always_inline]] void operator()() const {
    using Bits = FloatBits<format>;
    const auto [from, to, size, result] = *this;  // a copy, which the writes below cannot change
    uint64_t any_lost = 0;
    for (size_t i = 0; i < size; ++i) {
      const auto stored = static_cast<Bits>(EncodeAs<format>(from[i]));
      std::memcpy(to + i * sizeof(Bits), &stored, sizeof(Bits));
      const auto kept = std::bit_cast<uint64_t>(DecodeAs<format>(stored));
      any_lost |= Choose(from[i] != from[i], 0, std::bit_cast<uint64_t>(from[i]) ^ kept);
    }
    *result = any_lost;
  }
};

template <const FloatFormat& format>
struct Decoding {
  const uint8_t* bytes;
  double* numbers;
  size_t count;

  [[gnu::always_inline]] void operator()() const {
    using Bits = FloatBits<format>;
    for (size_t i = 0; i < count; ++i) {
      Bits stored;
      std::memcpy(&stored, bytes + i * sizeof(Bits), sizeof(Bits));
      numbers[i] = DecodeAs<format>(stored);
    }
  }
};

}  // namespace

bool EncodeFloats(DType type, std::span<const double> numbers, uint8_t* bytes) {
  uint64_t lost = 0;
  WithFormat(type, [&]<const FloatFormat & format>() {
    RunWide(Encoding<format>{numbers.data(), bytes, numbers.size(), &lost});
  });
  return lost == 0;
}

void DecodeFloats(DType type, const uint8_t* bytes, std::span<double> numbers) {
  WithFormat(type, [&]<const FloatFormat & format>() {
    RunWide(Decoding<format>{bytes, numbers.data(), numbers.size()});
  });
}

}  // namespace assay

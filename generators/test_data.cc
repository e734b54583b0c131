#include "test_data.h"

#include <array>
#include <cmath>

#include "check.h"
#include "elementary.h"

namespace assay {
namespace {

// x -> factor * x + term, modulo 2^32.
struct Step {
  uint32_t factor, term;
};

// First `a`, then `b`.
constexpr Step Then(const Step& a, const Step& b) {
  return {a.factor * b.factor, a.term * b.factor + b.term};
}

constexpr uint32_t MultiplierOf(uint32_t set) { return (8 * set + 1) * 0x705A5E75u; }

// What 0 to 15 times 16^digit steps of the recurrence of a set do, for every digit of an index.
struct Leaps {
  static constexpr size_t kDigits = 8;
  std::array<std::array<Step, 16>, kDigits> by_digit;
};

constexpr Leaps LeapsOf(uint32_t set) {
  Leaps leaps;
  Step once = {MultiplierOf(set), 1};
  for (auto& leap : leaps.by_digit) {
    leap[0] = {1, 0};
    for (size_t times = 1; times < leap.size(); ++times) leap[times] = Then(leap[times - 1], once);
    once = Then(leap.back(), once);
  }
  return leaps;
}

// Of the sets that the test data are made of: three for each test set.
constexpr auto kLeaps = [] {
  std::array<Leaps, 3 * kTestSets> all;
  for (uint32_t set = 0; set < all.size(); ++set) all[set] = LeapsOf(set);
  return all;
}();

// The data of one parameter of one set.
class Source {
 public:
  Source(int set, int64_t i) : set_(static_cast<uint32_t>(3 * set)), i_(static_cast<uint32_t>(i)) {}

  // set_data(3*S + row, factor*i + offset)
  double At(uint32_t row, uint32_t factor = 1, uint32_t offset = 0) const {
    return SetData(set_ + row, factor * i_ + offset);
  }
  // `amount` of the sign of the data.
  double Signed(double amount, uint32_t row, uint32_t factor) const {
    return At(row, factor) < 0 ? -amount : amount;
  }

 private:
  uint32_t set_;
  uint32_t i_;
};

// Large exponents: between half and all of the scale, of either sign.
double LargeExponent(const Source& source, uint32_t row) {
  return source.Signed(0.75, row, 2) + 0.25 * source.At(row, 2, 1);
}

// A value whose magnitude varies by powers of e.
double VariedMagnitude(const Source& source, uint32_t row) {
  return Exp(2 * source.At(row, 2)) * source.At(row, 2, 1);
}

}  // namespace

uint32_t TestDataState(uint32_t set, uint32_t index) {
  Check(set < kLeaps.size(), "a set of the test data");
  uint32_t state = MultiplierOf(set) + 1;
  for (const auto& leap : kLeaps[set].by_digit) {
    if (index == 0) break;
    const Step& step = leap[index % 16];
    state = state * step.factor + step.term;
    index /= 16;
  }
  return state;
}

float SetData(uint32_t set, uint32_t index) {
  const uint32_t state = TestDataState(set, index);
  const float sign = state >> 31 == 0 ? 1.0f : -1.0f;
  return sign * static_cast<float>(state & 0x7FFFFFFFu) / static_cast<float>(0x7FFFFFFF);
}

double TestDataBound(DType in, DType out) {
  switch (in) {
    case DType::kFp8e4m3:
      return out == DType::kFp16 ? 240 : out == DType::kFp32 ? 448 : out == in ? 20 : 0;
    case DType::kFp8e5m2:
      return out == DType::kFp16 ? 224 : out == DType::kFp32 ? 57344 : out == in ? 224 : 0;
    case DType::kFp16:
      return out == DType::kFp16 ? 255.875 : out == DType::kFp32 ? 65504 : 0;
    case DType::kBf16:
      return out == DType::kBf16 || out == DType::kFp32 ? 0x1p64 - 0x1p56 : 0;
    case DType::kFp32:
      return out == DType::kFp32 ? 0x1p64 - 0x1p40 : 0;
    default:
      return 0;
  }
}

double TestData(int set, int64_t kernel_size, int parameter, int64_t k, int64_t i, double bound) {
  Check(set >= 0 && set < kTestSets && parameter >= 0 && parameter <= 2, "a set and a parameter");
  const Source source(set, i);
  const auto row = static_cast<uint32_t>(parameter);
  const auto KS = static_cast<double>(kernel_size);
  if (set == 1) {
    const double scale = parameter == 2 ? bound * bound / (KS + 1) : bound / std::sqrt(KS + 1);
    return scale * LargeExponent(source, row);
  }
  if (parameter == 2) return 0;
  const double scale = bound / std::sqrt(KS);
  // The sets 0 and 4 take the same data for both operands.
  const auto kept = [&] { return (source.At(0) < 0) == (parameter == 1); };
  switch (set) {
    case 0:
      return kept() ? source.At(1) : 0;
    case 2:
      return k == 0 ? 1 : source.At(row) / std::sqrt(KS);
    case 3:
      return k == 0 ? source.Signed(16, row, 2) : VariedMagnitude(source, row);
    case 4:
      if (k == kernel_size / 2) return (source.At(0) < 0) == (parameter == 0) ? -0.5 : 0.5;
      return kept() ? scale * source.At(1) : 0;
    default:
      return scale * source.At(row);
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "element_wise.h"

namespace assay::ops {
namespace {

void Checks(const Signature& s, const Level&, Judgement& j) {
  const int32_t size = s.in(0) == DType::kInt8 ? 256 : 513;  // TABLE_SIZE of the type row
  j.Require(s.shape(1)[0] == size, "TABLE/REQUIRE/1");
}

// apply_lookup_s: interpolates between the entries of a table of 9.7 fixed-point positions.
template <class D>
typename D::Element ApplyLookup(D& d, std::span<const typename D::Element> table,
                                const typename D::Element& value) {
  const auto clipped = d.Clip(value, -32768, 32767);
  const auto seven = d.Integer(7);
  const auto index = d.ShiftRight(d.AddInteger(clipped, d.Integer(32768)), seven);
  const auto fraction = d.And(clipped, d.Integer(0x7f));
  const auto base = d.Lookup(DType::kInt16, table, index);
  const auto next = d.Lookup(DType::kInt16, table, d.AddInteger(index, d.Integer(1)));
  const auto slope =
      RequireRange(d, DType::kInt16, d.SubInteger(next, base), "TABLE/REQUIRE/apply_lookup_s");
  return d.AddInteger(d.ShiftLeft(base, seven), d.MulInteger(slope, fraction));
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const std::span<const typename D::Element> table(*call.input(1).elements);
  Unary(d, call, [&](const auto& value) {
    if (call.in() == DType::kInt16) return ApplyLookup(d, table, value);
    return d.Lookup(DType::kInt8, table, d.AddInteger(value, d.Integer(128)));
  });
}

// The text "HEAD{f(0),f(1),...}": the operands of an example, with a table of kSize entries at the
// end.
template <int kSize>
struct TableText {
  std::array<char, kSize * 7 + 64> text{};
  size_t length = 0;

  template <class F>
  constexpr TableText(std::string_view head, F entry) {
    for (const char c : head) text[length++] = c;
    for (int i = 0; i < kSize; ++i) {
      text[length++] = i == 0 ? '{' : ',';
      Append(entry(i));
    }
    text[length++] = '}';
  }
  constexpr void Append(int value) {
    if (value < 0) text[length++] = '-';
    const int magnitude = value < 0 ? -value : value;
    for (int unit = 10000; unit > 0; unit /= 10) {
      if (magnitude >= unit || unit == 1) {
        text[length++] = static_cast<char>('0' + magnitude / unit % 10);
      }
    }
  }
  constexpr operator std::string_view() const { return {text.data(), length}; }
};

constexpr TableText<256> kReversed("i8[4]{-128,-1,0,127} i8[256]", [](int i) { return 127 - i; });
constexpr TableText<513> kRamp("i16[5]{-32768,-1,0,3,32767} i16[513]", [](int i) { return 2 * i; });
constexpr TableText<513> kFalling("i16[3]{5,64,-32704} i16[513]",
                                  [](int i) { return i % 2 == 0 ? 100 : -32668; });
constexpr TableText<513> kSteep("i16[1]{5} i16[513]",
                                [](int i) { return i % 2 == 0 ? 100 : -32669; });

constexpr Example kExamples[] = {
    // Entry v + 128 of the table 127, 126, ..., -128: 127 - (v + 128) = -1 - v.
    {kReversed, "", "i8[4]{127,0,-1,-128}"},
    // Entry i is 2i, so the slope is 2. -32768: entry 0. -1: index 32767 >> 7 = 255, fraction 127,
    // 510 * 128 + 2 * 127. 0: index 256, 512 * 128. 3: 512 * 128 + 2 * 3. 32767: index 511,
    // fraction 127, 1022 * 128 + 2 * 127, towards the last entry.
    {kRamp, "", "i32[5]{0,65534,65536,65542,131070}"},
    // From 100 down to -32668 is a slope of -32768, the smallest allowed. Index 256, fractions 5
    // and 64: 12800 - 32768 * 5, 12800 - 32768 * 64; -32704: index 0, fraction 64.
    {kFalling, "", "i32[3]{-151040,-2084352,-2084352}"},
    // A slope of -32769.
    {kSteep, "", "unpredictable TABLE/REQUIRE/apply_lookup_s"},
    {"i8[1]{0} i8[255]{1}", "", "unpredictable TABLE/REQUIRE/1"},
};

}  // namespace

// The output of an int16_t table is int32_t.
extern const OperatorDefinition table_operator = {
    .op = Op::kTable,
    .traits = {ElementWise::kYes, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone},
    .infer =
        [](const Signature& s, std::vector<TensorType>& outputs) {
          const DType type = s.in(0) == DType::kInt16 ? DType::kInt32 : s.in(0);
          outputs.assign(1, {type, s.shape(0)});
          return true;
        },
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

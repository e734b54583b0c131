// SPDX-License-Identifier: Apache-2.0
#include "rescale.h"

#include "element_wise.h"

namespace assay::ops {
namespace {

constexpr char kScale32[] = "RESCALE/REQUIRE/apply_scale_32";
constexpr char kScale16[] = "RESCALE/REQUIRE/apply_scale_16";

int64_t ZeroPoint(const Signature& s, int input, bool is_unsigned) {
  const int64_t value = s.ConstantInteger(input);
  return is_unsigned ? value & ((int64_t{1} << IntegerBits(s.in(input))) - 1) : value;
}

// Checks the type of the multiplier (mul_t) and the number of scales (NC) against the Arguments
// table.
void CheckScales(const Signature& s, const Rescaling& a, Judgement& j) {
  const Shape& shape = s.shape(0);
  const bool channels = a.per_channel && shape.rank() > 0;
  j.ErrorIf(s.in(1) != (a.scale32 ? DType::kInt32 : DType::kInt16), "RESCALE/ERROR_IF/arguments");
  j.ErrorIf(s.shape(1)[0] != (channels ? shape[shape.rank() - 1] : 1),
            "RESCALE/ERROR_IF/arguments");
}

void Checks(const Signature& s, const Level&, Judgement& j) {
  const Rescaling a(s);
  CheckScales(s, a, j);
  const DType in = s.in(0);
  const DType out = s.out();
  constexpr DType i8 = DType::kInt8, i16 = DType::kInt16, i32 = DType::kInt32, i48 = DType::kInt48;
  j.ErrorIf(in != i8 && (in != i16 || !a.input_unsigned) && a.input_zp != 0, "RESCALE/ERROR_IF/1");
  j.ErrorIf(out != i8 && (out != i16 || !a.output_unsigned) && a.output_zp != 0,
            "RESCALE/ERROR_IF/2");
  j.ErrorIf(in == i16 && a.input_unsigned && a.input_zp != 0 && a.input_zp != 32768,
            "RESCALE/ERROR_IF/3");
  j.ErrorIf(out == i16 && a.output_unsigned && a.output_zp != 0 && a.output_zp != 32768,
            "RESCALE/ERROR_IF/4");
  j.ErrorIf(a.scale32 && in == i48, "RESCALE/ERROR_IF/5");
  j.ErrorIf(!a.scale32 && a.rounding == RoundingMode::kDoubleRound, "RESCALE/ERROR_IF/6");
  j.ErrorIf(a.input_unsigned && a.output_unsigned, "RESCALE/ERROR_IF/7");
  j.ErrorIf(out == i32 && a.input_unsigned, "RESCALE/ERROR_IF/8");
  j.ErrorIf(in == i32 && a.output_unsigned, "RESCALE/ERROR_IF/9");
  j.ErrorIf(in == i48 && a.output_unsigned, "RESCALE/ERROR_IF/10");
  j.ErrorIf(in == i48 && a.input_unsigned, "RESCALE/ERROR_IF/11");
  j.ErrorIf(in == i32 && a.input_unsigned, "RESCALE/ERROR_IF/12");
  j.ErrorIf(out == i32 && a.output_unsigned, "RESCALE/ERROR_IF/13");
  j.ErrorIf(a.per_channel && s.shape(0).rank() < 1, "RESCALE/ERROR_IF/14");
  if (!j.valid() && j.broken() == nullptr) return;
  for (int64_t c = 0; c < a.channels(); ++c) {
    RequireScale(a.scale(c), j, a.scale32 ? kScale32 : kScale16);
  }
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  const Signature& s = call.signature;
  const Rescaling a(s);
  const DType type = call.out();
  const int in_bits = IntegerBits(call.in());
  const auto input_zp = d.Integer(a.input_zp);
  const auto output_zp = d.Integer(a.output_zp);
  const bool double_round = a.rounding == RoundingMode::kDoubleRound;
  const int64_t channels = a.channels(), low = a.low(), high = a.high();
  int64_t c = 0;
  Unary(d, call, [&](const auto& in_value) {
    const auto extended = a.input_unsigned ? d.ZeroExtend(in_bits, in_value) : in_value;
    const auto value = d.SubInteger(extended, input_zp);
    const Scale scale = a.scale(c);
    c = c + 1 < channels ? c + 1 : 0;
    auto result = a.scale32 ? ApplyScale32(d, value, scale, kScale32, double_round)
                            : ApplyScale16(d, value, scale, kScale16);
    result = d.Add(DType::kInt32, result, output_zp, "RESCALE/REQUIRE/apply_add_s");
    auto out = d.Truncate(type, d.Clip(result, low, high));
    if (a.rounding != RoundingMode::kInexactRound) return out;
    return d.InexactRound(out, value, d.Integer(scale.multiplier), d.Integer(scale.shift),
                          output_zp, low, high);
  });
}

constexpr Example kExamples[] = {
    // A half, 2^30 / 2^31: 1.5 goes to 2, -1.5 to -1 (halves go up), 2 stays.
    {"i8[3]{3,-3,4} i32[1]{1073741824} i8[1]{31} i8[1]{0} i8[1]{0}", "scale32=true",
     "i8[3]{2,-1,2}"},
    // One, 2^30 / 2^30: what does not fit is clipped.
    {"i32[3]{1000,-1000,-5} i32[1]{1073741824} i8[1]{30} i32[1]{0} i8[1]{0}", "scale32=true",
     "i8[3]{127,-128,-5}"},
    // Zero points: (1+3)+5; (-128+3)+5; (127+3)+5 = 135 is clipped.
    {"i8[3]{1,-128,127} i32[1]{1073741824} i8[1]{30} i8[1]{-3} i8[1]{5}", "scale32=true",
     "i8[3]{9,-120,127}"},
    // A quarter, 2^30 / 2^32: 0.25, 0.5, -0.25, -0.5 to 0, 1, 0, 0.
    {"i16[4]{1,2,-1,-2} i32[1]{1073741824} i8[1]{32} i16[1]{0} i16[1]{0}", "scale32=true",
     "i16[4]{0,1,0,0}"},
    // DOUBLE_ROUND adds 2^30 away from zero: (1 * 2^30 + 2^31 + 2^30) >> 32 = 1; 2 * 2^30 makes
    // 1.25, cut to 1; (-2^30 + 2^31 - 2^30) = 0; (-2^31 + 2^31 - 2^30) >> 32 = -1.
    {"i16[4]{1,2,-1,-2} i32[1]{1073741824} i8[1]{32} i16[1]{0} i16[1]{0}",
     "scale32=true rounding_mode=DOUBLE_ROUND", "i16[4]{1,1,0,-1}"},
    // ... but only beyond a shift of 31: a half as above.
    {"i8[2]{3,-3} i32[1]{1073741824} i8[1]{31} i8[1]{0} i8[1]{0}",
     "scale32=true rounding_mode=DOUBLE_ROUND", "i8[2]{2,-1}"},
    // INEXACT_ROUND is calculated as SINGLE_ROUND.
    {"i8[2]{3,-3} i32[1]{1073741824} i8[1]{31} i8[1]{0} i8[1]{0}",
     "scale32=true rounding_mode=INEXACT_ROUND", "i8[2]{2,-1}"},
    // uint8 to int8: -1 is read as 255, zero point -128 as 128: 255-128, 0-128, 127-128.
    {"i8[3]{-1,0,127} i32[1]{1073741824} i8[1]{30} i8[1]{-128} i8[1]{0}",
     "scale32=true input_unsigned=true", "i8[3]{127,-128,-1}"},
    // int8 to uint8, times 4: -20 is clipped to 0, 400 to 255, which is stored as -1; 200 as -56.
    {"i8[3]{-5,100,50} i32[1]{1073741824} i8[1]{28} i8[1]{0} i8[1]{0}",
     "scale32=true output_unsigned=true", "i8[3]{0,-1,-56}"},
    // int8 to uint16 with zero point 32768: -1+32768 = 32767; 1+32768 is stored as -32767.
    {"i8[2]{-1,1} i32[1]{1073741824} i8[1]{30} i8[1]{0} i16[1]{-32768}",
     "scale32=true output_unsigned=true", "i16[2]{32767,-32767}"},
    // Channels of their own: times 1, 1/2, 2.
    {"i8[2,3]{10,10,10,-7,-7,-7} i32[3]{1073741824,1073741824,1073741824} i8[3]{30,31,29} i8[1]{0} "
     "i8[1]{0}",
     "scale32=true per_channel=true", "i8[2,3]{10,5,20,-7,-3,-14}"},
    // apply_scale_16 of a 48-bit value: 2^40 * 2^14 / 2^30 = 2^24; 3 * 2^14 / 2^15 = 1.5 goes to 2.
    {"i48[2]{1099511627776,-1099511627776} i16[1]{16384} i8[1]{30} i48[1]{0} i32[1]{0}",
     "scale32=false", "i32[2]{16777216,-16777216}"},
    {"i48[2]{3,-3} i16[1]{16384} i8[1]{15} i48[1]{0} i32[1]{0}", "scale32=false", "i32[2]{2,-1}"},
    // 2^40 times one is not an i32.
    {"i48[1]{1099511627776} i16[1]{16384} i8[1]{14} i48[1]{0} i32[1]{0}",
     "scale32=false output=i32[1]", "unpredictable RESCALE/REQUIRE/apply_scale_16"},
    // 2^31 - 1 and a zero point of 1.
    {"i48[1]{2147483647} i16[1]{16384} i8[1]{14} i48[1]{0} i8[1]{1}", "scale32=false output=i8[1]",
     "unpredictable RESCALE/REQUIRE/apply_add_s"},
    // With shift 2 a value is one of -2..1.
    {"i8[2]{-2,1} i32[1]{4} i8[1]{2} i8[1]{0} i8[1]{0}", "scale32=true", "i8[2]{-2,1}"},
    {"i8[1]{2} i32[1]{4} i8[1]{2} i8[1]{0} i8[1]{0}", "scale32=true output=i8[1]",
     "unpredictable RESCALE/REQUIRE/apply_scale_32"},
    {"i8[1]{1} i32[1]{-1} i8[1]{30} i8[1]{0} i8[1]{0}", "scale32=true output=i8[1]",
     "unpredictable RESCALE/REQUIRE/apply_scale_32"},
    {"i8[1]{1} i16[1]{1} i8[1]{63} i8[1]{0} i8[1]{0}", "scale32=false output=i8[1]",
     "unpredictable RESCALE/REQUIRE/apply_scale_16"},
    // One broken rule each.
    {"i16[1]{0} i32[1]{1} i8[1]{30} i16[1]{1} i8[1]{0}", "scale32=true output=i8[1]",
     "error RESCALE/ERROR_IF/1"},
    {"i8[1]{0} i32[1]{1} i8[1]{30} i8[1]{0} i32[1]{1}", "scale32=true output=i32[1]",
     "error RESCALE/ERROR_IF/2"},
    {"i16[1]{0} i32[1]{1} i8[1]{30} i16[1]{1} i8[1]{0}",
     "scale32=true input_unsigned=true output=i8[1]", "error RESCALE/ERROR_IF/3"},
    {"i8[1]{0} i32[1]{1} i8[1]{30} i8[1]{0} i16[1]{-1}",
     "scale32=true output_unsigned=true output=i16[1]", "error RESCALE/ERROR_IF/4"},
    {"i48[1]{0} i32[1]{1} i8[1]{30} i48[1]{0} i32[1]{0}", "scale32=true output=i32[1]",
     "error RESCALE/ERROR_IF/5"},
    {"i8[1]{0} i16[1]{1} i8[1]{30} i8[1]{0} i8[1]{0}",
     "scale32=false rounding_mode=DOUBLE_ROUND output=i8[1]", "error RESCALE/ERROR_IF/6"},
    {"i8[1]{0} i32[1]{1} i8[1]{30} i8[1]{0} i8[1]{0}",
     "scale32=true input_unsigned=true output_unsigned=true output=i8[1]",
     "error RESCALE/ERROR_IF/7"},
    {"i8[1]{0} i32[1]{1} i8[1]{30} i8[1]{0} i32[1]{0}",
     "scale32=true input_unsigned=true output=i32[1]", "error RESCALE/ERROR_IF/8"},
    {"i32[1]{0} i32[1]{1} i8[1]{30} i32[1]{0} i8[1]{0}",
     "scale32=true output_unsigned=true output=i8[1]", "error RESCALE/ERROR_IF/9"},
    {"i48[1]{0} i16[1]{1} i8[1]{30} i48[1]{0} i8[1]{0}",
     "scale32=false output_unsigned=true output=i8[1]", "error RESCALE/ERROR_IF/10"},
    {"i48[1]{0} i16[1]{1} i8[1]{30} i48[1]{0} i8[1]{0}",
     "scale32=false input_unsigned=true output=i8[1]", "error RESCALE/ERROR_IF/11"},
    {"i32[1]{0} i32[1]{1} i8[1]{30} i32[1]{0} i8[1]{0}",
     "scale32=true input_unsigned=true output=i8[1]", "error RESCALE/ERROR_IF/12"},
    {"i8[1]{0} i32[1]{1} i8[1]{30} i8[1]{0} i32[1]{0}",
     "scale32=true output_unsigned=true output=i32[1]", "error RESCALE/ERROR_IF/13"},
    {"i8[]{0} i32[1]{1} i8[1]{30} i8[1]{0} i8[1]{0}", "scale32=true per_channel=true output=i8[]",
     "error RESCALE/ERROR_IF/14"},
    // One scale for two channels; a 16-bit multiplier where scale32 says 32.
    {"i8[2]{0} i32[1]{1} i8[1]{30} i8[1]{0} i8[1]{0}", "scale32=true per_channel=true output=i8[2]",
     "error RESCALE/ERROR_IF/arguments"},
    {"i8[1]{0} i16[1]{1} i8[1]{30} i8[1]{0} i8[1]{0}", "scale32=true output=i8[1]",
     "error RESCALE/ERROR_IF/arguments"},
    // A multiplier for every channel: 10 * 2^30 >> 30, 10 * 2^29 >> 30.
    {"i8[1,2]{10,10} i32[2]{1073741824,536870912} i8[2]{30,30} i8[1]{0} i8[1]{0}",
     "scale32=true per_channel=true output=i8[1,2]", "i8[1,2]{10,5}"},
};

}  // namespace

Rescaling::Rescaling(const Signature& s)
    : signature(s),
      scale32(s.attributes->Flag(AttributeId::kScale32)),
      rounding(static_cast<RoundingMode>(s.attributes->Int(AttributeId::kRoundingMode))),
      per_channel(s.attributes->Flag(AttributeId::kPerChannel)),
      input_unsigned(s.attributes->Flag(AttributeId::kInputUnsigned)),
      output_unsigned(s.attributes->Flag(AttributeId::kOutputUnsigned)),
      input_zp(ZeroPoint(s, 3, input_unsigned)),
      output_zp(ZeroPoint(s, 4, output_unsigned)) {}

int64_t Rescaling::low() const { return output_unsigned ? 0 : MinimumInteger(signature.out()); }

int64_t Rescaling::high() const {
  return output_unsigned ? (int64_t{1} << IntegerBits(signature.out())) - 1
                         : MaximumInteger(signature.out());
}

extern const OperatorDefinition rescale_operator = {
    .op = Op::kRescale,
    .traits = {ElementWise::kYes, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone,
               3},
    .infer = InferSameShape,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

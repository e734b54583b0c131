// SPDX-License-Identifier: Apache-2.0
#include "pooling.h"

namespace assay::ops {
namespace {

// Starts with the first element of a window. The pseudocode starts with NaN or the minimum of the
// type, which gives the same result (like in REDUCE_MAX): padding is smaller than the kernel, so no
// window is empty.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const NanMode mode = call.attributes().nan_mode();
  Pool(d, call, *call.input(0).elements, [&](auto window) {
    auto acc = window[0];
    for (const auto& value : window.subspan(1)) acc = d.Max(type, mode, acc, value);
    return acc;
  });
}

// A single element for the rules about attributes.
constexpr std::string_view kPixel = "i8[1,1,1,1]{1}";

constexpr Example kExamples[] = {
    // Rows -1,0 and 2,3 (stride 3, one row of padding on either side), columns 0..2 and 2..4
    // (stride 2, one column of padding on the right) of
    //   -1 -2 -3 -4 / 5 6 7 8 / 9 12 11 10:
    // max(-1,-2,-3), max(-3,-4): padding is no 0; max(9,12,11), max(11,10).
    {"i8[1,3,4,1]{-1,-2,-3,-4,5,6,7,8,9,12,11,10}",
     "kernel=[2,3] stride=[3,2] pad=[1,1,0,1] nan_mode=PROPAGATE", "i8[1,2,2,1]{-1,-3,12,11}"},
    // The same turned by a quarter: 4 rows of 3, rows 0..2 and 2..4, columns -1,0 and 2,3.
    {"i16[1,4,3,1]{-1,5,9,-2,6,12,-3,7,11,-4,8,10}",
     "kernel=[3,2] stride=[2,3] pad=[0,1,1,1] nan_mode=PROPAGATE", "i16[1,2,2,1]{-1,12,-3,11}"},
    // Two images of two channels, windows of a whole row: max(1,3), max(20,10); max(5,7),
    // max(-50,-70).
    {"i8[2,1,2,2]{1,20,3,10,5,-50,7,-70}",
     "kernel=[1,2] stride=[1,1] pad=[0,0,0,0] nan_mode=IGNORE", "i8[2,1,1,2]{3,20,7,-50}"},
    // Windows {nan,1}, {1,-inf}, {-inf,nan}: one NaN is enough.
    {"fp32[1,1,4,1]{nan,1,-inf,nan}", "kernel=[1,2] stride=[1,1] pad=[0,0,0,0] nan_mode=PROPAGATE",
     "fp32[1,1,3,1]{nan,1,nan}"},
    // Ignored beside any number; {nan,nan} leaves NaN.
    {"fp16[1,5,1,1]{nan,1,-inf,nan,nan}", "kernel=[2,1] stride=[1,1] pad=[0,0,0,0] nan_mode=IGNORE",
     "fp16[1,4,1,1]{1,1,-inf,nan}"},
    // Overlapping windows inside an image of 3 x 3.
    {"i8[1,3,3,1]{9,1,2,3,4,5,6,7,8}", "kernel=[2,2] stride=[1,1] pad=[0,0,0,0] nan_mode=PROPAGATE",
     "i8[1,2,2,1]{9,5,7,8}"},
    {kPixel, "kernel=[0,1] stride=[1,1] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/1"},
    {kPixel, "kernel=[1,0] stride=[1,1] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/1"},
    {kPixel, "kernel=[1,1] stride=[0,1] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/2"},
    {kPixel, "kernel=[1,1] stride=[1,0] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/2"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[-1,0,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/3"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,-1,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/3"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,-1,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/3"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,0,-1] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/3"},
    // Padding of 2 beside a kernel of 2; the other side of the kernel is larger.
    {kPixel, "kernel=[3,2] stride=[1,1] pad=[0,0,2,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/4"},
    {kPixel, "kernel=[3,2] stride=[1,1] pad=[0,0,0,2] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/4"},
    {kPixel, "kernel=[2,3] stride=[1,1] pad=[2,0,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/5"},
    {kPixel, "kernel=[2,3] stride=[1,1] pad=[0,2,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "error MAX_POOL2D/ERROR_IF/5"},
    // (4 - 1) / 2 leaves a rest.
    {"i8[1,4,1,1]{1}",
     "kernel=[1,1] stride=[2,1] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,2,1,1]",
     "error MAX_POOL2D/ERROR_IF/idiv_check"},
    {"i8[1,1,4,1]{1}",
     "kernel=[1,1] stride=[1,2] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,1,2,1]",
     "error MAX_POOL2D/ERROR_IF/idiv_check"},
    // (4 - 2) / 2 + 1 = 2; (4 - 2) / 1 + 1 = 3.
    {"i8[1,4,4,1]{1}",
     "kernel=[2,2] stride=[2,1] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,3,3,1]",
     "error MAX_POOL2D/ERROR_IF/6"},
    {"i8[1,4,4,1]{1}",
     "kernel=[2,2] stride=[2,1] pad=[0,0,0,0] nan_mode=PROPAGATE output=i8[1,2,2,1]",
     "error MAX_POOL2D/ERROR_IF/7"},
    // At the limits of the level: one window, whose only element is in its last corner.
    {"i8[1,1,1,1]{7}",
     "kernel=[8192,8192] stride=[8192,8192] pad=[8191,0,8191,0] nan_mode=PROPAGATE",
     "i8[1,1,1,1]{7}"},
    // Beyond them. (Padding that is too large is also an error, which unpredictable overrides.)
    {kPixel, "kernel=[8193,1] stride=[1,1] pad=[8192,0,0,0] nan_mode=PROPAGATE",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/1"},
    {kPixel, "kernel=[1,8193] stride=[1,1] pad=[0,0,0,8192] nan_mode=PROPAGATE",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/2"},
    {kPixel, "kernel=[1,1] stride=[8193,1] pad=[0,0,0,0] nan_mode=PROPAGATE",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/3"},
    {kPixel, "kernel=[1,1] stride=[1,8193] pad=[0,0,0,0] nan_mode=PROPAGATE",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/4"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[8193,0,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/5"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,8193,0,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/6"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,8193,0] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/7"},
    {kPixel, "kernel=[1,1] stride=[1,1] pad=[0,0,0,8193] nan_mode=PROPAGATE output=i8[1,1,1,1]",
     "unpredictable MAX_POOL2D/LEVEL_CHECK/8"},
    // Rows 0 and 2 of 1 2 3 / 4 5 6 / 7 8 9; then pairs of rows of it, one column at a time.
    {"i8[1,3,3,1]{1,2,3,4,5,6,7,8,9}", "kernel=[1,1] stride=[2,1] pad=[0,0,0,0] nan_mode=PROPAGATE",
     "i8[1,2,3,1]{1,2,3,7,8,9}"},
    {"i8[1,3,3,1]{9,8,7,6,5,4,3,2,1}", "kernel=[2,1] stride=[1,1] pad=[0,0,0,0] nan_mode=PROPAGATE",
     "i8[1,2,3,1]{9,8,7,6,5,4}"},
};

}  // namespace

extern const OperatorDefinition max_pool2d_operator = {
    .op = Op::kMaxPool2d,
    .traits = {ElementWise::kNo, ResultOrigin::kChosen, ScratchKind::kNone, Specials::kRows},
    .infer = InferPooling,
    .check = CheckPooling,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops

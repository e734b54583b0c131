// SPDX-License-Identifier: Apache-2.0
#include "postponable_subjects.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "hand_folding.h"

namespace assay {
namespace {

using enum Constness;

// Returns a subject whose entry reads "f".
FoldSubject Expanded(std::string name, NamedBuilder& builder, std::string_view type,
                     std::vector<Constness> marks,
                     std::initializer_list<std::string_view> more = {}) {
  builder.Add("y", type, Op::kMaximum, {"x", "f"}, {{AttributeId::kNanMode, int32_t{1}}});
  std::vector<std::string_view> outputs = {"y"};
  outputs.insert(outputs.end(), more.begin(), more.end());
  FoldSubject subject{std::move(name), {}, std::move(marks)};
  subject.graph = outputs.size() == 1 ? builder.Returns({"y"}) : builder.Returns({"y", outputs[1]});
  return subject;
}

FoldSubject TileThenSub(bool also_read) {
  NamedBuilder builder;
  builder.Input("x", "fp32[40,3]")
      .Input("w", "fp32[2,3]")
      .Input("b", "fp32[1,3]")
      .Constant("m", "shape[2]{20,1}")
      .Add("e", "fp32[40,3]", Op::kTile, {"w", "m"})
      .Add("f", "fp32[40,3]", Op::kSub, {"b", "e"});
  if (!also_read)
    return Expanded("TILE, then SUB", builder, "fp32[40,3]", {kVarying, kRuntime, kRuntime});
  builder.Add("o", "fp32[40,3]", Op::kMaximum, {"e", "x"}, {{AttributeId::kNanMode, int32_t{1}}});
  return Expanded("TILE, which others read, too", builder, "fp32[40,3]",
                  {kVarying, kRuntime, kRuntime}, {"o"});
}

// All rows are different.
FoldSubject TileAndRows() {
  std::string rows = "fp32[40,1]{";
  for (int i = 0; i < 40; ++i) rows += (i > 0 ? "," : "") + std::to_string(i * i);
  NamedBuilder builder;
  builder.Input("x", "fp32[40,3]")
      .Input("w", "fp32[2,3]")
      .Constant("r", rows + "}")
      .Constant("m", "shape[2]{20,1}")
      .Add("e", "fp32[40,3]", Op::kTile, {"w", "m"})
      .Add("f", "fp32[40,3]", Op::kSub, {"e", "r"});
  FoldSubject subject =
      Expanded("TILE, and rows of their own", builder, "fp32[40,3]", {kVarying, kRuntime});
  subject.policy = {SizePolicyKind::kAbsolute, 32};
  return subject;
}

FoldSubject TileThenClamp() {
  NamedBuilder builder;
  builder.Input("x", "fp32[40]")
      .Input("w", "fp32[2]")
      .Constant("m", "shape[1]{20}")
      .Add("e", "fp32[40]", Op::kTile, {"w", "m"})
      .Add("f", "fp32[40]", Op::kClamp, {"e"},
           {{AttributeId::kMinVal, TensorOf("fp32[]{-1}")},
            {AttributeId::kMaxVal, TensorOf("fp32[]{2}")},
            {AttributeId::kNanMode, int32_t{1}}});
  return Expanded("TILE, then CLAMP", builder, "fp32[40]", {kVarying, kRuntime});
}

FoldSubject Concatenated() {
  NamedBuilder builder;
  builder.Input("x", "fp32[5]")
      .Input("a", "fp32[2]")
      .Input("b", "fp32[3]")
      .Add("e", "fp32[5]", Op::kConcat, {"a", "b"}, Axis(0))
      .Add("f", "fp32[5]", Op::kFloor, {"e"});
  FoldSubject subject =
      Expanded("CONCAT, then FLOOR", builder, "fp32[5]", {kVarying, kRuntime, kRuntime});
  subject.policy = {SizePolicyKind::kAbsolute, 12};
  return subject;
}

FoldSubject Padded(Op op, Attributes attributes, std::string_view result, std::string_view name) {
  NamedBuilder builder;
  builder.Input("x", result)
      .Input("w", "fp32[2,2]")
      .Constant("p", "shape[4]{0,0,1,57}")
      .Constant("c", "fp32[1]{0.75}")
      .Add("e", "fp32[2,60]", Op::kPad, {"w", "p", "c"})
      .Add("f", result, op, {"e"}, std::move(attributes));
  return Expanded(std::string(name), builder, result, {kVarying, kRuntime});
}

FoldSubject PaddedAndScaled() {
  NamedBuilder builder;
  builder.Input("x", "fp32[40]")
      .Input("w", "fp32[2]")
      .Constant("p", "shape[2]{3,35}")
      .Constant("c", "fp32[1]{0.75}")
      .Constant("k", "fp32[1]{3}")
      .Constant("shift", "i8[1]{0}")
      .Add("e", "fp32[40]", Op::kPad, {"w", "p", "c"})
      .Add("f", "fp32[40]", Op::kMul, {"k", "e", "shift"});
  return Expanded("PAD, then MUL", builder, "fp32[40]", {kVarying, kRuntime});
}

FoldSubject Resized(ResizeMode mode) {
  NamedBuilder builder;
  builder.Input("x", "fp32[1,8,8,1]")
      .Input("w", "fp32[1,2,2,1]")
      .Constant("s", "shape[4]{4,1,4,1}")
      .Constant("o", "shape[2]{0,0}")
      .Constant("b", "shape[2]{3,3}")
      .Add("e", "fp32[1,8,8,1]", Op::kResize, {"w", "s", "o", "b"},
           {{AttributeId::kMode, static_cast<int32_t>(mode)}})
      .Add("f", "fp32[1,8,8,1]", Op::kFloor, {"e"});
  FoldSubject subject = Expanded("RESIZE", builder, "fp32[1,8,8,1]", {kVarying, kRuntime});
  subject.fixed[1] = TensorOf("fp32[1,2,2,1]{0.3,1.6,2.9,-7.2}");
  return subject;
}

// No row that GATHER reads holds a zero, but one of the other rows does.
FoldSubject GatheredDivisors() {
  NamedBuilder builder;
  builder.Input("x", "i32[1,40,1]")
      .Input("w", "i32[1,3,1]")
      .Input("n", "i32[1,40]")
      .Constant("k", "i32[1,1,1]{100}")
      .Add("e", "i32[1,40,1]", Op::kGather, {"w", "n"})
      .Add("f", "i32[1,40,1]", Op::kIntdiv, {"k", "e"});
  FoldSubject subject =
      Expanded("GATHER, then INTDIV", builder, "i32[1,40,1]", {kVarying, kRuntime, kRuntime});
  subject.fixed[1] = TensorOf("i32[1,3,1]{7,0,-3}");
  std::vector<int64_t> indices;
  for (int i = 0; i < 40; ++i) indices.push_back(i % 3 == 0 ? 0 : 2);
  subject.fixed[2] = Tensor::FromIntegers(DType::kInt32, {1, 40}, indices);
  subject.policy = {SizePolicyKind::kAbsolute, 100};
  return subject;
}

FoldSubject WidenedAndBroadcast() {
  NamedBuilder builder;
  builder.Input("x", "fp32[40]")
      .Input("w", "bf16[40]")
      .Constant("k", "fp32[1]{0.5}")
      .Add("e", "fp32[40]", Op::kCast, {"w"})
      .Add("f", "fp32[40]", Op::kMaximum, {"k", "e"}, {{AttributeId::kNanMode, int32_t{1}}});
  FoldSubject subject =
      Expanded("CAST to a wider type, then MAXIMUM", builder, "fp32[40]", {kVarying, kRuntime});
  subject.policy = {SizePolicyKind::kAbsolute, 80};
  return subject;
}

}  // namespace

std::vector<FoldSubject> PostponableSubjects() {
  return {TileThenSub(false),
          TileThenSub(true),
          TileAndRows(),
          TileThenClamp(),
          Concatenated(),
          PaddedAndScaled(),
          Padded(Op::kReduceSum, Axis(0), "fp32[1,60]", "PAD, then REDUCE_SUM"),
          Padded(Op::kReverse, Axis(1), "fp32[2,60]", "PAD, then REVERSE"),
          Resized(ResizeMode::kNearest),
          Resized(ResizeMode::kBilinear),
          GatheredDivisors(),
          WidenedAndBroadcast()};
}

}  // namespace assay

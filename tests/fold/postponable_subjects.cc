// SPDX-License-Identifier: Apache-2.0
#include "postponable_subjects.h"

#include <string>
#include <string_view>
#include <utility>

#include "block_builder.h"

namespace assay {
namespace {

using enum Constness;

// Returns a subject whose entry reads "f" with "x", which varies. `inputs` are the others, which
// are known at run time; `lines` compute "f".
FoldSubject Expanded(std::string name, const std::string& type, const std::string& inputs,
                     const std::string& lines, std::string_view more_outputs = "") {
  FoldSubject subject{
      std::move(name),
      GraphOf("block main (%x:" + type + "," + inputs + ") -> (%y" + std::string(more_outputs) +
              ")\n" + lines + "\n%y:" + type + " = MAXIMUM(%x,%f)"),
      {}};
  subject.arguments.assign(subject.graph.Main()->inputs.size(), kRuntime);
  subject.arguments[0] = kVarying;
  return subject;
}

FoldSubject TileThenSub(bool also_read) {
  const std::string lines = R"(
      %e:fp32[40,3] = TILE(%w,[20,1])
      %f:fp32[40,3] = SUB(%b,%e))";
  const std::string inputs = "%w:fp32[2,3],%b:fp32[1,3]";
  if (!also_read) return Expanded("TILE, then SUB", "fp32[40,3]", inputs, lines);
  return Expanded("TILE, which others read, too", "fp32[40,3]", inputs,
                  lines + "\n%o:fp32[40,3] = MAXIMUM(%e,%x)", ",%o");
}

// All rows are different.
FoldSubject TileAndRows() {
  std::string rows = "fp32[40,1]{0";
  for (int i = 1; i < 40; ++i) rows += "," + std::to_string(i * i);
  FoldSubject subject = Expanded("TILE, and rows of their own", "fp32[40,3]", "%w:fp32[2,3]",
                                 "%e:fp32[40,3] = TILE(%w,[20,1])\n"
                                 "%f:fp32[40,3] = SUB(%e," +
                                     rows + "})");
  subject.policy = {SizePolicyKind::kAbsolute, 32};
  return subject;
}

FoldSubject TileThenClamp() {
  return Expanded("TILE, then CLAMP", "fp32[40]", "%w:fp32[2]", R"(
      %e:fp32[40] = TILE(%w,[20])
      %f:fp32[40] = CLAMP(%e) min_val=-1 max_val=2)");
}

FoldSubject Concatenated() {
  FoldSubject subject = Expanded("CONCAT, then FLOOR", "fp32[5]", "%a:fp32[2],%b:fp32[3]", R"(
      %e:fp32[5] = CONCAT(%a,%b) axis=0
      %f:fp32[5] = FLOOR(%e))");
  subject.policy = {SizePolicyKind::kAbsolute, 12};
  return subject;
}

FoldSubject Padded(const std::string& op, const std::string& axis, const std::string& result) {
  return Expanded("PAD, then " + op, result, "%w:fp32[2,2]", R"(
      %e:fp32[2,60] = PAD(%w,[0,0,1,57],0.75)
      %f:)" + result + " = " + op + "(%e) axis=" + axis);
}

FoldSubject PaddedAndScaled() {
  return Expanded("PAD, then MUL", "fp32[40]", "%w:fp32[2]", R"(
      %e:fp32[40] = PAD(%w,[3,35],0.75)
      %f:fp32[40] = MUL(3,%e,0))");
}

FoldSubject Resized(const std::string& mode) {
  FoldSubject subject = Expanded("RESIZE", "fp32[1,8,8,1]", "%w:fp32[1,2,2,1]", R"(
      %e:fp32[1,8,8,1] = RESIZE(%w,[4,1,4,1],[0,0],[3,3]) mode=)" + mode + R"(
      %f:fp32[1,8,8,1] = FLOOR(%e))");
  subject.fixed[1] = TensorOf("fp32[1,2,2,1]{0.3,1.6,2.9,-7.2}");
  return subject;
}

// No row that GATHER reads holds a zero, but one of the other rows does.
FoldSubject GatheredDivisors() {
  FoldSubject subject =
      Expanded("GATHER, then INTDIV", "i32[1,40,1]", "%w:i32[1,3,1],%n:i32[1,40]", R"(
      %e:i32[1,40,1] = GATHER(%w,%n)
      %f:i32[1,40,1] = INTDIV(100,%e))");
  subject.fixed[1] = TensorOf("i32[1,3,1]{7,0,-3}");
  std::vector<int64_t> indices;
  for (int i = 0; i < 40; ++i) indices.push_back(i % 3 == 0 ? 0 : 2);
  subject.fixed[2] = Tensor::FromIntegers(DType::kInt32, {1, 40}, indices);
  subject.policy = {SizePolicyKind::kAbsolute, 100};
  return subject;
}

FoldSubject WidenedAndBroadcast() {
  FoldSubject subject =
      Expanded("CAST to a wider type, then MAXIMUM", "fp32[40]", "%w:bf16[40]", R"(
      %e:fp32[40] = CAST(%w)
      %f:fp32[40] = MAXIMUM(0.5,%e))");
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
          Padded("REDUCE_SUM", "0", "fp32[1,60]"),
          Padded("REVERSE", "1", "fp32[2,60]"),
          Resized("NEAREST"),
          Resized("BILINEAR"),
          GatheredDivisors(),
          WidenedAndBroadcast()};
}

}  // namespace assay

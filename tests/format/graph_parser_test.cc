// SPDX-License-Identifier: Apache-2.0
#include "graph_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph_text.h"
#include "value_parser.h"

namespace assay::graph_parser_test {
namespace {

// Returns the text of the graph that a text stands for, or the error.
std::string Again(std::string_view text) {
  const Result<Graph> graph = ParseGraph(text, "x.graph");
  return graph ? GraphText(*graph, TextForm::kFull) : graph.error().message;
}

// Returns the text of a tensor that a text stands for, or the error.
std::string TensorAgain(std::string_view text) {
  const Result<Tensor> tensor = ParseTensor(text);
  return tensor ? TensorText(*tensor, TextForm::kFull) : tensor.error().message;
}

TEST(GraphParser, KeepsTextsOfGraphs) {
  for (const std::string text : {
           "TOSA 1.1.0-draft\n"
           "region \"main\"\n"
           "block \"main\" (%in:i8[2],%c:bool[]) -> (%\"a b\\x22\\xc3\\x0a\":i8[2])\n"
           "  variable %v:i8[2] of \"state\" = i8[2]{1,-128}\n"
           "  variable %w:fp32[]\n"
           "  tensor %outer:shape[0]\n"
           "  %a:b::i8[2] = ADD(%in,%v) at \"net.py:3:1\"\n"
           "  %s:shape[2] = CONST_SHAPE() values=shape[2]{-1,9223372036854775807}\n"
           "  %k:i48[9] = CONST() values=i48[9]{-140737488355328}\n"
           "  %\"a b\\x22\\xc3\\x0a\":i8[2] = COND_IF(%c,%a:b:) else_graph=\"two or more\" "
           "then_graph=\"one\"\n"
           "  %m:i8[-1,0] = CLAMP(%later) max_val=i8[]{127} min_val=i8[]{-1} nan_mode=UNKNOWN\n"
           "  %later:i8[-1,0] = CUSTOM() domain_name=\"d\" "
           "implementation_attrs=\"\\x00\\xff\" operator_name=\"\"\n"
           "  VARIABLE_WRITE(%in) name=\"state\"\n"
           "region \"two or more\"\n"
           "block \"x\" () -> ()\n",
           "TOSA 1.0.0\n",
           "TOSA 1.0.0\nregion \"main\"\n",
           "TOSA 1.0.0\nregion \"other\"\nblock \"main\" () -> ()\n",
       }) {
    EXPECT_EQ(Again(text), text);
  }
}

TEST(GraphParser, KeepsEveryBitOfElements) {
  for (const char* text :
       {"fp32[8]{nan,0x7fc00001,0xffc00000,-0,inf,-inf,1e-45,3.4028235e+38}",
        "fp16[4]{nan,0xfe00,5.9604645e-08,-65504}", "bf16[3]{nan,0x7f81,-9.1835e-41}",
        "fp8e4m3[4]{nan,0xff,448,-0.001953125}", "fp8e5m2[4]{nan,0x7d,-inf,57344}", "i4[2]{-8,7}",
        "bool[2]{true,false}", "i16[0]{}", "shape[0]{}", "i8[100]{3}"}) {
    EXPECT_EQ(TensorAgain(text), text);
  }
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (const DType type : {DType::kFp16, DType::kBf16, DType::kFp8e4m3, DType::kFp8e5m2}) {
      if (bits >> (8 * ElementBytes(type)) != 0) continue;
      const Tensor tensor = Tensor::Splat(type, {}, bits);
      ASSERT_EQ(*ParseTensor(TensorText(tensor, TextForm::kFull)), tensor) << bits;
    }
  }
}

TEST(GraphParser, FillsInWhatPeopleLeaveOut) {
  EXPECT_EQ(Again("# one block\n"
                  "block main (%x:i8[1,4])  # of two lines\n"
                  "    -> (%y)\n"
                  "  %sum = ADD(%x, 5)\n"
                  "\n"
                  "  %r:i8[2,2] = RESHAPE(%sum, [2,2])\n"
                  "  %m:i32[2,2] = MUL(%r, i8[2,2]{1,2,\n"
                  "                                3,4}, 0)\n"
                  "  %sum:i8[1,4] = CLAMP(%x) min_val=-1 max_val=1\n"
                  "  %const0 = shape[1]{7}\n"
                  "  %y:i32[2,2] = RESCALE(%r,i32[1]{7},30,0,0) scale32=true\n"
                  "  VARIABLE_WRITE(%y) name=v"),
            "TOSA 1.0.0\n"
            "block \"main\" (%x:i8[1,4]) -> (%y:i32[2,2])\n"
            "  %const1:i8[1,1] = CONST() values=i8[1,1]{5}\n"
            "  %sum:i8[1,4] = ADD(%x,%const1)\n"
            "  %const2:shape[2] = CONST_SHAPE() values=shape[2]{2,2}\n"
            "  %r:i8[2,2] = RESHAPE(%sum,%const2)\n"
            "  %const3:i8[2,2] = CONST() values=i8[2,2]{1,2,3,4}\n"
            "  %const4:i8[1] = CONST() values=i8[1]{0}\n"
            "  %m:i32[2,2] = MUL(%r,%const3,%const4)\n"
            "  %sum:i8[1,4] = CLAMP(%x) max_val=i8[]{1} min_val=i8[]{-1} nan_mode=PROPAGATE\n"
            "  %const0:shape[1] = CONST_SHAPE() values=shape[1]{7}\n"
            "  %const5:i32[1] = CONST() values=i32[1]{7}\n"
            "  %const6:i8[1] = CONST() values=i8[1]{30}\n"
            "  %const7:i8[1] = CONST() values=i8[1]{0}\n"
            "  %const8:i32[1] = CONST() values=i32[1]{0}\n"
            "  %y:i32[2,2] = RESCALE(%r,%const5,%const6,%const7,%const8) input_unsigned=false "
            "output_unsigned=false per_channel=false rounding_mode=SINGLE_ROUND scale32=true\n"
            "  VARIABLE_WRITE(%y) name=\"v\"\n");
}

TEST(GraphParser, NamesTheLineAndTheColumnOfAMistake) {
  for (const auto& [text, error] : std::vector<std::pair<std::string, std::string>>{
           {"TOSA one\n", "1:1: the first line names the version as in `TOSA 1.0.0`"},
           {"TOSA 2.0.0\n", "1:1: is of TOSA 2.0.0; this build reads 1.0, and what 1.1 has of it"},
           {"\n  ABS(%x)\n", "2:3: there is no block yet: `block main (...) -> (...)`"},
           {"block\n", "1:6: a name is missing here"},
           {"block \"a\n", "1:7: the closing quote is missing"},
           {"block \"a\\n\"\n", "1:9: a backslash begins \\xNN, a byte in two hexadecimal digits"},
           {"block \"a\"... () -> ()",
            "1:10: the rest of the name is left out; `assay show --full` prints all of it"},
           {"block main (%x:i8[3]) (%y)", "1:23: `-> (` with the outputs is missing here"},
           {"block main (%x:i9[3]) -> ()", "1:16: \"i9\" is no type, such as i8[2,3]"},
           {"block main (%x:i8[99999999999]) -> ()",
            "1:19: \"99999999999\" is no whole number of 32 bits"},
           {"block main (% x) -> ()", "1:13: a name is missing here"},
           {"block main (%x[3]) -> ()", "1:14: a type follows after a colon"},
           {"block main (%x:i8[3] %y) -> ()", "1:22: ',' is missing here"},
       }) {
    EXPECT_EQ(Again(text), "x.graph:" + error);
  }
  for (const auto& [line, error] : std::vector<std::pair<std::string, std::string>>{
           {"%y = ABS(%x) %z", "2:14: ABS has no attribute \"\""},
           {"%y = ABSS(%x)", "2:6: \"ABSS\" is no operator"},
           {"%y ABS(%x)", "2:4: '=' is missing here"},
           {"%y = ABS %x", "2:10: '(' is missing here"},
           {"%y = ABS(%x,)", "2:13: an operand is missing here"},
           {"%y = ABS(%z)", "2:10: tensor \"z\" has no type: nothing makes it"},
           {"%y:i8[4] = ABS(%x)", "1:27: tensor \"y\" is i8[3] here and i8[4] before"},
           {"%y = ABS(%x) axis=1", "2:14: ABS has no attribute \"axis\""},
           {"%y = REVERSE(%x)", "2:6: REVERSE needs the attribute axis"},
           {"%y = REVERSE(%x) axis=one", "2:23: \"one\" is no value of axis"},
           {"%y = REVERSE(%x) axis=1 axis=1", "2:25: axis is there twice"},
           {"%y = CAST(%x) at here", "2:18: '\"' is missing here"},
           {"%y = CLAMP(%x) nan_mode=1", "2:25: \"1\" is no value of nan_mode"},
           {"%y = CLAMP(%x) min_val=128 max_val=1", "2:24: \"128\" is no value of i8[]"},
           {"%y = ADD(%x,one)", "2:13: \"one\" is no value of i8[1]"},
           {"%y = COND_IF(1,2) then_graph=\"a\" else_graph=\"b\"",
            "2:16: the type of this constant is open; write it as i8[1]{5}"},
           {"%y = i8[3]{1,2}", "2:6: i8[3] takes 3 values, or one for all, and here are 2"},
           {"%y = i8[3]{1,...}",
            "2:14: values are left out here; `assay show --full` prints all of "
            "them"},
           {"%y = i8[3]{1,128}", "2:14: \"128\" is no value of i8"},
           {"%y = i8[20000,20000]{1}",
            "2:6: tensors of one value for all elements have more than 256 MiB"},
           {"%y = i8[2147483647,2147483647,2147483647]{1}",
            "2:6: tensors of one value for all elements have more than 256 MiB"},
           {"%y = i8[3]{1,2,3", "2:17: ',' is missing here"},
           {"%y:i8[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] = ABS(%x)",
            "2:4: rank 33 is above 32"},
       }) {
    EXPECT_EQ(Again("block main (%x:i8[3]) -> (%y:i8[3])\n" + line), "x.graph:" + error);
  }
  EXPECT_EQ(TensorAgain("i8[1]{1} 2"), "column 10: there is more than one value");
  EXPECT_EQ(ParseAttribute(Op::kAbs, "axis=1").error().message,
            "column 1: ABS has no attribute \"axis\"");
}

// Long inputs take neither the stack nor much more memory than their text.
TEST(GraphParser, ReadsLongTexts) {
  const int kLength = 100'000;
  const std::string brackets(kLength, '['), blocks = [] {
    std::string text;
    for (int i = 0; i < kLength; ++i) text += "block b () -> ()\n";
    return text;
  }();
  EXPECT_EQ(Again("block main (%x:i8" + brackets),
            "x.graph:1:19: \"\" is no whole number of 32 bits");
  EXPECT_EQ(ParseGraph(blocks, "x.graph")->regions[0].blocks.size(), size_t{kLength});
}

}  // namespace
}  // namespace assay::graph_parser_test

// SPDX-License-Identifier: Apache-2.0
#include "float_idioms.h"

#include "idiom_pattern.h"

namespace assay {
namespace {

// One way to write an idiom. An idiom with several ways has several rows, next to each other.
struct IdiomRow {
  std::string_view name;
  std::string_view pattern;  // IdiomPattern; an operator, not "..p"
};

constexpr IdiomRow kRows[] = {
    {"dot product, activation", "ACTIVATION(DOT)"},
    {"dot product, bias, activation", "ACTIVATION(ADD(DOT,$))"},
    {"softmax", "MUL(e=EXP(SUB(x,REDUCE_MAX(x))),RECIPROCAL(REDUCE_SUM(e)))"},
    {"GELU by ERF", "MUL(MUL(x,$),ADD(ERF(MUL(x,$)),$))"},
    {"GELU by ERF", "MUL(x,MUL(ADD(ERF(MUL(x,$)),$),$))"},
    {"GELU by ERF", "MUL(MUL(x,ADD(ERF(MUL(x,$)),$)),$)"},
    {"GELU by TANH", "MUL(MUL(x,$),ADD(TANH(MUL(ADD(x,MUL|POW(*,*)),$)),$))"},
    {"GELU by TANH", "MUL(x,MUL(ADD(TANH(MUL(ADD(x,MUL|POW(*,*)),$)),$),$))"},
    {"GELU by TANH", "MUL(MUL(x,ADD(TANH(MUL(ADD(x,MUL|POW(*,*)),$)),$)),$)"},
    {"layer normalization",
     "MUL(c=SUB(x,..POOL(x)),RSQRT(ADD(MUL|POOL(..POOL(MUL|POW(c,*)),*),$)))"},
    {"layer normalization", "MUL(c=SUB(x,..POOL(x)),RSQRT(ADD(POOL(MUL|POW(c,*)),$)))"},
    {"batch normalization", "ADD(MUL(MUL(SUB(*,$),RSQRT(ADD($,$))),$),$)"},
    {"batch normalization", "ADD(MUL(SUB(*,$),MUL(RSQRT(ADD($,$)),$)),$)"},
    {"batch normalization", "ADD(MUL(SUB(*,$),$),$)"},
    {"attention head",
     "MATMUL(..MUL(e=EXP(SUB(s=MATMUL,REDUCE_MAX(s))),RECIPROCAL(REDUCE_SUM(e))),*)"},
    {"attention head",
     "MATMUL(..MUL(e=EXP(SUB(s=MUL|ADD(..MATMUL,*),REDUCE_MAX(s))),RECIPROCAL(REDUCE_SUM(e))),*)"},
    {"gated unit", "MUL(*,SIGMOID)"},
    {"squeeze-and-excite", "MUL(x,SIGMOID(..DOT(..POOL(x))))"},
    {"depthwise separable block", "POINTWISE(..DEPTHWISE_CONV2D)"},
    {"residual", "ADD(x,..DOT|ACTIVATION(..x))"},
    {"dequantize, float, quantize", "QUANTIZE(..ADD|SUB|MUL|ACTIVATION|DOT(..DEQUANTIZE))"},
};

struct ParsedRow {
  std::string_view name;
  IdiomPattern pattern;
};

const std::vector<ParsedRow>& ParsedRows() {
  static const std::vector<ParsedRow> rows = [] {
    std::vector<ParsedRow> parsed;
    for (const IdiomRow& row : kRows) {
      parsed.push_back({row.name, IdiomPattern::Parse(row.pattern)});
    }
    return parsed;
  }();
  return rows;
}

}  // namespace

std::vector<std::string_view> AllFloatIdioms() {
  std::vector<std::string_view> names;
  for (const IdiomRow& row : kRows) {
    if (names.empty() || names.back() != row.name) names.push_back(row.name);
  }
  return names;
}

std::map<const Operator*, std::vector<std::string_view>> FloatIdiomsOf(const Graph& graph) {
  std::map<const Operator*, std::vector<std::string_view>> idioms;
  for (const Block& block : graph.Blocks()) {
    const IdiomMatcher matcher(block);
    for (const Operator& op : block.operators) {
      if (op.outputs.empty()) continue;
      for (const ParsedRow& row : ParsedRows()) {
        if (idioms.contains(&op) && idioms[&op].back() == row.name) continue;
        if (matcher.Matches(row.pattern, op.outputs[0])) idioms[&op].push_back(row.name);
      }
    }
  }
  return idioms;
}

}  // namespace assay

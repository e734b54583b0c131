// SPDX-License-Identifier: Apache-2.0
#include "newer_versions.h"

#include <span>
#include <string_view>

namespace assay {
namespace {

// Nobody asks for the text of those that corpus/spec has.
constexpr uint32_t kFirstNewerOperator = 76;
constexpr std::string_view kNewerOperators[] = {"MATMUL_T_BLOCK_SCALED",
                                                "CAST_FROM_BLOCK_SCALED",
                                                "CAST_TO_BLOCK_SCALED",
                                                "DIM",
                                                "CONCAT_SHAPE",
                                                "ADD_SHAPE",
                                                "SUB_SHAPE",
                                                "MUL_SHAPE",
                                                "SLICE_SHAPE",
                                                "EXP2_SHAPE",
                                                "LOG2_CEIL_SHAPE",
                                                "LOG2_FLOOR_SHAPE",
                                                "MAX_SHAPE",
                                                "MIN_SHAPE",
                                                "MOD_SHAPE",
                                                "DIV_CEIL_SHAPE",
                                                "DIV_FLOOR_SHAPE",
                                                "ASSERT_EQUAL_SHAPE",
                                                "CONV2D_BLOCK_SCALED",
                                                "MAX_POOL2D_ADAPTIVE",
                                                "AVG_POOL2D_ADAPTIVE"};

constexpr uint32_t kFirstNewerType = 13;
constexpr std::string_view kNewerTypes[] = {"FP6E2M3",  "FP6E3M2", "FP4E2M1",
                                            "FP8UE8M0", "INT64",   "MXINT8"};

std::string Text(std::string_view what, uint32_t value, uint32_t first,
                 std::span<const std::string_view> names) {
  if (value >= first && value - first < names.size()) {
    return std::string(names[value - first]) + " (of TOSA 1.1)";
  }
  return std::string(what) + ' ' + std::to_string(value);
}

}  // namespace

std::string NewerOperatorText(uint32_t op) {
  return Text("operator", op, kFirstNewerOperator, kNewerOperators);
}

std::string NewerTypeText(uint32_t type) {
  return Text("type", type, kFirstNewerType, kNewerTypes);
}

}  // namespace assay

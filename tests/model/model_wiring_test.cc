// SPDX-License-Identifier: Apache-2.0
// Tests the faults between the layers of a model.
#include "model_wiring.h"

#include <gtest/gtest.h>

#include "block_builder.h"
#include "graph_text.h"
#include "model_values.h"

namespace assay::model_wiring_test {
namespace {

// Returns the faults of a graph's text: the id, the number of the layer, and the operators that
// read another tensor.
std::vector<std::string> FaultsOf(std::string_view text) {
  TestVector model;
  model.graphs = {GraphOf(text)};
  Block& main = *model.graphs[0].Main();
  const std::vector<Operator> right = main.operators;
  std::vector<std::string> faults;
  for (const WiringFault& fault : WiringFaultsOf(model, PartNeededBy(main, main.outputs))) {
    const auto row = std::ranges::find(kWiringFaults, fault.kind, &WiringFaultRow::kind);
    std::string line = std::string(row->id) + " " + std::to_string(fault.layer);
    const std::vector<TensorIndex> outputs = main.outputs;
    Plant(fault, main);
    for (const Operator& op : right) {
      const auto wrong = std::ranges::find(main.operators, op.outputs, &Operator::outputs);
      for (size_t k = 0; k < op.inputs.size(); ++k) {
        if (wrong->inputs[k] == op.inputs[k]) continue;
        const auto name = [&](TensorIndex t) { return main.tensors[static_cast<size_t>(t)].name; };
        line += ", " + name(op.outputs[0]) + " reads " + name(wrong->inputs[k]);
      }
    }
    if (main.operators.size() > right.size()) line += ", one operator more";
    if (main.outputs != outputs) line += ", output";
    main.operators = right;
    main.outputs = outputs;
    faults.push_back(line);
  }
  return faults;
}

using Lines = std::vector<std::string>;

TEST(ModelWiring, ReadsTensorsBesideTheRightOne) {
  EXPECT_EQ(FaultsOf("block main (%x:i32[4]) -> (%c, %a)\n"
                     "  %a:i32[2] = SLICE(%x, [0], [2])\n"
                     "  %b:i32[4] = REVERSE(%x) axis=0\n"
                     "  %c:i32[4] = ADD(%x, %b)"),
            (Lines{"fusion/operator-skipped 2, c reads x", "memory/reused-early 3, c reads b",
                   "wiring/other-tensor 3, c reads x", "fusion/operator-skipped 3, output"}));
}

TEST(ModelWiring, LeavesOutOperatorsAndRoundings) {
  EXPECT_EQ(FaultsOf("block main (%x:fp32[4]) -> (%d)\n"
                     "  %a:bf16[4] = CAST(%x)\n"
                     "  %b:fp32[4] = CAST(%a)\n"
                     "  %c:fp32[4] = IDENTITY(%b)\n"
                     "  %d:fp32[4] = ABS(%c)"),
            (Lines{"fusion/rounding-skipped 2, c reads x", "wiring/other-tensor 3, c reads x",
                   "wiring/other-tensor 4, d reads x", "fusion/operator-skipped 4, output"}));
}

// The result of the second time is a tensor of its own.
TEST(ModelWiring, DoesARescaleTwice) {
  EXPECT_EQ(FaultsOf("block main (%x:i8[4]) -> (%c)\n"
                     "  %a:i8[4] = RESCALE(%x, i32[1]{1073741824}, i8[1]{31}, i8[1]{0}, i8[1]{0}) "
                     "scale32=true rounding_mode=SINGLE_ROUND per_channel=false "
                     "input_unsigned=false output_unsigned=false\n"
                     "  %c:i8[4] = ABS(%a)"),
            (Lines{"fusion/operator-skipped 1, c reads x",
                   "fusion/done-twice 1, c reads a twice, one operator more",
                   "wiring/other-tensor 2, c reads x", "fusion/operator-skipped 2, output"}));
}

TEST(ModelWiring, LeavesConstantsAndOtherTypesAlone) {
  EXPECT_EQ(FaultsOf("block main (%x:i32[4], %z:i8[4]) -> (%y, %w)\n"
                     "  %y:i32[4] = ADD(%x, i32[1]{1})\n"
                     "  %w:i8[4] = REVERSE(%z) axis=0"),
            (Lines{"fusion/operator-skipped 1, output", "fusion/operator-skipped 2, output"}));
}

}  // namespace
}  // namespace assay::model_wiring_test

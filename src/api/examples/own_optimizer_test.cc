// SPDX-License-Identifier: Apache-2.0
// A little compiler for chains of ABS, BITWISE_NOT and CLZ, and a property of it that RapidCheck
// tries on random graphs. One of its rewrites is wrong; the counterexample shows the two operators.
#include <assay/assay_serialization.h>
#include <assay/rapidcheck.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using Values = std::vector<int32_t>;

Values Apply(const std::string& op, Values values) {
  for (int32_t& value : values) {
    if (op == "CLZ") value = std::countl_zero(static_cast<uint32_t>(value));
    if (op == "ABS") value = std::abs(value);
    if (op == "BITWISE_NOT") value = ~value;
  }
  return values;
}

// Runs the graph. An optimizer drops an ABS before a CLZ, which is wrong for negative numbers.
void Run(std::span<const uint8_t> tosa, assay::Invocation& invocation) {
  assay_graph* graph = assay_open_bytes(tosa.data(), tosa.size(), "graph", nullptr, 0);
  const assay_block* main = assay_graph_main_block(graph);
  std::map<std::string, Values> values, before_abs;
  const auto read = [&](const std::string& name, const void* data, size_t size) {
    const auto* numbers = static_cast<const int32_t*>(data);
    values[name] = Values(numbers, numbers + size / sizeof(int32_t));
  };
  for (const auto& input : invocation.inputs) read(input.name, input.data, input.size);
  for (size_t i = 0; i < assay_block_tensors(main); ++i) {
    const assay_tensor* tensor = assay_block_tensor(main, i);
    if (assay_tensor_data_size(tensor) == 0) continue;  // not a constant
    read(assay_tensor_name(tensor), assay_tensor_data(tensor), assay_tensor_data_size(tensor));
  }
  for (size_t i = 0; i < assay_block_operators(main); ++i) {
    const assay_operator* op = assay_block_operator(main, i);
    if (assay_operator_inputs(op) == 0) continue;  // a constant
    const std::string name = assay_operator_name(op), from = assay_operator_input(op, 0);
    const bool drops_abs = name == "CLZ" && before_abs.count(from) > 0;
    if (name == "ABS") before_abs[assay_operator_output(op, 0)] = values[from];
    values[assay_operator_output(op, 0)] = Apply(name, drops_abs ? before_abs[from] : values[from]);
  }
  for (const assay::OutputBuffer& output : invocation.outputs) {
    std::ranges::copy(values[output.declared.name], static_cast<int32_t*>(output.data));
  }
  assay_close(graph);
}

RC_GTEST_PROP(MyCompiler, KeepsMeaning, ()) {
  const auto graph = *assay::Graphs({"op=ABS,BITWISE_NOT,CLZ", "type=i32"});
  const std::string wrong = graph.Judge(
      [&](assay::Invocation& invocation) { Run(graph.Tosa(0), invocation); });
  RC_ASSERT(wrong == "");
}

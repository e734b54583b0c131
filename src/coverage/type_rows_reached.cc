// SPDX-License-Identifier: Apache-2.0
#include "type_rows_reached.h"

#include <set>

#include "executor.h"
#include "operator_table.h"
#include "trace.h"

namespace assay {
namespace {

class RowTrace : public Trace {
 public:
  void Ran(const ExecutedOperator& executed) override {
    std::vector<DType> in, out;
    for (const auto* input : executed.inputs) in.push_back(input->type.type);
    for (const TensorType& output : executed.outputs) out.push_back(output.type);
    const auto row = FindTypeRow(executed.op.op, in, out, executed.op.attributes.named_type());
    if (row) rows.emplace(executed.op.op, *row);
  }

  std::set<std::pair<Op, int32_t>> rows;
};

}  // namespace

std::vector<std::pair<Op, int32_t>> TypeRowsReached(const TestVector& vector) {
  RowTrace trace;
  ExecuteVector(vector, {.trace = &trace});
  return {trace.rows.begin(), trace.rows.end()};
}

}  // namespace assay

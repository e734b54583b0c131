#include "mlir_vector.h"

#include <algorithm>
#include <set>
#include <utility>

#include "custom.h"
#include "mlir_writer.h"
#include "operator_table.h"

namespace assay {
namespace {

bool HasState(const Graph& graph) {
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const Operator& op : block.operators) {
        if (op.op == Op::kVariable) return true;
      }
    }
  }
  return false;
}

bool No(std::string* why, std::string reason) {
  if (why != nullptr) *why = std::move(reason);
  return false;
}

bool IsFp8(DType type) { return type == DType::kFp8e4m3 || type == DType::kFp8e5m2; }

// Operands that the specification wants constant, as MLIR's patterns do.
bool IsDynamic(const Block& block, const std::vector<int32_t>& producers, const Operator& op) {
  size_t input = 0;
  for (const ArgumentRow& argument : RowOf(op.op).arguments) {
    if (argument.direction != Direction::kInput) continue;
    if (argument.list || input >= op.inputs.size()) return false;
    const int32_t producer = producers[static_cast<size_t>(op.inputs[input++])];
    if (!argument.compile_time_constant) continue;
    if (producer < 0) return true;
    const Op made_by = block.operators[static_cast<size_t>(producer)].op;
    if (!IsConstant(made_by)) return true;
  }
  return false;
}

bool SupportsBlock(const Block& block, std::string* why) {
  const std::vector<int32_t> producers = block.Producers();
  for (const Operator& op : block.operators) {
    if (op.op == Op::kUnknown) return No(why, "an unknown operator");
    if (op.op == Op::kCustom) return No(why, CustomName(op));
    // Other operators on fp8 are lowered, and computed by MLIR's APFloat runtime.
    if (op.op == Op::kMaxPool2d && !op.inputs.empty() && IsFp8(block.TypeOf(op.inputs[0]).type)) {
      return No(why, "MAX_POOL2D of fp8");
    }
    // EXT-INEXACTROUND is an extension that the lowering does not claim.
    if (op.op == Op::kRescale && op.attributes.Has(AttributeId::kRoundingMode) &&
        op.attributes.Int(AttributeId::kRoundingMode) ==
            static_cast<int32_t>(RoundingMode::kInexactRound)) {
      return No(why, "RESCALE with INEXACT_ROUND");
    }
    if (IsDynamic(block, producers, op)) {
      return No(why, std::string(OperatorName(op.op)) + " with a dynamic operand");
    }
  }
  return true;
}

bool SupportsGraph(const Graph& graph, std::string* why) {
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      if (!SupportsBlock(block, why)) return false;
    }
  }
  if (graph.Main() == nullptr) return No(why, "a graph without a main block");
  const Result<std::string> text = WriteMlir(graph);
  if (!text) return No(why, text.error().message);
  const Block& main = *graph.Main();
  for (const std::vector<TensorIndex>* tensors : {&main.inputs, &main.outputs}) {
    for (const TensorIndex tensor : *tensors) {
      if (main.TypeOf(tensor).type == DType::kShape) return No(why, "a shape as graph input");
    }
  }
  return true;
}

bool HasInputsOfGraph(const TestVector& vector, const Step& step) {
  const Block& main = *vector.graphs[static_cast<size_t>(step.graph)].Main();
  return std::equal(step.inputs.begin(), step.inputs.end(), main.inputs.begin(), main.inputs.end(),
                    [&main](const Tensor& value, TensorIndex input) {
                      return value.tensor_type() == main.TypeOf(input);
                    });
}

}  // namespace

bool MlirSupports(const TestVector& vector, bool validates, std::string* why) {
  for (const Graph& graph : vector.graphs) {
    if (!SupportsGraph(graph, why)) return false;
  }
  std::set<std::pair<int32_t, int32_t>> graphs_of_contexts;
  std::set<int32_t> contexts;
  bool has_state = false;
  for (const Step& step : vector.steps) {
    if (step.expected == OutcomeKind::kError && !validates) return No(why, "validation");
    if (!HasInputsOfGraph(vector, step)) return No(why, "inputs of other types than the graph's");
    if (!step.state_before.empty()) return No(why, "variables loaded from outside");
    graphs_of_contexts.insert({step.context, step.graph});
    contexts.insert(step.context);
    has_state |= HasState(vector.graphs[static_cast<size_t>(step.graph)]);
  }
  if (has_state && graphs_of_contexts.size() > contexts.size()) {
    return No(why, "state shared between graphs");
  }
  return true;
}

std::vector<MlirRun> MlirRuns(const TestVector& vector) {
  std::vector<MlirRun> runs;
  std::vector<int32_t> contexts;
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    size_t run = 0;
    while (run < runs.size() && (runs[run].graph != step.graph || contexts[run] != step.context)) {
      ++run;
    }
    if (run == runs.size()) {
      runs.push_back({step.graph, {}});
      contexts.push_back(step.context);
    }
    runs[run].steps.push_back(i);
  }
  return runs;
}

std::string ToMlirBytes(const Tensor& tensor) {
  std::string bytes(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  // Loads of these types assume what stores of them leave: zeros in the bits beyond.
  if (tensor.type() == DType::kInt4) {
    for (char& byte : bytes) byte = static_cast<char>(byte & 15);
  } else if (tensor.type() == DType::kInt48) {
    for (size_t i = 6; i < bytes.size(); i += 8) bytes[i] = bytes[i + 1] = 0;
  }
  return bytes;
}

Tensor FromMlirBytes(const TensorType& type, const std::string& bytes) {
  std::vector<uint8_t> elements(bytes.begin(), bytes.end());
  if (type.type == DType::kInt4) {
    for (uint8_t& byte : elements) byte = static_cast<uint8_t>(((byte & 15) ^ 8) - 8);
  } else if (type.type == DType::kInt48) {
    for (size_t i = 0; i + 8 <= elements.size(); i += 8) {
      elements[i + 6] = elements[i + 7] = (elements[i + 5] & 0x80) != 0 ? 0xff : 0;
    }
  } else if (type.type == DType::kBool) {
    for (uint8_t& byte : elements) byte = byte != 0 ? 1 : 0;
  }
  return Tensor::FromBytes(type.type, type.shape, std::move(elements));
}

}  // namespace assay

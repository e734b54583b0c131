// SPDX-License-Identifier: Apache-2.0
#include "mlir_constants.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "mlir_message.h"
#include "operator_facts.h"

namespace assay {
namespace {

constexpr int64_t kLargeBytesMin = int64_t{1} << 20;

// Returns true if MLIR stores the elements of the type as a Tensor does.
bool IsStoredAlike(DType type) {
  return type != DType::kInt4 && type != DType::kInt48 && type != DType::kShape;
}

std::set<TensorIndex> NeededAtCompileTime(const Block& block) {
  std::set<TensorIndex> needed;
  for (const Operator& op : block.operators) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (FactsOf(op.op).NeedsConstant(i)) needed.insert(op.inputs[i]);
    }
  }
  return needed;
}

}  // namespace

OpenedGraph WithLargeConstantsAsInputs(const Graph& graph) {
  OpenedGraph opened{graph, {}};
  Block* main = opened.graph.Main();
  if (main == nullptr) return opened;
  const std::set<TensorIndex> needed = NeededAtCompileTime(*main);
  std::erase_if(main->operators, [&](const Operator& op) {
    if (op.op != Op::kConst || op.outputs.size() != 1 || needed.contains(op.outputs[0])) {
      return false;
    }
    const AttributeValue* values = op.attributes.Find(AttributeId::kValues);
    const auto* tensor = values == nullptr ? nullptr : std::get_if<Tensor>(values);
    if (tensor == nullptr || std::ssize(tensor->bytes()) < kLargeBytesMin ||
        !IsStoredAlike(tensor->type()) || tensor->tensor_type() != main->TypeOf(op.outputs[0])) {
      return false;
    }
    main->inputs.push_back(op.outputs[0]);
    opened.constants.push_back(*tensor);
    return true;
  });
  return opened;
}

Result<std::unique_ptr<SharedArguments>> SharedArguments::Make(const std::vector<Tensor>& tensors) {
  const auto failure = [] {
    return Error{Error::Kind::kResource,
                 std::string("memory for the constants of a graph: ") + strerror(errno)};
  };
  Descriptor descriptor(memfd_create("assay-constants", MFD_CLOEXEC));
  if (descriptor < 0) return failure();
  constexpr auto kAlignment = static_cast<size_t>(mlir_message::kSharedAlignment);
  const std::string padding(kAlignment, '\0');
  for (const Tensor& tensor : tensors) {
    const std::span<const uint8_t> bytes = tensor.bytes();
    const size_t rest = (kAlignment - bytes.size() % kAlignment) % kAlignment;
    if (!WriteAll(descriptor, bytes.data(), bytes.size()) ||
        !WriteAll(descriptor, padding.data(), rest)) {
      return failure();
    }
  }
  return std::unique_ptr<SharedArguments>(new SharedArguments(std::move(descriptor)));
}

std::string SharedArguments::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

}  // namespace assay

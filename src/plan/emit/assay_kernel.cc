// SPDX-License-Identifier: Apache-2.0
#include "assay_kernel.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "operator_facts.h"
#include "quoted.h"
#include "run_operator.h"

namespace assay {
namespace {

static_assert(ASSAY_KERNEL_BOOL == static_cast<int>(DType::kBool) &&
              ASSAY_KERNEL_FP32 == static_cast<int>(DType::kFp32) &&
              ASSAY_KERNEL_FP8E5M2 == static_cast<int>(DType::kFp8e5m2));

constexpr uint8_t kKnown = 1, kWritten = 2, kSeen = 4;  // bits of a variable's state
constexpr uint8_t kOverwritten = 0xa5;

assay_kernel_status Report(void* resource_handle, assay_kernel_status status,
                           const std::string& reason) {
  auto* const report = static_cast<assay_kernel_report*>(resource_handle);
  if (report == nullptr) return status;
  const size_t size = std::min<size_t>(reason.size(), ASSAY_KERNEL_REASON_SIZE - 1);
  std::memcpy(report->reason, reason.data(), size);
  report->reason[size] = '\0';
  return status;
}

// Returns the type of an input or an output; nothing if there is no such type.
template <class Operand>
std::optional<TensorType> TypeOf(const Operand& operand) {
  const auto type = static_cast<DType>(operand.type);
  if (ElementBytes(type) == 0 || operand.rank > Shape::kMaxRank) return std::nullopt;
  return TensorType{type, Shape(std::span(operand.shape, operand.rank))};
}

// Returns the elements at `data`, without a copy if their address is aligned.
Tensor TensorAt(const TensorType& type, const void* data) {
  const auto* const bytes = static_cast<const uint8_t*>(data);
  const auto width = static_cast<size_t>(ElementBytes(type.type));
  if (reinterpret_cast<uintptr_t>(bytes) % width != 0) {
    const auto size = static_cast<size_t>(type.shape.Elements()) * width;
    return Tensor::FromBytes(type.type, type.shape, {bytes, bytes + size});
  }
  return Tensor::FromShared(type.type, type.shape, {bytes, [](const uint8_t*) {}});
}

// Returns nothing if the operator has no such attribute, or if its value is not made of numbers.
std::optional<AttributeValue> ValueOf(const OperatorFacts& facts, AttributeId id,
                                      const assay_kernel_attribute& attribute,
                                      const OperatorRun<ValueDomain>& run) {
  const auto fact = std::ranges::find(facts.attributes, id, &OperatorFacts::Attribute::id);
  if (fact == facts.attributes.end()) return std::nullopt;
  switch (fact->form) {
    case AttributeForm::kInts:
    case AttributeForm::kIntPerAxis:
      return std::vector<int32_t>(attribute.ints, attribute.ints + attribute.size);
    case AttributeForm::kFlag:
      return attribute.number != 0;
    case AttributeForm::kElement:
      if (run.inputs.empty()) return std::nullopt;
      return Tensor::Splat(run.inputs[0]->type().type, {}, attribute.number);
    case AttributeForm::kText:
    case AttributeForm::kTensor:
      return std::nullopt;
    default:
      return static_cast<int32_t>(attribute.number);
  }
}

// A call in the form that the executor takes.
struct LocalCall {
  Operator op;
  std::vector<ValueTensor> operands;
  OperatorRun<ValueDomain> run;
  std::string problem;  // why it is none
};

bool SetOperator(const assay_kernel_call& from, LocalCall& call) {
  const auto op = OperatorByName(from.name);
  const bool runs = op && !IsControlFlow(*op) && !IsVariableOperator(*op) && *op != Op::kCustom &&
                    *op != Op::kConst && *op != Op::kConstShape;
  if (!runs) {
    call.problem = Quoted(from.name) + " is no operator with a kernel";
    return false;
  }
  call.op.op = *op;
  call.run.op = &call.op;
  return true;
}

bool SetOperands(const assay_kernel_call& from, LocalCall& call) {
  call.operands.reserve(from.input_count);
  for (const assay_kernel_input& input : std::span(from.inputs, from.input_count)) {
    const std::optional<TensorType> type = TypeOf(input);
    if (!type) {
      call.problem = "an input of unknown type or rank";
      return false;
    }
    call.run.inputs.push_back(&call.operands.emplace_back(TensorAt(*type, input.data)));
  }
  for (const assay_kernel_output& output : std::span(from.outputs, from.output_count)) {
    const std::optional<TensorType> type = TypeOf(output);
    if (!type) {
      call.problem = "an output of unknown type or rank";
      return false;
    }
    call.run.output_types.push_back(*type);
  }
  return true;
}

bool SetAttributes(const assay_kernel_call& from, LocalCall& call) {
  const OperatorFacts& facts = FactsOf(call.op.op);
  for (const auto& attribute : std::span(from.attributes, from.attribute_count)) {
    const auto id = AttributeByName(attribute.name);
    std::optional<AttributeValue> value;
    if (id) value = ValueOf(facts, *id, attribute, call.run);
    if (!value) {
      call.problem = "no attribute " + Quoted(attribute.name);
      return false;
    }
    call.op.attributes.Set(*id, std::move(*value));
  }
  return true;
}

// Overwrites the scratch, as a kernel that needs it would do while operands and results are there.
void Overwrite(const assay_kernel_call& call) {
  for (const assay_kernel_scratch& scratch : std::span(call.scratch, call.scratch_count)) {
    if (scratch.size > 0) std::memset(scratch.data, kOverwritten, scratch.size);
  }
}

assay_kernel_status Run(const assay_kernel_call& from, void* resource_handle) {
  LocalCall call;
  if (!SetOperator(from, call)) {
    return Report(resource_handle, ASSAY_KERNEL_UNSUPPORTED, call.problem);
  }
  if (!SetOperands(from, call) || !SetAttributes(from, call)) {
    return Report(resource_handle, ASSAY_KERNEL_UNSUPPORTED,
                  std::string(from.name) + ": " + call.problem);
  }
  Overwrite(from);
  ValueDomain domain;
  RunOperator(domain, kLevelNone, Kernels::kFast, call.run);
  if (const Judgement& judgement = domain.judgement(); !judgement.valid()) {
    const bool error = judgement.fate() == Fate::kError;
    return Report(resource_handle, error ? ASSAY_KERNEL_ERROR : ASSAY_KERNEL_UNPREDICTABLE,
                  std::string(from.name) + ": breaks " + judgement.rule());
  }
  for (size_t i = 0; i < call.run.outputs.size(); ++i) {
    const std::span<const uint8_t> bytes = call.run.outputs[i].tensor().bytes();
    // The bytes of a view are those of its operand, which may lie in the same place.
    if (!bytes.empty()) std::memmove(from.outputs[i].data, bytes.data(), bytes.size());
  }
  Overwrite(from);
  return ASSAY_KERNEL_OK;
}

assay_kernel_status Require(bool holds, const assay_kernel_variable& variable, const char* rule,
                            void* resource_handle) {
  if (holds) return ASSAY_KERNEL_OK;
  try {
    return Report(resource_handle, ASSAY_KERNEL_UNPREDICTABLE,
                  "variable " + Quoted(variable.name) + ": breaks " + rule);
  } catch (const std::bad_alloc&) {
    return ASSAY_KERNEL_UNPREDICTABLE;
  }
}

}  // namespace
}  // namespace assay

using assay::Require;

assay_kernel_status assay_kernel_run(const assay_kernel_call* call, void* resource_handle) {
  try {
    return assay::Run(*call, resource_handle);
  } catch (const std::bad_alloc&) {
    return ASSAY_KERNEL_FAILED;
  }
}

void assay_kernel_begin(uint8_t* states, size_t count) {
  for (size_t i = 0; i < count; ++i) states[i] &= static_cast<uint8_t>(~assay::kSeen);
}

assay_kernel_status assay_kernel_declare(const assay_kernel_variable* variable, const void* initial,
                                         void* resource_handle) {
  uint8_t& state = *variable->state;
  const bool known = (state & assay::kKnown) != 0, seen = (state & assay::kSeen) != 0;
  const auto status = Require(!seen, *variable, "VARIABLE/REQUIRE/3", resource_handle);
  if (status != ASSAY_KERNEL_OK) return status;
  state |= assay::kKnown | assay::kSeen;
  // A declaration in a later execution does not initialise the variable again.
  if (known || initial == nullptr) return ASSAY_KERNEL_OK;
  std::memcpy(variable->data, initial, variable->size);
  state |= assay::kWritten;
  return ASSAY_KERNEL_OK;
}

assay_kernel_status assay_kernel_read(const assay_kernel_variable* variable, void* output,
                                      void* resource_handle) {
  const uint8_t state = *variable->state;
  const bool known = (state & assay::kKnown) != 0, written = (state & assay::kWritten) != 0;
  const auto status =
      Require(known && written, *variable,
              known ? "VARIABLE_READ/REQUIRE/2" : "VARIABLE_READ/REQUIRE/1", resource_handle);
  if (status == ASSAY_KERNEL_OK) std::memcpy(output, variable->data, variable->size);
  return status;
}

assay_kernel_status assay_kernel_write(const assay_kernel_variable* variable, const void* input,
                                       void* resource_handle) {
  const uint8_t state = *variable->state;
  const bool known = (state & assay::kKnown) != 0, seen = (state & assay::kSeen) != 0;
  const auto status =
      Require(known && seen, *variable,
              known ? "VARIABLE_WRITE/REQUIRE/2" : "VARIABLE_WRITE/REQUIRE/1", resource_handle);
  if (status != ASSAY_KERNEL_OK) return status;
  std::memcpy(variable->data, input, variable->size);
  assay_kernel_written(variable);
  return ASSAY_KERNEL_OK;
}

assay_kernel_status assay_kernel_use(const assay_kernel_variable* variable, const void* initial,
                                     void* resource_handle) {
  if ((*variable->state & assay::kWritten) != 0) return ASSAY_KERNEL_OK;
  const auto status =
      Require(initial != nullptr, *variable, "VARIABLE_READ/REQUIRE/2", resource_handle);
  if (status != ASSAY_KERNEL_OK) return status;
  std::memcpy(variable->data, initial, variable->size);
  assay_kernel_written(variable);
  return ASSAY_KERNEL_OK;
}

void assay_kernel_written(const assay_kernel_variable* variable) {
  *variable->state |= assay::kKnown | assay::kWritten;
}

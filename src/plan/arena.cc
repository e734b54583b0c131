// SPDX-License-Identifier: Apache-2.0
#include "arena.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "execution_order.h"
#include "operator_table.h"
#include "quoted.h"
#include "run_operator.h"

namespace assay {
namespace {

constexpr int32_t kNobody = -1;
constexpr int32_t kNever = -1;
constexpr uint8_t kPoison = 0xa5;
constexpr int64_t kArenaBytesMax = int64_t{4} << 30;
constexpr int64_t kRoundsMax = 100'000;

bool IsTrue(const Tensor& condition) { return condition.Integer(0) != 0; }

}  // namespace

std::string ArenaFault::ToString() const {
  if (buffer_bytes != tensor_bytes) {
    return where + " " + Quoted(buffer) + ", which has " + std::to_string(buffer_bytes) +
           " bytes for a tensor of " + std::to_string(tensor_bytes);
  }
  return where + " " + Quoted(buffer) + ", and finds " +
         (intruder.empty() ? "what is no longer live" : Quoted(intruder)) + " in bytes " +
         std::to_string(first) + " to " + std::to_string(last) + " of " + Quoted(pool);
}

Result<Arena> Arena::Make(const Graph& graph, const GraphMemory& memory, const MemoryPlan& plan) {
  if (memory.dynamic > 0) {
    return Unsupported(std::to_string(memory.dynamic) + " tensors are of unknown size");
  }
  Arena arena(graph, memory, plan);
  const MemoryProblem& problem = memory.problem;
  std::vector<int64_t> tops(problem.pools.size(), 0);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    if (i >= plan.allocations.size() || !plan.allocations[i]) {
      return BadInput("buffer " + Quoted(buffer.name_hint) + " has no place");
    }
    const auto [pool, offset] = *plan.allocations[i];
    const bool known = pool >= 0 && pool < std::ssize(problem.pools);
    if (!known || offset < 0 || offset > kArenaBytesMax - buffer.size_bytes) {
      return BadInput("buffer " + Quoted(buffer.name_hint) + " lies in no pool that can be made");
    }
    const PoolInfo& info = problem.pools[static_cast<size_t>(pool)];
    if (info.size_bytes && offset - info.offset > *info.size_bytes - buffer.size_bytes) {
      return BadInput("buffer " + Quoted(buffer.name_hint) + " lies beyond " + Quoted(info.name));
    }
    int64_t& top = tops[static_cast<size_t>(pool)];
    top = std::max(top, offset + buffer.size_bytes);
  }
  for (const int64_t top : tops) {
    arena.pools_.push_back({std::vector<uint8_t>(static_cast<size_t>(top), kPoison),
                            std::vector<int32_t>(static_cast<size_t>(top), kNobody)});
  }
  for (const auto& [block, op] : graph.Operators()) {
    if (op.op != Op::kConst) continue;
    const auto buffer = arena.BufferOf(block, op.outputs[0]);
    if (!buffer) continue;
    arena.StoreBuffer(*buffer, op.attributes.Value(AttributeId::kValues));
  }
  return arena;
}

std::optional<int32_t> Arena::BufferOf(const Block& block, TensorIndex tensor) const {
  const auto found = memory_.tensors.find({&block, tensor});
  if (found == memory_.tensors.end()) return std::nullopt;
  return found->second;
}

void Arena::SetVariables(const std::map<std::string, Tensor>& values) {
  for (const auto& [name, value] : values) {
    const auto known = memory_.variables.find(name);
    if (known == memory_.variables.end()) continue;
    const BufferInfo& buffer = memory_.problem.buffers[static_cast<size_t>(known->second)];
    if (std::ssize(value.bytes()) != buffer.size_bytes) continue;
    StoreBuffer(known->second, value);
    variables_[name] = true;
  }
}

Outcome Arena::Run(std::span<const Tensor> inputs) {
  problem_.clear();
  const Block& main = *graph_.Main();
  std::vector<Slot> slots;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Slot slot{BufferOf(main, main.inputs[i]), inputs[i]};
    if (slot.buffer) StoreBuffer(*slot.buffer, inputs[i]);
    slots.push_back(std::move(slot));
  }
  Outcome outcome;
  outcome.outputs = RunBlock(main, nullptr, slots);
  outcome.kind = problem_.empty() ? OutcomeKind::kValid : OutcomeKind::kUnsupported;
  outcome.message = problem_;
  if (!problem_.empty()) outcome.outputs.clear();
  return outcome;
}

std::vector<Tensor> Arena::RunBlock(const Block& block, const Block* runner,
                                    const std::vector<Slot>& inputs) {
  const BlockPlan plan = PlanBlock(block, runner);
  Frame frame{block,
              std::vector<Slot>(block.tensors.size()),
              std::vector<int32_t>(block.tensors.size(), kNever),
              {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    frame.slots[static_cast<size_t>(block.inputs[i])] = inputs[i];
  }
  for (size_t position = 0; position < plan.order.size(); ++position) {
    const Operator& op = block.operators[static_cast<size_t>(plan.order[position])];
    for (const TensorIndex input : op.inputs) {
      frame.last_read[static_cast<size_t>(input)] = static_cast<int32_t>(position);
    }
  }
  for (const TensorIndex output : block.outputs) {
    frame.last_read[static_cast<size_t>(output)] = static_cast<int32_t>(plan.order.size());
  }
  for (size_t position = 0; position < plan.order.size() && problem_.empty(); ++position) {
    const int32_t index = plan.order[position];
    const Operator& op = block.operators[static_cast<size_t>(index)];
    where_ = "operator " + std::to_string(index) + " (" + std::string(OperatorName(op.op)) +
             ") of block " + block.name + " reads";
    RunOperatorOf(frame, index);
    Bury(frame, static_cast<int32_t>(position));
  }
  std::vector<Tensor> outputs;
  where_ = "the end of block " + block.name + " reads";
  for (const TensorIndex output : block.outputs) {
    if (problem_.empty()) outputs.push_back(Load(frame, output));
  }
  Bury(frame, static_cast<int32_t>(plan.order.size()));
  return outputs;
}

// Releases the buffers that the block has made and that nothing reads from here on.
void Arena::Bury(Frame& frame, int32_t position) {
  for (auto entry = frame.last_of.begin(); entry != frame.last_of.end();) {
    if (entry->second > position) {
      ++entry;
    } else {
      Release(entry->first);
      entry = frame.last_of.erase(entry);
    }
  }
}

Tensor Arena::Load(Frame& frame, TensorIndex tensor) {
  const auto at = static_cast<size_t>(tensor);
  const TensorInfo& info = frame.block.tensors[at];
  if (info.variable) {
    const int32_t buffer = memory_.variables.at(info.name);
    if (!std::exchange(variables_[info.name], true) && info.initial_value.has_value()) {
      StoreBuffer(buffer, info.initial_value);
    }
    return LoadBuffer(buffer, info.type);
  }
  const Slot& slot = frame.slots[at];
  return slot.buffer ? LoadBuffer(*slot.buffer, info.type) : slot.outside;
}

void Arena::Store(Frame& frame, TensorIndex tensor, const Tensor& value) {
  const auto at = static_cast<size_t>(tensor);
  const TensorInfo& info = frame.block.tensors[at];
  if (info.variable) {
    variables_[info.name] = true;
    return StoreBuffer(memory_.variables.at(info.name), value);
  }
  Slot& slot = frame.slots[at];
  slot.buffer = BufferOf(frame.block, tensor);
  if (!slot.buffer) {
    slot.outside = value;
    return;
  }
  StoreBuffer(*slot.buffer, value);
  const BufferKind kind = memory_.problem.buffers[static_cast<size_t>(*slot.buffer)].kind;
  if (kind == BufferKind::kConstant) return;
  int32_t& last = frame.last_of.try_emplace(*slot.buffer, kNever).first->second;
  last = std::max(last, frame.last_read[at]);
}

// Checks that all bytes of the buffer are its own, and records a fault if not.
void Arena::Check(int32_t buffer) {
  const PoolAllocation place = *plan_.allocations[static_cast<size_t>(buffer)];
  const BufferInfo& info = memory_.problem.buffers[static_cast<size_t>(buffer)];
  const std::vector<int32_t>& owners = pools_[static_cast<size_t>(place.pool)].owners;
  const auto begin = owners.begin() + place.offset, end = begin + info.size_bytes;
  const auto wrong = std::find_if(begin, end, [buffer](int32_t owner) { return owner != buffer; });
  if (wrong == end || fault_) return;
  const int32_t intruder = *wrong;
  const auto after =
      std::find_if(wrong, end, [intruder](int32_t owner) { return owner != intruder; });
  const auto& buffers = memory_.problem.buffers;
  fault_ = ArenaFault{where_,
                      info.name_hint,
                      intruder == kNobody ? "" : buffers[static_cast<size_t>(intruder)].name_hint,
                      memory_.problem.pools[static_cast<size_t>(place.pool)].name,
                      wrong - owners.begin(),
                      after - owners.begin() - 1};
}

bool Arena::HasRoom(int32_t buffer, int64_t bytes) {
  const BufferInfo& info = memory_.problem.buffers[static_cast<size_t>(buffer)];
  if (info.size_bytes == bytes) return true;
  if (!fault_) {
    fault_ = ArenaFault{.where = where_,
                        .buffer = info.name_hint,
                        .buffer_bytes = info.size_bytes,
                        .tensor_bytes = bytes};
  }
  return false;
}

Tensor Arena::LoadBuffer(int32_t buffer, const TensorType& type) {
  if (!HasRoom(buffer, type.shape.Elements() * ElementBytes(type.type))) {
    return Tensor::Splat(type.type, type.shape, 0);
  }
  Check(buffer);
  const PoolAllocation place = *plan_.allocations[static_cast<size_t>(buffer)];
  const int64_t size = memory_.problem.buffers[static_cast<size_t>(buffer)].size_bytes;
  const auto& bytes = pools_[static_cast<size_t>(place.pool)].bytes;
  const auto begin = bytes.begin() + place.offset;
  return Tensor::FromBytes(type.type, type.shape, {begin, begin + size});
}

void Arena::StoreBuffer(int32_t buffer, const Tensor& value) {
  if (!HasRoom(buffer, std::ssize(value.bytes()))) return;
  Take(buffer);
  const PoolAllocation place = *plan_.allocations[static_cast<size_t>(buffer)];
  const std::span<const uint8_t> bytes = value.bytes();
  std::copy(bytes.begin(), bytes.end(),
            pools_[static_cast<size_t>(place.pool)].bytes.begin() + place.offset);
}

// Releases the bytes that the buffer still owns. Bytes that have been reused since stay.
void Arena::Release(int32_t buffer) {
  const PoolAllocation place = *plan_.allocations[static_cast<size_t>(buffer)];
  const int64_t size = memory_.problem.buffers[static_cast<size_t>(buffer)].size_bytes;
  Pool& pool = pools_[static_cast<size_t>(place.pool)];
  for (auto at = static_cast<size_t>(place.offset); at < static_cast<size_t>(place.offset + size);
       ++at) {
    if (pool.owners[at] != buffer) continue;
    pool.bytes[at] = kPoison;
    pool.owners[at] = kNobody;
  }
}

void Arena::Take(int32_t buffer) {
  const PoolAllocation place = *plan_.allocations[static_cast<size_t>(buffer)];
  const int64_t size = memory_.problem.buffers[static_cast<size_t>(buffer)].size_bytes;
  Pool& pool = pools_[static_cast<size_t>(place.pool)];
  std::fill_n(pool.bytes.begin() + place.offset, size, kPoison);
  std::fill_n(pool.owners.begin() + place.offset, size, buffer);
}

std::vector<Arena::Slot> Arena::SlotsOf(const Frame& frame,
                                        std::span<const TensorIndex> tensors) const {
  std::vector<Slot> slots;
  for (const TensorIndex tensor : tensors) {
    const TensorInfo& info = frame.block.tensors[static_cast<size_t>(tensor)];
    slots.push_back(info.variable ? Slot{memory_.variables.at(info.name), {}}
                                  : frame.slots[static_cast<size_t>(tensor)]);
  }
  return slots;
}

void Arena::RunOperatorOf(Frame& frame, int32_t index) {
  const Operator& op = frame.block.operators[static_cast<size_t>(index)];
  switch (op.op) {
    case Op::kVariable:
    case Op::kVariableRead:
    case Op::kVariableWrite:
      return RunVariable(frame, op);
    case Op::kCondIf:
      return RunCondIf(frame, op);
    case Op::kWhileLoop:
      return RunWhileLoop(frame, op, index);
    case Op::kConst: {  // is there already
      Slot& slot = frame.slots[static_cast<size_t>(op.outputs[0])];
      slot.buffer = BufferOf(frame.block, op.outputs[0]);
      if (!slot.buffer) slot.outside = op.attributes.Value(AttributeId::kValues);
      return;
    }
    default:
      return RunPlain(frame, op, index);
  }
}

// Operands, results and scratch exist at the same time. Therefore, all of them are checked when all
// have been written.
void Arena::RunPlain(Frame& frame, const Operator& op, int32_t index) {
  if (op.op == Op::kCustom) {
    problem_ = std::string(OperatorName(op.op)) + " is not executable";
    return;
  }
  std::vector<ValueTensor> operands;
  for (const TensorIndex input : op.inputs) {
    operands.push_back(ToFlight<ValueDomain>(Load(frame, input)));
  }
  OperatorRun<ValueDomain> run;
  run.op = &op;
  for (const ValueTensor& operand : operands) run.inputs.push_back(&operand);
  run.output_types = frame.block.TypesOf(op.outputs);
  ValueDomain domain;
  RunOperator(domain, kLevelNone, Kernels::kFast, run);
  if (!domain.judgement().valid()) {
    problem_ = std::string(OperatorName(op.op)) + " breaks " + domain.judgement().rule();
    return;
  }
  FillScratch(frame, index);
  std::vector<std::optional<int32_t>> written;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    Store(frame, op.outputs[i], run.outputs[i].tensor());
    written.push_back(frame.slots[static_cast<size_t>(op.outputs[i])].buffer);
  }
  for (const Slot& slot : SlotsOf(frame, op.inputs)) {
    const bool shared = std::find(written.begin(), written.end(), slot.buffer) != written.end();
    if (slot.buffer && !shared) Check(*slot.buffer);
  }
  ReleaseScratch(frame, index);
}

void Arena::FillScratch(const Frame& frame, int32_t index) {
  const auto scratch = memory_.scratch.find({&frame.block, index});
  if (scratch == memory_.scratch.end()) return;
  for (const int32_t buffer : scratch->second) Take(buffer);
}

void Arena::ReleaseScratch(const Frame& frame, int32_t index) {
  const auto scratch = memory_.scratch.find({&frame.block, index});
  if (scratch == memory_.scratch.end()) return;
  for (const int32_t buffer : scratch->second) {
    Check(buffer);
    Release(buffer);
  }
}

void Arena::RunCondIf(Frame& frame, const Operator& op) {
  const bool is_then = IsTrue(Load(frame, op.inputs[0]));
  const AttributeId id = is_then ? AttributeId::kThenGraph : AttributeId::kElseGraph;
  const Block& block = *graph_.FindBlock(op.attributes.Text(id));
  const std::vector<Tensor> results =
      RunBlock(block, &frame.block, SlotsOf(frame, std::span(op.inputs).subspan(1)));
  for (size_t i = 0; i < results.size(); ++i) Store(frame, op.outputs[i], results[i]);
}

// Runs the loop. The values that it carries lie in the buffers of its results.
void Arena::RunWhileLoop(Frame& frame, const Operator& op, int32_t index) {
  std::vector<Tensor> carried;
  for (const TensorIndex input : op.inputs) carried.push_back(Load(frame, input));
  const Block& cond = *graph_.FindBlock(op.attributes.Text(AttributeId::kCondGraph));
  const Block& body = *graph_.FindBlock(op.attributes.Text(AttributeId::kBodyGraph));
  for (int64_t round = 0; problem_.empty(); ++round) {
    for (size_t i = 0; i < carried.size(); ++i) Store(frame, op.outputs[i], carried[i]);
    const std::vector<Slot> slots = SlotsOf(frame, op.outputs);
    const std::vector<Tensor> goes_on = RunBlock(cond, &frame.block, slots);
    if (goes_on.empty() || !IsTrue(goes_on[0])) return;
    if (round >= kRoundsMax) problem_ = "WHILE_LOOP runs too long";
    carried = RunBlock(body, &frame.block, slots);
    FillScratch(frame, index);  // values that change places wait there
    ReleaseScratch(frame, index);
  }
}

void Arena::RunVariable(Frame& frame, const Operator& op) {
  const std::string& name = op.attributes.Text(AttributeId::kName);
  const auto found = memory_.variables.find(name);
  if (found == memory_.variables.end()) {
    problem_ = "variable " + Quoted(name) + " is declared by another graph";
    return;
  }
  // A variable of an earlier execution keeps its type, whatever is declared here.
  const bool declares = op.op == Op::kVariable;
  if (declares && std::exchange(variables_[name], true)) return;
  if (declares && !op.attributes.Has(AttributeId::kInitialValue)) return;
  const int64_t size = memory_.problem.buffers[static_cast<size_t>(found->second)].size_bytes;
  const TensorType& type = declares ? op.attributes.Value(AttributeId::kInitialValue).tensor_type()
                           : op.op == Op::kVariableRead ? frame.block.TypeOf(op.outputs[0])
                                                        : frame.block.TypeOf(op.inputs[0]);
  if (type.shape.Elements() * ElementBytes(type.type) != size) {
    problem_ = "variable " + Quoted(name) + " is used with another type than it is declared with";
    return;
  }
  if (declares) {
    StoreBuffer(found->second, op.attributes.Value(AttributeId::kInitialValue));
  } else if (op.op == Op::kVariableRead) {
    Store(frame, op.outputs[0], LoadBuffer(found->second, type));
  } else {
    StoreBuffer(found->second, Load(frame, op.inputs[0]));
  }
}

}  // namespace assay

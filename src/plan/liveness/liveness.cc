// SPDX-License-Identifier: Apache-2.0
#include "liveness.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "block_index.h"
#include "execution_order.h"
#include "operator_set.h"
#include "operator_table.h"
#include "pools.h"
#include "quoted.h"
#include "scratch.h"

namespace assay {
namespace {

constexpr int64_t kTicksMax = 5'000'000;
constexpr int64_t kTensorsMax = 100'000'000;  // of all blocks, as often as they run
constexpr int32_t kNoBuffer = -1;             // belongs to the caller, of unknown size, or a shape

// Lays out the execution of a graph in time, and gives every tensor a buffer.
class Layout {
 public:
  Layout(const Graph& graph, const MemoryTarget& target)
      : graph_(graph), blocks_(graph), block_names_(NamesOfBlocks(graph)), target_(target) {
    memory_.problem.pools = target.pools;
    if (!target.pools.empty()) return;
    memory_.problem.pools.resize(2);
    memory_.problem.pools[0].name = "workspace";
    memory_.problem.pools[1].name = "parameters";
    memory_.problem.pools[1].targets = {{"*", PoolAccess::kReadOnly}};
  }

  Result<GraphMemory> Run() {
    Judgement judgement;
    CheckStructure(graph_, judgement);
    if (judgement.valid()) CheckNesting(graph_, judgement);
    if (!judgement.valid()) return Broken(judgement.rule(), "the graph");
    const Block& main = *graph_.Main();
    main_ = &main;
    is_output_.assign(main.tensors.size(), false);
    for (const TensorIndex output : main.outputs) is_output_[static_cast<size_t>(output)] = true;
    std::vector<int32_t> inputs;
    for (const TensorIndex input : main.inputs) inputs.push_back(CallersOwn(main, input));
    // An output that is also an input or a constant lies in the buffer of that tensor.
    if (!target_.workspace_io) {
      const std::vector<int32_t> producers = main.Producers();
      for (const TensorIndex output : main.outputs) {
        const int32_t producer = producers[static_cast<size_t>(output)];
        if (producer >= 0 && !IsConstant(main.operators[static_cast<size_t>(producer)].op)) {
          callers_.insert({&main, output});
        }
      }
    }
    const std::vector<int32_t> outputs = Walk(main, nullptr, inputs);
    for (const int32_t output : outputs) Use(output);
    if (error_) return *error_;
    return Finish();
  }

 private:
  using Key = std::pair<const Block*, TensorIndex>;

  struct Frame {
    const Block& block;
    std::vector<int32_t> buffers;                  // of each tensor
    std::vector<bool> own;                         // whether an operator of the block made it
    std::vector<size_t> last_reads;                // of each tensor: position of the operator
    std::map<int32_t, size_t> last_reads_of = {};  // of each buffer that the block has made
  };

  Error Broken(const char* rule, const std::string& where) const {
    return BadInput(where + " breaks " + rule + " and has no order of execution");
  }

  BufferInfo& At(int32_t buffer) { return memory_.problem.buffers[static_cast<size_t>(buffer)]; }

  int32_t AddBuffer(const std::string& name, int64_t size_bytes, BufferKind kind) {
    // Adds a number to a name that is taken, by a variable or by chance.
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
    BufferInfo& buffer = memory_.problem.buffers.emplace_back();
    buffer.name_hint = std::move(unique);
    buffer.size_bytes = size_bytes;
    buffer.alignment = target_.alignment;
    buffer.kind = kind;
    touched_by_.emplace_back();
    return static_cast<int32_t>(memory_.problem.buffers.size()) - 1;
  }

  // Returns the names of blocks. A name includes the region if that is not redundant.
  static std::unordered_map<const Block*, std::string> NamesOfBlocks(const Graph& graph) {
    std::unordered_map<const Block*, std::string> names;
    for (const Region& region : graph.regions) {
      for (const Block& block : region.blocks) {
        const bool plain = &region == graph.regions.data() || region.name == block.name;
        names[&block] = plain ? block.name : region.name + "." + block.name;
      }
    }
    return names;
  }

  // Returns the buffer of a tensor, which is made at the first request. Returns kNoBuffer for a
  // tensor without memory to plan.
  int32_t BufferOf(const Block& block, TensorIndex tensor, BufferKind kind) {
    const Key key{&block, tensor};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    int32_t& buffer = known_.emplace(key, kNoBuffer).first->second;
    const TensorInfo& info = block.tensors[static_cast<size_t>(tensor)];
    if (info.type.type == DType::kShape) return buffer;
    if (info.variable) return buffer = Variable(info.name, info.type);
    const auto bytes = BytesOf(info.type);
    if (!bytes) {
      ++memory_.dynamic;
    } else if (!callers_.contains(key)) {
      buffer = AddBuffer(block_names_.at(&block) + "/" + info.name, *bytes, kind);
    }
    return buffer;
  }

  // Returns the size in bytes; nothing if the shape is not known.
  std::optional<int64_t> BytesOf(const TensorType& type) const {
    for (const int32_t dim : type.shape) {
      if (dim < 0) return std::nullopt;
    }
    const int64_t elements = std::min(type.shape.Elements(), kPlannedBytesMax / 16);
    return elements * ElementBytes(type.type);
  }

  int32_t Variable(const std::string& name, const TensorType& type) {
    const auto [found, is_new] = variables_.emplace(name, kNoBuffer);
    if (!is_new) return found->second;
    const auto bytes = BytesOf(type);
    if (!bytes) {
      ++memory_.dynamic;
    } else {
      found->second = AddBuffer(name, *bytes, BufferKind::kVariable);
      memory_.variables[name] = found->second;
    }
    return found->second;
  }

  int32_t CallersOwn(const Block& main, TensorIndex input) {
    if (!target_.workspace_io) callers_.insert({&main, input});
    const int32_t buffer = BufferOf(main, input, BufferKind::kInput);
    if (buffer != kNoBuffer) memory_.tensors[{&main, input}] = buffer;
    // Makes the input live from the first tick, which is the caller's.
    Make(buffer);
    return buffer;
  }

  static bool LivesForever(BufferKind kind) {
    return kind == BufferKind::kConstant || kind == BufferKind::kVariable;
  }

  // Notes that the buffer is written now, whatever it held before.
  void Make(int32_t buffer) {
    if (buffer == kNoBuffer || LivesForever(At(buffer).kind)) return;
    std::vector<LiveRange>& live = At(buffer).live;
    if (live.empty() || live.back().upper < tick_) {
      live.push_back({tick_, tick_ + 1});
    } else {
      live.back().upper = tick_ + 1;
    }
  }

  // Notes that the buffer is still needed now.
  void Use(int32_t buffer) {
    if (buffer == kNoBuffer || LivesForever(At(buffer).kind)) return;
    std::vector<LiveRange>& live = At(buffer).live;
    if (!live.empty()) live.back().upper = std::max(live.back().upper, tick_ + 1);
  }

  void Touch(int32_t buffer, const std::string& target) {
    if (buffer != kNoBuffer) touched_by_[static_cast<size_t>(buffer)].insert(target);
  }

  void Tick() {
    if (++tick_ > kTicksMax && !error_) {
      error_ = Error{Error::Kind::kResource, "blocks run each other more than " +
                                                 std::to_string(kTicksMax) + " operators long"};
    }
  }

  // Lays out a block whose inputs lie in the buffers `inputs`. Returns the buffers of its outputs,
  // which are in use until the tick that follows.
  std::vector<int32_t> Walk(const Block& block, const Block* runner,
                            const std::vector<int32_t>& inputs) {
    const BlockPlan plan = PlanBlock(block, runner);
    if (!plan.judgement.valid() && !error_) {
      error_ = Broken(plan.judgement.rule(), "block " + Quoted(block.name));
    }
    if ((tensors_ += std::ssize(block.tensors)) > kTensorsMax && !error_) {
      error_ = Error{Error::Kind::kResource, "blocks run each other more than " +
                                                 std::to_string(kTensorsMax) + " tensors long"};
    }
    if (error_ || inputs.size() != block.inputs.size()) return {};
    Frame frame{block, std::vector<int32_t>(block.tensors.size(), kNoBuffer),
                std::vector<bool>(block.tensors.size(), false),
                std::vector<size_t>(block.tensors.size(), 0)};
    for (size_t i = 0; i < inputs.size(); ++i) {
      frame.buffers[static_cast<size_t>(block.inputs[i])] = inputs[i];
    }
    NoteReads(frame, plan.order);
    for (size_t position = 0; position < plan.order.size() && !error_; ++position) {
      Tick();
      Place(frame, block.operators[static_cast<size_t>(plan.order[position])], position,
            plan.order[position]);
    }
    Tick();
    std::vector<int32_t> outputs;
    for (const TensorIndex output : block.outputs) outputs.push_back(Read(frame, output));
    return outputs;
  }

  static void NoteReads(Frame& frame, const std::vector<int32_t>& order) {
    for (size_t position = 0; position < order.size(); ++position) {
      for (const TensorIndex input :
           frame.block.operators[static_cast<size_t>(order[position])].inputs) {
        frame.last_reads[static_cast<size_t>(input)] = position;
      }
    }
    for (const TensorIndex output : frame.block.outputs) {
      frame.last_reads[static_cast<size_t>(output)] = order.size();
    }
  }

  int32_t Read(Frame& frame, TensorIndex tensor) {
    int32_t& buffer = frame.buffers[static_cast<size_t>(tensor)];
    if (frame.block.tensors[static_cast<size_t>(tensor)].variable) {
      buffer = BufferOf(frame.block, tensor, BufferKind::kVariable);
    }
    Use(buffer);
    return buffer;
  }

  int32_t Write(Frame& frame, TensorIndex tensor, BufferKind kind) {
    const int32_t buffer = BufferOf(frame.block, tensor, kind);
    Own(frame, tensor, buffer);
    Make(buffer);
    return buffer;
  }

  void Own(Frame& frame, TensorIndex tensor, int32_t buffer) {
    const auto at = static_cast<size_t>(tensor);
    frame.buffers[at] = buffer;
    frame.own[at] = true;
    if (buffer != kNoBuffer) memory_.tensors[{&frame.block, tensor}] = buffer;
    size_t& last = frame.last_reads_of[buffer];
    last = std::max(last, frame.last_reads[at]);
  }

  BufferKind KindOfResult(const Frame& frame, const Operator& op, TensorIndex output) const {
    if (op.op == Op::kConst) return BufferKind::kConstant;
    const bool of_graph = &frame.block == main_ && is_output_[static_cast<size_t>(output)];
    return of_graph ? BufferKind::kOutput : BufferKind::kIntermediate;
  }

  void Place(Frame& frame, const Operator& op, size_t position, int32_t index) {
    const auto named = target_.targets.find(op.op);
    const std::string& target =
        named == target_.targets.end() ? target_.default_target : named->second;
    for (const TensorIndex input : op.inputs) Touch(Read(frame, input), target);
    if (op.op == Op::kVariable) {
      DeclareVariable(op);
    } else if (op.op == Op::kVariableRead || op.op == Op::kVariableWrite) {
      const auto variable = variables_.find(op.attributes.Text(AttributeId::kName));
      if (variable != variables_.end()) {
        Touch(variable->second, target);
        Use(variable->second);
      }
    } else if (op.op == Op::kCondIf) {
      return PlaceCondIf(frame, op);
    } else if (op.op == Op::kWhileLoop) {
      return PlaceWhileLoop(frame, op, index);
    }
    if (target_.share_operands && Share(frame, op, position)) return;
    for (const TensorIndex output : op.outputs) {
      Touch(Write(frame, output, KindOfResult(frame, op, output)), target);
    }
    for (const Scratch& scratch : ScratchOf(frame.block, op)) {
      Touch(AddScratch(frame, op, index, std::string(scratch.name), scratch.size_bytes), target);
    }
  }

  int32_t AddScratch(const Frame& frame, const Operator& op, int32_t index, const std::string& name,
                     int64_t size_bytes) {
    const std::string full = block_names_.at(&frame.block) + "/" + std::to_string(index) + "." +
                             std::string(OperatorName(op.op)) + "/" + name;
    const auto [found, is_new] = scratch_.emplace(full, kNoBuffer);
    if (is_new) {
      found->second = AddBuffer(full, size_bytes, BufferKind::kScratch);
      memory_.scratch[{&frame.block, index}].push_back(found->second);
    }
    Make(found->second);
    return found->second;
  }

  void DeclareVariable(const Operator& op) {
    const std::vector<int32_t>& dims = op.attributes.Ints(AttributeId::kVarShape);
    if (dims.size() > Shape::kMaxRank) return;
    const TensorType type{op.attributes.type(AttributeId::kType), Shape(std::span(dims))};
    Touch(Variable(op.attributes.Text(AttributeId::kName), type), target_.default_target);
  }

  // Returns true if the result shares the buffer of an operand. A view always may; another operator
  // may if nothing reads the operand, or what shares its bytes, any more.
  bool Share(Frame& frame, const Operator& op, size_t position) {
    const ops::OperatorDefinition& definition = ops::DefinitionOf(op.op);
    const bool in_place = definition.traits.element_wise == ops::ElementWise::kInPlace;
    if ((!definition.view && !in_place) || op.outputs.size() != 1) return false;
    const TensorIndex output = op.outputs[0];
    if (callers_.contains({&frame.block, output}) ||
        KindOfResult(frame, op, output) == BufferKind::kOutput ||
        frame.block.tensors[static_cast<size_t>(output)].variable) {
      return false;
    }
    const auto bytes = BytesOf(frame.block.TypeOf(output));
    for (size_t i = 0; i < op.inputs.size() && (i == 0 || !definition.view); ++i) {
      const auto input = static_cast<size_t>(op.inputs[i]);
      const int32_t buffer = frame.buffers[input];
      if (buffer == kNoBuffer || !frame.own[input] || LivesForever(At(buffer).kind) ||
          At(buffer).kind == BufferKind::kOutput || At(buffer).size_bytes != bytes) {
        continue;
      }
      if (!definition.view && frame.last_reads_of[buffer] > position) continue;
      Own(frame, output, buffer);
      return true;
    }
    return false;
  }

  std::vector<int32_t> OperandsOf(Frame& frame, const Operator& op, size_t first) {
    std::vector<int32_t> operands;
    for (size_t i = first; i < op.inputs.size(); ++i) operands.push_back(Read(frame, op.inputs[i]));
    return operands;
  }

  const Block* BlockNamed(const Operator& op, AttributeId id, size_t inputs) {
    const Block* block = blocks_.Find(op.attributes.Text(id));
    const bool fits = block != nullptr && block->inputs.size() == inputs;
    if (!fits && !error_) {
      error_ =
          BadInput(std::string(OperatorName(op.op)) + ": there is no block " +
                   Quoted(op.attributes.Text(id)) + " with " + std::to_string(inputs) + " inputs");
    }
    return fits ? block : nullptr;
  }

  // Places a COND_IF. The results of a block are copied, at its end, to the buffers of the
  // operator's results.
  void PlaceCondIf(Frame& frame, const Operator& op) {
    const std::vector<int32_t> operands = OperandsOf(frame, op, 1);
    for (const AttributeId id : {AttributeId::kThenGraph, AttributeId::kElseGraph}) {
      const Block* block = BlockNamed(op, id, operands.size());
      if (block == nullptr) return;
      Walk(*block, &frame.block, operands);
      for (const TensorIndex output : op.outputs) {
        Touch(Write(frame, output, KindOfResult(frame, op, output)), target_.default_target);
      }
    }
  }

  // Places a WHILE_LOOP. The operator's results hold the values that the loop carries. The operands
  // are copied there first. The condition and the body read them; the results of the body are
  // copied there at its end.
  void PlaceWhileLoop(Frame& frame, const Operator& op, int32_t index) {
    const Block* cond = BlockNamed(op, AttributeId::kCondGraph, op.inputs.size());
    const Block* body = BlockNamed(op, AttributeId::kBodyGraph, op.inputs.size());
    if (cond == nullptr || body == nullptr) return;
    std::vector<int32_t> carried;
    for (const TensorIndex output : op.outputs) {
      carried.push_back(Write(frame, output, KindOfResult(frame, op, output)));
      Touch(carried.back(), target_.default_target);
    }
    if (carried.size() != op.inputs.size()) return;
    Walk(*cond, &frame.block, carried);
    Walk(*body, &frame.block, carried);
    for (size_t i = 0; i < body->outputs.size() && i < carried.size(); ++i) {
      Use(carried[i]);
      const auto from = std::find(body->inputs.begin(), body->inputs.end(), body->outputs[i]);
      if (from == body->inputs.end() || *from == body->inputs[i]) continue;
      // Carried values that change places cannot be copied one after the other.
      const auto bytes = BytesOf(body->TypeOf(*from));
      if (!bytes) continue;
      Touch(AddScratch(frame, op, index, "held_" + std::to_string(i), *bytes),
            target_.default_target);
    }
  }

  Result<GraphMemory> Finish() {
    for (size_t i = 0; i < memory_.problem.buffers.size(); ++i) {
      BufferInfo& buffer = memory_.problem.buffers[i];
      if (LivesForever(buffer.kind)) buffer.live = {{0, tick_ + 1}};
      const std::vector<std::string> targets(touched_by_[i].begin(), touched_by_[i].end());
      buffer.pool_candidates = CandidatesFor(memory_.problem.pools, targets, buffer.kind);
      if (!buffer.pool_candidates.empty()) continue;
      std::string names;
      for (const std::string& name : targets) names += (names.empty() ? "" : ", ") + Quoted(name);
      return BadInput("no pool for " + Quoted(buffer.name_hint) + ", which is touched by " + names);
    }
    return std::move(memory_);
  }

  const Graph& graph_;
  const BlockIndex blocks_;
  const std::unordered_map<const Block*, std::string> block_names_;
  const MemoryTarget& target_;
  GraphMemory memory_;
  const Block* main_ = nullptr;
  std::vector<bool> is_output_;  // of the main block's tensors
  int64_t tick_ = 0;
  int64_t tensors_ = 0;  // laid out
  std::optional<Error> error_;
  std::set<Key> callers_;         // tensors that are the caller's
  std::map<Key, int32_t> known_;  // buffers of tensors
  std::map<std::string, int32_t> variables_, scratch_;
  std::set<std::string> names_;                    // of buffers
  std::vector<std::set<std::string>> touched_by_;  // of each buffer, the targets
};

}  // namespace

Result<GraphMemory> MemoryOf(const Graph& graph, const MemoryTarget& target) {
  return Layout(graph, target).Run();
}

}  // namespace assay

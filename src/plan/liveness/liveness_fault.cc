// SPDX-License-Identifier: Apache-2.0
#include "liveness_fault.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "block_index.h"
#include "execution_order.h"
#include "operator_set.h"

namespace assay {
namespace {

using Key = std::pair<const Block*, TensorIndex>;

// An operator that names a tensor. The end of a block names its outputs.
struct Access {
  TensorIndex tensor;
  int64_t tick;  // of the operator
  int64_t end;   // the last tick of the blocks that the operator runs; otherwise `tick`
  bool writes;
  bool at_end = false;  // of the block
};

// An operator with its tick, and with the buffers of the operands. An operand that belongs to the
// block's caller has the caller's buffer; -1 if there is none.
struct Placed {
  const Block& block;
  const Operator& op;
  int64_t tick;
  std::vector<int32_t> operands;
};

// The operators of a graph in the ticks of GraphMemory, and the accesses that they make to buffers.
// A block's accesses to the tensors of its caller count for the operator that runs the block.
class Timeline {
 public:
  Timeline(const Graph& graph, const GraphMemory& memory)
      : blocks_(graph), memory_(memory), accesses_(memory.problem.buffers.size()) {
    Walk(*graph.Main(), {});
  }

  const std::vector<Access>& AccessesTo(size_t buffer) const { return accesses_[buffer]; }
  const std::vector<Placed>& operators() const { return operators_; }

 private:
  void Walk(const Block& block, const std::vector<int32_t>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) callers_[{&block, block.inputs[i]}] = inputs[i];
    for (const int32_t index : OrderOf(block, block.Producers())) {
      const Operator& op = block.operators[static_cast<size_t>(index)];
      const int64_t tick = ++tick_;
      std::vector<int32_t> operands;
      for (const TensorIndex input : op.inputs) operands.push_back(BufferOf(block, input));
      operators_.push_back({block, op, tick, operands});
      std::vector<int32_t> passed(operands.begin() + (op.op == Op::kCondIf ? 1 : 0),
                                  operands.end());
      if (op.op == Op::kWhileLoop) {  // carries its values in its results
        for (size_t i = 0; i < passed.size(); ++i) passed[i] = BufferOf(block, op.outputs[i]);
      }
      for (const std::string& callee : CalleesOf(op)) Walk(*blocks_.Find(callee), passed);
      const int64_t last_read = op.op == Op::kCondIf ? tick_ : tick;
      for (const TensorIndex input : op.inputs) Note(block, input, {input, tick, last_read, false});
      for (const TensorIndex output : op.outputs) Note(block, output, {output, tick, tick_, true});
      if (op.op != Op::kVariableRead && op.op != Op::kVariableWrite) continue;
      const auto variable = memory_.variables.find(op.attributes.Text(AttributeId::kName));
      if (variable == memory_.variables.end()) continue;
      accesses_[static_cast<size_t>(variable->second)].push_back({-1, tick, tick, false, false});
    }
    ++tick_;
    for (const TensorIndex output : block.outputs) {
      Note(block, output, {output, tick_, tick_, false, true});
    }
  }

  int32_t BufferOf(const Block& block, TensorIndex tensor) const {
    const auto own = memory_.tensors.find({&block, tensor});
    if (own != memory_.tensors.end()) return own->second;
    const auto callers = callers_.find({&block, tensor});
    return callers == callers_.end() ? -1 : callers->second;
  }

  void Note(const Block& block, TensorIndex tensor, const Access& access) {
    const auto own = memory_.tensors.find({&block, tensor});
    if (own == memory_.tensors.end()) return;
    accesses_[static_cast<size_t>(own->second)].push_back(access);
  }

  const BlockIndex blocks_;
  const GraphMemory& memory_;
  int64_t tick_ = 0;
  std::map<Key, int32_t> callers_;
  std::vector<std::vector<Access>> accesses_;
  std::vector<Placed> operators_;
};

bool LivesForever(const BufferInfo& buffer) {
  return buffer.kind == BufferKind::kConstant || buffer.kind == BufferKind::kVariable;
}

// Calls `change` with each buffer that does not live forever and is live.
template <typename Change>
void ChangeEach(GraphMemory& memory, const Change& change) {
  for (BufferInfo& buffer : memory.problem.buffers) {
    if (!LivesForever(buffer) && !buffer.live.empty()) change(buffer);
  }
}

// Calls `change` with each buffer of a kind and with its accesses, if there are some. A buffer of a
// block that runs twice is left out: its accesses do not say which run needs which value.
template <typename Is, typename Change>
void ChangeByAccesses(const Graph& graph, GraphMemory& memory, const Is& is, const Change& change) {
  const Timeline timeline(graph, memory);
  for (size_t i = 0; i < memory.problem.buffers.size(); ++i) {
    BufferInfo& buffer = memory.problem.buffers[i];
    if (!is(buffer) || buffer.live.size() != 1 || timeline.AccessesTo(i).empty()) continue;
    change(buffer, timeline.AccessesTo(i));
  }
}

bool IsOfGraph(const BufferInfo& buffer) { return !LivesForever(buffer); }

template <BufferKind kind>
bool IsA(const BufferInfo& buffer) {
  return buffer.kind == kind;
}

void EndAt(BufferInfo& buffer, int64_t tick) {
  LiveRange& range = buffer.live[0];
  range.upper = std::max(range.lower + 1, std::min(range.upper, tick + 1));
}

void StartAt(BufferInfo& buffer, int64_t tick) {
  LiveRange& range = buffer.live[0];
  range.lower = std::min(range.upper - 1, std::max(range.lower, tick));
}

// Gives all tensors of a buffer to another one, which is live as long as one of the two was.
void Share(GraphMemory& memory, int32_t from, int32_t to) {
  for (auto& [key, buffer] : memory.tensors) {
    if (buffer == from) buffer = to;
  }
  std::vector<LiveRange>& gone = memory.problem.buffers[static_cast<size_t>(from)].live;
  std::vector<LiveRange>& kept = memory.problem.buffers[static_cast<size_t>(to)].live;
  if (!gone.empty() && !kept.empty()) {
    kept = {{std::min(kept.front().lower, gone.front().lower),
             std::max(kept.back().upper, gone.back().upper)}};
  }
  gone.clear();
}

// Lets the result of each operator that may work in place, or is a view, share the buffer of an
// operand for which `wrongly` is true. It gets the operator, the operand's number and the result's
// buffer.
template <typename Wrongly>
void ShareEach(const Graph& graph, GraphMemory& memory, const Wrongly& wrongly) {
  const Timeline timeline(graph, memory);
  for (const Placed& placed : timeline.operators()) {
    const ops::OperatorDefinition& definition = ops::DefinitionOf(placed.op.op);
    const bool in_place = definition.traits.element_wise == ops::ElementWise::kInPlace;
    if ((!definition.view && !in_place) || placed.op.outputs.size() != 1) continue;
    const auto result = memory.tensors.find({&placed.block, placed.op.outputs[0]});
    if (result == memory.tensors.end()) continue;
    const auto& buffers = memory.problem.buffers;
    const BufferInfo& made = buffers[static_cast<size_t>(result->second)];
    if (made.kind != BufferKind::kIntermediate) continue;
    for (size_t i = 0; i < placed.operands.size() && (i == 0 || !definition.view); ++i) {
      const int32_t operand = placed.operands[i];
      if (operand < 0 || operand == result->second) continue;
      const BufferInfo& shared = buffers[static_cast<size_t>(operand)];
      if (LivesForever(shared) || shared.kind == BufferKind::kOutput || shared.live.empty())
        continue;
      if (!wrongly(placed, i, shared, made)) continue;
      Share(memory, result->second, operand);
      break;
    }
  }
}

// Sets the size of the buffer of each tensor.
template <typename Size>
void Resize(GraphMemory& memory, const Size& size) {
  for (const auto& [key, buffer] : memory.tensors) {
    BufferInfo& info = memory.problem.buffers[static_cast<size_t>(buffer)];
    info.size_bytes = size(key.first->TypeOf(key.second), info.size_bytes);
  }
}

constexpr LivenessFault kFaults[] = {
    {"ends-early", "a buffer is dead at its last read",
     [](const Graph&, GraphMemory& memory) {
       ChangeEach(memory, [](BufferInfo& buffer) {
         LiveRange& last = buffer.live.back();
         last.upper = std::max(last.lower + 1, last.upper - 1);
       });
     }},
    {"starts-late", "a buffer becomes live only after the operator that writes it",
     [](const Graph&, GraphMemory& memory) {
       ChangeEach(memory, [](BufferInfo& buffer) {
         for (LiveRange& range : buffer.live) {
           ++range.lower;
           range.upper = std::max(range.upper, range.lower + 1);
         }
       });
     }},
    {"ends-at-first-read", "a buffer is dead after its first reader",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsOfGraph, [](BufferInfo& buffer, const auto& accesses) {
         const auto read = std::ranges::find(accesses, false, &Access::writes);
         if (read != accesses.end()) EndAt(buffer, read->end);
       });
     }},
    {"inputs-from-first-read", "graph inputs become live only at their first read",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsA<BufferKind::kInput>,
                        [](BufferInfo& buffer, const auto& accesses) {
                          StartAt(buffer, accesses.front().tick);
                        });
     }},
    {"outputs-to-last-access", "graph outputs are dead after the last operator that uses them",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsA<BufferKind::kOutput>,
                        [](BufferInfo& buffer, const auto& accesses) {
                          int64_t last = 0;
                          for (const Access& access : accesses) {
                            if (!access.at_end) last = std::max(last, access.end);
                          }
                          EndAt(buffer, last);
                        });
     }},
    {"unread-not-live", "results that nothing reads have no live range",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsA<BufferKind::kIntermediate>,
                        [](BufferInfo& buffer, const auto& accesses) {
                          if (std::ranges::all_of(accesses, &Access::writes)) buffer.live.clear();
                        });
     }},
    {"scratch-forgotten", "the scratch memory of operators has no live range",
     [](const Graph&, GraphMemory& memory) {
       ChangeEach(memory, [](BufferInfo& buffer) {
         if (buffer.kind == BufferKind::kScratch) buffer.live.clear();
       });
     }},
    {"constants-die", "constants are live only from their operator to their last reader",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsA<BufferKind::kConstant>,
                        [](BufferInfo& buffer, const auto& accesses) {
                          StartAt(buffer, accesses.front().tick);
                          EndAt(buffer, accesses.back().end);
                        });
     }},
    {"variables-die", "variables are live at the operators that use them, but not in between",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsA<BufferKind::kVariable>,
                        [](BufferInfo& buffer, const auto& accesses) {
                          std::vector<LiveRange> live;
                          for (const Access& access : accesses) {
                            if (!live.empty() && live.back().lower == access.tick) continue;
                            live.push_back({access.tick, access.tick + 1});
                          }
                          buffer.live = std::move(live);
                        });
     }},
    {"operands-of-blocks-lost", "operands that control flow passes to a block are not live in it",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsOfGraph, [](BufferInfo& buffer, const auto& accesses) {
         int64_t last = 0;
         for (const Access& access : accesses) {
           last = std::max(last, access.writes ? access.end : access.tick);
         }
         EndAt(buffer, last);
       });
     }},
    {"results-not-yet-live", "results of a loop are live only from its end",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsOfGraph, [](BufferInfo& buffer, const auto& accesses) {
         if (accesses.front().writes) StartAt(buffer, accesses.front().end);
       });
     }},
    {"second-run-forgotten",
     "buffers of a block that runs from two places are live only in the first run",
     [](const Graph&, GraphMemory& memory) {
       ChangeEach(memory, [](BufferInfo& buffer) { buffer.live.resize(1); });
     }},
    {"shares-with-readers", "a result shares memory with an operand that others read later",
     [](const Graph& graph, GraphMemory& memory) {
       ShareEach(
           graph, memory,
           [](const Placed& placed, size_t, const BufferInfo& shared, const BufferInfo& made) {
             return shared.size_bytes == made.size_bytes &&
                    shared.live.back().upper > placed.tick + 1;
           });
     }},
    {"shares-with-others",
     "a result shares memory with an operand that belongs to the block's caller",
     [](const Graph& graph, GraphMemory& memory) {
       ShareEach(graph, memory,
                 [](const Placed& placed, size_t operand, const BufferInfo& shared,
                    const BufferInfo& made) {
                   return shared.size_bytes == made.size_bytes &&
                          std::ranges::count(placed.block.inputs, placed.op.inputs[operand]) > 0;
                 });
     }},
    {"shares-any-size", "a result shares memory with an operand of another size",
     [](const Graph& graph, GraphMemory& memory) {
       ShareEach(
           graph, memory,
           [](const Placed& placed, size_t, const BufferInfo& shared, const BufferInfo& made) {
             return shared.size_bytes != made.size_bytes &&
                    shared.live.back().upper == placed.tick + 1;
           });
     }},
    {"views-forgotten", "reading a view does not keep its base buffer live",
     [](const Graph& graph, GraphMemory& memory) {
       ChangeByAccesses(graph, memory, IsOfGraph, [](BufferInfo& buffer, const auto& accesses) {
         int64_t last = 0;
         for (const Access& access : accesses) {
           if (access.tensor == accesses.front().tensor) last = std::max(last, access.end);
         }
         EndAt(buffer, last);
       });
     }},
    {"elements-for-bytes", "sizes count elements, not bytes",
     [](const Graph&, GraphMemory& memory) {
       Resize(memory, [](const TensorType& type, int64_t) { return type.shape.Elements(); });
     }},
    {"first-dimension-lost", "sizes leave out the first dimension",
     [](const Graph&, GraphMemory& memory) {
       Resize(memory, [](const TensorType& type, int64_t bytes) {
         return type.shape.rank() == 0 ? bytes : bytes / std::max(type.shape[0], 1);
       });
     }},
    {"size-in-sixteens", "sizes are rounded down to a multiple of 16",
     [](const Graph&, GraphMemory& memory) {
       Resize(memory, [](const TensorType&, int64_t bytes) { return bytes / 16 * 16; });
     }},
};

}  // namespace

std::span<const LivenessFault> AllLivenessFaults() { return kFaults; }

}  // namespace assay

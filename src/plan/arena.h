// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liveness.h"
#include "memory_plan.h"
#include "outcome.h"
#include "tensor.h"

namespace assay {

// The wrong content of a buffer: bytes that another buffer has overwritten, or a size that does not
// match.
struct ArenaFault {
  std::string where = {};     // "operator 3 (ADD) of block main reads"
  std::string buffer = {};    // the buffer that should lie there
  std::string intruder = {};  // the owner of these bytes; "" if no live buffer owns them
  std::string pool = {};
  int64_t first = 0, last = 0;  // bytes of the pool, the first and the last that are wrong
  // The two sizes in bytes, if the buffer is of another size than the tensor.
  int64_t buffer_bytes = 0, tensor_bytes = 0;

  std::string ToString() const;
};

// Executes a graph inside the pools of a plan. Each result is stored in its buffer, and each
// operand is loaded from its buffer again. Each load checks that all bytes still belong to the
// buffer. A buffer is overwritten with a pattern when it has been read for the last time. The
// scratch of an operator is overwritten while the operator runs. The arena does not use the live
// ranges that the plan was made for: it finds during execution when each buffer dies.
//
// An arena is one context: its variables keep their values from run to run, in their buffers.
class Arena {
 public:
  // Makes an arena. `graph`, `memory` and `plan` must outlive it; `memory` is what MemoryOf() made
  // of the graph. Error kBadInput names a buffer without a place or beyond its pool; kUnsupported
  // if tensors are of unknown size.
  static Result<Arena> Make(const Graph& graph, const GraphMemory& memory, const MemoryPlan& plan);

  // Sets the variables that the graph knows to the values that another graph of the same context
  // left.
  void SetVariables(const std::map<std::string, Tensor>& values);

  // Runs the main block on inputs that break no rule. The outputs are read from the arena at the
  // end. The outcome is kUnsupported, with the reason in `message`, if an operator cannot be
  // executed.
  Outcome Run(std::span<const Tensor> inputs);

  // The first fault that was found in any run.
  const std::optional<ArenaFault>& fault() const { return fault_; }

 private:
  // A tensor in a running block: in a buffer, or outside of all pools.
  struct Slot {
    std::optional<int32_t> buffer = {};
    Tensor outside;
  };
  struct Frame {
    const Block& block;
    std::vector<Slot> slots;             // by tensor
    std::vector<int32_t> last_read;      // by tensor: position of the last reader; of outputs none
    std::map<int32_t, int32_t> last_of;  // by buffer that the block makes: the last of its tensors
  };
  struct Pool {
    std::vector<uint8_t> bytes;
    std::vector<int32_t> owners;  // the buffer that wrote it, kNobody
  };

  Arena(const Graph& graph, const GraphMemory& memory, const MemoryPlan& plan)
      : graph_(graph), memory_(memory), plan_(plan) {}

  std::vector<Tensor> RunBlock(const Block& block, const Block* runner,
                               const std::vector<Slot>& inputs);
  void RunOperatorOf(Frame& frame, int32_t index);
  void RunPlain(Frame& frame, const Operator& op, int32_t index);
  void RunCondIf(Frame& frame, const Operator& op);
  void RunWhileLoop(Frame& frame, const Operator& op, int32_t index);
  // Overwrites the scratch of an operator before it runs; checks and releases the scratch
  // afterwards.
  void FillScratch(const Frame& frame, int32_t index);
  void ReleaseScratch(const Frame& frame, int32_t index);
  void RunVariable(Frame& frame, const Operator& op);

  Tensor Load(Frame& frame, TensorIndex tensor);
  void Store(Frame& frame, TensorIndex tensor, const Tensor& value);
  // Returns true if the buffer has as many bytes as a tensor; records a fault otherwise.
  bool HasRoom(int32_t buffer, int64_t bytes);
  Tensor LoadBuffer(int32_t buffer, const TensorType& type);
  void StoreBuffer(int32_t buffer, const Tensor& value);
  // Take() makes the bytes of a buffer its own, Release() makes them nobody's. Both fill them with
  // a pattern.
  void Take(int32_t buffer);
  void Release(int32_t buffer);
  void Bury(Frame& frame, int32_t position);
  void Check(int32_t buffer);
  std::vector<Slot> SlotsOf(const Frame& frame, std::span<const TensorIndex> tensors) const;
  std::optional<int32_t> BufferOf(const Block& block, TensorIndex tensor) const;

  const Graph& graph_;
  const GraphMemory& memory_;
  const MemoryPlan& plan_;
  std::vector<Pool> pools_;
  std::map<std::string, bool> variables_;  // the known variables
  std::string where_;
  std::string problem_;
  std::optional<ArenaFault> fault_;
};

}  // namespace assay

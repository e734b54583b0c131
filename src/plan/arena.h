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

// What was found where a buffer should have been.
struct ArenaFault {
  std::string where = {};     // "operator 3 (ADD) of block main reads"
  std::string buffer = {};    // that should lie there
  std::string intruder = {};  // whose bytes lie there instead; "" if nobody's that is live
  std::string pool = {};
  int64_t first = 0, last = 0;  // bytes of the pool, the first and the last that are wrong
  // Or the buffer is of another size than the tensor, and these are the two in bytes.
  int64_t buffer_bytes = 0, tensor_bytes = 0;

  std::string ToString() const;
};

// Executes a graph inside the pools of a plan: each result is stored where its buffer lies, and
// each operand is loaded from there again, with a check that all its bytes are still its own. What
// is read for the last time is overwritten with a pattern, and so is an operator's scratch while it
// runs. It takes nothing from the live ranges that the plan was made for: what dies when, it sees
// as it goes.
//
// An arena is one context: its variables keep their values from run to run, in their buffers.
class Arena {
 public:
  // `graph` and `memory`, which MemoryOf() made of it, outlive the arena. Error kBadInput names a
  // buffer without a place or beyond its pool; kUnsupported if tensors are of unknown size.
  static Result<Arena> Make(const Graph& graph, const GraphMemory& memory, const MemoryPlan& plan);

  // Sets variables that the graph knows, as another graph of the same context left them.
  void SetVariables(const std::map<std::string, Tensor>& values);

  // Runs the main block on inputs that break no rule. The outputs are what lies in the arena at the
  // end; kUnsupported, with the reason in `message`, if an operator cannot be executed.
  Outcome Run(std::span<const Tensor> inputs);

  // The first that was found, in any run.
  const std::optional<ArenaFault>& fault() const { return fault_; }

 private:
  // A tensor in a running block: in a buffer, or outside of all pools.
  struct Slot {
    int32_t buffer = -1;
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
  // Writes what an operator needs while it runs, and when it has run.
  void FillScratch(const Frame& frame, int32_t index);
  void ReleaseScratch(const Frame& frame, int32_t index);
  void RunVariable(Frame& frame, const Operator& op);

  Tensor Load(Frame& frame, TensorIndex tensor);
  void Store(Frame& frame, TensorIndex tensor, const Tensor& value);
  // Whether the buffer is of as many bytes as a tensor; or there is a fault.
  bool HasRoom(int32_t buffer, int64_t bytes);
  Tensor LoadBuffer(int32_t buffer, const TensorType& type);
  void StoreBuffer(int32_t buffer, const Tensor& value);
  // Makes the bytes of a buffer its own, or nobody's; with a pattern in them.
  void Take(int32_t buffer);
  void Release(int32_t buffer);
  void Bury(Frame& frame, int32_t position);
  void Check(int32_t buffer);
  std::vector<Slot> SlotsOf(const Frame& frame, std::span<const TensorIndex> tensors) const;
  int32_t BufferOf(const Block& block, TensorIndex tensor) const;

  const Graph& graph_;
  const GraphMemory& memory_;
  const MemoryPlan& plan_;
  std::vector<Pool> pools_;
  std::map<std::string, bool> variables_;  // that are known
  std::string where_;
  std::string problem_;
  std::optional<ArenaFault> fault_;
};

}  // namespace assay

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "block_index.h"
#include "c_text.h"
#include "model_memory.h"

namespace assay {

// A pool as the model knows it.
struct EmittedPool {
  std::string name;       // of a struct's field, and of the address of its base where blocks run
  bool is_own;            // the source has it itself; otherwise the caller gives it
  bool is_read_only;      // holds nothing but constants
  int64_t bytes = 0;      // from its base on; 0: nothing lies there
  int64_t alignment = 1;  // of its base

  bool IsUsed() const { return bytes > 0; }
  // Whether the caller has to give it.
  bool IsNeeded() const { return IsUsed() && !is_own; }
  // "uint8_t* ".
  const char* PointerType() const { return is_read_only ? "const uint8_t* " : "uint8_t* "; }
};

// What the parts of a model in C have in common.
struct Emission {
  const Graph& graph;
  const ModelMemory& memory;
  const MemoryPlan& plan;
  std::string model;                              // its name
  std::vector<EmittedPool> pools;                 // as the problem has them
  std::vector<std::string> inputs, outputs;       // of the main block: fields
  std::vector<const Block*> blocks;               // that run: BlocksToRun()
  std::map<const Block*, std::string> functions;  // of the blocks
  CNames file_names;                              // of pools, and what functions share
  // Of read-only pools, the content by pool; constants in other pools, and their buffers.
  std::map<const EmittedPool*, std::vector<uint8_t>> contents;
  std::vector<std::pair<int32_t, std::span<const uint8_t>>> written_constants;
  BlockIndex index{graph};

  const Block& main() const { return *graph.Main(); }

  const BufferInfo& BufferAt(int32_t buffer) const {
    return memory.graph.problem.buffers[static_cast<size_t>(buffer)];
  }
  const EmittedPool& PoolOf(int32_t buffer) const {
    return pools[static_cast<size_t>(plan.allocations[static_cast<size_t>(buffer)]->pool)];
  }
  EmittedPool& PoolOf(int32_t buffer) {
    return pools[static_cast<size_t>(plan.allocations[static_cast<size_t>(buffer)]->pool)];
  }
  int64_t OffsetOf(int32_t buffer) const {
    return plan.allocations[static_cast<size_t>(buffer)]->offset;
  }
  template <class Condition>
  bool AnyPool(Condition condition) const {
    return std::ranges::any_of(pools, condition);
  }
  // Whether the caller gives pools of a kind, and whether any of them holds anything.
  bool HasCallersPools(bool read_only) const;
  bool NeedsPools(bool read_only) const;
  bool NeedsPools() const { return NeedsPools(false) || NeedsPools(true); }
  // Whether something has to be written before the first run.
  bool NeedsInit() const { return memory.states >= 0 || !written_constants.empty(); }

  // How things are called. "workspaces", of the structs of the caller's pools, and those.
  static constexpr char kContext[] = "const assay_context* context";
  static std::string KindOf(bool read_only) { return read_only ? "parameters" : "workspaces"; }
  std::string TypeOf(bool read_only) const { return model + "_" + KindOf(read_only); }
  // "tiny_sram_workspace_buffer", "tiny_workspace_buffer" of the model's own; its macros.
  std::string BufferName(const EmittedPool& pool) const;
  std::string SizeMacro(const EmittedPool& pool) const;
  std::string AlignmentMacro(const EmittedPool& pool) const;
  // Functions up to their `;` or `{`; of `run` the parameters.
  std::string SetFunction(bool read_only) const;
  std::string InitFunction() const;
  std::string MapFunction(const std::string& what) const;  // "inputs", "outputs"
  std::string RunFunction() const;
  std::vector<std::string> RunParameters() const;
  // Of a byte of a buffer, where the base of its pool is `base`: "sram + 32".
  std::string Address(const std::string& base, int32_t buffer, int64_t byte = 0) const;
};

// Names everything, and measures the pools. Errors are those of EmitC().
Result<Emission> LayOut(const Graph& graph, const ModelMemory& memory, const MemoryPlan& plan,
                        const std::string& name);

// Lists of dimensions that the functions of blocks have in common: names, and the lists in the
// order of their first use.
class EmittedShapes {
 public:
  explicit EmittedShapes(CNames names) : names_(std::move(names)) {}

  // That nothing else in the file has.
  std::string NewName(std::string_view wish) { return names_.Make(wish, ""); }
  // "shape_2x3"; "NULL" of rank 0.
  std::string NameOf(const Shape& shape);
  void Write(CText& text) const;

 private:
  CNames names_;
  std::map<std::vector<int32_t>, std::string> known_;
  std::vector<std::pair<std::string, std::vector<int32_t>>> all_;
};

// "ASSAY_KERNEL_FP32".
std::string TypeInC(DType type);

// The parts: the comment that both files begin with, NAME.h, NAME.c, and in that the function that
// runs a block.
void WriteOrigin(const Emission& emission, CText& text);
CText EmitHeader(const Emission& emission);
CText EmitSource(const Emission& emission);
CText EmitBlock(const Emission& emission, const Block& block, EmittedShapes& shapes);

}  // namespace assay

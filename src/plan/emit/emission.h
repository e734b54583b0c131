// SPDX-License-Identifier: Apache-2.0
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

// A memory pool of the model.
struct EmittedPool {
  std::string name;       // of a struct's field, and of the base address in functions
  bool is_own;            // the source has the pool; otherwise the caller gives it
  bool is_read_only;      // holds nothing but constants
  int64_t bytes = 0;      // from its base on; 0 if the pool is empty
  int64_t alignment = 1;  // of its base

  bool IsUsed() const { return bytes > 0; }
  // Returns true if the caller has to give the pool.
  bool IsNeeded() const { return IsUsed() && !is_own; }
  // Returns the type of a pointer into the pool: "uint8_t* " or "const uint8_t* ".
  const char* PointerType() const { return is_read_only ? "const uint8_t* " : "uint8_t* "; }
};

// The facts about a model in C that all parts of its text share.
struct Emission {
  const Graph& graph;
  const ModelMemory& memory;
  const MemoryPlan& plan;
  std::string model;                              // its name
  std::vector<EmittedPool> pools;                 // as the problem has them
  std::vector<std::string> inputs, outputs;       // of the main block: fields
  std::vector<const Block*> blocks;               // BlocksToRun()
  std::map<const Block*, std::string> functions;  // of the blocks
  CNames file_names;                              // of pools, and what functions share
  // The initial bytes of each read-only pool.
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
  // HasCallersPools() returns true if the caller gives pools of a kind, NeedsPools() if the caller
  // has to give one.
  bool HasCallersPools(bool read_only) const;
  bool NeedsPools(bool read_only) const;
  bool NeedsPools() const { return NeedsPools(false) || NeedsPools(true); }
  // Returns true if something has to be written before the first run.
  bool NeedsInit() const { return memory.states || !written_constants.empty(); }

  // Names in the text. KindOf() returns "workspaces" or "parameters", a struct of the caller's
  // pools; TypeOf() returns the type of this struct.
  static constexpr char kContext[] = "const assay_context* context";
  static std::string KindOf(bool read_only) { return read_only ? "parameters" : "workspaces"; }
  std::string TypeOf(bool read_only) const { return model + "_" + KindOf(read_only); }
  // Return the name of a pool's buffer, and its macros. The name is "tiny_sram_workspace_buffer",
  // or "tiny_workspace_buffer" for a pool of the model itself.
  std::string BufferName(const EmittedPool& pool) const;
  std::string SizeMacro(const EmittedPool& pool) const;
  std::string AlignmentMacro(const EmittedPool& pool) const;
  // Return the declarations of functions, up to their `;` or `{`. RunFunction() ends before the
  // parameters, which RunParameters() returns.
  std::string SetFunction(bool read_only) const;
  std::string InitFunction() const;
  std::string MapFunction(const std::string& what) const;  // "inputs", "outputs"
  std::string RunFunction() const;
  std::vector<std::string> RunParameters() const;
  // Returns the address of a byte of a buffer, where the base of its pool is `base`: "sram + 32".
  std::string Address(const std::string& base, int32_t buffer, int64_t byte = 0) const;
};

// Names everything, and computes the sizes of the pools. Errors are those of EmitC().
Result<Emission> LayOut(const Graph& graph, const ModelMemory& memory, const MemoryPlan& plan,
                        const std::string& name);

// The lists of dimensions that the functions of blocks share, with their names, in the order of
// their first use.
class EmittedShapes {
 public:
  explicit EmittedShapes(CNames names) : names_(std::move(names)) {}

  // Returns a name that nothing else in the file has.
  std::string NewName(std::string_view wish) { return names_.Make(wish, ""); }
  // Returns the name of the list of dimensions: "shape_2x3"; "NULL" for rank 0.
  std::string NameOf(const Shape& shape);
  void Write(CText& text) const;

 private:
  CNames names_;
  std::map<std::vector<int32_t>, std::string> known_;
  std::vector<std::pair<std::string, std::vector<int32_t>>> all_;
};

// Returns the constant that names a type: "ASSAY_KERNEL_FP32".
std::string TypeInC(DType type);

// Write the parts of the model: the comment that begins both files, the header NAME.h, the source
// NAME.c, and the function of NAME.c that runs a block.
void WriteOrigin(const Emission& emission, CText& text);
CText EmitHeader(const Emission& emission);
CText EmitSource(const Emission& emission);
CText EmitBlock(const Emission& emission, const Block& block, EmittedShapes& shapes);

}  // namespace assay

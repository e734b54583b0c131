// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "constant_cache.h"
#include "executor.h"
#include "folding.h"

namespace assay {

// A tensor in memory of the caller, with its elements as Tensor stores them.
struct TensorView {
  TensorType type;
  std::span<const uint8_t> bytes;
};
// Returns a view of each tensor. The tensors must outlive the views.
std::vector<TensorView> ViewsOf(std::span<const Tensor> tensors);

// A runtime context: the state that an execution leaves for the next one, such as variables and
// folded constants. Each context has its own. Any number of threads may use it.
class FoldContext {
 public:
  FoldContext();
  ~FoldContext();
  FoldContext(const FoldContext&) = delete;
  FoldContext& operator=(const FoldContext&) = delete;

  // Returns the CacheOwner::context of tensors that are folded in this context.
  int64_t id() const { return id_; }

  // Makes the next execution of each module take new run-time constants.
  void ForgetConstants();

  // Sets variables, as after an execution that wrote them.
  void SetVariables(const std::map<std::string, Tensor>& values);

 private:
  friend class FoldedModule;
  const int64_t id_;
  std::mutex mutex_;  // of all below
  Context variables_;
  std::map<int64_t, std::string> constants_;  // of each module that ran: their digest
  std::set<std::shared_ptr<ConstantCache>> caches_;
};

// The result of one execution.
struct FoldedRun {
  Outcome outcome;                    // its `outputs` are in `outputs`
  std::vector<CachedBuffer> outputs;  // the caller's own
  // The buffers that it read, in the order of FoldRecord::cached.
  ConstantCache::Buffers cached;
};

// Returns the outcome of an execution with its outputs, whose bytes it shares.
Outcome OutcomeOf(const FoldedRun& run);

// A folded graph, ready for execution. Constants of compile time are folded when it is loaded. The
// others are folded at the first execution in each context, and again after they were evicted.
// Several modules may share one cache. Any number of threads may use a module.
class FoldedModule {
 public:
  // Loads a folding. `inputs` are those of the original graph; an input that is no constant of
  // compile time may be empty. Error kBadInput: an input is not of its type, or the stage of
  // compile time is not valid. Error kUnsupported: that stage cannot be executed.
  static Result<std::unique_ptr<FoldedModule>> Load(Folding folding,
                                                    std::span<const TensorView> inputs,
                                                    std::shared_ptr<ConstantCache> cache,
                                                    const ExecutionOptions& options = {},
                                                    FoldFault fault = FoldFault::kNone);

  // Executes the graph. `inputs` are those of the original graph. Constants among them are ignored
  // once they are folded. If they have to be folded again, they must be the same as before;
  // otherwise the outcome is kUnsupported and says so. If a stage is not valid, it decides the
  // outcome, and the next execution tries again.
  FoldedRun Run(FoldContext& context, std::span<const TensorView> inputs,
                const ExecutionOptions& options = {});

  const Folding& folding() const { return folding_; }

  // The tensors of the run-time stage, in the order of its outputs, as the cache knows them.
  std::span<const CacheSlot> slots() const { return slots_; }

 private:
  using Buffers = ConstantCache::Buffers;

  FoldedModule(Folding folding, std::shared_ptr<ConstantCache> cache, FoldFault fault);
  bool Has(FoldFault fault) const { return fault_ == fault; }

  Result<Done> FoldCompileTime(std::span<const TensorView> inputs, const ExecutionOptions& options);
  Result<Buffers> RuntimeBuffers(FoldContext& context, std::span<const TensorView> inputs,
                                 const ExecutionOptions& options, Outcome& failure);
  Result<Done> FoldRuntime(std::span<const TensorView> inputs, const std::string& digest,
                           const ExecutionOptions& options, std::span<const CachedBuffer> buffers,
                           Outcome& failure);
  void NoteViews(std::span<const TensorView> inputs, const std::vector<Tensor>& arguments,
                 const std::vector<Tensor>& results);
  std::vector<Tensor> StageInputs(FoldStage stage, std::span<const TensorView> inputs,
                                  const Buffers& cached) const;
  std::string DigestOf(std::span<const TensorView> inputs) const;
  void Misuse(const Buffers& buffers, const std::vector<CachedBuffer>& outputs) const;
  std::vector<CachedBuffer> OwnOutputs(const std::vector<Tensor>& outputs,
                                       const Buffers& cached) const;

  const Folding folding_;
  const std::shared_ptr<ConstantCache> cache_;
  const FoldFault fault_;
  const int64_t id_;
  const bool stateful_;           // the entry reads or writes variables
  std::vector<CacheSlot> slots_;  // of what the run-time stage computes
  Buffers compile_time_;          // in the order of FoldRecord::cached; null for other stages
  std::map<int32_t, TensorView> views_;  // kViewOfWeights: caller's memory, by cached tensor
};

}  // namespace assay

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

// A tensor in memory of the caller's; its elements as Tensor keeps them.
struct TensorView {
  TensorType type;
  std::span<const uint8_t> bytes;
};
// Returns a view of each tensor. The tensors must outlive the views.
std::vector<TensorView> ViewsOf(std::span<const Tensor> tensors);

// A runtime context: what executions of one kind or another leave behind for the next, and which
// contexts have each for themselves. For any number of threads.
class FoldContext {
 public:
  FoldContext();
  ~FoldContext();
  FoldContext(const FoldContext&) = delete;
  FoldContext& operator=(const FoldContext&) = delete;

  // The CacheOwner::context of what is folded in this context.
  int64_t id() const { return id_; }

  // The next execution of each module takes its run-time constants anew.
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

// What one execution did.
struct FoldedRun {
  Outcome outcome;                    // its `outputs` are in `outputs`
  std::vector<CachedBuffer> outputs;  // the caller's own
  // The buffers that it read, in the order of FoldRecord::cached.
  ConstantCache::Buffers cached;
};

// Returns the outcome of an execution with its outputs, whose bytes it shares.
Outcome OutcomeOf(const FoldedRun& run);

// A folded graph, ready for execution: what is known at compile time is folded, the rest on the
// first execution in each context, and again when it was evicted. One cache may serve any number of
// modules. For any number of threads.
class FoldedModule {
 public:
  // `inputs` are those of the original graph; what is no constant of compile time may be empty.
  // Errors: an input is not of its type, or the stage of compile time is not valid (kBadInput);
  // it cannot be executed (kUnsupported).
  static Result<std::unique_ptr<FoldedModule>> Load(Folding folding,
                                                    std::span<const TensorView> inputs,
                                                    std::shared_ptr<ConstantCache> cache,
                                                    const ExecutionOptions& options = {},
                                                    FoldFault fault = FoldFault::kNone);

  // Executes the graph. `inputs` are those of the original graph. Of the constants among them it
  // takes no notice once they are folded; where they have to be folded once more, they must be what
  // they were (else the outcome is kUnsupported and says so). A stage that is not valid decides the
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
  Buffers compile_time_;          // in the order of FoldRecord::cached; null: of another stage
  std::map<int32_t, TensorView> views_;  // kViewOfWeights: caller's memory, by cached tensor
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "folded_module.h"

#include <algorithm>
#include <atomic>

#include "folding_mistakes.h"
#include "operator.h"
#include "sha256.h"

namespace assay {
namespace {

int64_t NewId() {
  static std::atomic<int64_t> last = 0;
  return ++last;
}

// Checks the inputs of an execution. The outcome is kValid if they have the types of the graph's
// inputs.
Outcome CheckInputs(const Block& main, std::span<const TensorView> inputs) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kError;
  outcome.rule = "graph/ERROR_IF/input-list";
  if (inputs.size() != main.inputs.size()) {
    outcome.message =
        std::to_string(inputs.size()) + " inputs instead of " + std::to_string(main.inputs.size());
    return outcome;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& type = main.TypeOf(main.inputs[i]);
    const auto bytes = static_cast<size_t>(type.shape.Elements() * ElementBytes(type.type));
    if (inputs[i].type != type || inputs[i].bytes.size() != bytes) {
      outcome.message = "input " + std::to_string(i) + " is not " + type.ToString();
      return outcome;
    }
  }
  outcome.kind = OutcomeKind::kValid;
  return outcome;
}

Tensor CopyOf(const TensorView& view) {
  return Tensor::FromBytes(view.type.type, view.type.shape, {view.bytes.begin(), view.bytes.end()});
}

// Copies as many bytes as fit: a wrong record may say that a tensor is smaller than it is.
void Fill(const CachedBuffer& buffer, const Tensor& tensor) {
  const size_t size = std::min(tensor.bytes().size(), buffer.bytes().size());
  std::ranges::copy(tensor.bytes().first(size), buffer.bytes().begin());
}

// Packs two elements of four bits into a byte, as file formats do.
void PackPairs(const CachedBuffer& buffer) {
  const std::span<uint8_t> bytes = buffer.bytes();
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    bytes[i / 2] = static_cast<uint8_t>((bytes[i] & 15) | (bytes[i + 1] << 4));
  }
}

std::string Describe(const Outcome& outcome) {
  return outcome.rule.empty() ? outcome.message : outcome.rule + ": " + outcome.message;
}

}  // namespace

std::vector<TensorView> ViewsOf(std::span<const Tensor> tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back({tensor.tensor_type(), tensor.bytes()});
  return views;
}

Outcome OutcomeOf(const FoldedRun& run) {
  Outcome outcome = run.outcome;
  for (const CachedBuffer& output : run.outputs) outcome.outputs.push_back(TensorIn(output));
  return outcome;
}

FoldContext::FoldContext() : id_(NewId()) {}

FoldContext::~FoldContext() {
  for (const auto& cache : caches_) cache->EvictContext(id_);
}

void FoldContext::ForgetConstants() {
  const std::lock_guard lock(mutex_);
  constants_.clear();
}

void FoldContext::SetVariables(const std::map<std::string, Tensor>& values) {
  const std::lock_guard lock(mutex_);
  assay::SetVariables(variables_, values);
}

FoldedModule::FoldedModule(Folding folding, std::shared_ptr<ConstantCache> cache, FoldFault fault)
    : folding_(std::move(folding)),
      cache_(std::move(cache)),
      fault_(fault),
      id_(NewId()),
      stateful_(HasVariables(folding_.stage(FoldStage::kEntry))),
      compile_time_(folding_.record.cached.size()) {
  const std::vector<CachedTensor>& cached = folding_.record.cached;
  const std::vector<int32_t>& folded = folding_.record.at(FoldStage::kRuntime).outputs;
  const int64_t first = Has(FoldFault::kIndicesByGraph)
                            ? int64_t{1'000'000} * folding_.original().OperatorCount()
                            : cache_->NewIndices(static_cast<int64_t>(folded.size()));
  for (size_t i = 0; i < folded.size(); ++i) {
    slots_.push_back(
        {first + static_cast<int64_t>(i), cached[static_cast<size_t>(folded[i])].type});
  }
}

Result<std::unique_ptr<FoldedModule>> FoldedModule::Load(Folding folding,
                                                         std::span<const TensorView> inputs,
                                                         std::shared_ptr<ConstantCache> cache,
                                                         const ExecutionOptions& options,
                                                         FoldFault fault) {
  std::unique_ptr<FoldedModule> module(
      new FoldedModule(std::move(folding), std::move(cache), fault));
  for (const CachedTensor& cached : module->folding_.record.cached) {
    if (cached.type.shape.Elements() > options.elements_max) {
      return Unsupported(cached.name + ": " + cached.type.ToString() + " is too large to fold");
    }
  }
  const Result<Done> folded = module->FoldCompileTime(inputs, options);
  if (!folded) return folded.error();
  return module;
}

Result<Done> FoldedModule::FoldCompileTime(std::span<const TensorView> inputs,
                                           const ExecutionOptions& options) {
  const FoldStageRecord& stage = folding_.record.at(FoldStage::kCompileTime);
  for (const FoldSource& source : stage.inputs) {
    const auto index = static_cast<size_t>(source.index);
    const Block& main = *folding_.original().Main();
    if (index >= inputs.size() || inputs[index].type != main.TypeOf(main.inputs[index])) {
      return BadInput("input " + std::to_string(index) + ", a constant of compile time, is not " +
                      main.TypeOf(main.inputs[index]).ToString());
    }
  }
  if (stage.outputs.empty()) return Done{};
  Context context;
  ExecutionOptions evaluator = options;
  if (const Mutant* mutant = EvaluatorOf(fault_)) evaluator.mutant = mutant;
  const Graph& graph = folding_.stage(FoldStage::kCompileTime);
  Outcome outcome = Execute(context, Has(FoldFault::kFoldsInFp64) ? WithoutRounding(graph) : graph,
                            StageInputs(FoldStage::kCompileTime, inputs, compile_time_), evaluator);
  if (outcome.kind != OutcomeKind::kValid) {
    const bool is_unsupported = outcome.kind == OutcomeKind::kUnsupported;
    return Error{is_unsupported ? Error::Kind::kUnsupported : Error::Kind::kBadInput,
                 "the stage of compile time is not valid: " + Describe(outcome)};
  }
  Spoil(outcome.outputs, FoldStage::kCompileTime, fault_);
  for (size_t i = 0; i < stage.outputs.size(); ++i) {
    const CachedBuffer buffer = NewCachedBuffer(outcome.outputs[i].tensor_type());
    Fill(buffer, outcome.outputs[i]);
    compile_time_[static_cast<size_t>(stage.outputs[i])] =
        std::make_shared<const CachedBuffer>(buffer);
  }
  return Done{};
}

// Arguments are copied: what variables and buffers keep must not change when the caller changes the
// arguments.
std::vector<Tensor> FoldedModule::StageInputs(FoldStage stage, std::span<const TensorView> inputs,
                                              const Buffers& cached) const {
  std::vector<Tensor> tensors;
  for (const FoldSource& source : folding_.record.at(stage).inputs) {
    const auto index = static_cast<size_t>(source.index);
    const auto view = views_.find(source.index);
    if (source.kind == FoldSource::Kind::kArgument) {
      tensors.push_back(CopyOf(inputs[index]));
    } else {
      tensors.push_back(view != views_.end() ? CopyOf(view->second) : TensorIn(*cached[index]));
    }
  }
  return tensors;
}

// Returns the digest of the arguments that the run-time stage reads: of what it is going to fold.
std::string FoldedModule::DigestOf(std::span<const TensorView> inputs) const {
  std::vector<uint8_t> bytes;
  for (const FoldSource& source : folding_.record.at(FoldStage::kRuntime).inputs) {
    if (source.kind != FoldSource::Kind::kArgument) continue;
    std::span<const uint8_t> argument = inputs[static_cast<size_t>(source.index)].bytes;
    const auto* const address = argument.data();
    if (Has(FoldFault::kWeightsByFirstBytes)) {
      argument = argument.first(std::min<size_t>(argument.size(), 8));
    }
    if (Has(FoldFault::kWeightsByAddress)) {
      argument = {reinterpret_cast<const uint8_t*>(&address), sizeof(address)};
    }
    bytes.insert(bytes.end(), argument.begin(), argument.end());
  }
  return Sha256(bytes);
}

Result<FoldedModule::Buffers> FoldedModule::RuntimeBuffers(FoldContext& context,
                                                           std::span<const TensorView> inputs,
                                                           const ExecutionOptions& options,
                                                           Outcome& failure) {
  CacheOwner owner = {context.id_, {}};
  {
    const std::lock_guard lock(context.mutex_);
    const auto [known, is_new] = context.constants_.try_emplace(id_);
    if (is_new) known->second = DigestOf(inputs);
    owner.weights = known->second;
    context.caches_.insert(cache_);
  }
  Result<Buffers> buffers =
      cache_->Acquire(owner, slots_, [&](std::span<const CachedBuffer> filled) {
        return FoldRuntime(inputs, owner.weights, options, filled, failure);
      });
  if (!buffers) {
    const std::lock_guard lock(context.mutex_);
    context.constants_.erase(id_);
  }
  return buffers;
}

Result<Done> FoldedModule::FoldRuntime(std::span<const TensorView> inputs,
                                       const std::string& digest, const ExecutionOptions& options,
                                       std::span<const CachedBuffer> buffers, Outcome& failure) {
  if (DigestOf(inputs) != digest) {
    failure.kind = OutcomeKind::kUnsupported;
    failure.message = "the run-time constants are no longer those of the first execution";
    return BadInput(failure.message);
  }
  Context own;
  const std::vector<Tensor> arguments = StageInputs(FoldStage::kRuntime, inputs, compile_time_);
  failure = Execute(own, folding_.stage(FoldStage::kRuntime), arguments, options);
  if (failure.kind != OutcomeKind::kValid) return BadInput(Describe(failure));
  Spoil(failure.outputs, FoldStage::kRuntime, fault_);
  for (size_t i = 0; i < buffers.size(); ++i) {
    Fill(buffers[i], failure.outputs[i]);
    const bool packs = Has(FoldFault::kPackedByFold) && buffers[i].type.type == DType::kInt4;
    if (packs) PackPairs(buffers[i]);
  }
  if (Has(FoldFault::kViewOfWeights)) NoteViews(inputs, arguments, failure.outputs);
  return Done{};
}

void FoldedModule::NoteViews(std::span<const TensorView> inputs,
                             const std::vector<Tensor>& arguments,
                             const std::vector<Tensor>& results) {
  const FoldStageRecord& stage = folding_.record.at(FoldStage::kRuntime);
  for (size_t result = 0; result < results.size(); ++result) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (stage.inputs[i].kind == FoldSource::Kind::kArgument &&
          arguments[i].bytes().data() == results[result].bytes().data()) {
        views_[stage.outputs[result]] = {results[result].tensor_type(),
                                         inputs[static_cast<size_t>(stage.inputs[i].index)].bytes};
      }
    }
  }
}

// Returns copies of the outputs, so that changes by the caller affect nobody else.
std::vector<CachedBuffer> FoldedModule::OwnOutputs(const std::vector<Tensor>& outputs,
                                                   const Buffers& cached) const {
  std::vector<CachedBuffer> own;
  for (const Tensor& output : outputs) {
    own.push_back(NewCachedBuffer(output.tensor_type()));
    Fill(own.back(), output);
    for (const auto& buffer : cached) {
      if (Has(FoldFault::kOutputIsCache) && buffer != nullptr &&
          buffer->memory.get() == output.bytes().data()) {
        own.back() = *buffer;
      }
    }
  }
  return own;
}

// Does to the buffers of others what an execution with a fault does.
void FoldedModule::Misuse(const Buffers& buffers, const std::vector<CachedBuffer>& outputs) const {
  for (const auto& buffer : buffers) {
    if (Has(FoldFault::kEntryWritesCache)) buffer->bytes()[0] ^= 1;
    if (Has(FoldFault::kFreedAfterRun)) std::ranges::fill(buffer->bytes(), kFreedByte);
    if (!Has(FoldFault::kMemoryReused)) continue;
    for (const CachedBuffer& output : outputs) {
      const auto bytes = std::min(output.size_bytes, buffer->size_bytes);
      std::copy_n(output.bytes().begin(), bytes, buffer->bytes().begin());
    }
  }
}

FoldedRun FoldedModule::Run(FoldContext& context, std::span<const TensorView> inputs,
                            const ExecutionOptions& options) {
  FoldedRun run = {CheckInputs(*folding_.original().Main(), inputs), {}, {}};
  if (run.outcome.kind != OutcomeKind::kValid) return run;
  Outcome failure;
  const Result<Buffers> folded = RuntimeBuffers(context, inputs, options, failure);
  if (!folded) {
    if (failure.message.empty()) failure.message = folded.error().message;
    run.outcome = std::move(failure);
    return run;
  }
  run.cached = compile_time_;
  const std::vector<int32_t>& outputs = folding_.record.at(FoldStage::kRuntime).outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    run.cached[static_cast<size_t>(outputs[i])] = (*folded)[i];
  }
  const std::vector<Tensor> arguments = StageInputs(FoldStage::kEntry, inputs, run.cached);
  const Graph& entry = folding_.stage(FoldStage::kEntry);
  // The outcome has the variables of the context, whatever the entry does with them.
  std::unique_lock lock(context.mutex_);
  if (stateful_ || !context.variables_.variables.empty()) {
    run.outcome = Execute(context.variables_, entry, arguments, options);
    lock.unlock();
  } else {
    lock.unlock();
    Context none;
    run.outcome = Execute(none, entry, arguments, options);
  }
  run.outputs = OwnOutputs(run.outcome.outputs, run.cached);
  run.outcome.outputs.clear();
  Misuse(*folded, run.outputs);
  return run;
}

}  // namespace assay

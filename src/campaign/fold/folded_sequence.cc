// SPDX-License-Identifier: Apache-2.0
#include "folded_sequence.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "folded_module.h"
#include "paired_runs.h"
#include "quoted.h"

namespace assay::cli {
namespace {

const Step& StepOf(const TestVector& vector, int64_t invocation) {
  return vector.steps[static_cast<size_t>(invocation) % vector.steps.size()];
}

// Executes the invocations before and after folding, and keeps account of the cache.
class SequenceRun {
 public:
  SequenceRun(const TestVector& vector, const std::vector<CacheRequest>& requests, FoldFault fault,
              const ExecutionOptions& execution)
      : vector_(vector),
        requests_(requests),
        fault_(fault),
        execution_(OptionsFor(vector, execution)),
        cache_(std::make_shared<ConstantCache>(ConstantCache::kUnlimited, fault,
                                               [this](const CacheEvent& event) { Note(event); })) {}

  Result<Done> Fold(const FoldOptions& fold, const TimeLimit& limit) {
    for (const Step& step : vector_.steps) {
      if (modules_.contains(step.graph)) continue;
      const Result<Folding> folding =
          FoldGraph(vector_.GraphOf(step), vector_.constness.at(step.graph), fold);
      if (limit.reached()) return ResourceError(limit.what());
      if (!folding) return folding.error();
      auto module = FoldedModule::Load(*folding, ViewsOf(step.inputs), cache_, execution_, fault_);
      if (module) Describe(step.graph, **module);
      modules_.emplace(step.graph, std::move(module));
    }
    return CheckTensors();
  }

  FoldedSequence Execute(int64_t count) {
    std::map<int32_t, int64_t> last;  // invocation of each context
    for (int64_t i = 0; i < count; ++i) last[StepOf(vector_, i).context] = i;
    std::vector<FoldedInvocation>& invocations = sequence_.invocations;
    for (int64_t i = 0; i < count && (i == 0 || invocations.back().undecided.empty()); ++i) {
      const Step& step = StepOf(vector_, i);
      FoldedInvocation& invocation = invocations.emplace_back();
      invocation.graph = step.graph;
      invocation.context = step.context;
      Twin& twin = contexts_.try_emplace(step.context).first->second;
      numbers_[twin.folded.id()] = step.context;
      sink_ = &invocation.before;
      Prepare(i, twin.folded);
      sink_ = &invocation.during;
      Invoke(step, twin, invocation);
      sink_ = &invocation.after;
      if (last.at(step.context) == i) contexts_.erase(step.context);
      invocation.held_bytes = cache_->Statistics().bytes;
      if (invocation.held_bytes > limit_) {
        invocation.findings.push_back("the cache holds " + std::to_string(invocation.held_bytes) +
                                      " bytes, and may hold " + std::to_string(limit_));
      }
    }
    contexts_.clear();
    const int64_t rest = cache_->Statistics().bytes;
    if (rest != 0) {
      invocations.back().findings.push_back("the cache holds " + std::to_string(rest) +
                                            " bytes when all contexts have ended");
    }
    return std::move(sequence_);
  }

 private:
  // A context of the graphs before folding, and one of the folded graphs.
  struct Twin {
    Context original;
    FoldContext folded;
  };
  using Key = std::pair<int64_t, CacheOwner>;

  void Describe(int32_t graph, const FoldedModule& module) {
    const FoldRecord& record = module.folding().record;
    for (const int32_t output : record.at(FoldStage::kCompileTime).outputs) {
      const CachedTensor& cached = record.cached[static_cast<size_t>(output)];
      sequence_.compiled.push_back({graph, cached.name, cached.bytes});
    }
    const std::vector<int32_t>& outputs = record.at(FoldStage::kRuntime).outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const CachedTensor& cached = record.cached[static_cast<size_t>(outputs[i])];
      sequence_.tensors[module.slots()[i].global_index] = {graph, cached.name, cached.bytes};
    }
  }

  Result<Done> CheckTensors() const {
    for (const CacheRequest& request : requests_) {
      const bool is_known = std::ranges::any_of(
          sequence_.tensors, [&](const auto& one) { return one.second.name == request.tensor; });
      if (request.tensor.empty() || is_known) continue;
      return UsageError("no tensor " + Quoted(request.tensor) + " is folded at run time");
    }
    return Done{};
  }

  void Prepare(int64_t number, FoldContext& context) {
    for (const CacheRequest& request : requests_) {
      if (request.before != number) continue;
      switch (request.kind) {
        case CacheRequest::Kind::kLimit:
          limit_ = request.bytes;
          cache_->SetCapacity(limit_);
          break;
        case CacheRequest::Kind::kForget:
          context.ForgetConstants();
          break;
        case CacheRequest::Kind::kEvict:
          if (request.tensor.empty()) cache_->EvictAll();
          for (const auto& [index, tensor] : sequence_.tensors) {
            if (tensor.name == request.tensor) cache_->EvictIndex(index);
          }
          break;
      }
    }
  }

  void Invoke(const Step& step, Twin& twin, FoldedInvocation& invocation) {
    const Graph& graph = vector_.GraphOf(step);
    SetVariables(twin.original, step.state_before);
    twin.folded.SetVariables(step.state_before);
    const Outcome before = assay::Execute(twin.original, graph, step.inputs, execution_);
    const Result<std::unique_ptr<FoldedModule>>& module = modules_.at(step.graph);
    if (!module) {
      Outcome failed;
      const bool is_unsupported = module.error().kind == Error::Kind::kUnsupported;
      failed.kind = is_unsupported ? OutcomeKind::kUnsupported : OutcomeKind::kError;
      failed.message = module.error().message;
      return Judge(graph, before, failed, invocation);
    }
    const std::set<Key> held = held_;
    const FoldedRun run = (*module)->Run(twin.folded, ViewsOf(step.inputs), execution_);
    Judge(graph, before, OutcomeOf(run), invocation);
    CheckCache(**module, run, held, invocation);
    // Overwrites the outputs, because they belong to the caller, who may write anything there.
    for (const CachedBuffer& output : run.outputs) std::ranges::fill(output.bytes(), uint8_t{0x55});
  }

  static void Judge(const Graph& graph, const Outcome& before, const Outcome& after,
                    FoldedInvocation& invocation) {
    const FoldRun run = CompareOutcomes(graph, before, after);
    switch (run.kind) {
      case FoldRunKind::kAgree:
        break;
      case FoldRunKind::kDiffer:
        invocation.findings.push_back(run.text);
        break;
      case FoldRunKind::kExcluded:
        invocation.undecided = std::string(OutcomeName(before.kind)) +
                               " before folding: " + run.text + " at " + before.message;
        break;
      case FoldRunKind::kUnsupported:
        invocation.undecided = run.text;
        break;
    }
  }

  // Checks how the cache was used. `held` is what the cache held before the invocation.
  void CheckCache(const FoldedModule& module, const FoldedRun& run, const std::set<Key>& held,
                  FoldedInvocation& invocation) {
    if (folds_for_) {
      const bool had_all = std::ranges::all_of(module.slots(), [&](const CacheSlot& slot) {
        return held.contains({slot.global_index, *folds_for_});
      });
      if (had_all) invocation.findings.push_back("folds again what the cache holds");
    }
    folds_for_.reset();
    if (std::exchange(takes_others_, false)) {
      invocation.findings.push_back("takes a tensor that was not folded for its context");
    }
    const bool is_aligned = std::ranges::all_of(
        run.cached, [](const auto& buffer) { return buffer == nullptr || IsAligned(*buffer); });
    if (!is_aligned) invocation.findings.push_back("a folded tensor is not aligned to 64 bytes");
  }

  // Observes the cache.
  void Note(const CacheEvent& event) {
    const Key key = {event.global_index, event.owner};
    const auto number = numbers_.find(event.owner.context);
    CacheEntry entry = {CacheAction::kTaken, event.global_index, {}, event.bytes, event.is_held};
    if (number != numbers_.end()) entry.context = number->second;
    switch (event.kind) {
      case CacheEvent::Kind::kFound:
        takes_others_ = takes_others_ || !held_.contains(key);
        break;
      case CacheEvent::Kind::kFolded:
        folds_for_ = event.owner;
        entry.action =
            folded_.insert(key).second ? CacheAction::kFolded : CacheAction::kFoldedAgain;
        if (event.is_held && held_.insert(key).second) held_bytes_ += event.bytes;
        sequence_.held_bytes_max = std::max(sequence_.held_bytes_max, held_bytes_);
        break;
      case CacheEvent::Kind::kEvicted:
        entry.action = CacheAction::kEvicted;
        if (held_.erase(key) > 0) held_bytes_ -= event.bytes;
        break;
    }
    sink_->push_back(entry);
  }

  const TestVector& vector_;
  const std::vector<CacheRequest>& requests_;
  const FoldFault fault_;
  const ExecutionOptions execution_;
  FoldedSequence sequence_;
  std::vector<CacheEntry>* sink_ = nullptr;  // in sequence_
  int64_t limit_ = ConstantCache::kUnlimited;
  std::map<int64_t, int32_t> numbers_;  // of contexts, by FoldContext::id()
  std::set<Key> held_, folded_;         // by the cache now; at any time
  int64_t held_bytes_ = 0;
  // Facts about the present invocation.
  std::optional<CacheOwner> folds_for_;
  bool takes_others_ = false;
  std::shared_ptr<ConstantCache> cache_;
  std::map<int32_t, Result<std::unique_ptr<FoldedModule>>> modules_;  // by graph
  std::map<int32_t, Twin> contexts_;  // by number; goes first, because a context evicts as it ends
};

}  // namespace

Result<Done> CheckConstants(const TestVector& vector, const std::vector<CacheRequest>& requests,
                            int64_t count) {
  std::map<int32_t, int64_t> first;                       // invocation of each graph
  std::map<std::pair<int32_t, int32_t>, int64_t> latest;  // first of a context and a graph
  for (int64_t i = 0; i < count; ++i) {
    const Step& step = StepOf(vector, i);
    for (const CacheRequest& request : requests) {
      if (request.kind != CacheRequest::Kind::kForget || request.before != i) continue;
      std::erase_if(latest, [&](const auto& one) { return one.first.first == step.context; });
    }
    const std::vector<Constness>& constness = vector.constness.at(step.graph);
    const int64_t compiled = first.emplace(step.graph, i).first->second;
    const int64_t known = latest.emplace(std::pair{step.context, step.graph}, i).first->second;
    if (step.inputs.size() != constness.size()) continue;  // the invocation is not valid
    for (size_t input = 0; input < constness.size(); ++input) {
      if (constness[input] == Constness::kVarying) continue;
      const bool is_runtime = constness[input] == Constness::kRuntime;
      const std::vector<Tensor>& others = StepOf(vector, is_runtime ? known : compiled).inputs;
      if (others.size() != constness.size() || step.inputs[input] == others[input]) continue;
      const Block& main = *vector.GraphOf(step).Main();
      const std::string name = main.tensors[static_cast<size_t>(main.inputs[input])].name;
      std::string text = "invocation " + std::to_string(i) + ": input " + Quoted(name) + ", a " +
                         std::string(NameOf(constness[input])) +
                         " constant, is not what it was in invocation " +
                         std::to_string(is_runtime ? known : compiled);
      if (is_runtime) {
        text += " of the same context; --forget " + std::to_string(i) + " lets it change";
      }
      return BadInput(std::move(text));
    }
  }
  return Done{};
}

Result<FoldedSequence> RunFoldedSequence(const TestVector& vector,
                                         const std::vector<CacheRequest>& requests, int64_t count,
                                         const FoldOptions& fold, const ExecutionOptions& execution,
                                         const TimeLimit& limit) {
  SequenceRun run(vector, requests, fold.fault, execution);
  const Result<Done> folded = run.Fold(fold, limit);
  if (!folded) return folded.error();
  return run.Execute(count);
}

}  // namespace assay::cli

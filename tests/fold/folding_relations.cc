// SPDX-License-Identifier: Apache-2.0
#include "folding_relations.h"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include "certified_folding.h"
#include "check_graph.h"
#include "folded_module.h"
#include "isomorphic_graphs.h"
#include "operator_set.h"
#include "relation_inputs.h"

namespace assay {
namespace {

using enum Constness;

bool IsSame(const Tensor& a, const Tensor& b) {
  if (a.tensor_type() != b.tensor_type()) return false;
  if (a == b) return true;
  if (!IsFloat(a.type())) return false;
  for (int64_t i = 0; i < a.elements(); ++i) {
    const double x = a.Float(i), y = b.Float(i);
    if (a.FloatBits(i) != b.FloatBits(i) && (x == x || y == y)) return false;
  }
  return true;
}

// The memory of a caller. Inputs keep their addresses.
class Host {
 public:
  explicit Host(const std::vector<Tensor>& inputs) : memory_(inputs.size()) { Write(inputs); }

  void Write(const std::vector<Tensor>& inputs) {
    types_.clear();
    for (size_t i = 0; i < inputs.size(); ++i) {
      types_.push_back(inputs[i].tensor_type());
      memory_[i].resize(inputs[i].bytes().size());
      std::ranges::copy(inputs[i].bytes(), memory_[i].begin());
    }
  }
  void Overwrite(size_t input) {
    for (uint8_t& byte : memory_[input]) byte ^= 1;
  }
  std::vector<TensorView> Views() const {
    std::vector<TensorView> views;
    for (size_t i = 0; i < types_.size(); ++i) views.push_back({types_[i], memory_[i]});
    return views;
  }
  const std::vector<std::vector<uint8_t>>& memory() const { return memory_; }

 private:
  std::vector<TensorType> types_;
  std::vector<std::vector<uint8_t>> memory_;
};

// A context of the folded graph, a context of the original graph, and the memory of the inputs.
struct Twin {
  explicit Twin(Host& memory) : host(&memory) {}
  FoldContext folded;
  Context original;
  Host* host;
};

// A buffer, and its bytes when it was seen.
struct Seen {
  std::shared_ptr<const CachedBuffer> buffer;
  std::vector<uint8_t> bytes;
};

std::vector<uint8_t> BytesOf(const CachedBuffer& buffer) {
  return {buffer.bytes().begin(), buffer.bytes().end()};
}

// Returns a subject with two operands of one type, one of which is folded: a module that shares a
// cache with others.
FoldSubject Companion() {
  Graph graph = EmptyGraph();
  Block& main = *graph.Main();
  for (const char* name : {"x", "w", "s", "y"}) {
    TensorInfo info;
    info.name = name;
    info.type = {DType::kInt32, {2}};
    main.tensors.push_back(std::move(info));
  }
  main.inputs = {0, 1};
  main.operators = {{Op::kAdd, {}, {1, 1}, {2}}, {Op::kSub, {}, {0, 2}, {3}}};
  main.outputs = {3};
  return {"companion", graph, {kVarying, kRuntime}};
}

class Relations {
 public:
  Relations(const FoldSubject& subject, const Folder& folder, const FoldRelationOptions& options)
      : subject_(subject), folder_(folder), options_(options) {}

  std::vector<BrokenRelation> Find() {
    std::optional<RelationInputs> chosen = ChooseInputs(subject_, options_.seed);
    if (!chosen) return {{"R0", "no inputs are found on which the graph is valid"}};
    inputs_ = std::move(*chosen);
    for (const FoldForm form : {FoldForm::kSplit, FoldForm::kRuntime}) {
      form_ = form;
      const Result<Folding> folding = folder_(subject_.graph, subject_.arguments, form);
      if (!folding) {
        Note("R1", "cannot be folded: " + folding.error().message);
        break;
      }
      const auto steps = {&Relations::LookAt, &Relations::Rerun, &Relations::Refold};
      for (const auto step : steps) {
        if (!Done()) (this->*step)(*folding);
      }
      if (Done()) break;
    }
    return broken_;
  }

 private:
  bool Done() const { return stopped_ || (!options_.all && !broken_.empty()); }

  void Note(std::string relation, std::string witness) {
    if (Done() || std::ranges::count(broken_, relation, &BrokenRelation::relation) > 0) return;
    broken_.push_back(
        {std::move(relation), std::string(NameOf(form_)) + ": " + std::move(witness)});
  }

  // --- The folding by itself

  void LookAt(const Folding& folding) {
    if (options_.statically) {
      FoldCertificateOptions check;
      check.execution = subject_.execution;
      check.pure_domains = subject_.pure_domains;
      for (const FoldFlaw& flaw : FlawsOf(folding, check)) {
        Note(flaw.rule.substr(0, flaw.rule.find('/')), flaw.rule + " " + flaw.where);
      }
    }
    if (Done() || !folding.record.certificate.postponements.empty()) return;
    const std::optional<Graph> whole = Unfolded(folding);
    if (!whole || !CheckGraph(*whole, subject_.execution.level, Target()).empty() ||
        (!HasVariableTensors(subject_.graph) && !AreIsomorphic(subject_.graph, *whole))) {
      Note("R7", "the stages are not the graph");
    }
  }

  Requirements Target() const {
    return subject_.execution.dynamic ? Requirements{Feature::kExtDynamic} : Requirements{};
  }

  // Returns one graph of all stages. A tensor that a stage takes from another one is the tensor of
  // that name there.
  static std::optional<Graph> Unfolded(const Folding& folding) {
    const Block& original = *folding.original().Main();
    Graph whole = folding.original();  // with the blocks that control flow runs
    Block& main = *whole.Main();
    main = *folding.stage(FoldStage::kEntry).Main();
    std::vector<Operator> operators;
    std::set<std::string> made;
    main.inputs.clear();
    const auto index_of = [&main](const Block& block, TensorIndex tensor) {
      const TensorInfo& info = block.tensors[static_cast<size_t>(tensor)];
      if (const auto known = main.FindTensor(info.name)) return *known;
      main.tensors.push_back(info);
      return static_cast<TensorIndex>(main.tensors.size() - 1);
    };
    for (const TensorIndex input : original.inputs)
      main.inputs.push_back(index_of(original, input));
    for (const FoldStage stage :
         {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry}) {
      const Block& block = *folding.stage(stage).Main();
      for (const Operator& op : block.operators) {
        Operator moved = op;
        for (auto* tensors : {&moved.inputs, &moved.outputs}) {
          for (TensorIndex& tensor : *tensors) tensor = index_of(block, tensor);
        }
        const bool again =
            !op.outputs.empty() && !IsVariableOperator(op.op) &&
            !made.insert(main.tensors[static_cast<size_t>(moved.outputs[0])].name).second;
        if (!again) operators.push_back(std::move(moved));
      }
    }
    main.operators = std::move(operators);
    return whole;
  }

  // --- Executions

  // Executes the module and the original graph, and compares them. Returns false if no more
  // comparison is possible.
  bool Step(std::string_view relation, Twin& twin, const std::vector<Tensor>& inputs,
            FoldedModule* module = nullptr, const std::set<size_t>& overwritten = {}) {
    if (Done()) return false;
    const Outcome expected = Execute(twin.original, subject_.graph, inputs, subject_.execution);
    if (expected.kind != OutcomeKind::kValid) {
      stopped_ = true;  // states have gone where the graph is not valid
      return false;
    }
    twin.host->Write(inputs);
    for (const size_t input : overwritten) twin.host->Overwrite(input);
    const std::vector<std::vector<uint8_t>> before = twin.host->memory();
    FoldedModule& executed = module == nullptr ? *module_ : *module;
    last_ = executed.Run(twin.folded, twin.host->Views(), subject_.execution);
    if (twin.host->memory() != before) Note("R10", "an input changed");
    CheckSeen();
    Compare(relation, expected);
    return !Done();
  }

  void Compare(std::string_view relation, const Outcome& expected) {
    if (last_.outcome.kind != OutcomeKind::kValid) {
      const bool is_rule = last_.outcome.kind != OutcomeKind::kUnsupported;
      return Note(is_rule ? "R17" : std::string(relation),
                  std::string(OutcomeName(last_.outcome.kind)) + " " + last_.outcome.rule + " " +
                      last_.outcome.message);
    }
    for (size_t i = 0; i < expected.outputs.size(); ++i) {
      if (!IsSame(expected.outputs[i], TensorIn(last_.outputs[i]))) {
        Note(std::string(relation), "output " + std::to_string(i) + " is another");
        break;
      }
    }
    for (const auto& [name, value] : expected.state) {
      const auto found = last_.outcome.state.find(name);
      if (found == last_.outcome.state.end() || !IsSame(value, found->second)) {
        Note("R16", "variable " + name + " is another");
        break;
      }
    }
  }

  // Checks that no buffer has changed since an execution used it.
  void CheckSeen() {
    for (const Seen& seen : seen_) {
      if (BytesOf(*seen.buffer) != seen.bytes) return Note("R10", "a cached buffer changed");
    }
  }

  // Keeps the buffers of the last execution, and checks that they exist and are laid out well.
  void See() {
    for (size_t i = 0; i < last_.cached.size(); ++i) {
      const auto& buffer = last_.cached[i];
      if (buffer == nullptr) {
        Note("R12", "a cached tensor is not there");
        continue;
      }
      if (options_.statically) CheckLayout(*buffer, i);
      seen_.push_back({buffer, BytesOf(*buffer)});
    }
  }

  void CheckLayout(const CachedBuffer& buffer, size_t i) {
    if (!IsAligned(buffer)) Note("R12", "a buffer is not aligned");
    const CachedTensor& cached = module_->folding().record.cached[i];
    if (buffer.type != cached.type || buffer.size_bytes != cached.bytes) {
      Note("R12", "the buffer of " + cached.name + " is of another size");
    }
    for (size_t j = 0; j < i; ++j) {
      if (last_.cached[j] != nullptr && last_.cached[j]->memory == buffer.memory) {
        Note("R12", "buffers overlap");
      }
    }
  }

  Host& NewHost(const std::vector<Tensor>& inputs) { return hosts_.emplace_back(inputs); }

  bool Load(const Folding& folding) {
    cache_ = std::make_shared<ConstantCache>(ConstantCache::kUnlimited, options_.fault);
    seen_.clear();
    module_ = LoadOf(folding, inputs_.some);
    return module_ != nullptr;
  }

  std::unique_ptr<FoldedModule> LoadOf(const Folding& folding, const std::vector<Tensor>& inputs) {
    Result<std::unique_ptr<FoldedModule>> module = FoldedModule::Load(
        folding, NewHost(inputs).Views(), cache_, subject_.execution, options_.fault);
    if (module) return std::move(*module);
    Note("R17", module.error().message);
    return nullptr;
  }

  void Rerun(const Folding& folding) {
    if (!Load(folding)) return;
    Twin first(NewHost(inputs_.some));
    if (!Step(form_ == FoldForm::kSplit ? "R1" : "R6", first, inputs_.some)) return;
    See();
    const std::vector<Seen> folded = seen_;
    for (const CachedBuffer& output : last_.outputs) std::ranges::fill(output.bytes(), uint8_t{1});
    const int64_t folds = cache_->Statistics().folds;
    if (!Step("R2", first, inputs_.some) || !Step("R3", first, inputs_.varied)) return;
    if (cache_->Statistics().folds != folds) Note("R9", "a later execution folds");
    OverwriteWeights(folding, first);
    ChangeContext(first);
    Evict(first);
    ShareCache(folding, first);
    Fail(folding);
    ChangeCapacity(first);
    Interfere(folded);
  }

  // Checks that run-time constants which only folding reads may be overwritten after it.
  void OverwriteWeights(const Folding& folding, Twin& twin) {
    std::set<size_t> weights;
    for (size_t i = 0; i < subject_.arguments.size(); ++i) {
      if (subject_.arguments[i] == kRuntime) weights.insert(i);
    }
    for (const FoldSource& source : folding.record.at(FoldStage::kEntry).inputs) {
      const bool is_argument = source.kind == FoldSource::Kind::kArgument;
      if (is_argument) weights.erase(static_cast<size_t>(source.index));
    }
    Step("R4b", twin, inputs_.varied, nullptr, weights);
  }

  // Overwrites the memory of one context's weights with those of another; then both go on.
  void ChangeContext(Twin& first) {
    if (Done()) return;
    Twin third(NewHost(inputs_.some)), second(*third.host);
    const int64_t folds = cache_->Statistics().folds;
    if (!Step("R4", third, inputs_.some) || !Step("R4", second, inputs_.other_weights)) return;
    See();
    const bool folds_at_runtime =
        !module_->folding().record.at(FoldStage::kRuntime).outputs.empty();
    if (folds_at_runtime && cache_->Statistics().folds < folds + 2) {
      Note("R4", "a context does not fold for itself");
    }
    if (!Step("R5", first, inputs_.some) || !Step("R5", third, inputs_.varied)) return;
    if (!Step("R5", second, inputs_.other_weights)) return;
    // A context that forgets its constants folds others, wherever they lie and differ.
    for (const std::vector<Tensor>& inputs :
         {inputs_.other_weights, OtherAtTheEnd(), inputs_.some}) {
      first.folded.ForgetConstants();
      if (!Step("R4", first, inputs)) return;
    }
  }

  // Returns the first inputs with another last element of each run-time constant.
  std::vector<Tensor> OtherAtTheEnd() const {
    std::vector<Tensor> inputs = inputs_.some;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (subject_.arguments[i] != kRuntime || inputs[i].elements() == 0) continue;
      const std::span<const uint8_t> last = inputs_.other_weights[i].bytes();
      const auto width = static_cast<size_t>(ElementBytes(inputs[i].type()));
      std::vector<uint8_t> bytes(inputs[i].bytes().begin(), inputs[i].bytes().end());
      std::ranges::copy(last.last(width), bytes.end() - static_cast<ptrdiff_t>(width));
      inputs[i] = Tensor::FromBytes(inputs[i].type(), inputs[i].shape(), std::move(bytes));
    }
    return IsValidOn(subject_, inputs) ? inputs : inputs_.some;
  }

  void Evict(Twin& twin) {
    if (Done()) return;
    cache_->EvictAll();
    CheckHeld("R11");
    if (!Step("R11", twin, inputs_.some)) return;
    for (int64_t index = 0; index < 6; ++index) {
      cache_->EvictIndex(index);
      CheckHeld("R11");
      if (!Step("R11", twin, index % 2 == 0 ? inputs_.varied : inputs_.some)) return;
    }
  }

  // Checks that the user of a buffer keeps it, whatever happens to the cache.
  void CheckHeld(std::string_view relation) {
    for (const Seen& seen : seen_) {
      if (BytesOf(*seen.buffer) != seen.bytes) {
        return Note(std::string(relation), "a buffer in use is gone");
      }
    }
  }

  void ShareCache(const Folding& folding, Twin& twin) {
    if (Done()) return;
    const FoldSubject companion = Companion();
    const Result<Folding> other = folder_(companion.graph, companion.arguments, form_);
    std::unique_ptr<FoldedModule> module;
    if (other) module = LoadOf(*other, {TensorOne(7), TensorOne(5)});
    if (other && module == nullptr) return;
    if (other) {
      FoldContext context;
      const FoldedRun run = module->Run(context, NewHost({TensorOne(7), TensorOne(5)}).Views());
      // 7 - (5 + 5) = -3.
      if (run.outcome.kind != OutcomeKind::kValid || TensorIn(run.outputs[0]) != TensorOne(-3)) {
        Note("R6b", "the other module gives something else");
      }
    }
    if (!Step("R6b", twin, inputs_.some)) return;
    if (inputs_.other_compiled == inputs_.some) return;
    const std::unique_ptr<FoldedModule> again = LoadOf(folding, inputs_.other_compiled);
    if (again == nullptr) return;
    // The module runs in a context that knows the first module, with the same run-time constants.
    std::vector<Tensor> inputs = inputs_.other_compiled;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (subject_.arguments[i] == kRuntime) inputs[i] = inputs_.some[i];
    }
    if (!IsValidOn(subject_, inputs)) return;
    Step("R6b", twin, inputs, again.get());
    Step("R6b", twin, inputs_.some);
  }

  static Tensor TensorOne(int64_t value) {
    return Tensor::FromIntegers(DType::kInt32, {2}, std::vector{value, value});
  }

  void Fail(const Folding& folding) {
    if (Done() || folding.record.at(FoldStage::kRuntime).outputs.empty()) return;
    // A stage of views alone needs no elements, so that it does not fail.
    if (std::ranges::all_of(folding.stage(FoldStage::kRuntime).Main()->operators,
                            [](const Operator& op) {
                              return IsConstant(op.op) || ops::DefinitionOf(op.op).view;
                            })) {
      return;
    }
    Twin twin(NewHost(inputs_.some));
    ExecutionOptions narrow = subject_.execution;
    narrow.elements_max = 0;
    cache_->EvictAll();
    const FoldedRun failed = module_->Run(twin.folded, twin.host->Views(), narrow);
    if (failed.outcome.kind == OutcomeKind::kValid) Note("R14", "a fold that fails is not told of");
    Step("R14", twin, inputs_.some);
    Step("R14", twin, inputs_.varied);
  }

  void ChangeCapacity(Twin& twin) {
    for (const int64_t capacity : {int64_t{0}, int64_t{9}, ConstantCache::kUnlimited}) {
      if (Done()) return;
      cache_->SetCapacity(capacity);
      if (!Step("R20", twin, inputs_.some) || !Step("R20", twin, inputs_.varied)) return;
      if (cache_->Statistics().bytes > capacity) Note("R20", "more is held than the capacity");
    }
    cache_->EvictAll();
    if (cache_->Statistics().bytes != 0) Note("R20", "an empty cache holds bytes");
  }

  // Checks that inputs which vary may have any values when constants are folded.
  void Interfere(const std::vector<Seen>& folded) {
    if (Done()) return;
    FoldContext context;
    Host& host = NewHost(inputs_.some);
    for (size_t i = 0; i < subject_.arguments.size(); ++i) {
      const bool is_tensor =
          inputs_.some[i].type() != DType::kBool && inputs_.some[i].type() != DType::kShape;
      if (subject_.arguments[i] == kVarying && is_tensor) host.Overwrite(i);
    }
    const FoldedRun run = module_->Run(context, host.Views(), subject_.execution);
    for (size_t i = 0; i < std::min(run.cached.size(), folded.size()); ++i) {
      if (run.cached[i] != nullptr && BytesOf(*run.cached[i]) != folded[i].bytes) {
        return Note("R19", "what varies changes a cached buffer");
      }
    }
  }

  // --- Foldings of variants of the graph

  void Refold(const Folding& folding) {
    if (!options_.refold) return;
    const Result<Folding> again = folder_(subject_.graph, subject_.arguments, form_);
    if (!again || *again != folding) return Note("R18", "another folding the second time");
    ShuffleOperators(folding);
    RotateArguments(folding);
    FoldEntry(folding);
  }

  // Returns which tensors are cached, by stage, and the stage of each operator.
  static std::set<std::string> PlacesOf(const Folding& folding) {
    std::set<std::string> places;
    for (const CachedTensor& cached : folding.record.cached) {
      places.insert("cached " + std::string(NameOf(cached.stage)) + " " + cached.name);
    }
    for (const FoldStage stage :
         {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry}) {
      const Block& block = *folding.stage(stage).Main();
      for (const Operator& op : block.operators) {
        std::string place(NameOf(stage));
        for (const TensorIndex output : op.outputs) {
          place += " " + block.tensors[static_cast<size_t>(output)].name;
        }
        places.insert(place + " " + std::string(OperatorName(op.op)));
      }
    }
    return places;
  }

  // Folds the graph with its operators in another order of execution: the list backwards, each as
  // soon as it may run. Skips graphs with control flow or variables, for which the order may
  // matter.
  void ShuffleOperators(const Folding& folding) {
    Graph graph = subject_.graph;
    Block& main = *graph.Main();
    if (graph.OperatorCount() != std::ssize(main.operators) || HasVariableTensors(graph) ||
        std::ranges::any_of(main.operators,
                            [](const Operator& op) { return IsVariableOperator(op.op); })) {
      return;
    }
    std::set<TensorIndex> known(main.inputs.begin(), main.inputs.end());
    std::vector<Operator> waiting = main.operators, shuffled;
    std::ranges::reverse(waiting);
    while (!waiting.empty()) {
      const auto next = std::ranges::find_if(waiting, [&known](const Operator& op) {
        return std::ranges::all_of(op.inputs,
                                   [&known](TensorIndex input) { return known.contains(input); });
      });
      if (next == waiting.end()) return;
      known.insert(next->outputs.begin(), next->outputs.end());
      shuffled.push_back(*next);
      waiting.erase(next);
    }
    main.operators = std::move(shuffled);
    const Result<Folding> other = folder_(graph, subject_.arguments, form_);
    const bool postponed = !folding.record.certificate.postponements.empty();
    if (!other || (!postponed && PlacesOf(*other) != PlacesOf(folding))) {
      Note("R18", "hangs on the order of operators");
    }
  }

  void RotateArguments(const Folding& folding) {
    Graph graph = subject_.graph;
    std::vector<TensorIndex>& inputs = graph.Main()->inputs;
    std::vector<Constness> marks = subject_.arguments;
    if (inputs.size() < 2) return;
    std::rotate(inputs.begin(), inputs.begin() + 1, inputs.end());
    std::rotate(marks.begin(), marks.begin() + 1, marks.end());
    const Result<Folding> other = folder_(graph, marks, form_);
    if (!other || PlacesOf(*other) != PlacesOf(folding)) {
      Note("R18", "hangs on the order of arguments");
    }
  }

  void FoldEntry(const Folding& folding) {
    if (!folding.record.certificate.postponements.empty()) return;  // TILE and f can meet anew
    std::vector<Constness> marks;
    for (const FoldSource& source : folding.record.at(FoldStage::kEntry).inputs) {
      const bool is_argument = source.kind == FoldSource::Kind::kArgument;
      marks.push_back(is_argument ? subject_.arguments[static_cast<size_t>(source.index)]
                                  : kVarying);
    }
    const Result<Folding> again = folder_(folding.stage(FoldStage::kEntry), marks, form_);
    if (!again) return Note("R8", again.error().message);
    if (again->record.certificate.postponements.empty() && !again->record.cached.empty()) {
      Note("R8", again->record.cached[0].name + " is left to fold");
    }
  }

  const FoldSubject& subject_;
  const Folder& folder_;
  const FoldRelationOptions& options_;
  FoldForm form_ = FoldForm::kSplit;
  RelationInputs inputs_;
  std::shared_ptr<ConstantCache> cache_;
  std::unique_ptr<FoldedModule> module_;
  FoldedRun last_;
  std::list<Host> hosts_;  // kept with the module: a faulty one may still read them
  std::vector<Seen> seen_;
  std::vector<BrokenRelation> broken_;
  bool stopped_ = false;
};

}  // namespace

std::vector<BrokenRelation> BrokenRelationsOf(const FoldSubject& subject, const Folder& folder,
                                              const FoldRelationOptions& options) {
  return Relations(subject, folder, options).Find();
}

}  // namespace assay

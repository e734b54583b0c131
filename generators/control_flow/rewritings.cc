// SPDX-License-Identifier: Apache-2.0
#include "rewritings.h"

#include <algorithm>

#include "branches_and_loops.h"
#include "check.h"
#include "enum_names.h"
#include "graph_edit.h"
#include "tensor_elements.h"

namespace assay {
namespace {

const Block& BlockNamed(const Graph& graph, const Operator& op, AttributeId id) {
  const Block* block = graph.FindBlock(op.attributes.Text(id));
  Check(block != nullptr, "control flow of a valid graph names its blocks");
  return *block;
}

// Returns the depth of control flow below a block. Visits each block once; `known` has the depths
// of the visited ones.
int DepthBelow(const Graph& graph, const Block& block, std::map<const Block*, int>& known) {
  const auto before = known.find(&block);
  if (before != known.end()) return before->second;
  int deepest = 0;
  for (const Operator& op : block.operators) {
    if (!IsControlFlow(op.op)) continue;
    for (const AttributeId id : kBlockAttributes) {
      if (!op.attributes.Has(id)) continue;
      deepest = std::max(deepest, 1 + DepthBelow(graph, BlockNamed(graph, op, id), known));
    }
  }
  return known[&block] = deepest;
}

using Tensors = std::vector<TensorIndex>;

// A block under construction.
class BlockWriter {
 public:
  explicit BlockWriter(std::string name) { block_.name = std::move(name); }

  TensorIndex Declare(const TensorInfo& like) {
    TensorInfo info = like;
    if (!info.variable) info.name = "t" + std::to_string(block_.tensors.size());
    block_.tensors.push_back(std::move(info));
    return static_cast<TensorIndex>(block_.tensors.size() - 1);
  }
  TensorIndex Declare(const TensorType& type) {
    return block_.AddTensor("t" + std::to_string(block_.tensors.size()), type);
  }
  template <class Like>  // TensorInfo or TensorType
  TensorIndex Input(const Like& like) {
    block_.inputs.push_back(Declare(like));
    return block_.inputs.back();
  }
  Tensors Inputs(const Block& like) {
    Tensors inputs;
    for (const TensorIndex input : like.inputs) {
      inputs.push_back(Input(like.tensors[static_cast<size_t>(input)]));
    }
    return inputs;
  }

  const TensorType& TypeOf(TensorIndex tensor) const { return block_.TypeOf(tensor); }
  std::vector<TensorType> TypesOf(const Tensors& tensors) const { return block_.TypesOf(tensors); }

  Tensors Add(Operator op, Tensors inputs, std::span<const TensorType> results) {
    op.inputs = std::move(inputs);
    op.outputs.clear();
    for (const TensorType& type : results) op.outputs.push_back(Declare(type));
    block_.operators.push_back(std::move(op));
    return block_.operators.back().outputs;
  }
  TensorIndex Shape(const assay::Shape& shape) {
    const Tensor dims = Tensor::FromShape(std::vector<int64_t>(shape.begin(), shape.end()));
    return Add({Op::kConstShape, {{AttributeId::kValues, dims}}, {}, {}}, {},
               std::vector{dims.tensor_type()})[0];
  }

  Block Finish(Tensors outputs) {
    block_.outputs = std::move(outputs);
    return std::move(block_);
  }

 private:
  Block block_;
};

// Writes a graph anew, operator by operator. Subclasses define what becomes of control flow; this
// class keeps it as it is.
class Rewriter {
 public:
  explicit Rewriter(const Graph& from) : from_(from) {}
  virtual ~Rewriter() = default;

  Graph Run() {
    to_ = EmptyGraph();
    to_.version = from_.version;
    const Block& main = *from_.Main();
    Block written = Written(main, "main");
    *to_.Main() = std::move(written);
    return std::move(to_);
  }

 protected:
  virtual Tensors CondIf(BlockWriter& writer, const Operator& op, const Tensors& operands,
                         const std::vector<TensorType>& results) {
    return Keep(writer, op, operands, results);
  }
  virtual Tensors WhileLoop(BlockWriter& writer, const Operator& op, const Tensors& operands,
                            const std::vector<TensorType>& results) {
    return Keep(writer, op, operands, results);
  }

  const Block& Callee(const Operator& op, AttributeId id) const {
    return BlockNamed(from_, op, id);
  }

  // Writes the operators of a block on the given tensors; returns its outputs.
  Tensors Splice(BlockWriter& writer, const Block& block, const Tensors& arguments) {
    Tensors here(block.tensors.size(), -1);
    for (size_t i = 0; i < arguments.size(); ++i) {
      here[static_cast<size_t>(block.inputs[i])] = arguments[i];
    }
    const auto mapped = [&](const Tensors& list) {
      Tensors tensors;
      for (const TensorIndex t : list) tensors.push_back(here[static_cast<size_t>(t)]);
      return tensors;
    };
    for (const Operator& op : block.operators) {
      const std::vector<TensorType> types = block.TypesOf(op.outputs);
      const Tensors operands = mapped(op.inputs);
      const Tensors results = op.op == Op::kCondIf      ? CondIf(writer, op, operands, types)
                              : op.op == Op::kWhileLoop ? WhileLoop(writer, op, operands, types)
                                                        : writer.Add(op, operands, types);
      for (size_t i = 0; i < results.size(); ++i) {
        here[static_cast<size_t>(op.outputs[i])] = results[i];
      }
    }
    return mapped(block.outputs);
  }

  // Writes the operator so that it runs the written forms of its blocks.
  Tensors Keep(BlockWriter& writer, Operator op, const Tensors& operands,
               const std::vector<TensorType>& results) {
    for (const AttributeId id : kBlockAttributes) {
      if (op.attributes.Has(id)) op.attributes.Set(id, RegionFor(op, id));
    }
    return writer.Add(std::move(op), operands, results);
  }

  // Returns the name of the region that holds the written form of a block. All operators that run
  // the block share that region.
  std::string RegionFor(const Operator& op, AttributeId id) {
    const std::string& old_name = op.attributes.Text(id);
    const auto known = names_.find(old_name);
    if (known != names_.end()) return known->second;
    Block block = Written(Callee(op, id), old_name);
    return names_[old_name] = AddRegion(std::move(block), old_name);
  }
  std::string AddRegion(Block block, const std::string& name) {
    to_.regions.push_back(RegionOf(std::move(block), name));
    return name;
  }

  // Writes a COND_IF that runs the written form of a loop's body, or hands on its operands.
  Tensors RoundIf(BlockWriter& writer, TensorIndex condition, const Operator& loop,
                  const Tensors& carried) {
    const std::string same = "same" + std::to_string(to_.regions.size());
    BlockWriter pass(same);
    Tensors inputs;
    for (const TensorType& type : writer.TypesOf(carried)) inputs.push_back(pass.Input(type));
    AddRegion(pass.Finish(inputs), same);
    const Attributes branches = {
        {AttributeId::kThenGraph, RegionFor(loop, AttributeId::kBodyGraph)},
        {AttributeId::kElseGraph, same}};
    Tensors operands = {condition};
    operands.insert(operands.end(), carried.begin(), carried.end());
    return writer.Add({Op::kCondIf, branches, {}, {}}, operands, writer.TypesOf(carried));
  }

  Block Written(const Block& block, const std::string& name) {
    BlockWriter writer(name);
    const Tensors inputs = writer.Inputs(block);
    return writer.Finish(Splice(writer, block, inputs));
  }

 private:
  const Graph& from_;
  Graph to_;
  std::map<std::string, std::string> names_;  // of regions written, by the old name
};

class Peeler : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Tensors WhileLoop(BlockWriter& writer, const Operator& op, const Tensors& operands,
                    const std::vector<TensorType>& results) override {
    const Tensors condition = Splice(writer, Callee(op, AttributeId::kCondGraph), operands);
    return Keep(writer, op, RoundIf(writer, condition[0], op, operands), results);
  }
};

class Unroller : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Tensors WhileLoop(BlockWriter& writer, const Operator& op, const Tensors& operands,
                    const std::vector<TensorType>& results) override {
    if (inside_) return Keep(writer, op, operands, results);
    Operator unrolled = op;
    unrolled.attributes.Set(AttributeId::kCondGraph, RegionFor(op, AttributeId::kCondGraph));
    unrolled.attributes.Set(AttributeId::kBodyGraph, TwoRounds(op));
    return writer.Add(std::move(unrolled), operands, results);
  }

 private:
  // Returns the name of the body of a loop that does two rounds of `op` in one. Loops of the same
  // two blocks share it.
  std::string TwoRounds(const Operator& op) {
    const Block& body = Callee(op, AttributeId::kBodyGraph);
    const Block& condition = Callee(op, AttributeId::kCondGraph);
    std::string& name = two_rounds_[{&body, &condition}];
    if (!name.empty()) return name;
    inside_ = true;
    BlockWriter two("twice" + std::to_string(two_rounds_.size()) + "_" +
                    op.attributes.Text(AttributeId::kBodyGraph));
    const Tensors once = Splice(two, body, two.Inputs(body));
    const Tensors again = Splice(two, condition, once);
    const Tensors twice = RoundIf(two, again[0], op, once);
    Block block = two.Finish(twice);
    name = block.name;
    AddRegion(std::move(block), name);
    inside_ = false;
    return name;
  }

  std::map<std::pair<const Block*, const Block*>, std::string> two_rounds_;
  bool inside_ = false;  // a loop that does two rounds in one
};

class IfConverter : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Tensors CondIf(BlockWriter& writer, const Operator& op, const Tensors& operands,
                 const std::vector<TensorType>& results) override {
    const Tensors given(operands.begin() + 1, operands.end());
    const Tensors taken = Splice(writer, Callee(op, AttributeId::kThenGraph), given);
    const Tensors other = Splice(writer, Callee(op, AttributeId::kElseGraph), given);
    Tensors selected;
    for (size_t i = 0; i < results.size(); ++i) {
      const TensorIndex condition = OfRank(writer, operands[0], results[i].shape.rank());
      selected.push_back(writer.Add({Op::kSelect, {}, {}, {}}, {condition, taken[i], other[i]},
                                    std::span(&results[i], 1))[0]);
    }
    return selected;
  }

 private:
  // Reshapes a condition to a rank, because SELECT broadcasts between equal ranks only.
  static TensorIndex OfRank(BlockWriter& writer, TensorIndex condition, int rank) {
    if (writer.TypeOf(condition).shape.rank() == rank) return condition;
    TensorType type = {DType::kBool, Shape()};
    for (int i = 0; i < rank; ++i) type.shape.PushBack(1);
    const TensorIndex shape = writer.Shape(type.shape);
    return writer.Add({Op::kReshape, {}, {}, {}}, {condition, shape}, std::span(&type, 1))[0];
  }
};

// The control flow that is written out as straight-line operators.
enum class RewritingScope { kAll, kLoopsOfMain };

// Writes one execution of a graph as straight-line operators. Each operator is evaluated as it is
// added, so that the values of conditions are known.
class Flattener {
 public:
  Flattener(GraphBuilder& builder, const Graph& graph, const std::map<std::string, Tensor>& state,
            RewritingScope scope)
      : builder_(builder), graph_(graph), state_(state), scope_(scope) {
    for (const Region& region : graph.regions) {
      if (&region != &graph.regions[0]) builder_.AddRegion(region);
    }
  }

  // Writes a block and returns its outputs. An output is none if it depends on an operator that
  // could not be added.
  std::vector<MaybeValue> Run(const Block& block, const std::vector<MaybeValue>& arguments) {
    std::vector<MaybeValue> here(block.tensors.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      here[static_cast<size_t>(block.inputs[i])] = arguments[i];
    }
    const auto mapped = [&](const Tensors& list) {
      std::vector<MaybeValue> values;
      for (const TensorIndex t : list) values.push_back(here[static_cast<size_t>(t)]);
      return values;
    };
    for (const Operator& op : block.operators) {
      std::vector<MaybeValue> operands = mapped(op.inputs);
      if (std::count(operands.begin(), operands.end(), std::nullopt) > 0) continue;
      const std::vector<MaybeValue> results = RunOne(block, op, std::move(operands));
      for (size_t i = 0; i < results.size(); ++i) {
        here[static_cast<size_t>(op.outputs[i])] = results[i];
      }
    }
    return mapped(block.outputs);
  }

 private:
  bool Holds(MaybeValue condition) const { return condition && builder_[*condition].low > 0; }

  bool WritesOut(const Block& block, const Operator& op) const {
    if (scope_ == RewritingScope::kAll) return IsControlFlow(op.op);
    return op.op == Op::kWhileLoop && &block == graph_.Main();
  }

  std::vector<MaybeValue> RunOne(const Block& block, const Operator& op,
                                 std::vector<MaybeValue> operands) {
    if (WritesOut(block, op)) {
      return op.op == Op::kCondIf ? RunBranch(op, std::move(operands))
                                  : RunRounds(op, std::move(operands));
    }
    const MaybeValue first = AddOne(block, op, operands);
    std::vector<MaybeValue> results;
    for (size_t i = 0; i < op.outputs.size() && first; ++i) {
      results.push_back(*first + static_cast<ValueIndex>(i));
    }
    return results;
  }

  std::vector<MaybeValue> RunBranch(const Operator& op, std::vector<MaybeValue> operands) {
    const bool taken = Holds(operands[0]);
    operands.erase(operands.begin());
    return Run(BlockNamed(graph_, op, taken ? AttributeId::kThenGraph : AttributeId::kElseGraph),
               operands);
  }

  std::vector<MaybeValue> RunRounds(const Operator& op, std::vector<MaybeValue> carried) {
    const Block& cond = BlockNamed(graph_, op, AttributeId::kCondGraph);
    const Block& body = BlockNamed(graph_, op, AttributeId::kBodyGraph);
    while (Holds(Run(cond, carried)[0])) carried = Run(body, carried);
    return carried;
  }

  MaybeValue AddOne(const Block& block, const Operator& op,
                    const std::vector<MaybeValue>& operands) {
    const std::vector<TensorType> types = block.TypesOf(op.outputs);
    std::vector<DType> wished;
    for (const TensorType& type : types) wished.push_back(type.type);
    if (op.op == Op::kConst) return builder_.AddConstant(op.attributes.Value(AttributeId::kValues));
    if (op.op == Op::kConstShape) {
      return builder_.AddShape(IntegerElements(op.attributes.Value(AttributeId::kValues)));
    }
    Operator added = op;
    for (size_t i = 0; i < operands.size(); ++i) added.inputs[i] = *operands[i];
    switch (op.op) {
      case Op::kCondIf:
      case Op::kWhileLoop:
        return AddControlFlow(builder_, std::move(added), types);
      case Op::kVariable:
      case Op::kVariableWrite:
        return builder_.AddEvaluated(std::move(added), {});
      case Op::kVariableRead: {
        const auto held = state_.find(op.attributes.Text(AttributeId::kName));
        if (held == state_.end()) return std::nullopt;
        const BoundTensor value = ToFlight<BoundDomain>(held->second);
        return builder_.AddEvaluated(std::move(added), {&value, 1});
      }
      default:
        return builder_.Add(std::move(added), wished);
    }
  }

  GraphBuilder& builder_;
  const Graph& graph_;
  const std::map<std::string, Tensor>& state_;
  RewritingScope scope_;
};

// Returns a graph for one step, in which control flow is written out. Returns nullopt if an
// operator is refused.
std::optional<Graph> Flattened(const Graph& graph, Step& step, const GeneratorOptions& options,
                               const std::map<std::string, Tensor>& state, RewritingScope scope) {
  Choices none{Random(0)};  // nothing is drawn
  GraphBuilder builder(none, options, ValueMode::kSpecial);
  std::vector<MaybeValue> inputs;
  for (const Tensor& input : step.inputs) inputs.push_back(builder.AddInput(input));
  Flattener flattener(builder, graph, state, scope);
  const std::vector<MaybeValue> outputs = flattener.Run(*graph.Main(), inputs);
  std::vector<ValueIndex> own;
  for (MaybeValue value : outputs) {
    if (!value) return std::nullopt;
    // An output may be an input now, or two may be one value.
    if (builder[*value].origin != Origin::kResult ||
        std::find(own.begin(), own.end(), *value) != own.end()) {
      value = builder.Add(Op::kIdentity, {*value});
      if (!value) return std::nullopt;
    }
    own.push_back(*value);
  }
  step.inputs.clear();
  step.outputs.clear();
  Graph flat = builder.FinishGraph(own, step);
  flat.version = graph.version;
  return flat;
}

// Returns what the variables of a context hold before a step.
std::map<std::string, Tensor> StateBefore(const TestVector& vector, size_t step) {
  std::map<std::string, Tensor> state;
  for (size_t i = 0; i < step; ++i) {
    if (vector.steps[i].context != vector.steps[step].context) continue;
    for (const auto& [name, expectation] : vector.steps[i].state_after) {
      state[name] = expectation.value;
    }
  }
  return state;
}

std::optional<TestVector> FlattenSteps(const TestVector& vector, const GeneratorOptions& options,
                                       RewritingScope scope) {
  TestVector flat = vector;
  for (size_t i = 0; i < flat.steps.size(); ++i) {
    Step& step = flat.steps[i];
    const Graph& graph = vector.GraphOf(step);
    if (NestingDepth(graph) == 0) continue;
    std::optional<Graph> own = Flattened(graph, step, options, StateBefore(vector, i), scope);
    if (!own) return std::nullopt;
    step.graph = static_cast<int32_t>(flat.graphs.size());
    flat.graphs.push_back(std::move(*own));
  }
  SweepVector(flat);
  for (size_t i = 0; i < flat.graphs.size(); ++i) GraphEdit(flat, static_cast<int32_t>(i)).Sweep();
  return flat;
}

template <class Kind>
TestVector RewriteGraphs(const TestVector& vector) {
  TestVector rewritten = vector;
  for (size_t i = 0; i < rewritten.graphs.size(); ++i) {
    Graph& graph = rewritten.graphs[i];
    if (NestingDepth(graph) == 0) continue;
    graph = Kind(graph).Run();
    GraphEdit(rewritten, static_cast<int32_t>(i)).Sweep();
  }
  return rewritten;
}

}  // namespace

std::string_view RewritingName(Rewriting rewriting) {
  constexpr std::string_view kNames[] = {"inlined", "peeled", "unrolled", "if-converted"};
  return EntryOf(kNames, rewriting);
}

int NestingDepth(const Graph& graph) {
  std::map<const Block*, int> known;
  return DepthBelow(graph, *graph.Main(), known);
}

std::optional<TestVector> Rewrite(const TestVector& vector, Rewriting rewriting,
                                  const GeneratorOptions& options) {
  switch (rewriting) {
    case Rewriting::kInlined:
      return FlattenSteps(vector, options, RewritingScope::kAll);
    case Rewriting::kPeeled:
      return RewriteGraphs<Peeler>(vector);
    case Rewriting::kIfConverted:
      return RewriteGraphs<IfConverter>(vector);
    case Rewriting::kUnrolled:
      break;
  }
  const bool room = std::all_of(
      vector.graphs.begin(), vector.graphs.end(),
      [&](const Graph& graph) { return NestingDepth(graph) < options.level.max_nesting; });
  return room ? RewriteGraphs<Unroller>(vector)
              : FlattenSteps(vector, options, RewritingScope::kLoopsOfMain);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "graph_breaches.h"

#include <algorithm>
#include <string>

#include "nasty_values.h"
#include "recipe.h"

namespace assay {
namespace {

constexpr std::string_view kVariable = "v";
const TensorType kFlag = {DType::kBool, {}};

// A block under construction.
class Sketch {
 public:
  explicit Sketch(std::string name) { block_.name = std::move(name); }

  TensorIndex Declare(const TensorType& type) {
    return block_.AddTensor(block_.name + "_" + std::to_string(block_.tensors.size()), type);
  }
  TensorIndex Input(const TensorType& type) {
    block_.inputs.push_back(Declare(type));
    return block_.inputs.back();
  }
  TensorIndex Apply(Op op, std::vector<TensorIndex> inputs, const TensorType& type,
                    Attributes attributes = {}) {
    const TensorIndex output = Declare(type);
    block_.operators.push_back({op, std::move(attributes), std::move(inputs), {output}});
    return output;
  }
  TensorIndex Constant(Tensor values) {
    const TensorType type = values.tensor_type();
    const Op op = type.type == DType::kShape ? Op::kConstShape : Op::kConst;
    return Apply(op, {}, type, {{AttributeId::kValues, std::move(values)}});
  }
  TensorIndex Reverse(TensorIndex input) {
    return Apply(Op::kReverse, {input}, block_.TypeOf(input), {{AttributeId::kAxis, int32_t{0}}});
  }
  void Add(Operator op) { block_.operators.push_back(std::move(op)); }
  Block Finish(std::vector<TensorIndex> outputs) {
    block_.outputs = std::move(outputs);
    return std::move(block_);
  }

 private:
  Block block_;
};

// Two tensor types of one element type whose shapes differ.
struct Pair {
  TensorType a, b;
};

std::optional<Pair> DrawPair(Choices& choices, const GeneratorOptions& options, Op op) {
  const std::vector<DType> types = AllowedTypes(options, op);
  if (types.empty() || AllowedRows(options, Op::kReverse).empty()) return std::nullopt;
  const DType type = choices.Pick(types);
  const int32_t rows = choices.Between32(1, 4);
  return Pair{{type, {rows, choices.Between32(1, 4)}}, {type, {rows + choices.Between32(1, 3)}}};
}

bool Allows(const GeneratorOptions& options, Op op) { return !AllowedRows(options, op).empty(); }

// Returns a vector that runs the graph once, on inputs of any values.
TestVector RunOnce(Choices& choices, std::vector<Region> regions) {
  TestVector vector;
  Step step;
  const Block& main = regions[0].blocks[0];
  for (const TensorIndex input : main.inputs) {
    const TensorType& type = main.TypeOf(input);
    step.inputs.push_back(
        DrawTensor(choices, type, ValueRange::All(type.type), ValueMode::kFinite));
  }
  vector.graphs.emplace_back().regions = std::move(regions);
  vector.steps.push_back(std::move(step));
  return vector;
}

Region RegionOf(Block block) { return {block.name, {std::move(block)}}; }

// Returns a graph whose main block gives a reversed twice and b reversed once.
std::optional<TestVector> Chain(Choices& choices, const GeneratorOptions& options) {
  const auto pair = DrawPair(choices, options, Op::kReverse);
  if (!pair) return std::nullopt;
  Sketch main("main");
  const TensorIndex a = main.Input(pair->a);
  const TensorIndex b = main.Input(pair->a);
  const TensorIndex twice = main.Reverse(main.Reverse(a));
  return RunOnce(choices, {RegionOf(main.Finish({twice, main.Reverse(b)}))});
}

std::optional<TestVector> Reshape(Choices& choices, const GeneratorOptions& options) {
  const auto pair = DrawPair(choices, options, Op::kReshape);
  if (!pair) return std::nullopt;
  const Shape& from = pair->a.shape;
  const int64_t dims[] = {from[1], from[0]};
  Sketch main("main");
  const TensorIndex a = main.Input(pair->a);
  const TensorIndex shape = main.Constant(Tensor::FromShape(dims));
  const TensorIndex reshaped =
      main.Apply(Op::kReshape, {a, shape}, {pair->a.type, {from[1], from[0]}});
  return RunOnce(choices, {RegionOf(main.Finish({reshaped}))});
}

std::optional<TestVector> Constant(Choices& choices, const GeneratorOptions& options) {
  const auto pair = DrawPair(choices, options, Op::kConst);
  if (!pair) return std::nullopt;
  const TensorType& type = pair->a;
  Sketch main("main");
  const TensorIndex values =
      main.Constant(DrawTensor(choices, type, ValueRange::All(type.type), ValueMode::kFinite));
  return RunOnce(choices, {RegionOf(main.Finish({values}))});
}

TensorIndex True(Sketch& sketch) {
  return sketch.Constant(Tensor::Splat(DType::kBool, kFlag.shape, 1));
}

// Adds r = COND_IF(true, a, b) and returns r, which is of type `type`.
TensorIndex AddBranch(Sketch& sketch, TensorIndex a, TensorIndex b, const TensorType& type,
                      std::string then_graph) {
  return sketch.Apply(
      Op::kCondIf, {True(sketch), a, b}, type,
      {{AttributeId::kThenGraph, std::move(then_graph)}, {AttributeId::kElseGraph, "else"}});
}

// Returns a block with the inputs a and b and an output that `make` adds.
template <class Make>
Region BlockOf(const Pair& pair, std::string name, Make make) {
  Sketch sketch(std::move(name));
  const TensorIndex a = sketch.Input(pair.a);
  const TensorIndex b = sketch.Input(pair.b);
  const TensorIndex result = make(sketch, a, b);
  return RegionOf(sketch.Finish({result}));
}

Region ElseOf(const Pair& pair) {
  return BlockOf(pair, "else", [&](Sketch& sketch, TensorIndex a, TensorIndex) {
    return sketch.Apply(Op::kIdentity, {a}, pair.a);
  });
}

std::optional<Pair> DrawBranch(Choices& choices, const GeneratorOptions& options) {
  if (!Allows(options, Op::kCondIf)) return std::nullopt;
  return DrawPair(choices, options, Op::kReverse);
}

Region Calling(const Pair& pair, std::string name, const std::string& then_graph) {
  return BlockOf(pair, std::move(name), [&](Sketch& sketch, TensorIndex a, TensorIndex b) {
    return AddBranch(sketch, a, b, pair.a, then_graph);
  });
}

// Returns a graph whose main block runs `then` or `else` on a and b.
std::optional<TestVector> Branch(Choices& choices, const GeneratorOptions& options) {
  const auto pair = DrawBranch(choices, options);
  if (!pair) return std::nullopt;
  const auto reverse = [](Sketch& sketch, TensorIndex a, TensorIndex) { return sketch.Reverse(a); };
  return RunOnce(choices,
                 {Calling(*pair, "main", "then"), BlockOf(*pair, "then", reverse), ElseOf(*pair)});
}

// Adds the blocks of a loop that runs once if its flag is true. It carries the flag, a and b.
void AddLoopBlocks(const Pair& pair, std::vector<Region>& regions) {
  Sketch cond("cond");
  const TensorIndex goes_on = cond.Input(kFlag);
  cond.Input(pair.a);
  cond.Input(pair.b);
  const TensorIndex decision = cond.Apply(Op::kIdentity, {goes_on}, kFlag);
  regions.push_back(RegionOf(cond.Finish({decision})));
  Sketch body("body");
  const TensorIndex was = body.Input(kFlag);
  const TensorIndex a = body.Input(pair.a);
  body.Input(pair.b);
  const TensorIndex now = body.Apply(Op::kLogicalNot, {was}, kFlag);
  const TensorIndex reversed = body.Reverse(a);
  const TensorIndex b = body.Constant(Tensor::Splat(pair.b.type, pair.b.shape, 0));
  regions.push_back(RegionOf(body.Finish({now, reversed, b})));
}

// Adds WHILE_LOOP(flag, a, b) and returns its results.
std::vector<TensorIndex> AddLoop(Sketch& sketch, const Pair& pair, TensorIndex flag, TensorIndex a,
                                 TensorIndex b) {
  const std::vector<TensorIndex> results = {sketch.Declare(kFlag), sketch.Declare(pair.a),
                                            sketch.Declare(pair.b)};
  sketch.Add({Op::kWhileLoop,
              {{AttributeId::kCondGraph, "cond"}, {AttributeId::kBodyGraph, "body"}},
              {flag, a, b},
              results});
  return results;
}

std::optional<TestVector> Loop(Choices& choices, const GeneratorOptions& options) {
  if (!Allows(options, Op::kWhileLoop) || !Allows(options, Op::kLogicalNot)) return std::nullopt;
  const auto pair = DrawPair(choices, options, Op::kReverse);
  if (!pair) return std::nullopt;
  Sketch main("main");
  const TensorIndex flag = main.Input(kFlag);
  const TensorIndex a = main.Input(pair->a);
  const TensorIndex b = main.Input(pair->b);
  std::vector<Region> regions = {RegionOf(main.Finish(AddLoop(main, *pair, flag, a, b)))};
  AddLoopBlocks(*pair, regions);
  return RunOnce(choices, std::move(regions));
}

// Returns `depth` COND_IFs inside each other; the innermost runs `then`.
std::vector<Region> Nested(const Pair& pair, int depth, Region then) {
  const auto name = [&](int i) { return i < depth ? "level" + std::to_string(i) : then.name; };
  std::vector<Region> regions;
  for (int i = 0; i < depth; ++i) {
    regions.push_back(Calling(pair, i == 0 ? "main" : name(i), name(i + 1)));
  }
  regions.push_back(std::move(then));
  regions.push_back(ElseOf(pair));
  return regions;
}

// Returns COND_IFs as deep as the level allows.
std::optional<TestVector> DeepBranch(Choices& choices, const GeneratorOptions& options) {
  const auto pair = DrawBranch(choices, options);
  if (!pair) return std::nullopt;
  const auto reverse = [](Sketch& sketch, TensorIndex a, TensorIndex) { return sketch.Reverse(a); };
  return RunOnce(choices,
                 Nested(*pair, options.level.max_nesting, BlockOf(*pair, "then", reverse)));
}

// Returns a loop as deep as the level allows.
std::optional<TestVector> DeepLoop(Choices& choices, const GeneratorOptions& options) {
  if (!Allows(options, Op::kWhileLoop) || !Allows(options, Op::kLogicalNot)) return std::nullopt;
  const auto pair = DrawBranch(choices, options);
  if (!pair) return std::nullopt;
  const auto loop = [&](Sketch& sketch, TensorIndex a, TensorIndex b) {
    return AddLoop(sketch, *pair, True(sketch), a, b)[1];
  };
  std::vector<Region> regions =
      Nested(*pair, options.level.max_nesting - 1, BlockOf(*pair, "then", loop));
  AddLoopBlocks(*pair, regions);
  return RunOnce(choices, std::move(regions));
}

// Returns a graph that reads a variable, and writes the value that it read, reversed.
std::optional<TestVector> State(Choices& choices, const GeneratorOptions& options) {
  const auto pair = DrawPair(choices, options, Op::kVariable);
  if (!pair) return std::nullopt;
  const TensorType& type = pair->a;
  const std::string name(kVariable);
  Sketch main("main");
  main.Add(DeclarationOf(
      name, type, DrawTensor(choices, type, ValueRange::All(type.type), ValueMode::kFinite)));
  const TensorIndex read = main.Apply(Op::kVariableRead, {}, type, {{AttributeId::kName, name}});
  const TensorIndex next = main.Reverse(read);
  main.Add({Op::kVariableWrite, {{AttributeId::kName, name}}, {next}, {}});
  return RunOnce(choices, {RegionOf(main.Finish({read}))});
}

Block& MainOf(TestVector& vector) { return *vector.graphs[0].Main(); }

Block& BlockNamed(TestVector& vector, std::string_view name) {
  auto& regions = vector.graphs[0].regions;
  const auto found = std::find_if(regions.begin(), regions.end(),
                                  [name](const Region& region) { return region.name == name; });
  return found->blocks[0];
}

Operator& Find(Block& block, Op op) {
  return *std::find_if(block.operators.begin(), block.operators.end(),
                       [op](const Operator& other) { return other.op == op; });
}

TensorType& TypeOf(Block& block, TensorIndex tensor) {
  return block.tensors[static_cast<size_t>(tensor)].type;
}

TensorIndex AddTensor(Block& block, const TensorType& type) {
  return block.AddTensor("added" + std::to_string(block.tensors.size()), type);
}

// Adds a constant of zeros at the front of the block.
TensorIndex AddZeros(Block& block, const TensorType& type) {
  const TensorIndex tensor = AddTensor(block, type);
  const Tensor zeros = Tensor::Splat(type.type, type.shape, 0);
  block.operators.insert(block.operators.begin(),
                         {Op::kConst, {{AttributeId::kValues, zeros}}, {}, {tensor}});
  return tensor;
}

TensorType Longer(TensorType type) {
  ++type.shape[0];
  return type;
}

// Returns the same shape with another element type.
TensorType Retyped(TensorType type) {
  type.type = type.type == DType::kBool ? DType::kInt8 : DType::kBool;
  return type;
}

TensorType TooDeep(DType type, const Level& level) {
  TensorType deep = {type, {}};
  while (deep.shape.rank() <= level.max_rank && deep.shape.rank() < Shape::kMaxRank) {
    deep.shape.PushBack(1);
  }
  return deep;
}

// Adds one more COND_IF between main and the block that it runs.
void Deepen(TestVector& vector, const GeneratorOptions&) {
  Block deeper = MainOf(vector);
  deeper.name = "deeper";
  Find(MainOf(vector), Op::kCondIf).attributes.Set(AttributeId::kThenGraph, deeper.name);
  vector.graphs[0].regions.push_back(RegionOf(std::move(deeper)));
}

// Lengthens the declaration of input `kInput` of a block that control flow runs, and of nothing
// else.
template <size_t kInput>
void LengthenInput(Block& block) {
  TensorType& type = TypeOf(block, block.inputs[kInput]);
  type = Longer(type);
}

template <size_t kInput>
void RetypeInput(Block& block) {
  TensorType& type = TypeOf(block, block.inputs[kInput]);
  type = Retyped(type);
}

// Adds another declaration behind the first.
void Declare(TestVector& vector, const TensorType& type, const std::string& name, bool init) {
  auto& operators = MainOf(vector).operators;
  const Tensor initial = init ? Tensor::Splat(type.type, type.shape, 0) : Tensor();
  operators.insert(operators.begin() + 1, DeclarationOf(name, type, initial));
}

TensorType VariableType(TestVector& vector) {
  Block& main = MainOf(vector);
  return main.TypeOf(Find(main, Op::kVariableRead).outputs[0]);
}

// Returns another type that a variable may have.
DType OtherType(TestVector& vector) {
  return VariableType(vector).type == DType::kInt8 ? DType::kFp32 : DType::kInt8;
}

// Adds an input of zeros.
TensorIndex AddInput(TestVector& vector, const TensorType& type) {
  Block& main = MainOf(vector);
  main.inputs.push_back(AddTensor(main, type));
  vector.steps[0].inputs.push_back(Tensor::Splat(type.type, type.shape, 0));
  return main.inputs.back();
}

void WriteZeros(TestVector& vector, const TensorType& type) {
  const TensorIndex zeros = AddInput(vector, type);
  Find(MainOf(vector), Op::kVariableWrite).inputs[0] = zeros;
}

void ReadAs(TestVector& vector, const TensorType& type) {
  Block& main = MainOf(vector);
  TypeOf(main, Find(main, Op::kVariableRead).outputs[0]) = type;
}

constexpr HandMadeFault kFaults[] = {
    {"graph/ERROR_IF/unproduced-tensor", Chain,
     [](TestVector& v, const GeneratorOptions&) {
       MainOf(v).operators.erase(MainOf(v).operators.begin());
     }},
    {"graph/ERROR_IF/duplicate-producer", Chain,
     [](TestVector& v, const GeneratorOptions&) {
       MainOf(v).operators.push_back(MainOf(v).operators[0]);
     }},
    {"graph/ERROR_IF/produced-input", Chain,
     [](TestVector& v, const GeneratorOptions&) {
       Operator again = MainOf(v).operators[0];
       again.outputs = {MainOf(v).inputs[1]};
       MainOf(v).operators.push_back(again);
     }},
    {"graph/ERROR_IF/cycle", Chain,
     [](TestVector& v, const GeneratorOptions&) {
       MainOf(v).operators[0].inputs = MainOf(v).operators[1].outputs;
     }},
    {"graph/ERROR_IF/input-list", Chain,
     [](TestVector& v, const GeneratorOptions&) {
       Tensor& input = v.steps[0].inputs[0];
       input = Tensor::Splat(input.type(), Longer(input.tensor_type()).shape, 0);
     }},
    {"graph/ERROR_IF/input-list", Chain,
     [](TestVector& v, const GeneratorOptions&) { v.steps[0].inputs.pop_back(); }},
    {"graph/ERROR_IF/list-types", Chain,
     [](TestVector& v, const GeneratorOptions&) {
       Tensor& input = v.steps[0].inputs[0];
       input = Tensor::Splat(Retyped(input.tensor_type()).type, input.shape(), 0);
     }},
    {"graph/ERROR_IF/list-types", Branch,
     [](TestVector& v, const GeneratorOptions&) { RetypeInput<1>(BlockNamed(v, "then")); }},
    {"graph/ERROR_IF/list-types", Branch,
     [](TestVector& v, const GeneratorOptions&) {
       Block& otherwise = BlockNamed(v, "else");
       otherwise.outputs = {AddZeros(otherwise, Retyped(otherwise.TypeOf(otherwise.outputs[0])))};
     }},
    {"graph/ERROR_IF/list-types", Loop,
     [](TestVector& v, const GeneratorOptions&) { RetypeInput<2>(BlockNamed(v, "cond")); }},
    {"graph/ERROR_IF/list-types", Loop,
     [](TestVector& v, const GeneratorOptions&) {
       Block& body = BlockNamed(v, "body");
       body.outputs[2] = AddZeros(body, Retyped(body.TypeOf(body.outputs[2])));
     }},
    {"graph/ERROR_IF/condition-outputs", Loop,
     [](TestVector& v, const GeneratorOptions&) {
       Block& cond = BlockNamed(v, "cond");
       cond.outputs.push_back(cond.outputs[0]);
     }},
    {"graph/ERROR_IF/shape-operand", Reshape,
     [](TestVector& v, const GeneratorOptions&) {
       MainOf(v).outputs.push_back(Find(MainOf(v), Op::kConstShape).outputs[0]);
     }},
    {"graph/ERROR_IF/captured-tensor", Branch,
     [](TestVector& v, const GeneratorOptions&) {
       // The block names main's a instead of its own.
       Block& then = BlockNamed(v, "then");
       const TensorIndex captured = AddTensor(then, then.TypeOf(then.inputs[0]));
       then.tensors[static_cast<size_t>(captured)].name =
           MainOf(v).tensors[static_cast<size_t>(MainOf(v).inputs[0])].name;
       then.operators[0].inputs = {captured};
     }},
    {"graph/ERROR_IF/unknown-region", Branch,
     [](TestVector& v, const GeneratorOptions&) {
       Find(MainOf(v), Op::kCondIf).attributes.Set(AttributeId::kElseGraph, "nowhere");
     }},
    {"graph/ERROR_IF/unknown-region", Loop,
     [](TestVector& v, const GeneratorOptions&) {
       Find(MainOf(v), Op::kWhileLoop).attributes.Set(AttributeId::kBodyGraph, "nowhere");
     }},
    {"graph/ERROR_IF/recursion", Branch,
     [](TestVector& v, const GeneratorOptions& o) {
       Deepen(v, o);
       Find(BlockNamed(v, "deeper"), Op::kCondIf).attributes.Set(AttributeId::kThenGraph, "deeper");
     }},
    {"COND_IF/ERROR_IF/1", DeepBranch, Deepen},
    {"COND_IF/ERROR_IF/2", Branch,
     [](TestVector& v, const GeneratorOptions&) { LengthenInput<1>(BlockNamed(v, "then")); }},
    {"COND_IF/ERROR_IF/3", Branch,
     [](TestVector& v, const GeneratorOptions&) { LengthenInput<1>(BlockNamed(v, "else")); }},
    {"COND_IF/ERROR_IF/4", Branch,
     [](TestVector& v, const GeneratorOptions&) {
       BlockNamed(v, "then").outputs = {BlockNamed(v, "then").inputs[1]};
     }},
    {"COND_IF/ERROR_IF/5", Branch,
     [](TestVector& v, const GeneratorOptions&) {
       BlockNamed(v, "else").outputs = {BlockNamed(v, "else").inputs[1]};
     }},
    {"COND_IF/LEVEL_CHECK/1", Branch,
     [](TestVector& v, const GeneratorOptions& o) {
       Find(MainOf(v), Op::kCondIf).inputs[0] = AddInput(v, TooDeep(DType::kBool, o.level));
     }},
    {"COND_IF/LEVEL_CHECK/3", Branch,
     [](TestVector& v, const GeneratorOptions& o) {
       std::vector<TensorIndex>& outputs = Find(MainOf(v), Op::kCondIf).outputs;
       const TensorType type = MainOf(v).TypeOf(outputs[0]);
       while (std::ssize(outputs) <= o.level.max_tensor_list_size) {
         outputs.push_back(AddTensor(MainOf(v), type));
       }
     }},
    {"WHILE_LOOP/ERROR_IF/1", DeepLoop, Deepen},
    {"WHILE_LOOP/ERROR_IF/3", Loop,
     [](TestVector& v, const GeneratorOptions&) { LengthenInput<2>(BlockNamed(v, "cond")); }},
    {"WHILE_LOOP/ERROR_IF/4", Loop,
     [](TestVector& v, const GeneratorOptions&) { LengthenInput<2>(BlockNamed(v, "body")); }},
    {"WHILE_LOOP/ERROR_IF/5", Loop,
     [](TestVector& v, const GeneratorOptions&) {
       Block& body = BlockNamed(v, "body");
       body.outputs[2] = AddZeros(body, Longer(body.TypeOf(body.outputs[2])));
     }},
    {"WHILE_LOOP/ERROR_IF/6", Loop,
     [](TestVector& v, const GeneratorOptions&) {
       Block& cond = BlockNamed(v, "cond");
       cond.outputs[0] = AddZeros(cond, {DType::kBool, {2}});
     }},
    {"WHILE_LOOP/ERROR_IF/7", Loop,
     [](TestVector& v, const GeneratorOptions&) {
       Block& cond = BlockNamed(v, "cond");
       cond.outputs[0] = AddZeros(cond, {cond.TypeOf(cond.inputs[1]).type, {1}});
     }},
    {"WHILE_LOOP/LEVEL_CHECK/2", Loop,
     [](TestVector& v, const GeneratorOptions& o) {
       std::vector<TensorIndex>& outputs = Find(MainOf(v), Op::kWhileLoop).outputs;
       const TensorType type = MainOf(v).TypeOf(outputs[0]);
       while (std::ssize(outputs) <= o.level.max_tensor_list_size) {
         outputs.push_back(AddTensor(MainOf(v), type));
       }
     }},
    {"VARIABLE/ERROR_IF/arguments", State,
     [](TestVector& v, const GeneratorOptions&) {
       Declare(v, VariableType(v), "other", true);
       MainOf(v).operators[1].inputs = {AddInput(v, VariableType(v))};
     }},
    {"VARIABLE/ERROR_IF/types", State,
     [](TestVector& v, const GeneratorOptions&) {
       Declare(v, {DType::kInt32, VariableType(v).shape}, "other", true);
     }},
    {"VARIABLE/ERROR_IF/declared-type", State,
     [](TestVector& v, const GeneratorOptions&) {
       Declare(v, {DType::kInt32, VariableType(v).shape}, "other", false);
     }},
    {"VARIABLE/REQUIRE/3", State,
     [](TestVector& v, const GeneratorOptions&) {
       Declare(v, VariableType(v), std::string(kVariable), true);
     }},
    {"VARIABLE/REQUIRE/tensor_size", State,
     [](TestVector& v, const GeneratorOptions&) {
       Declare(v, {VariableType(v).type, {0}}, "other", false);
     }},
    {"VARIABLE/LEVEL_CHECK/1", State,
     [](TestVector& v, const GeneratorOptions& o) {
       Declare(v, TooDeep(VariableType(v).type, o.level), "other", true);
     }},
    {"VARIABLE_READ/ERROR_IF/arguments", State,
     [](TestVector& v, const GeneratorOptions&) {
       const TensorIndex zeros = AddZeros(MainOf(v), VariableType(v));
       Find(MainOf(v), Op::kVariableRead).inputs = {zeros};
     }},
    {"VARIABLE_READ/REQUIRE/1", State,
     [](TestVector& v, const GeneratorOptions&) {
       Find(MainOf(v), Op::kVariableRead).attributes.Set(AttributeId::kName, "nowhere");
     }},
    {"VARIABLE_READ/REQUIRE/2", State,
     [](TestVector& v, const GeneratorOptions&) {
       Find(MainOf(v), Op::kVariable).attributes.Remove(AttributeId::kInitialValue);
     }},
    {"VARIABLE_READ/REQUIRE/3", State,
     [](TestVector& v, const GeneratorOptions&) { ReadAs(v, Longer(VariableType(v))); }},
    {"VARIABLE_READ/REQUIRE/4", State,
     [](TestVector& v, const GeneratorOptions&) {
       ReadAs(v, {OtherType(v), VariableType(v).shape});
     }},
    {"VARIABLE_READ/REQUIRE/tensor_size", State,
     [](TestVector& v, const GeneratorOptions&) {
       ReadAs(v, {VariableType(v).type, {0}});
     }},
    {"VARIABLE_READ/LEVEL_CHECK/1", State,
     [](TestVector& v, const GeneratorOptions& o) {
       ReadAs(v, TooDeep(VariableType(v).type, o.level));
     }},
    {"VARIABLE_WRITE/ERROR_IF/arguments", State,
     [](TestVector& v, const GeneratorOptions&) {
       Operator& write = Find(MainOf(v), Op::kVariableWrite);
       write.inputs.push_back(write.inputs[0]);
     }},
    {"VARIABLE_WRITE/REQUIRE/1", State,
     [](TestVector& v, const GeneratorOptions&) {
       Find(MainOf(v), Op::kVariableWrite).attributes.Set(AttributeId::kName, "nowhere");
     }},
    {"VARIABLE_WRITE/REQUIRE/2", State,
     [](TestVector& v, const GeneratorOptions&) {
       // Adds a second run, of a graph that does not declare the variable that it writes.
       v.graphs.push_back(v.graphs[0]);
       auto& operators = v.graphs[1].Main()->operators;
       operators.erase(operators.begin());
       v.steps.push_back(v.steps[0]);
       v.steps[1].graph = 1;
     }},
    {"VARIABLE_WRITE/REQUIRE/3", State,
     [](TestVector& v, const GeneratorOptions&) { WriteZeros(v, Longer(VariableType(v))); }},
    {"VARIABLE_WRITE/REQUIRE/4", State,
     [](TestVector& v, const GeneratorOptions&) {
       WriteZeros(v, {OtherType(v), VariableType(v).shape});
     }},
    {"VARIABLE_WRITE/REQUIRE/tensor_size", State,
     [](TestVector& v, const GeneratorOptions&) {
       WriteZeros(v, {VariableType(v).type, {0}});
     }},
    {"VARIABLE_WRITE/LEVEL_CHECK/1", State,
     [](TestVector& v, const GeneratorOptions& o) {
       WriteZeros(v, TooDeep(VariableType(v).type, o.level));
     }},
};

}  // namespace

std::optional<TestVector> HandMade(Choices& choices, const GeneratorOptions& options, Op op) {
  switch (op) {
    case Op::kUnknown:
      return Chain(choices, options);
    case Op::kConst:
      return Constant(choices, options);
    case Op::kConstShape:
      return Reshape(choices, options);
    case Op::kCondIf:
      return Branch(choices, options);
    case Op::kWhileLoop:
      return Loop(choices, options);
    case Op::kVariable:
    case Op::kVariableRead:
    case Op::kVariableWrite:
      return State(choices, options);
    default:
      return std::nullopt;
  }
}

std::span<const HandMadeFault> HandMadeFaults() { return kFaults; }

}  // namespace assay

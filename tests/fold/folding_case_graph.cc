// SPDX-License-Identifier: Apache-2.0
#include "folding_case_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "captures.h"
#include "float_format.h"
#include "operator_table.h"
#include "random.h"

namespace assay {
namespace {

using Json = nlohmann::json;

DType TypeOfName(const std::string& name) {
  static const std::map<std::string, DType> kTypes = {
      {"f32", DType::kFp32},  {"f16", DType::kFp16},  {"bf16", DType::kBf16},
      {"i32", DType::kInt32}, {"i16", DType::kInt16}, {"i8", DType::kInt8},
      {"i4", DType::kInt8},   {"bool", DType::kBool}, {"i48", DType::kInt48}};
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) throw NoCaseGraph{"type " + name};
  return found->second;
}

// Returns the numbers of a value: little-endian hex of `storage`, "float32", "int8", "bool"...
std::vector<double> NumbersOf(const Json& value) {
  const std::string hex = value.at("hex"), storage = value.at("storage");
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  std::vector<double> numbers;
  const auto read = [&]<class T>(T) {
    for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T number;
      std::memcpy(&number, bytes.data() + at, sizeof(T));
      numbers.push_back(static_cast<double>(number));
    }
  };
  if (storage == "float32")
    read(float());
  else if (storage == "int32")
    read(int32_t());
  else if (storage == "int64")
    read(int64_t());
  else if (storage == "int16")
    read(int16_t());
  else if (storage == "int8" || storage == "bool")
    read(int8_t());
  else
    throw NoCaseGraph{"storage " + storage};
  return numbers;
}

Tensor TensorOfNumbers(const TensorType& type, const std::vector<double>& numbers) {
  if (std::ssize(numbers) != type.shape.Elements()) throw NoCaseGraph{"a value of another size"};
  if (IsFloat(type.type)) return Tensor::FromFloats(type.type, type.shape, numbers);
  std::vector<int64_t> integers;
  for (const double number : numbers) {
    integers.push_back(type.type == DType::kBool ? number != 0 : static_cast<int64_t>(number));
  }
  return Tensor::FromIntegers(type.type, type.shape, integers);
}

// Converts one case to a graph of TOSA.
class Mapping {
 public:
  explicit Mapping(const Json& test) : test_(test) {
    bool has_matmul = false;
    for (const Json& op : test.at("before").at("ops")) {
      const bool is_matmul = op.at("op") == "MATMUL", is_gather = op.at("op") == "GATHER";
      lifts_ = lifts_ || is_matmul || is_gather;
      has_matmul = has_matmul || is_matmul;
      behind_ = behind_ || (is_gather && op.at("attrs").at("axis") == 1);
    }
    behind_ = behind_ && !has_matmul;
  }

  CaseGraph Map() && {
    made_.graph = EmptyGraph();
    made_.graph.version = {1, 0, 0, false};
    Block main = BlockOf(test_.at("before"), "main", /*is_main=*/true);
    std::vector<Block>& blocks = made_.graph.regions[0].blocks;
    blocks[0] = std::move(main);
    blocks.insert(blocks.end(), nested_.begin(), nested_.end());
    ResolveCaptures(made_.graph);
    return std::move(made_);
  }

 private:
  // A block that is being written, with its tensors by name.
  struct Frame {
    Block block;
    std::map<std::string, TensorIndex> tensors;
    const Json* types;
    bool is_main = false;
  };

  // Returns how many dimensions of 1 a tensor of this rank gets. Ranks below 3 get them if the case
  // has a MATMUL or GATHER, which want three dimensions. They go in front, or behind if there is a
  // GATHER along the second axis.
  int Lift(size_t rank) const { return lifts_ && rank < 3 ? 3 - static_cast<int>(rank) : 0; }

  template <class List>
  std::vector<int32_t> Lifted(const List& list, size_t rank, int32_t fill) const {
    std::vector<int32_t> lifted;
    for (const Json& one : list) lifted.push_back(one.get<int32_t>());
    lifted.insert(behind_ ? lifted.end() : lifted.begin(), static_cast<size_t>(Lift(rank)), fill);
    return lifted;
  }

  static bool IsEmpty(const Json& type) {
    return std::any_of(type[0].begin(), type[0].end(), [](const Json& dim) { return dim == 0; });
  }

  TensorType TypeOf(const Json& type) {
    const std::string name = type[1];
    if (name == "i4") Changed("i4 is i8");
    return {TypeOfName(name), Shape(Lifted(type[0], type[0].size(), 1))};
  }

  void Changed(const std::string& what) {
    if (std::find(made_.changed.begin(), made_.changed.end(), what) == made_.changed.end()) {
      made_.changed.push_back(what);
    }
  }

  TensorIndex Declare(Frame& frame, const std::string& name, TensorType type) {
    TensorInfo info;
    info.name = name;
    info.type = std::move(type);
    frame.block.tensors.push_back(std::move(info));
    const auto index = static_cast<TensorIndex>(frame.block.tensors.size() - 1);
    frame.tensors[name] = index;
    return index;
  }

  const Json& JsonTypeOf(const Frame& frame, const std::string& name) const {
    const Json& types = frame.types->contains(name) ? *frame.types : test_.at("before").at("types");
    return types.at(name);
  }

  // Returns a tensor by its name, in the block or in one around it.
  TensorIndex Use(Frame& frame, const std::string& name) {
    const auto found = frame.tensors.find(name);
    if (found != frame.tensors.end()) return found->second;
    return Declare(frame, name, TypeOf(JsonTypeOf(frame, name)));
  }

  TensorIndex Helper(Frame& frame, TensorType type) {
    const std::string name = "helper" + std::to_string(helpers_++);
    made_.helpers.insert(name);
    return Declare(frame, name, std::move(type));
  }

  TensorIndex Literal(Frame& frame, const Tensor& value) {
    const TensorIndex tensor = Helper(frame, value.tensor_type());
    Attributes attributes;
    attributes.Set(AttributeId::kValues, value);
    const Op op = value.type() == DType::kShape ? Op::kConstShape : Op::kConst;
    frame.block.operators.push_back({op, attributes, {}, {tensor}});
    return tensor;
  }

  TensorIndex ShapeLiteral(Frame& frame, const std::vector<int32_t>& dims) {
    return Literal(frame, Tensor::FromShape(std::vector<int64_t>(dims.begin(), dims.end())));
  }

  TensorIndex ZeroPoint(Frame& frame, DType type) {
    return Literal(frame, Tensor::Splat(type, {1}, 0));
  }

  const TensorType& TypeAt(const Frame& frame, TensorIndex tensor) const {
    return frame.block.TypeOf(tensor);
  }

  TensorIndex Reshape(Frame& frame, TensorIndex from, const Shape& shape) {
    const TensorIndex to = Helper(frame, {TypeAt(frame, from).type, shape});
    Append(frame, Op::kReshape,
           {from, ShapeLiteral(frame, {shape.dims().begin(), shape.dims().end()})}, {to});
    return to;
  }

  void ReshapeInto(Frame& frame, TensorIndex from, TensorIndex to) {
    const auto dims = TypeAt(frame, to).shape.dims();
    Append(frame, Op::kReshape, {from, ShapeLiteral(frame, {dims.begin(), dims.end()})}, {to});
  }

  void Append(Frame& frame, Op op, std::vector<TensorIndex> inputs,
              std::vector<TensorIndex> outputs, Attributes attributes = {}) {
    frame.block.operators.push_back(
        {op, std::move(attributes), std::move(inputs), std::move(outputs)});
  }

  Block BlockOf(const Json& from, const std::string& name, bool is_main) {
    Frame frame;
    frame.block.name = name;
    frame.types = &from.at("types");
    frame.is_main = is_main;
    if (is_main) AddArguments(frame);
    if (is_main) DeclareVariables(frame);
    if (!is_main) {
      for (const Json& input : from.at("inputs")) {
        frame.block.inputs.push_back(Use(frame, input.get<std::string>()));
      }
    }
    for (const Json& op : from.at("ops")) Add(frame, op);
    for (const Json& output : from.at("returns")) {
      if (IsEmpty(JsonTypeOf(frame, output.get<std::string>()))) {
        Changed("tensors of size zero are left out");
      } else {
        frame.block.outputs.push_back(Use(frame, output.get<std::string>()));
      }
    }
    return std::move(frame.block);
  }

  void AddArguments(Frame& frame) {
    for (const Json& argument : test_.at("args")) {
      if (IsEmpty(argument.at("type"))) continue;
      const std::string constness = argument.at("constness"), name = argument.at("name");
      frame.block.inputs.push_back(Use(frame, name));
      made_.argument_names.push_back(name);
      made_.arguments.push_back(constness.starts_with("type1")   ? Constness::kCompileTime
                                : constness.starts_with("type2") ? Constness::kRuntime
                                                                 : Constness::kVarying);
    }
  }

  void DeclareVariables(Frame& frame) {
    const Json variables = test_.value("variables", Json::object());
    for (const auto& [name, value] : variables.items()) {
      const Json type = {value.at("shape"), value.at("dtype")};
      const TensorType tensor_type = TypeOf(type);
      const auto dims = tensor_type.shape.dims();
      Attributes attributes;
      attributes.Set(AttributeId::kName, name);
      attributes.Set(AttributeId::kVarShape, std::vector<int32_t>(dims.begin(), dims.end()));
      attributes.Set(AttributeId::kType, static_cast<int32_t>(tensor_type.type));
      attributes.Set(AttributeId::kInitialValue, TensorOfNumbers(tensor_type, NumbersOf(value)));
      Append(frame, Op::kVariable, {}, {}, std::move(attributes));
    }
  }

  void Add(Frame& frame, const Json& op) {
    const std::string name = op.at("op");
    const Json& attrs = op.at("attrs");
    std::vector<TensorIndex> inputs, outputs;
    for (const Json& type : op.at("out_types")) {
      if (IsEmpty(type)) return Changed("tensors of size zero are left out");
    }
    for (const Json& input : op.at("inputs"))
      inputs.push_back(Use(frame, input.get<std::string>()));
    for (const Json& output : op.at("outputs")) {
      outputs.push_back(Use(frame, output.get<std::string>()));
    }
    if (name == "CONST") return AddConst(frame, attrs, outputs[0]);
    if (name == "SPLIT2") return AddSplit(frame, attrs, inputs[0], outputs);
    if (name == "RESIZE2X") return AddResize(frame, inputs[0], outputs[0]);
    if (name == "QDQ_BLOCK") throw NoCaseGraph{"TOSA 1.0 has no block-scaled types"};
    if (name == "GATHER") return AddGather(frame, attrs, inputs[0], outputs[0]);
    if (name == "CAST" && TypeAt(frame, inputs[0]).type == TypeAt(frame, outputs[0]).type) {
      return Append(frame, Op::kIdentity, inputs, outputs);
    }
    static const std::map<std::string, std::string> kNames = {{"MAX", "MAXIMUM"},
                                                              {"MIN", "MINIMUM"}};
    const auto other = kNames.find(name);
    const std::optional<Op> tosa = OperatorByName(other == kNames.end() ? name : other->second);
    if (!tosa) throw NoCaseGraph{"operator " + name};
    Attributes attributes = AttributesOf(frame, *tosa, attrs, inputs);
    AddOperands(frame, *tosa, attrs, inputs);
    Append(frame, *tosa, std::move(inputs), std::move(outputs), std::move(attributes));
  }

  void AddConst(Frame& frame, const Json& attrs, TensorIndex output) {
    const Json& value = attrs.at("value");
    Attributes attributes;
    attributes.Set(AttributeId::kValues, TensorOfNumbers(TypeAt(frame, output), NumbersOf(value)));
    Append(frame, Op::kConst, {}, {output}, std::move(attributes));
  }

  // Returns the attributes that the operator has in TOSA.
  Attributes AttributesOf(Frame& frame, Op op, const Json& attrs,
                          const std::vector<TensorIndex>& inputs) {
    Attributes attributes;
    const int lift = inputs.empty() ? 0 : LiftOf(frame, inputs[0]);
    if (FindAttribute(op, AttributeId::kAxis) != nullptr) {
      attributes.Set(AttributeId::kAxis, attrs.at("axis").get<int32_t>() + lift);
    }
    if (FindAttribute(op, AttributeId::kNanMode) != nullptr) {
      attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
    }
    if (op == Op::kTranspose) attributes.Set(AttributeId::kPerms, Perms(frame, attrs, inputs[0]));
    if (op == Op::kClamp) {
      for (const auto& [key, id] :
           {std::pair("min", AttributeId::kMinVal), std::pair("max", AttributeId::kMaxVal)}) {
        attributes.Set(id, TensorOfNumbers({TypeAt(frame, inputs[0]).type, {}},
                                           {attrs.at(key).get<double>()}));
      }
    }
    if (op == Op::kArithmeticRightShift)
      attributes.Set(AttributeId::kRound, attrs.value("round", false));
    if (op == Op::kVariableRead || op == Op::kVariableWrite) {
      attributes.Set(AttributeId::kName, attrs.at("name").get<std::string>());
    }
    if (op == Op::kCustom) {
      attributes.Set(AttributeId::kOperatorName, std::string("counter"));
      attributes.Set(AttributeId::kDomainName, std::string(kCaseDomain));
      attributes.Set(AttributeId::kImplementationAttrs, std::string());
    }
    const std::pair<const char*, AttributeId> graphs[] = {{"then", AttributeId::kThenGraph},
                                                          {"else", AttributeId::kElseGraph},
                                                          {"cond", AttributeId::kCondGraph},
                                                          {"body", AttributeId::kBodyGraph}};
    for (const auto& [key, id] : graphs) {
      if (!IsControlFlow(op) || !attrs.contains(key)) continue;
      const std::string block = std::string(key) + std::to_string(callees_++);
      attributes.Set(id, block);
      nested_.push_back(BlockOf(attrs.at(key), block, /*is_main=*/false));
    }
    return attributes;
  }

  std::vector<int32_t> Perms(const Frame& frame, const Json& attrs, TensorIndex input) const {
    const int rank = TypeAt(frame, input).shape.rank(), lift = LiftOf(frame, input);
    const int last = lift + static_cast<int>(attrs.value("perms", Json::array()).size());
    std::vector<int32_t> perms;
    for (int axis = 0; axis < rank; ++axis) {
      const bool given = axis >= lift && axis < last;
      perms.push_back(
          given ? attrs.at("perms")[static_cast<size_t>(axis - lift)].get<int32_t>() + lift : axis);
    }
    return perms;
  }

  // Returns how many dimensions were added in front of those of the case.
  int LiftOf(const Frame& frame, TensorIndex tensor) const {
    const std::string& name = frame.block.tensors[static_cast<size_t>(tensor)].name;
    return made_.helpers.contains(name) || behind_ ? 0 : Lift(JsonTypeOf(frame, name)[0].size());
  }

  // Adds the operands that are attributes in the case, but operands in TOSA.
  void AddOperands(Frame& frame, Op op, const Json& attrs, std::vector<TensorIndex>& inputs) {
    const DType type = inputs.empty() ? DType::kUnknown : TypeAt(frame, inputs[0]).type;
    switch (op) {
      case Op::kReshape:
        inputs.push_back(
            ShapeLiteral(frame, Lifted(attrs.at("shape"), attrs.at("shape").size(), 1)));
        break;
      case Op::kTile:
        inputs.push_back(
            ShapeLiteral(frame, Lifted(attrs.at("multiples"), attrs.at("multiples").size(), 1)));
        break;
      case Op::kSlice:
        inputs.push_back(
            ShapeLiteral(frame, Lifted(attrs.at("start"), attrs.at("start").size(), 0)));
        inputs.push_back(ShapeLiteral(frame, Lifted(attrs.at("size"), attrs.at("size").size(), 1)));
        break;
      case Op::kPad: {
        std::vector<int32_t> padding;
        for (const Json& pair : attrs.at("padding")) {
          for (const Json& count : pair) padding.push_back(count.get<int32_t>());
        }
        padding.insert(behind_ ? padding.end() : padding.begin(),
                       static_cast<size_t>(2 * Lift(attrs.at("padding").size())), 0);
        inputs.push_back(ShapeLiteral(frame, padding));
        inputs.push_back(Literal(
            frame, TensorOfNumbers({type, {1}}, {attrs.value("value", Json(0.0)).get<double>()})));
        break;
      }
      case Op::kMul:
        inputs.push_back(Literal(frame, Tensor::Splat(DType::kInt8, {1}, attrs.value("shift", 0))));
        break;
      case Op::kNegate:
        inputs.push_back(ZeroPoint(frame, type));
        inputs.push_back(ZeroPoint(frame, type));
        break;
      case Op::kMatmul:
        inputs.push_back(ZeroPoint(frame, type));
        inputs.push_back(ZeroPoint(frame, TypeAt(frame, inputs[1]).type));
        break;
      case Op::kTable: {
        std::vector<int64_t> table;
        for (const Json& one : attrs.at("table")) table.push_back(one.get<int64_t>());
        inputs.push_back(Literal(
            frame, Tensor::FromIntegers(type, {static_cast<int32_t>(table.size())}, table)));
        break;
      }
      default:
        break;
    }
  }

  void AddSplit(Frame& frame, const Json& attrs, TensorIndex input,
                const std::vector<TensorIndex>& outputs) {
    Changed("SPLIT2 is two SLICEs");
    const Shape shape = TypeAt(frame, input).shape;
    const int axis = attrs.at("axis").get<int32_t>() + LiftOf(frame, input);
    std::vector<int32_t> start(static_cast<size_t>(shape.rank()), 0);
    std::vector<int32_t> size(shape.dims().begin(), shape.dims().end());
    size[static_cast<size_t>(axis)] /= 2;
    for (const TensorIndex output : outputs) {
      Append(frame, Op::kSlice, {input, ShapeLiteral(frame, start), ShapeLiteral(frame, size)},
             {output});
      start[static_cast<size_t>(axis)] += size[static_cast<size_t>(axis)];
    }
    made_.helpers.insert(frame.block.tensors[static_cast<size_t>(outputs[1])].name);
  }

  // Appends a bilinear resize from [A, K] to [A, 2K - 1] along the second axis.
  void AddResize(Frame& frame, TensorIndex input, TensorIndex output) {
    Changed("RESIZE2X is RESIZE between RESHAPEs");
    const Shape from = TypeAt(frame, input).shape, to = TypeAt(frame, output).shape;
    const int last = LiftOf(frame, input) + 1;
    const DType type = TypeAt(frame, input).type;
    const TensorIndex image = Reshape(frame, input, {from[last - 1], 1, from[last], 1});
    const TensorIndex resized = Helper(frame, {type, {to[last - 1], 1, to[last], 1}});
    Attributes attributes;
    attributes.Set(AttributeId::kMode, static_cast<int32_t>(ResizeMode::kBilinear));
    Append(frame, Op::kResize,
           {image, ShapeLiteral(frame, {1, 1, 2, 1}), ShapeLiteral(frame, {0, 0}),
            ShapeLiteral(frame, {0, 0})},
           {resized}, std::move(attributes));
    made_.helpers.erase(frame.block.tensors[static_cast<size_t>(resized)].name);
    ReshapeInto(frame, resized, output);
    made_.helpers.insert(frame.block.tensors[static_cast<size_t>(output)].name);
  }

  void AddGather(Frame& frame, const Json& attrs, TensorIndex input, TensorIndex output) {
    const Shape from = TypeAt(frame, input).shape;
    const int axis = attrs.at("axis").get<int32_t>() + LiftOf(frame, input);
    int32_t before = 1, after = 1;
    for (int i = 0; i < axis; ++i) before *= from[i];
    for (int i = axis + 1; i < from.rank(); ++i) after *= from[i];
    std::vector<int64_t> indices;
    for (int32_t n = 0; n < before; ++n) {
      for (const Json& index : attrs.at("indices")) indices.push_back(index.get<int64_t>());
    }
    const auto width = static_cast<int32_t>(attrs.at("indices").size());
    const TensorIndex rows =
        Literal(frame, Tensor::FromIntegers(DType::kInt32, {before, width}, indices));
    if (from.rank() == 3 && axis == 1) return Append(frame, Op::kGather, {input, rows}, {output});
    Changed("GATHER between RESHAPEs");
    const TensorIndex values = Reshape(frame, input, {before, from[axis], after});
    const TensorIndex gathered = Helper(frame, {TypeAt(frame, input).type, {before, width, after}});
    Append(frame, Op::kGather, {values, rows}, {gathered});
    ReshapeInto(frame, gathered, output);
  }

  const Json& test_;
  CaseGraph made_;
  bool lifts_ = false, behind_ = false;
  int helpers_ = 0, callees_ = 0;
  std::vector<Block> nested_;
};

}  // namespace

CaseGraph ReadCaseGraph(const Json& test) { return Mapping(test).Map(); }

Tensor CaseValue(const Json& value, const TensorType& type, Random& random) {
  if (value.is_object()) return TensorOfNumbers(type, NumbersOf(value));
  const bool small = value.is_string();
  std::vector<double> numbers;
  constexpr double kSpecial[] = {
      0.0,       -0.0, 1.0,     -1.0,   kInfinity, -kInfinity,
      0x1p-140f, 2.5,  3.4e38f, -7.25f, 0.001f,    std::numeric_limits<double>::quiet_NaN()};
  for (int64_t i = 0; i < type.shape.Elements(); ++i) {
    if (small) {
      numbers.push_back(static_cast<double>(random.Between(0, 5)));
    } else if (type.type == DType::kBool) {
      numbers.push_back(static_cast<double>(random.Between(0, 1)));
    } else if (!IsFloat(type.type)) {
      const int64_t limit = type.type == DType::kInt8 ? 7 : 1000;
      numbers.push_back(static_cast<double>(random.Between(-limit, limit)));
    } else {
      numbers.push_back(random.OneIn(2) ? random.Pick(kSpecial)
                                        : static_cast<double>(random.Between(-4096, 4096)) / 512);
    }
  }
  return TensorOfNumbers(type, numbers);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "mlir_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "mlir_argument_names.h"
#include "mlir_attributes.h"
#include "mlir_syntax.h"
#include "mlir_types.h"
#include "mlir_values.h"
#include "mlir_versions.h"
#include "operator_table.h"

namespace assay {
namespace {

constexpr std::string_view kKnownDialects = "; only 'tosa' and 'arith.constant' are supported";

// Returns ", whose type ..." if the type of a constant is what is wrong with it.
std::string DenseProblem(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (!text.starts_with("dense") || colon == std::string_view::npos) return {};
  const std::string problem = MlirTypeProblem(text.substr(colon + 1));
  return problem.empty() ? "" : "; its type " + problem;
}

// Returns the start of a text for an error, because constants may be long.
std::string Shortened(std::string_view text) {
  constexpr size_t kLengthMax = 120;
  return std::string(text.substr(0, kLengthMax)) + (text.size() <= kLengthMax ? "" : "...");
}

std::optional<Op> OperatorByMlirName(const std::string& name) {
  for (const OperatorRow& row : AllOperators()) {
    if (MlirOperatorName(row.name) == name) return row.op;
  }
  return std::nullopt;
}

std::optional<AttributeId> AttributeNamed(std::string_view name) {
  return AttributeByName(name == "sym_name" ? "name" : name);
}

bool HasAttribute(Op op, std::string_view name) {
  const auto id = AttributeNamed(name);
  return id && FindAttribute(op, *id) != nullptr;
}

// Returns true for an attribute that TOSA 1.1 added, with the value that 1.0 implies.
bool IsDefaultOfNewer(Op op, std::string_view name, std::string_view text) {
  return op == Op::kCast && name == "input_unsigned" && text == "false";
}

// The memory for constants whose text has one element for all. Without this limit, a short text
// could make several copies of the largest tensor.
constexpr int64_t kSplatBytesMax = int64_t{512} << 20;

// Limits on calls, which are read in place. Without them, a few functions that call each other
// could make a graph of any size.
constexpr int kCallDepthMax = 64;
constexpr int64_t kCalledOperationsMax = int64_t{1} << 20;

class Reader {
 public:
  Reader(std::string_view name, int64_t memory_max, const MlirSource& source)
      : name_(name),
        lines_(source.lines),
        names_(source.names),
        written_(source.written),
        graph_(EmptyGraph()),
        notes_(source.notes),
        memory_max_(memory_max),
        memory_left_(memory_max) {}

  Result<Graph> Read(const std::vector<MlirOperation>& top, std::string_view function) {
    const Result<const MlirOperation*> chosen = FindMlirFunction(top, function, name_);
    if (!chosen) return chosen.error();
    functions_ = MlirFunctions(top);
    Block main;
    main.name = "main";
    for (const MlirOperation& operation : MlirModuleBody(top)) {
      if (operation.name == "tosa.variable") {
        ReadOperator(operation, main);
      } else if (&operation == *chosen) {
        ReadRegion(operation.regions[0], "func.return", nullptr, main);
        if (names_) NameInputs(operation, main);
      } else if (operation.name != "func.func") {
        FailAsUnknown(operation);
      }
    }
    if (!problem_.empty()) return Error{kind_, problem_};
    graph_.regions[0].blocks[0] = std::move(main);
    for (Block& block : blocks_) graph_.regions[0].blocks.push_back(std::move(block));
    return std::move(graph_);
  }

 private:
  // The tensors of surrounding blocks that a region uses, and the tensors of its own block that
  // replace them.
  using Captures = std::vector<std::pair<std::string, TensorIndex>>;

  // A constant shape with a dimension of -1.
  struct OpenShape {
    size_t position;  // of the operator in its block
    Tensor written;
    bool is_resolved;
  };

  // The names in the scope of one block, and the scope around it.
  struct Scope {
    Scope* around = nullptr;
    const Block* block = nullptr;
    std::map<std::string, TensorIndex> names;
    Captures captured;
  };

  // Names the inputs of the main block. No name may be one of another tensor, "main_7".
  void NameInputs(const MlirOperation& function, Block& main) const {
    const std::vector<std::string> names = MlirArgumentNames(function, name_, written_);
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      TensorInfo& info = main.tensors[static_cast<size_t>(main.inputs[i])];
      if (!names[i].empty() && !names[i].starts_with(main.name + "_")) info.name = names[i];
    }
  }

  void Fail(const MlirOperation& operation, const std::string& what,
            Error::Kind kind = Error::Kind::kBadInput) {
    if (!problem_.empty()) return;
    problem_ = operation.place + ": " + what;
    kind_ = kind;
  }

  void FailAsUnknown(const MlirOperation& operation) {
    const std::string dialect = operation.name.substr(0, operation.name.find('.'));
    if (dialect == "tosa") return Fail(operation, UnknownMlirOperator(operation.name));
    const bool is_known =
        dialect == "arith" || dialect == "builtin" || dialect == "func" || dialect == "tensor";
    if (!is_known) return Fail(operation, UnknownMlirDialect(dialect));
    Fail(operation, "unknown operation '" + operation.name + "'" + std::string(kKnownDialects));
  }

  // Returns the location that the text states. Otherwise, if it is asked for, the file and line.
  std::string LocationOf(const MlirOperation& operation) const {
    if (!operation.location.empty() || !lines_ || operation.place == name_) {
      return operation.location;
    }
    const size_t folder = name_.rfind('/');
    return operation.place.substr(folder == std::string_view::npos ? 0 : folder + 1);
  }

  TensorIndex NewTensor(Block& block, TensorType type) {
    return block.AddTensor(block.name + "_" + std::to_string(block.tensors.size()),
                           std::move(type));
  }

  TensorIndex Define(const MlirOperation& operation, const std::string& value,
                     const std::string& type_text, Block& block, Scope& scope) {
    auto type = ReadMlirTensorType(type_text);
    if (!type) {
      Fail(operation, "the type " + type_text + " of " + value + " " + MlirTypeProblem(type_text),
           type_text.find("!quant.") == std::string::npos ? Error::Kind::kBadInput
                                                          : Error::Kind::kUnsupported);
      type.emplace();
    }
    return scope.names[value] = NewTensor(block, *type);
  }

  // Returns the tensor of a name. A constant of a surrounding block is copied into this block; any
  // other tensor of a surrounding block becomes an input.
  TensorIndex Use(const MlirOperation& operation, const std::string& value, Block& block,
                  Scope& scope) {
    const auto found = scope.names.find(value);
    if (found != scope.names.end()) return found->second;
    for (const Scope* outer = scope.around; outer != nullptr; outer = outer->around) {
      const auto captured = outer->names.find(value);
      if (captured == outer->names.end()) continue;
      const TensorIndex inner = NewTensor(block, outer->block->TypeOf(captured->second));
      if (const Operator* constant = ConstantOf(*outer->block, captured->second)) {
        block.operators.push_back(
            {constant->op, constant->attributes, {}, {inner}, constant->location});
        NoteOpenShape(block);
      } else {
        scope.captured.emplace_back(value, inner);
      }
      return scope.names[value] = inner;
    }
    Fail(operation, operation.name + " uses " + value + ", which is not defined");
    return 0;
  }

  // Returns the constant operator that produces a tensor of a block, or null.
  static const Operator* ConstantOf(const Block& block, TensorIndex tensor) {
    for (const Operator& producer : block.operators) {
      if (IsConstant(producer.op) && producer.outputs == std::vector<TensorIndex>{tensor}) {
        return &producer;
      }
    }
    return nullptr;
  }

  Captures ReadRegion(const MlirRegion& region, std::string_view terminator, Scope* around,
                      Block& block) {
    Scope scope{around, &block, {}, {}};
    for (const MlirArgument& argument : region.arguments) {
      static const MlirOperation kNowhere;
      const MlirOperation& place = region.operations.empty() ? kNowhere : region.operations[0];
      block.inputs.push_back(Define(place, argument.name, argument.type, block, scope));
    }
    for (const MlirOperation& operation : region.operations) {
      if (!problem_.empty()) return {};
      if (operation.name == terminator) {
        ReadResults(operation, block, scope);
        return scope.captured;
      }
      ReadOperator(operation, block, scope);
    }
    if (problem_.empty()) problem_ = std::string(name_) + ": a region without a terminator";
    return {};
  }

  void ReadResults(const MlirOperation& operation, Block& block, Scope& scope) {
    std::set<TensorIndex> taken;
    for (const std::string& value : operation.operands) {
      TensorIndex tensor = Use(operation, value, block, scope);
      if (!problem_.empty()) return;
      if (!taken.insert(tensor).second) tensor = Copy(tensor, block);
      block.outputs.push_back(tensor);
    }
  }

  void ReadOperator(const MlirOperation& operation, Block& block) {
    Scope scope{nullptr, &block, {}, {}};
    ReadOperator(operation, block, scope);
  }

  void ReadOperator(const MlirOperation& operation, Block& block, Scope& scope) {
    if (operation.name == "arith.constant") return ReadConstant(operation, block, scope);
    if (operation.name == "tensor.empty") return ReadEmpty(operation, block, scope);
    if (operation.name == "tensor.cast") return ReadCast(operation, block, scope);
    if (operation.name == "func.call") return ReadCall(operation, block, scope);
    const auto op = OperatorByMlirName(operation.name);
    if (!op) return FailAsUnknown(operation);
    Operator out;
    out.op = *op;
    out.location = LocationOf(operation);
    for (const std::string& value : operation.operands) {
      out.inputs.push_back(Use(operation, value, block, scope));
    }
    if (!problem_.empty()) return;
    ReadAttributes(operation, out);
    const std::vector<TensorType> handed_on = ReadSubgraphs(operation, out, block, scope);
    for (size_t i = 0; i < operation.results.size(); ++i) {
      out.outputs.push_back(
          Define(operation, operation.results[i], operation.result_types[i], block, scope));
    }
    for (const TensorType& type : handed_on) out.outputs.push_back(NewTensor(block, type));
    ResolveShape(operation, out, block);
    if (!AcceptsCounts(out.op, out.inputs.size(), out.outputs.size())) {
      Fail(operation, operation.name + " with " + std::to_string(out.inputs.size()) +
                          " operands and " + std::to_string(out.outputs.size()) +
                          " results; TOSA 1.0 has another number (older versions had zero points, "
                          "shapes and shifts as attributes)");
    }
    block.operators.push_back(std::move(out));
    NoteOpenShape(block);
  }

  // Remembers a constant shape with a dimension of -1, the last operator of the block.
  void NoteOpenShape(const Block& block) {
    const Operator& op = block.operators.back();
    const AttributeValue* value = op.attributes.Find(AttributeId::kValues);
    const auto* shape = value == nullptr ? nullptr : std::get_if<Tensor>(value);
    if (op.op != Op::kConstShape || op.outputs.size() != 1 || shape == nullptr) return;
    for (int64_t i = 0; i < shape->elements(); ++i) {
      if (shape->Integer(i) != -1) continue;
      open_shapes_.insert_or_assign({block.name, op.outputs[0]},
                                    OpenShape{block.operators.size() - 1, *shape, false});
    }
  }

  // Gives RESHAPE the dimension that its constant shape leaves open with -1. The first operator
  // that reads a constant resolves it, and all others get constants of their own.
  void ResolveShape(const MlirOperation& operation, Operator& op, Block& block) {
    if (op.op != Op::kReshape || op.inputs.size() != 2) return;
    const auto found = open_shapes_.find({block.name, op.inputs[1]});
    if (found == open_shapes_.end()) return;
    OpenShape& open = found->second;
    const Shape& from = block.TypeOf(op.inputs[0]).shape;
    const int64_t elements = from.Elements();
    std::vector<int64_t> dims;
    int64_t known = 1;
    for (int64_t i = 0; i < open.written.elements(); ++i) {
      dims.push_back(open.written.Integer(i));
      if (dims.back() != -1) known *= dims.back();
      if (known <= 0 || known > elements) return;
    }
    if (std::ranges::count(from, -1) + std::ranges::count(dims, -1) != 1 || elements % known != 0) {
      return;
    }
    std::ranges::replace(dims, int64_t{-1}, elements / known);
    if (notes_ != nullptr) {
      notes_->push_back(operation.place + ": the dimension -1 of the shape is read as " +
                        std::to_string(elements / known));
    }
    const TensorType& type = open.written.tensor_type();
    Attributes values = {{AttributeId::kValues, Tensor::FromIntegers(type.type, type.shape, dims)}};
    if (!std::exchange(open.is_resolved, true)) {
      block.operators[open.position].attributes = std::move(values);
      return;
    }
    op.inputs[1] = NewTensor(block, type);
    block.operators.push_back(
        {Op::kConstShape, std::move(values), {}, {op.inputs[1]}, op.location});
  }

  void AddConstant(const MlirOperation& operation, Tensor value, Block& block, Scope& scope) {
    if (operation.results.size() != 1) return Fail(operation, operation.name + " without a result");
    Operator out;
    out.op = Op::kConst;
    out.location = LocationOf(operation);
    out.attributes.Set(AttributeId::kValues, std::move(value));
    out.outputs = {
        Define(operation, operation.results[0], operation.result_types[0], block, scope)};
    block.operators.push_back(std::move(out));
  }

  void ReadConstant(const MlirOperation& operation, Block& block, Scope& scope) {
    const std::string_view text = operation.Attribute("value");
    if (!ChargeOrFail(operation, text)) return;
    auto value = ReadMlirDense(text);
    if (!value) {
      return Fail(operation, "the value of arith.constant is not a tensor of TOSA: " +
                                 Shortened(text) + DenseProblem(text));
    }
    AddConstant(operation, std::move(*value), block, scope);
  }

  void ReadEmpty(const MlirOperation& operation, Block& block, Scope& scope) {
    const auto type = operation.result_types.size() == 1
                          ? ReadMlirTensorType(operation.result_types[0])
                          : std::nullopt;
    if (!type || !operation.operands.empty() || type->shape.Elements() != 0) {
      return Fail(operation,
                  "the elements of tensor.empty are undefined; only a tensor without "
                  "elements is a constant");
    }
    AddConstant(operation, Tensor::Splat(type->type, type->shape, 0), block, scope);
  }

  // A cast that changes nothing gives its operand another name.
  void ReadCast(const MlirOperation& operation, Block& block, Scope& scope) {
    if (operation.operands.size() != 1 || operation.results.size() != 1 ||
        operation.operand_types[0] != operation.result_types[0]) {
      return Fail(operation, "tensor.cast to another type, which is not supported");
    }
    scope.names[operation.results[0]] = Use(operation, operation.operands[0], block, scope);
  }

  // Reads the function that is called into this block.
  void ReadCall(const MlirOperation& operation, Block& block, Scope& scope) {
    const std::string callee(operation.Attribute("callee"));
    const auto found = functions_.find(callee);
    if (found == functions_.end()) {
      return Fail(operation, "calls " + callee + ", which has no body in this file");
    }
    const MlirRegion& body = found->second->regions[0];
    calls_left_ -= std::ssize(body.operations);
    if (++call_depth_ > kCallDepthMax || calls_left_ < 0) {
      return Fail(operation, "calls of " + callee + " are too deep or too many; the limits are " +
                                 std::to_string(kCallDepthMax) + " and " +
                                 std::to_string(kCalledOperationsMax) + " operations");
    }
    if (body.arguments.size() != operation.operands.size()) {
      return Fail(operation, "calls " + callee + " with another number of operands");
    }
    Scope inside{nullptr, &block, {}, {}};
    for (size_t i = 0; i < body.arguments.size(); ++i) {
      if (body.arguments[i].type != operation.operand_types[i]) {
        return Fail(operation, "calls " + callee + " with operands of other types");
      }
      inside.names[body.arguments[i].name] = Use(operation, operation.operands[i], block, scope);
    }
    for (const MlirOperation& inner : body.operations) {
      if (!problem_.empty()) return;
      if (inner.name != "func.return") {
        ReadOperator(inner, block, inside);
        continue;
      }
      if (inner.operand_types != operation.result_types) {
        return Fail(operation, "calls " + callee + " for results of other types");
      }
      for (size_t i = 0; i < inner.operands.size(); ++i) {
        scope.names[operation.results[i]] = Use(inner, inner.operands[i], block, inside);
      }
    }
    --call_depth_;
  }

  // Returns true for an attribute that other tools put there, with a note. An attribute that MLIR,
  // another operator or an older version of the dialect knows has a meaning, and is not one.
  bool IsForeign(const MlirOperation& operation, const std::string& name) {
    for (size_t i = 0; i < operation.properties; ++i) {
      if (operation.attributes[i].first == name) return false;
    }
    if (AttributeByName(name) || IsOldMlirAttribute(name)) return false;
    if (notes_ != nullptr && ignored_.insert(name).second) {
      notes_->push_back(operation.place + ": attribute " + name + " of " + operation.name +
                        " is not of TOSA 1.0; ignored here and below");
    }
    return true;
  }

  void ReadAttributes(const MlirOperation& operation, Operator& out) {
    for (const auto& [name, text] : operation.attributes) {
      const auto id = AttributeNamed(name);
      if (!HasAttribute(out.op, name)) {
        if (IsDefaultOfNewer(out.op, name, text)) continue;
        if (IsForeign(operation, name)) continue;
        return Fail(operation, UnknownMlirAttribute(operation.name, name));
      }
      if (!ChargeOrFail(operation, text)) return;
      auto value = ReadMlirAttribute(*id, text);
      if (!value) {
        return Fail(operation, "the " + name + " of " + operation.name + ": " + Shortened(text) +
                                   DenseProblem(text));
      }
      const auto* list = std::get_if<Tensor>(&*value);
      if (out.op == Op::kConstShape && list != nullptr && list->type() != DType::kShape) {
        return Fail(operation, "the values of tosa.const_shape are not of type index");
      }
      out.attributes.Set(*id, std::move(*value));
    }
    for (const ArgumentRow& argument : RowOf(out.op).arguments) {
      if (argument.direction != Direction::kAttribute || !argument.attribute ||
          out.attributes.Has(*argument.attribute)) {
        continue;
      }
      if (*argument.attribute == AttributeId::kNanMode) {
        out.attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
      } else if (*argument.attribute == AttributeId::kLocalBound) {
        out.attributes.Set(AttributeId::kLocalBound, false);
      } else if (operation.regions.empty() && !argument.optional &&
                 *argument.attribute != AttributeId::kInitialValue) {
        return Fail(operation,
                    operation.name + " without " + std::string(argument.name) +
                        ", which TOSA 1.0 requires; older text may lack it or write it otherwise");
      }
    }
  }

  // Accounts for the elements of a constant, because its text may have one element for all. Returns
  // false if there are too many.
  bool Charge(std::string_view text) {
    const size_t colon = text.rfind(':');
    if (!text.starts_with("dense<") || colon == std::string_view::npos) return true;
    const auto type = ReadMlirTensorType(text.substr(colon + 1));
    if (!type) return true;  // not a constant; its reader reports that
    const int64_t elements = type->shape.Elements();
    if (elements > memory_left_ / ElementBytes(type->type)) return false;
    memory_left_ -= elements * ElementBytes(type->type);
    // If all elements are written, each takes at least a digit of the text.
    if (elements > std::ssize(text)) splats_left_ -= elements * ElementBytes(type->type);
    return true;
  }

  bool ChargeOrFail(const MlirOperation& operation, std::string_view text) {
    const bool fits = Charge(text);
    if (!fits) {
      Fail(operation, "the constants take more than " + std::to_string(memory_max_) +
                          " bytes of memory, the limit memory_max");
    } else if (splats_left_ < 0) {
      Fail(operation, "the constants that are written as one element take more than " +
                          std::to_string(kSplatBytesMax) + " bytes of memory, the limit");
    }
    return fits && splats_left_ >= 0;
  }

  // Returns the types of the results that only the loop itself needs, for the tensors that its
  // regions capture.
  std::vector<TensorType> ReadSubgraphs(const MlirOperation& operation, Operator& out, Block& block,
                                        Scope& scope) {
    std::vector<TensorType> handed_on;
    if (out.op != Op::kCondIf && out.op != Op::kWhileLoop) {
      if (!operation.regions.empty()) Fail(operation, operation.name + " with a region");
      return handed_on;
    }
    if (operation.regions.size() != 2) {
      Fail(operation, operation.name + " without regions");
      return handed_on;
    }
    const bool is_if = out.op == Op::kCondIf;
    const AttributeId ids[] = {is_if ? AttributeId::kThenGraph : AttributeId::kCondGraph,
                               is_if ? AttributeId::kElseGraph : AttributeId::kBodyGraph};
    Captures captured[2];
    size_t places[2];
    for (size_t i = 0; i < 2; ++i) {
      Block inner;
      inner.name = std::string(AttributeName(ids[i])) + "_" + std::to_string(next_block_++);
      captured[i] = ReadRegion(operation.regions[i], "tosa.yield", &scope, inner);
      out.attributes.Set(ids[i], inner.name);
      places[i] = blocks_.size();
      blocks_.push_back(std::move(inner));
    }
    std::set<std::string> added;
    for (const Captures& captures : captured) {
      for (const auto& [value, unused] : captures) {
        if (!problem_.empty() || !added.insert(value).second) continue;
        const TensorIndex outer = Use(operation, value, block, scope);
        out.inputs.push_back(outer);
        for (size_t i = 0; i < 2; ++i) {
          AddInput(value, block.TypeOf(outer), captured[i], blocks_[places[i]]);
        }
        if (is_if) continue;
        HandOn(blocks_[places[1]]);
        handed_on.push_back(block.TypeOf(outer));
      }
    }
    return handed_on;
  }

  // Makes a captured tensor the last input of a block, even if the block does not use it.
  void AddInput(const std::string& value, const TensorType& type, const Captures& captured,
                Block& block) {
    for (const auto& [name, inner] : captured) {
      if (name == value) return block.inputs.push_back(inner);
    }
    block.inputs.push_back(NewTensor(block, type));
  }

  // Makes the last input of a loop's body an output of it.
  void HandOn(Block& body) {
    const TensorIndex input = body.inputs.back();
    const bool is_taken =
        std::find(body.outputs.begin(), body.outputs.end(), input) != body.outputs.end();
    body.outputs.push_back(is_taken ? Copy(input, body) : input);
  }

  TensorIndex Copy(TensorIndex tensor, Block& block) {
    const TensorIndex copy = NewTensor(block, block.TypeOf(tensor));
    block.operators.push_back({Op::kIdentity, {}, {tensor}, {copy}});
    return copy;
  }

  const std::string_view name_;
  const bool lines_;
  const bool names_;
  const std::string_view written_;
  Graph graph_;
  std::vector<Block> blocks_;  // of COND_IF and WHILE_LOOP
  int next_block_ = 0;
  std::map<std::pair<std::string, TensorIndex>, OpenShape> open_shapes_;  // by block and tensor
  std::map<std::string, const MlirOperation*> functions_;                 // by "@name"
  int call_depth_ = 0;
  int64_t calls_left_ = kCalledOperationsMax;
  std::vector<std::string>* const notes_;
  std::set<std::string> ignored_;  // names of attributes
  const int64_t memory_max_;
  int64_t memory_left_;
  int64_t splats_left_ = kSplatBytesMax;
  Error::Kind kind_ = Error::Kind::kBadInput;
  std::string problem_;
};

}  // namespace

Result<Done> CheckMlirProperties(std::string_view text, std::string_view name) {
  for (const MlirProperties& properties : TosaPropertiesIn(text, name)) {
    const auto op = OperatorByMlirName(properties.operation);
    if (!op) continue;  // the reader reports it
    for (const auto& [attribute, value] : properties.attributes) {
      if (!HasAttribute(*op, attribute) && !IsDefaultOfNewer(*op, attribute, value)) {
        return BadInput(properties.place + ": " +
                        UnknownMlirAttribute(properties.operation, attribute));
      }
    }
  }
  return Done{};
}

std::string UnknownMlirDialect(std::string_view dialect) {
  return "unknown dialect '" + std::string(dialect) + "'" + std::string(kKnownDialects);
}

Result<Graph> ReadMlir(std::string_view text, std::string_view name, const ReadLimits& limits,
                       const MlirSource& source) {
  const Result<std::vector<MlirOperation>> operations = ParseMlir(text, name, source.places);
  if (!operations) return operations.error();
  return Reader(name, limits.memory_max, source).Read(*operations, source.function);
}

}  // namespace assay

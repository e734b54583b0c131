#include "mlir_reader.h"

#include <map>
#include <set>

#include "mlir_syntax.h"
#include "mlir_types.h"
#include "mlir_values.h"
#include "operator_table.h"

namespace assay {
namespace {

std::string Unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  const auto is_digit = [](char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
  };
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size() && is_digit(text[i + 1]) && is_digit(text[i + 2])) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<AttributeValue> Enumeration(const MlirEnumeration& enumeration,
                                          std::string_view text) {
  for (int32_t i = 1; i < 4; ++i) {
    const std::string_view name = enumeration.cases[i];
    if (name.empty()) continue;
    if (text == "#tosa." + std::string(enumeration.mnemonic) + "<" + std::string(name) + ">" ||
        text == name) {
      return i;
    }
  }
  return std::nullopt;
}

template <class Value>
std::optional<AttributeValue> Wrap(std::optional<Value> value) {
  if (!value) return std::nullopt;
  return AttributeValue(std::move(*value));
}

// The value of an attribute of ours; none if the text is not of its kind.
std::optional<AttributeValue> ReadAttribute(AttributeId id, std::string_view text) {
  switch (id) {
    case AttributeId::kNanMode:
      return Enumeration(kMlirNanMode, text);
    case AttributeId::kMode:
      return Enumeration(kMlirResizeMode, text);
    case AttributeId::kRoundingMode:
      return Enumeration(kMlirRoundingMode, text);
    case AttributeId::kAccType:
    case AttributeId::kType: {
      const auto type = TypeByMlirName(text);
      if (!type) return std::nullopt;
      return static_cast<int32_t>(*type);
    }
    case AttributeId::kAxis: {
      const auto scalar = ReadMlirScalar(text);
      if (!scalar || scalar->type() != DType::kInt32) return std::nullopt;
      return static_cast<int32_t>(scalar->Integer(0));
    }
    case AttributeId::kInputUnsigned:
    case AttributeId::kInverse:
    case AttributeId::kLocalBound:
    case AttributeId::kOutputUnsigned:
    case AttributeId::kPerChannel:
    case AttributeId::kRound:
    case AttributeId::kScale32:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case AttributeId::kDilation:
    case AttributeId::kKernel:
    case AttributeId::kOutPad:
    case AttributeId::kPad:
    case AttributeId::kPerms:
    case AttributeId::kStride:
      return Wrap(ReadMlirArray(text));
    case AttributeId::kMaxVal:
    case AttributeId::kMinVal:
      return Wrap(ReadMlirScalar(text));
    case AttributeId::kInitialValue:
    case AttributeId::kValues:
      return Wrap(ReadMlirDense(text));
    case AttributeId::kVarShape: {
      const auto shape = ReadMlirDense(text);
      if (!shape || shape->type() != DType::kShape) return std::nullopt;
      std::vector<int32_t> dims;
      for (int64_t i = 0; i < shape->elements(); ++i) {
        dims.push_back(static_cast<int32_t>(shape->Integer(i)));
      }
      return dims;
    }
    case AttributeId::kDomainName:
    case AttributeId::kImplementationAttrs:
    case AttributeId::kName:
    case AttributeId::kOperatorName:
      return Unquoted(text);
    case AttributeId::kBodyGraph:
    case AttributeId::kCondGraph:
    case AttributeId::kElseGraph:
    case AttributeId::kThenGraph:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Op> OperatorByMlirName(const std::string& name) {
  for (const OperatorRow& row : AllOperators()) {
    if (MlirOperatorName(row.name) == name) return row.op;
  }
  return std::nullopt;
}

// What constants may take of which the text has one element for all. A short text must not make
// several copies of the largest tensor there can be.
constexpr int64_t kSplatBytesMax = int64_t{512} << 20;

class Reader {
 public:
  Reader(std::string_view name, int64_t memory_max)
      : name_(name), graph_(EmptyGraph()), memory_max_(memory_max), memory_left_(memory_max) {}

  Result<Graph> Read(const std::vector<MlirOperation>& top) {
    const std::vector<MlirOperation>* operations = &top;
    if (top.size() == 1 && top[0].name == "builtin.module" && top[0].regions.size() == 1) {
      operations = &top[0].regions[0].operations;
    }
    Block main;
    main.name = "main";
    bool found = false;
    for (const MlirOperation& operation : *operations) {
      if (operation.name == "tosa.variable") {
        ReadOperator(operation, main);
      } else if (operation.name == "func.func" && operation.regions.size() == 1 &&
                 operation.Attribute("sym_name") == "\"main\"" && !found) {
        found = true;
        ReadRegion(operation.regions[0], "func.return", nullptr, main);
      } else {
        Fail(operation, "expected variables and one function @main, found " + operation.name);
      }
    }
    if (problem_.empty() && !found) problem_ = std::string(name_) + ": no function @main";
    if (!problem_.empty()) return BadInput(problem_);
    graph_.regions[0].blocks[0] = std::move(main);
    for (Block& block : blocks_) graph_.regions[0].blocks.push_back(std::move(block));
    return std::move(graph_);
  }

 private:
  // The names in scope of one block, and those of the blocks around it.
  struct Scope {
    const Scope* around = nullptr;
    const Block* block = nullptr;
    std::map<std::string, TensorIndex> names;
  };

  void Fail(const MlirOperation& operation, const std::string& what) {
    if (!problem_.empty()) return;
    problem_ = std::string(name_) + ": line " + std::to_string(operation.line) + ": " + what;
  }

  TensorIndex NewTensor(Block& block, TensorType type) {
    TensorInfo info;
    info.name = block.name + "_" + std::to_string(block.tensors.size());
    info.type = std::move(type);
    block.tensors.push_back(std::move(info));
    return static_cast<TensorIndex>(block.tensors.size() - 1);
  }

  TensorIndex Define(const MlirOperation& operation, const std::string& value,
                     const std::string& type_text, Block& block, Scope& scope) {
    auto type = ReadMlirTensorType(type_text);
    if (!type) {
      Fail(operation, "the type " + type_text + " of " + value + " is not a static TOSA tensor");
      type.emplace();
    }
    return scope.names[value] = NewTensor(block, *type);
  }

  // The tensor a name stands for; a constant of a surrounding block is copied into this one.
  TensorIndex Use(const MlirOperation& operation, const std::string& value, Block& block,
                  Scope& scope) {
    const auto found = scope.names.find(value);
    if (found != scope.names.end()) return found->second;
    for (const Scope* outer = scope.around; outer != nullptr; outer = outer->around) {
      const auto captured = outer->names.find(value);
      if (captured == outer->names.end()) continue;
      for (const Operator& producer : outer->block->operators) {
        if (producer.outputs != std::vector<TensorIndex>{captured->second} ||
            !IsConstant(producer.op)) {
          continue;
        }
        const TensorIndex copy = NewTensor(block, outer->block->TypeOf(captured->second));
        block.operators.push_back({producer.op, producer.attributes, {}, {copy}});
        return scope.names[value] = copy;
      }
      Fail(operation, operation.name + " in a region uses " + value + " from outside it");
      return 0;
    }
    Fail(operation, operation.name + " uses " + value + ", which is not defined");
    return 0;
  }

  void ReadRegion(const MlirRegion& region, std::string_view terminator, const Scope* around,
                  Block& block) {
    Scope scope{around, &block, {}};
    for (const auto& [value, type] : region.arguments) {
      static const MlirOperation kNowhere;
      const MlirOperation& place = region.operations.empty() ? kNowhere : region.operations[0];
      block.inputs.push_back(Define(place, value, type, block, scope));
    }
    for (const MlirOperation& operation : region.operations) {
      if (!problem_.empty()) return;
      if (operation.name == terminator) return ReadResults(operation, block, scope);
      ReadOperator(operation, block, scope);
    }
    if (problem_.empty()) problem_ = std::string(name_) + ": a region without a terminator";
  }

  void ReadResults(const MlirOperation& operation, Block& block, Scope& scope) {
    std::set<TensorIndex> taken;
    for (const std::string& value : operation.operands) {
      TensorIndex tensor = Use(operation, value, block, scope);
      if (!problem_.empty()) return;
      if (!taken.insert(tensor).second) {
        const TensorIndex copy = NewTensor(block, block.TypeOf(tensor));
        block.operators.push_back({Op::kIdentity, {}, {tensor}, {copy}});
        tensor = copy;
      }
      block.outputs.push_back(tensor);
    }
  }

  void ReadOperator(const MlirOperation& operation, Block& block) {
    Scope scope{nullptr, &block, {}};
    ReadOperator(operation, block, scope);
  }

  void ReadOperator(const MlirOperation& operation, Block& block, Scope& scope) {
    const auto op = OperatorByMlirName(operation.name);
    if (!op) return Fail(operation, "unknown operator " + operation.name);
    Operator out;
    out.op = *op;
    for (const std::string& value : operation.operands) {
      out.inputs.push_back(Use(operation, value, block, scope));
    }
    if (!problem_.empty()) return;
    ReadAttributes(operation, out);
    ReadSubgraphs(operation, out, scope);
    for (size_t i = 0; i < operation.results.size(); ++i) {
      out.outputs.push_back(
          Define(operation, operation.results[i], operation.result_types[i], block, scope));
    }
    if (!AcceptsCounts(out.op, out.inputs.size(), out.outputs.size())) {
      Fail(operation, operation.name + " with " + std::to_string(out.inputs.size()) +
                          " operands and " + std::to_string(out.outputs.size()) + " results");
    }
    block.operators.push_back(std::move(out));
  }

  void ReadAttributes(const MlirOperation& operation, Operator& out) {
    for (const auto& [name, text] : operation.attributes) {
      const auto id = AttributeByName(name == "sym_name" ? "name" : name);
      if (!id || FindAttribute(out.op, *id) == nullptr) {
        return Fail(operation, "unknown attribute " + name + " of " + operation.name);
      }
      if (!Charge(text)) {
        return Fail(operation, "the constants take more than " + std::to_string(memory_max_) +
                                   " bytes of memory, the limit memory_max");
      }
      if (splats_left_ < 0) {
        return Fail(operation, "the constants that are written as one element take more than " +
                                   std::to_string(kSplatBytesMax) + " bytes of memory, the limit");
      }
      auto value = ReadAttribute(*id, text);
      if (!value) return Fail(operation, "the " + name + " of " + operation.name + ": " + text);
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
        return Fail(operation, operation.name + " without " + std::string(argument.name));
      }
    }
  }

  // Accounts for the elements of a constant: its text may have one for all. False if they are too
  // many.
  bool Charge(std::string_view text) {
    const size_t colon = text.rfind(':');
    if (!text.starts_with("dense<") || colon == std::string_view::npos) return true;
    const auto type = ReadMlirTensorType(text.substr(colon + 1));
    if (!type) return true;  // it is no constant, which its reader says
    const int64_t elements = type->shape.Elements();
    if (elements > memory_left_ / ElementBytes(type->type)) return false;
    memory_left_ -= elements * ElementBytes(type->type);
    // Elements that are written take a digit each.
    if (elements > std::ssize(text)) splats_left_ -= elements * ElementBytes(type->type);
    return true;
  }

  void ReadSubgraphs(const MlirOperation& operation, Operator& out, const Scope& scope) {
    if (out.op != Op::kCondIf && out.op != Op::kWhileLoop) {
      if (!operation.regions.empty()) Fail(operation, operation.name + " with a region");
      return;
    }
    if (operation.regions.size() != 2) return Fail(operation, operation.name + " without regions");
    const bool is_if = out.op == Op::kCondIf;
    const AttributeId ids[] = {is_if ? AttributeId::kThenGraph : AttributeId::kCondGraph,
                               is_if ? AttributeId::kElseGraph : AttributeId::kBodyGraph};
    for (size_t i = 0; i < 2; ++i) {
      Block block;
      block.name = std::string(AttributeName(ids[i])) + "_" + std::to_string(next_block_++);
      ReadRegion(operation.regions[i], "tosa.yield", &scope, block);
      out.attributes.Set(ids[i], block.name);
      blocks_.push_back(std::move(block));
    }
  }

  std::string_view name_;
  Graph graph_;
  std::vector<Block> blocks_;  // of COND_IF and WHILE_LOOP
  int next_block_ = 0;
  const int64_t memory_max_;
  int64_t memory_left_;
  int64_t splats_left_ = kSplatBytesMax;
  std::string problem_;
};

}  // namespace

Result<Graph> ReadMlir(std::string_view text, std::string_view name, const ReadLimits& limits) {
  const Result<std::vector<MlirOperation>> operations = ParseMlir(text, name);
  if (!operations) return operations.error();
  return Reader(name, limits.memory_max).Read(*operations);
}

}  // namespace assay

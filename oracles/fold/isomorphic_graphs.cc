// SPDX-License-Identifier: Apache-2.0
#include "isomorphic_graphs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "execution_order.h"
#include "sha256.h"

namespace assay {
namespace {

using Number = uint32_t;

// The meaning of a number, as a text that is the same for equal things and for no others.
class Key {
 public:
  explicit Key(std::string_view kind) { Add(kind); }
  Key& Add(std::string_view part) {
    text_ += std::to_string(part.size());
    text_ += ':';
    text_ += part;
    return *this;
  }
  Key& Add(int64_t number) { return Add(std::string_view(std::to_string(number))); }
  Key& Add(const TensorType& type) { return Add(std::string_view(type.ToString())); }
  Key& Add(const Tensor& tensor) {
    Add(tensor.tensor_type());
    const auto bytes = tensor.bytes();
    constexpr size_t kShort = 64;  // as long as a digest
    if (bytes.size() > kShort) return Add(Sha256(bytes));
    return Add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  Key& Add(const std::vector<int32_t>& list) {
    for (const int32_t number : list) Add(int64_t{number});
    return Add(static_cast<int64_t>(list.size()));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A block as a function of its operands and of the variables that it finds.
struct NumberedBlock {
  std::vector<Number> outputs;
  std::map<std::string, Number> state;  // what is in variables that it writes or declares
  std::set<std::string> touched;        // variables that it names
  std::set<Number> operators;           // that run, but for constants and IDENTITY
};

// Numbers the operators of graphs; equal computations get one number.
class Numbering {
 public:
  NumberedBlock OfBlock(const Graph& graph, const Block& block, const Block* runner) {
    NumberedBlock numbered;
    std::vector<Number> values(block.tensors.size());
    const auto at = [&](TensorIndex tensor) -> Number& {
      return values[static_cast<size_t>(tensor)];
    };
    for (size_t i = 0; i < block.inputs.size(); ++i) {
      Key key(runner == nullptr ? "input" : "parameter");
      key.Add(static_cast<int64_t>(i)).Add(block.TypeOf(block.inputs[i]));
      at(block.inputs[i]) = Of(key);
    }
    for (const int32_t index : PlanBlock(block, runner).order) {
      const Operator& op = block.operators[static_cast<size_t>(index)];
      if (op.op == Op::kIdentity) {
        at(op.outputs[0]) = at(op.inputs[0]);
        continue;
      }
      Key key(OperatorName(op.op));
      for (const TensorIndex input : op.inputs) key.Add(int64_t{at(input)});
      for (const TensorIndex output : op.outputs) key.Add(block.TypeOf(output));
      AddAttributes(op, key);
      const Number number = AddEffects(graph, block, op, key, numbered);
      if (!IsConstant(op.op)) numbered.operators.insert(number);
      for (size_t i = 0; i < op.outputs.size(); ++i) {
        Key result("result");
        at(op.outputs[i]) = Of(result.Add(int64_t{number}).Add(static_cast<int64_t>(i)));
      }
    }
    for (const TensorIndex output : block.outputs) numbered.outputs.push_back(at(output));
    return numbered;
  }

 private:
  Number Of(const Key& key) {
    return numbers_.try_emplace(key.text(), static_cast<Number>(numbers_.size())).first->second;
  }

  static void AddAttributes(const Operator& op, Key& key) {
    for (const auto& [id, value] : op.attributes.entries()) {
      if (NamesBlock(id)) continue;
      key.Add(AttributeName(id)).Add(static_cast<int64_t>(value.index()));
      std::visit([&](const auto& x) { key.Add(x); }, value);
    }
  }

  // Adds an operator that runs blocks or touches variables. Returns its number, which includes the
  // blocks that it runs and the variables that it finds. Also records what it leaves in the
  // variables.
  Number AddEffects(const Graph& graph, const Block& block, const Operator& op, Key& key,
                    NumberedBlock& numbered) {
    std::set<std::string> touched, changed;
    if (IsVariableOperator(op.op)) {
      touched.insert(op.attributes.Text(AttributeId::kName));
      if (op.op != Op::kVariableRead) changed = touched;
    }
    for (const auto& [id, value] : op.attributes.entries()) {
      if (!NamesBlock(id)) continue;
      const Block& callee = *graph.FindBlock(std::get<std::string>(value));
      const NumberedBlock& inner = OfNested(graph, callee, block);
      key.Add(AttributeName(id)).Add(int64_t{OfCallee(callee, inner)});
      touched.insert(inner.touched.begin(), inner.touched.end());
      for (const auto& [name, version] : inner.state) changed.insert(name);
    }
    for (const std::string& name : touched) key.Add(name).Add(VersionOf(name, numbered));
    const Number number = Of(key);
    for (const std::string& name : changed) {
      Key version("state");
      numbered.state[name] = Of(version.Add(name).Add(int64_t{number}));
    }
    numbered.touched.merge(touched);
    return number;
  }

  // Returns the numbers of a callee. They are the same for any block that runs it, so they are
  // found once.
  const NumberedBlock& OfNested(const Graph& graph, const Block& callee, const Block& runner) {
    const auto known = nested_.find(&callee);
    if (known != nested_.end()) return known->second;
    return nested_.emplace(&callee, OfBlock(graph, callee, &runner)).first->second;
  }

  static int64_t VersionOf(const std::string& name, const NumberedBlock& numbered) {
    const auto known = numbered.state.find(name);
    return known == numbered.state.end() ? -1 : known->second;  // -1: as the block found it
  }

  Number OfCallee(const Block& callee, const NumberedBlock& inner) {
    Key key("block");
    for (const TensorIndex input : callee.inputs) key.Add(callee.TypeOf(input));
    key.Add("outputs");
    for (const Number output : inner.outputs) key.Add(int64_t{output});
    key.Add("operators");
    for (const Number op : inner.operators) key.Add(int64_t{op});
    key.Add("state");
    for (const auto& [name, version] : inner.state) key.Add(name).Add(int64_t{version});
    return Of(key);
  }

  std::unordered_map<std::string, Number> numbers_;
  std::unordered_map<const Block*, NumberedBlock> nested_;
};

}  // namespace

bool AreIsomorphic(const Graph& before, const Graph& after) {
  // IDENTITY reads and writes tensors with `variable=true`. There it is not the copy that it is
  // elsewhere.
  if (HasVariableTensors(before) || HasVariableTensors(after)) return false;
  Numbering numbering;
  const NumberedBlock a = numbering.OfBlock(before, *before.Main(), nullptr);
  const NumberedBlock b = numbering.OfBlock(after, *after.Main(), nullptr);
  return a.outputs == b.outputs && a.state == b.state &&
         std::ranges::includes(a.operators, b.operators);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "c_program.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "assay_run_text.h"
#include "graph_text.h"
#include "program_main_text.h"
#include "tosa_file.h"

namespace assay {
namespace {

constexpr size_t kNumbersOfLine = 16;
constexpr int64_t kOutputAlignment = 16;

// Returns a text as a C string. Everything but plain characters is an octal escape, so that no
// trigraph and no comment can come about.
std::string CString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view(" _./:-=[],{}()+").find(c) != std::string_view::npos;
    if (plain) {
      quoted += c;
      continue;
    }
    const auto byte = static_cast<uint8_t>(c);
    quoted += '\\';
    for (const int shift : {6, 3, 0}) quoted += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return quoted + "\"";
}

// Writes one program.
class Writer {
 public:
  std::string Program(const std::vector<ProgramVector>& vectors) {
    text_ =
        "/* Vectors of `assay export --as c`. Compile this file together with one that defines\n"
        " * assay_run() of assay_run.h. */\n"
        "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n"
        "#include \"assay_run.h\"\n\n"
        "typedef struct {\n  int32_t step_count;\n  const assay_step *steps;\n} assay_vector;\n\n";
    std::string list;
    for (size_t i = 0; i < vectors.size(); ++i) {
      const std::string steps = AddVector(i, vectors[i]);
      list += "  {" + std::to_string(vectors[i].vector.steps.size()) + ", " + steps + "},\n";
    }
    text_ += "static const assay_vector vectors[] = {\n" + list + "};\n\n";
    text_ += "#define VECTORS " + std::to_string(vectors.size()) + "u\n";
    text_ += "#define OUTPUTS_MAX " + std::to_string(std::max<size_t>(outputs_max_, 1)) + "\n\n";
    text_ += "static union {\n  uint64_t whole;\n  double number;\n  uint8_t bytes[" +
             std::to_string(std::max(output_bytes_max_, kOutputAlignment) + kOutputAlignment) +
             "];\n} output_space;\n\n";
    return text_ + k_program_main_text;
  }

 private:
  // Adds an array of numbers, and returns its name; "NULL" for none.
  template <class Numbers>
  std::string AddNumbers(const std::string& name, std::string_view type, const Numbers& numbers) {
    if (std::empty(numbers)) return "NULL";
    text_ += "static const " + std::string(type) + " " + name + "[] = {";
    size_t count = 0;
    for (const auto number : numbers) {
      if (count++ % kNumbersOfLine == 0) text_ += "\n ";
      text_ += " " + std::to_string(number) + ",";
    }
    text_ += "\n};\n";
    return name;
  }

  // Adds the elements of a tensor as unsigned numbers of their width.
  std::string AddElements(const std::string& name, const Tensor& tensor) {
    if (!tensor.has_value() || tensor.elements() == 0) return "NULL";
    const int bytes = ElementBytes(tensor.type());
    const char* type = bytes == 1   ? "uint8_t"
                       : bytes == 2 ? "uint16_t"
                       : bytes == 4 ? "uint32_t"
                                    : "uint64_t";
    text_ += "static const " + std::string(type) + " " + name + "[] = {";
    const std::span<const uint8_t> all = tensor.bytes();
    for (size_t i = 0; i < static_cast<size_t>(tensor.elements()); ++i) {
      uint64_t bits = 0;
      for (size_t k = 0; k < static_cast<size_t>(bytes); ++k) {
        bits |= uint64_t{all[i * static_cast<size_t>(bytes) + k]} << (8 * k);
      }
      if (i % kNumbersOfLine == 0) text_ += "\n ";
      text_ += " " +
               (bytes == 8 ? "UINT64_C(" + std::to_string(bits) + ")"
                           : std::to_string(bits) + (bytes == 4 ? "u" : "")) +
               ",";
    }
    text_ += "\n};\n";
    return name;
  }

  // Returns the initializer of an assay_tensor.
  std::string TensorText(const std::string& name, const std::string& tensor_name,
                         const TensorType& type, const Tensor& data, bool variable = false) {
    const std::string shape = AddNumbers(name + "_shape", "int32_t", type.shape.dims());
    const std::string elements = AddElements(name + "_data", data);
    return "{" + CString(tensor_name) + ", \"" + std::string(TypeName(type.type)) + "\", " +
           std::to_string(type.shape.rank()) + ", " + shape + ", " +
           std::to_string(type.shape.Elements()) + "u, " + std::to_string(ElementBytes(type.type)) +
           "u, " + (variable ? "1, " : "0, ") + elements + "}";
  }

  // Adds an array of a struct, and returns its name; "NULL" for none.
  std::string AddList(const std::string& name, const std::string& type,
                      const std::vector<std::string>& entries) {
    if (entries.empty()) return "NULL";
    text_ += "static const " + type + " " + name + "[] = {\n";
    for (const std::string& entry : entries) text_ += "  " + entry + ",\n";
    text_ += "};\n";
    return name;
  }

  static Tensor ConstantOf(const Block& block, TensorIndex tensor) {
    const Operator* producer = block.ProducerOf(tensor);
    if (producer == nullptr || !producer->attributes.Has(AttributeId::kValues)) return {};
    return producer->attributes.Value(AttributeId::kValues);
  }

  static std::string AttributesOf(const Operator& op) {
    std::string text;
    for (const auto& [id, value] : op.attributes.entries()) {
      if (id == AttributeId::kValues) continue;
      text += (text.empty() ? "" : " ") + AttributeText(id, value);
    }
    return text;
  }

  std::string AddGraph(const std::string& name, const Graph& graph) {
    const Block& main = *graph.Main();
    const std::vector<uint8_t> file = WriteTosa(graph);
    AddNumbers(name + "_tosa", "uint8_t", file);
    std::vector<std::string> tensors, operators;
    for (size_t i = 0; i < main.tensors.size(); ++i) {
      const TensorInfo& info = main.tensors[i];
      const Tensor data =
          info.variable ? info.initial_value : ConstantOf(main, static_cast<TensorIndex>(i));
      tensors.push_back(
          TensorText(name + "_t" + std::to_string(i), info.name, info.type, data, info.variable));
    }
    for (size_t i = 0; i < main.operators.size(); ++i) {
      const Operator& op = main.operators[i];
      const std::string at = name + "_op" + std::to_string(i);
      const std::string inputs = AddNumbers(at + "_in", "int32_t", op.inputs);
      const std::string outputs = AddNumbers(at + "_out", "int32_t", op.outputs);
      operators.push_back("{\"" + std::string(OperatorName(op.op)) + "\", " +
                          CString(AttributesOf(op)) + ", " + std::to_string(op.inputs.size()) +
                          ", " + inputs + ", " + std::to_string(op.outputs.size()) + ", " +
                          outputs + "}");
    }
    const std::string tensor_list = AddList(name + "_tensors", "assay_tensor", tensors);
    const std::string operator_list = AddList(name + "_operators", "assay_operator", operators);
    const std::string inputs = AddNumbers(name + "_in", "int32_t", main.inputs);
    const std::string outputs = AddNumbers(name + "_out", "int32_t", main.outputs);
    text_ += "static const assay_graph " + name + " = {\n  " + name + "_tosa, " +
             std::to_string(file.size()) + "u, " + std::to_string(tensors.size()) + ", " +
             tensor_list + ", " + std::to_string(operators.size()) + ", " + operator_list +
             ",\n  " + std::to_string(main.inputs.size()) + ", " + inputs + ", " +
             std::to_string(main.outputs.size()) + ", " + outputs + "\n};\n";
    return name;
  }

  std::string StepText(const std::string& vector_name, size_t index, const ProgramVector& vector) {
    const Step& step = vector.vector.steps[index];
    const Block& main = *vector.vector.GraphOf(step).Main();
    const std::string name = vector_name + "_s" + std::to_string(index);
    std::vector<std::string> inputs, loads;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const bool declared = i < main.inputs.size();
      inputs.push_back(
          TensorText(name + "_i" + std::to_string(i),
                     declared ? main.tensors[static_cast<size_t>(main.inputs[i])].name : "",
                     step.inputs[i].tensor_type(), step.inputs[i]));
    }
    for (const auto& [variable, value] : step.state_before) {
      loads.push_back(TensorText(name + "_l" + std::to_string(loads.size()), variable,
                                 value.tensor_type(), value));
    }
    int64_t bytes = 0;
    for (const TensorIndex output : main.outputs) {
      const TensorType& type = main.TypeOf(output);
      const int64_t needed = type.shape.Elements() * ElementBytes(type.type);
      bytes += (needed + kOutputAlignment - 1) / kOutputAlignment * kOutputAlignment;
    }
    output_bytes_max_ = std::max(output_bytes_max_, bytes);
    outputs_max_ = std::max(outputs_max_, main.outputs.size());
    const std::string input_list = AddList(name + "_inputs", "assay_tensor", inputs);
    const std::string load_list = AddList(name + "_loads", "assay_tensor", loads);
    return "{" + vector_name + "_key, " + CString(vector.vector.name) + ", " +
           std::to_string(index) + ", " + std::to_string(step.context) + ", " +
           std::to_string(step.graph) + ", &" + vector_name + "_g" + std::to_string(step.graph) +
           ", " + std::to_string(inputs.size()) + ", " + input_list + ", " +
           std::to_string(loads.size()) + ", " + load_list + "}";
  }

  // Adds a vector, and returns the name of its steps.
  std::string AddVector(size_t number, const ProgramVector& vector) {
    const std::string name = "v" + std::to_string(number);
    text_ += "static const char " + name + "_key[] = \"" + vector.key + "\";\n";
    std::vector<bool> used(vector.vector.graphs.size());
    for (const Step& step : vector.vector.steps) used[static_cast<size_t>(step.graph)] = true;
    for (size_t g = 0; g < used.size(); ++g) {
      if (used[g]) AddGraph(name + "_g" + std::to_string(g), vector.vector.graphs[g]);
    }
    std::vector<std::string> steps;
    for (size_t i = 0; i < vector.vector.steps.size(); ++i) {
      steps.push_back(StepText(name, i, vector));
    }
    const std::string list = AddList(name + "_steps", "assay_step", steps);
    text_ += "\n";
    return list;
  }

  std::string text_;
  int64_t output_bytes_max_ = 0;  // of a step
  size_t outputs_max_ = 0;
};

}  // namespace

std::string CProgram(const std::vector<ProgramVector>& vectors) {
  return Writer().Program(vectors);
}

std::string_view CProgramHeader() { return k_assay_run_text; }

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/assay_backend.h>
#include <assay/assay_serialization.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// The block `main` of a graph, for adapters that translate it to the calls of a runtime. An adapter
// defines DescribeRuntime() and Compile(); runtime_plugin.cc makes the functions of assay_backend.h
// of them.

// A tensor or shape. Elements are row-major, as in assay_backend_input.
struct RuntimeValue {
  std::string name;
  uint32_t type = 0;  // ASSAY_BACKEND_FP32
  std::vector<int64_t> shape;
  std::vector<uint8_t> constant;  // the elements of a CONST or CONST_SHAPE; otherwise empty
  std::vector<size_t> readers;    // positions of nodes; twice if a node reads it twice
  bool is_output = false;

  size_t Elements() const;
  size_t Bytes() const;
};

// An operator, but no CONST or CONST_SHAPE.
struct RuntimeNode {
  std::string op;  // "CONV2D"
  std::vector<size_t> inputs, outputs;
  const assay_operator* handle = nullptr;

  // Return the value of an attribute; 0 or nothing if it is absent.
  int64_t Number(const char* attribute) const;
  std::vector<int64_t> Numbers(const char* attribute) const;
  const uint8_t* Bytes(const char* attribute) const;
};

struct RuntimeGraph {
  std::vector<RuntimeValue> values;
  std::vector<RuntimeNode> nodes;  // in the order of execution
  std::vector<size_t> inputs, outputs;

  const RuntimeValue& In(const RuntimeNode& node, size_t i) const { return values[node.inputs[i]]; }
  const RuntimeValue& Out(const RuntimeNode& node) const { return values[node.outputs[0]]; }
  // Returns the elements of a constant. Throws Unsupported if the operand is no constant.
  template <class T>
  std::vector<T> Constant(const RuntimeNode& node, size_t i) const {
    const RuntimeValue& value = In(node, i);
    RequireConstant(node, value);
    std::vector<T> elements(value.Elements());
    std::memcpy(elements.data(), value.constant.data(), elements.size() * sizeof(T));
    return elements;
  }

 private:
  static void RequireConstant(const RuntimeNode& node, const RuntimeValue& value);
};

// Thrown for what the runtime cannot compute with the meaning that TOSA gives it.
struct Unsupported {
  std::string op, reason;
};
// Throws it for an operator.
[[noreturn]] inline void No(const RuntimeNode& node, const std::string& reason) {
  throw Unsupported{node.op, reason};
}

// A compiled graph.
class RuntimeProgram {
 public:
  virtual ~RuntimeProgram() = default;
  // Runs the graph once. The pointers are aligned to the elements only.
  virtual void Run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs) = 0;
};

// One way in which an operator may be used (assay_backend_capability).
struct RuntimeCapability {
  const char* op;
  std::vector<uint32_t> inputs, outputs;
  std::vector<assay_backend_range> attributes = {};
};

struct RuntimeDescription {
  const char* name;
  std::string release;
  std::vector<RuntimeCapability> capabilities;
  std::vector<const char*> declarations = {};
  std::vector<std::string> environment = {};
  std::vector<const char*> variants = {};  // the first is the default
  assay_backend_limits limits = {};
};

// Defined by each adapter. Compile() throws Unsupported, or another exception if the runtime fails.
RuntimeDescription DescribeRuntime();
std::unique_ptr<RuntimeProgram> Compile(const RuntimeGraph& graph, const std::string& variant);

}  // namespace assay

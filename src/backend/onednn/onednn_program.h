// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "runtime_plugin.h"

namespace assay {

// A graph as a list of oneDNN primitives. Each value has memory of its own, row-major.
class OnednnProgram : public RuntimeProgram {
 public:
  // With `fuse`, operators that follow a dot product or a binary operator become its
  // post-operators, as many as oneDNN takes.
  OnednnProgram(const RuntimeGraph& graph, bool fuse);

  void Run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs) override;

 private:
  using Memory = dnnl::memory;
  using Arguments = std::unordered_map<int, Memory>;
  // The operators that one primitive computes: its own, and those that follow it.
  struct Chain {
    std::vector<size_t> nodes;
    size_t result = 0;  // the value
  };
  struct PostOperators {
    dnnl::post_ops list;
    Arguments operands;
  };

  Chain ChainFrom(size_t node, const std::vector<bool>& taken) const;
  std::optional<size_t> NextOf(size_t node) const;
  void Add(const Chain& chain);
  // Each adds one operator, whose result is the chain's, with the chain's other operators as
  // post-operators.
  void AddConvolution(const RuntimeNode& node, const Chain& chain);
  void AddTransposeConvolution(const RuntimeNode& node, const Chain& chain);
  void AddMatmul(const RuntimeNode& node, const Chain& chain);
  void AddBinary(const RuntimeNode& node, const Chain& chain);
  void AddEltwise(const RuntimeNode& node);
  void AddPooling(const RuntimeNode& node);
  void AddReduction(const RuntimeNode& node);
  void AddMovement(const RuntimeNode& node);
  void AddPad(const RuntimeNode& node);

  // The post-operators after the first node of a chain. `view` makes of a value's memory what the
  // primitive sees.
  PostOperators PostOperatorsOf(const Chain& chain, const std::function<Memory(size_t)>& view);
  dnnl::primitive_attr AttributesOf(const RuntimeNode& node, const PostOperators& post);
  // Returns the bias of the operator, repeated for each of `channels`.
  Memory Bias(const RuntimeNode& node, int64_t channels);
  // Adds a primitive. A memory that has another format than the primitive wants is reordered.
  void AddPrimitive(const dnnl::primitive& primitive, Arguments arguments,
                    const std::unordered_map<int, Memory::desc>& wanted);
  void AddReorder(const Memory& from, const Memory& to);

  const RuntimeGraph& graph_;  // while the program is made
  const bool fuse_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<Memory> memory_;  // by value
  std::vector<size_t> inputs_, outputs_;
  std::vector<std::function<void()>> steps_;
};

// Facts about operators.
std::optional<dnnl::algorithm> BinaryAlgorithm(const std::string& op);
// An element-wise function of one operand, with two parameters.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha, beta;
};
// Returns the functions that are applied one after the other; none if it is another operator.
std::vector<Eltwise> EltwisesOf(const RuntimeGraph& graph, const RuntimeNode& node);
dnnl::memory::data_type OnednnType(uint32_t type);
bool IsDotProduct(const std::string& op);

}  // namespace assay

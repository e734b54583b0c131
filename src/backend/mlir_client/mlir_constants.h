// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "descriptor.h"
#include "graph.h"
#include "result.h"

namespace assay {

// The constants of a module as MLIR text take twice their bytes, and each of the compiler's forms
// takes them again. Large ones are arguments of @main instead, which the helper reads from memory
// that both processes share.

// A graph whose main block has further inputs in place of its large constants, and their values.
struct OpenedGraph {
  Graph graph;
  std::vector<Tensor> constants;
};

// Opens all constants of 1 MiB and more that no operator needs at compile time.
OpenedGraph WithLargeConstantsAsInputs(const Graph& graph);

// Tensors in memory that other processes can open as a file, at `path()`, as long as this object
// exists. Each starts at a multiple of kSharedAlignment (mlir_message.h).
class SharedArguments {
 public:
  // Error kResource if the memory cannot be had.
  static Result<std::unique_ptr<SharedArguments>> Make(const std::vector<Tensor>& tensors);
  std::string path() const;

 private:
  explicit SharedArguments(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

}  // namespace assay

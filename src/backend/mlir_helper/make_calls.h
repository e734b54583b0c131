// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mlir_message.h"

namespace assay {

// A tensor of @main: its shape and the bytes of one stored element.
struct StoredTensor {
  std::vector<int64_t> shape;
  int64_t element_bytes = 0;
};
struct FunctionSignature {
  std::vector<StoredTensor> arguments;
  std::vector<StoredTensor> results;
};

// The function @main of a module in machine code. Its code stays until the process ends.
struct CompiledModule {
  FunctionSignature signature;  // of @main before it was lowered
  void (*function)(void**) = nullptr;
  bool has_state = false;  // a call can change what another call finds
};

// Takes the results of one call as soon as they exist, because the next call may end the process.
using TakeResults = std::function<void(std::vector<std::string>)>;

// Makes the calls of the request. Sets `stage` of the reply to kOk, or `detail`.
void MakeCalls(const CompiledModule& module, const mlir_message::Request& request,
               const TakeResults& take, mlir_message::Reply& reply);

}  // namespace assay

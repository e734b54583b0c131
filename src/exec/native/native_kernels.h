// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "signature.h"
#include "value_tensor.h"

namespace assay {

// A call of one operator with one output, on tensors in memory.
struct NativeCall {
  const Signature& signature;
  std::span<const ValueTensor* const> inputs;
  uint8_t* output;  // every byte is to be written

  const Attributes& attributes() const { return *signature.attributes; }
  // Returns the elements of an operand, with NaNs canonical.
  template <class T>
  const T* in(int i) const {
    return reinterpret_cast<const T*>(inputs[static_cast<size_t>(i)]->tensor().bytes().data());
  }
  // Returns the elements of an operand, with NaNs of any bits, for a kernel that makes them
  // canonical.
  template <class T>
  const T* raw(int i) const {
    return reinterpret_cast<const T*>(inputs[static_cast<size_t>(i)]->raw_tensor().bytes().data());
  }
  template <class T>
  T* out() const {
    return reinterpret_cast<T*>(output);
  }
  const Shape& out_shape() const { return signature.out_shape(); }
};

// Computes the bits that the operator's template computes in the value domain: sums in the
// pseudocode's order, every result rounded once, NaNs canonical. Returns false if only the template
// can tell the result: a REQUIRE on an element is broken, or a sum of integers might leave its
// accumulator on the way.
using NativeKernel = bool (*)(const NativeCall& call);

// Returns the native kernel for an operator and its types, or null. The signature must have passed
// CheckOperator().
NativeKernel NativeKernelOf(const Signature& signature);

// Return the kernels of families of operators, and null for all other operators. The operator has
// an input.
NativeKernel NativeMove(const Signature& signature);
NativeKernel NativeElementWise(const Signature& signature);
NativeKernel NativeRounding(const Signature& signature);
NativeKernel NativeLogic(const Signature& signature);
NativeKernel NativeTranscendental(const Signature& signature);
NativeKernel NativeReduction(const Signature& signature);

// Return the kernels of the operators that their names say.
NativeKernel NativeConvolution(const Signature& signature);
NativeKernel NativeDepthwise(const Signature& signature);
NativeKernel NativeMatmul(const Signature& signature);
NativeKernel NativeAvgPool(const Signature& signature);
NativeKernel NativeMaxPool(const Signature& signature);
NativeKernel NativeCast(const Signature& signature);
NativeKernel NativeRescale(const Signature& signature);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph_edit.h"
#include "test_vector.h"

namespace assay {

// The result of a structural shrink move. A move is one edit of a valid vector: types are computed
// again, attributes are repaired, and what is no longer needed is dropped. It is nullopt if the
// edit makes no sense there. The expectation must still be computed (Expect), which also decides
// whether the result is valid.
using Candidate = std::optional<TestVector>;

// The values of each tensor of the main block after each step: EvaluateAll() of the vector.
using Values = std::vector<std::vector<Tensor>>;

// Drops `count` invocations from `first` on, and the graphs that no other invocation runs.
Candidate DropSteps(const TestVector& vector, size_t first, size_t count);
// Drops these operators of a main block. Their results that other operators read become inputs with
// the values that they had. Values that only the dropped operators read become outputs.
Candidate DropOperators(const TestVector& vector, int32_t graph, std::span<const int32_t> operators,
                        const Values& values);
Candidate DropOutputs(const TestVector& vector, int32_t graph, size_t first, size_t count);
// Returns the results that an operand is computed from, the farthest first.
std::vector<TensorIndex> AncestorsOf(const Block& block, TensorIndex operand);
// Makes one operand read another tensor.
Candidate Rewire(const TestVector& vector, int32_t graph, int32_t op, size_t operand,
                 int32_t tensor);
// Makes all readers of an operator's first result read its operand instead.
Candidate Bypass(const TestVector& vector, int32_t graph, int32_t op, size_t operand);
// Replaces an input by another one of the same type.
Candidate MergeInputs(const TestVector& vector, int32_t graph, int32_t from, int32_t to);
Candidate ConstantToInput(const TestVector& vector, int32_t graph, int32_t op);
// Gives all axes of a class (DimensionClasses) the smaller size; `kept` selects the elements that
// stay.
Candidate ResizeClass(const TestVector& vector, int32_t graph, int32_t dimension_class,
                      int32_t size, Kept kept);
// Gives the inputs and constants of an operator that have type `from` type i8.
Candidate ToInt8(const TestVector& vector, int32_t graph, int32_t op, DType from);
// Gives a result that no operator reads another type. The types of zero points follow.
Candidate NarrowResult(const TestVector& vector, int32_t graph, int32_t op, DType type);
// Returns simpler attributes and shape operands of an operator, one step each.
std::vector<TestVector> SimplerAttributes(const TestVector& vector, int32_t graph, int32_t op);

// Returns the tensors that hold data: step inputs first, then the constants, initial values and
// bounds (CLAMP) of all blocks.
std::vector<const Tensor*> DataOf(const TestVector& vector);
// Replaces the data with that number in DataOf().
Candidate SetData(const TestVector& vector, size_t number, Tensor value);

}  // namespace assay

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph_edit.h"
#include "test_vector.h"

namespace assay {

// Structural shrink moves. Each is one edit of a valid vector; types are worked out again,
// attributes repaired, and what is no longer needed is dropped. Nothing if the edit makes no sense
// there. The expectation still has to be worked out (Expect), which also decides whether the result
// is valid.
using Candidate = std::optional<TestVector>;

// What each step leaves in each tensor of its main block: EvaluateAll() of the vector.
using Values = std::vector<std::vector<Tensor>>;

// Without `count` invocations from `first` on, and the graphs that no other one runs.
Candidate DropSteps(const TestVector& vector, size_t first, size_t count);
// Without these operators of a main block: what others read of them becomes an input that holds the
// value it had; what they alone read becomes an output.
Candidate DropOperators(const TestVector& vector, int32_t graph, std::span<const int32_t> operators,
                        const Values& values);
Candidate DropOutputs(const TestVector& vector, int32_t graph, size_t first, size_t count);
// One operand reads another tensor.
Candidate Rewire(const TestVector& vector, int32_t graph, int32_t op, size_t operand,
                 int32_t tensor);
// All readers of an operator's first result read its operand instead.
Candidate Bypass(const TestVector& vector, int32_t graph, int32_t op, size_t operand);
// One of two inputs of the same type does for both.
Candidate MergeInputs(const TestVector& vector, int32_t graph, int32_t from, int32_t to);
Candidate ConstantToInput(const TestVector& vector, int32_t graph, int32_t op);
// All axes of a class (DimensionClasses) get the smaller size, and keep these of their elements.
Candidate ResizeClass(const TestVector& vector, int32_t graph, int32_t dimension_class,
                      int32_t size, Kept kept);
// An operator on inputs and constants of i16 becomes one on i8.
Candidate NarrowType(const TestVector& vector, int32_t graph, int32_t op);
// Simpler attributes and shape operands of an operator, one step each.
std::vector<TestVector> SimplerAttributes(const TestVector& vector, int32_t graph, int32_t op);

// The tensors that hold data: step inputs first, then the constants and initial values of all
// blocks.
std::vector<const Tensor*> DataOf(const TestVector& vector);
// With other data in the place of the same number.
Candidate SetData(const TestVector& vector, size_t number, Tensor value);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mutants.h"
#include "scalar.h"
#include "shape.h"

namespace assay {

// The elements of an operand or a result, as twists of mutants change them.
using Elements = std::vector<Scalar>;

// Returns the value that an integer type stores for x.
Scalar Held(DType type, Scalar x);
// Returns an element of an operand or result, changed by a twist that changes single elements.
Scalar Changed(const Mutant& mutant, DType type, Scalar x);
// Returns true if a mutant changes single elements, and some element of the type.
bool ChangesSome(const Mutant& mutant, DType type);

// Returns elements that are all different, and not 0.
Elements Numbered(size_t count);
bool AreEqual(const Elements& a, const Elements& b);

// Returns the elements in the order of the twist.
Elements Reordered(Twist twist, const Elements& from, const Shape& shape);
// Returns the first slice along dimension 0 for each of them.
Elements BatchRepeated(const Elements& from, const Shape& shape);
// Returns elements of shape `from_shape` in the shape `to`: cut, or with the last ones repeated.
Elements Fitted(const Elements& from, const Shape& from_shape, const Shape& to);
Elements ColumnMajor(const Elements& from, const Shape& shape);
Elements RowsReversed(const Elements& from, const Shape& shape);
// Returns each element as often as `to` is larger than `shape`, along every axis.
Elements ElementsRepeated(const Elements& from, const Shape& shape, const Shape& to);

}  // namespace assay

#pragma once

#include "test_vector.h"

namespace assay {

// Whether what happens to a variable hangs on the place in the list of this operator of the block,
// beyond that the variable is declared before (reading `variable-order`): it comes after another
// that touches the same variable, one of the two does more than read it, and no data lead from the
// one to the other. Operators of control flow touch what the graphs they run touch.
bool HangsOnOrder(const TestVector& vector, const Block& block, const Operator& op);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allowed_operators.h"

namespace assay {

// Grows a chain of `operators` inexact operators, with some exact ones between them, in fp32, fp16
// or bf16. Each reads the result of the one before. The values stay of modest size and different
// from each other, so that elements stay informative at any depth. A chain may end earlier. The
// vector has one step; it has no steps if the options allow no such chain.
TestVector GrowFloatChain(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                          int64_t operators);

}  // namespace assay

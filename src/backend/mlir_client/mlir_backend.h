// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend.h"
#include "mlir_writer.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Opens a backend that lowers graphs to LLVM IR and runs them. `argument` is a list of options:
// "canonicalize,O2,state=arguments". The lowering may refuse what `exemptions` name.
Result<std::unique_ptr<Backend>> OpenMlir(MlirDialect dialect, std::string_view argument,
                                          std::span<const Exemption> exemptions,
                                          const BackendOptions& options);

// Tells what LLVM 19 makes of a vector that is wrong with LLVM 22 and the same options, for the end
// of a sentence: "; LLVM 19 is wrong, too". Returns "" if LLVM 19 is not installed, or cannot run
// it.
std::string VerdictOfLlvm19(std::string_view argument, const TestVector& vector,
                            const JudgeAnswer& judge, const BackendOptions& options);

}  // namespace assay

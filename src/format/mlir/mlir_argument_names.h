// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mlir_syntax.h"

namespace assay {

// Returns a name for each argument of a function, or "" where nothing names it. A name comes from
// the first of these: the location of the argument, its attributes (`tf.name`,
// `ml_program.identifier`, `tf_saved_model.index_path`), `tf.entry_function` of the function, and
// the argument's own name, `%x`. MLIR does not keep the last one: if it has written the operations
// from another text, the locations point to the argument in that text, `written` of the file
// `file`. No name is only digits, which are positions, and no two are the same.
std::vector<std::string> MlirArgumentNames(const MlirOperation& function, std::string_view file,
                                           std::string_view written);

}  // namespace assay

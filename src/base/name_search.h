#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// Names that people type, and the known names that they mean.

// The position in `known` of the one that `name` means: the same name, or the only one that differs
// by upper and lower case alone, or that is `prefix` and then the name. Error kUsage as
// UnknownName() has it.
Result<size_t> FindName(std::string_view what, std::string_view name,
                        std::span<const std::string_view> known, std::string_view prefix = "");

// An Error kUsage: "no command is named 'verfy'; the nearest is verify", or with all that are known
// where none is near and they are few. `what` is what is named.
Error UnknownName(std::string_view what, std::string_view name,
                  std::span<const std::string_view> known, std::string_view prefix = "");

// At most four names that `name` may have been meant for, the nearest first: few letters differ, or
// `name` is a part of it.
std::vector<std::string_view> NearestNames(std::string_view name,
                                           std::span<const std::string_view> known,
                                           std::string_view prefix = "");

}  // namespace assay

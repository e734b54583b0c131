// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// Names that people type, and the known names that they mean.

// Returns the position in `known` of the name that `name` means. That is the same name, or the only
// one that differs in case alone, or `prefix` followed by `name`. Otherwise returns the Error of
// UnknownName().
Result<size_t> FindName(std::string_view what, std::string_view name,
                        std::span<const std::string_view> known, std::string_view prefix = "");

// Returns an Error kUsage: "no command is named 'verfy'; the nearest is verify". If no known name
// is near and there are few, it lists them all. `what` is the kind of thing that is named.
Error UnknownName(std::string_view what, std::string_view name,
                  std::span<const std::string_view> known, std::string_view prefix = "");

// Returns at most four names that `name` may have been meant for, the nearest first. A name is near
// if few letters differ, or if `name` is a part of it.
std::vector<std::string_view> NearestNames(std::string_view name,
                                           std::span<const std::string_view> known,
                                           std::string_view prefix = "");

}  // namespace assay

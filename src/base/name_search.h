// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// Names that people type, and the known names that they mean.

// Returns the names of the rows of a table, each of which is what `name` gives for a row: a field
// or a function.
template <class Rows, class Name>
std::vector<std::string_view> NamesOfRows(const Rows& rows, Name name) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(std::invoke(name, row));
  return names;
}

// Returns the position in `known` of the name that `name` means. That is the same name, or the only
// one that differs in case alone, or `prefix` followed by `name`. Otherwise returns the Error of
// UnknownName().
Result<size_t> FindName(std::string_view what, std::string_view name,
                        std::span<const std::string_view> known, std::string_view prefix = "");

// Does the same for the value of an option, with which the Error begins.
Result<size_t> FindOptionName(std::string_view option, std::string_view what, std::string_view name,
                              std::span<const std::string_view> known,
                              std::string_view prefix = "");

// Returns the positions of all values of an option.
Result<std::vector<size_t>> FindOptionNames(std::string_view option, std::string_view what,
                                            std::span<const std::string> names,
                                            std::span<const std::string_view> known,
                                            std::string_view prefix = "");

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

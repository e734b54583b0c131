// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

// Returns the text of a quoted MLIR string, with its escapes resolved. Other text is returned as it
// is.
std::string UnquotedMlir(std::string_view text);

// Returns a location for people, from the text inside "loc(...)" without aliases: "conv1" of
// `"conv1"`, "net.py:12:3" of `"net.py":12:3`, "a, b" of `fused["a", "b"]`, "f at g" of
// `callsite("f" at "g")`, "conv1 (net.py:12:3)" of `"conv1"("net.py":12:3)`. Empty if it is
// unknown.
std::string MlirLocation(std::string_view text);

// Returns the first name in such a text: "x" of `"x"("net.py":12:3)` and of `fused["x", unknown]`.
// Empty if there is none.
std::string MlirLocationName(std::string_view text);

// Returns the line and the column, from 1, of a location `"FILE":12:3` in this file; nothing for
// any other location.
std::optional<std::pair<size_t, size_t>> MlirPosition(std::string_view text, std::string_view file);

}  // namespace assay

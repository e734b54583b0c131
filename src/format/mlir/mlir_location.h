// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Returns the text of a quoted MLIR string, with its escapes resolved. Other text is returned as it
// is.
std::string UnquotedMlir(std::string_view text);

// Returns a location for people, from the text inside "loc(...)" without aliases: "conv1" of
// `"conv1"`, "net.py:12:3" of `"net.py":12:3`, "a, b" of `fused["a", "b"]`, "f at g" of
// `callsite("f" at "g")`, "conv1 (net.py:12:3)" of `"conv1"("net.py":12:3)`. Empty if it is
// unknown.
std::string MlirLocation(std::string_view text);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay {

// Returns the location of a layer for people, at most 120 characters of one line. ExecuTorch's is a
// JSON text of the node, the modules around it and a stack trace; this becomes the node's name and
// the last line of the trace that names a file.
std::string LayerLocationText(const std::string& location);

}  // namespace assay

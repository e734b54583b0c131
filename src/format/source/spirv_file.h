// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "result.h"

namespace assay {

// Loads the graph of a SPIR-V module, a `.spv` or `.spvasm` file. `entry_point` is empty for the
// only one. The value of graph constant N is in the file `PATH.N.npy`, where `assay convert` writes
// it. Graph constants without such a file become inputs, and `notes` gets a line that says so.
// Errors are those of ReadModule() and ParseModule(), with the path, and of reading files.
Result<Graph> LoadSpirv(const std::string& path, const std::string& entry_point,
                        std::vector<std::string>* notes);

// Reads a graph from the bytes of a `.tosa` or `.spv` file, which their beginning tells apart. All
// graph constants of a module become inputs. `name` is for messages.
Result<Graph> ReadGraphBytes(std::span<const uint8_t> bytes, std::string_view name,
                             std::vector<std::string>* notes);

}  // namespace assay

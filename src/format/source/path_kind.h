// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "result.h"

namespace assay {

// The kind of content at a path.
enum class PathKind : uint8_t {
  kOther,
  // A graph without inputs:
  kTosa,
  kJson,  // also of memory problems and plans
  kMlir,
  kMlirBytecode,
  kGraphText,  // graph_parser.h
  kSpirv,      // a module of SPV_ARM_graph
  kSpirvText,
  // A vector:
  kVector,        // a `.tvec` file
  kArmDirectory,  // a folder with desc.json
  // Vectors:
  kPack,  // a `.tvecs` file (vector_pack.h)
  // Any other folder, a suite among them:
  kFolder,
  // A picture of a graph, which is never read:
  kDot,
  kSvg,
};

// Returns the kind of file that the ending of a path stands for, whether or not the file exists.
PathKind KindOfFile(std::string_view path);

// Returns the kind of a file or a folder that a command can read. A vector in a pack counts as its
// `.tvec` file (packed_vector.h). Error kBadInput if nothing exists at `path`, kUsage if the ending
// of a file stands for nothing that is read.
Result<PathKind> KindOfSource(const std::string& path);

bool IsMlir(PathKind kind);        // text or bytecode
bool IsSpirv(PathKind kind);       // text or binary
bool IsGraphAlone(PathKind kind);  // a graph without inputs

}  // namespace assay

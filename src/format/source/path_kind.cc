// SPDX-License-Identifier: Apache-2.0
#include "path_kind.h"

#include "arm_directory.h"
#include "files.h"
#include "packed_vector.h"

namespace assay {
namespace {

struct EndingRow {
  std::string_view ending;
  PathKind kind;
};
constexpr EndingRow kEndings[] = {
    {".tosa", PathKind::kTosa},        {".json", PathKind::kJson},
    {".mlir", PathKind::kMlir},        {".mlirbc", PathKind::kMlirBytecode},
    {".tvec", PathKind::kVector},      {".dot", PathKind::kDot},
    {".svg", PathKind::kSvg},          {".graph", PathKind::kGraphText},
    {".tvecs", PathKind::kPack},       {".spv", PathKind::kSpirv},
    {".spvasm", PathKind::kSpirvText},
};

}  // namespace

PathKind KindOfFile(std::string_view path) {
  for (const EndingRow& row : kEndings) {
    if (path.ends_with(row.ending)) return row.kind;
  }
  return PathKind::kOther;
}

Result<PathKind> KindOfSource(const std::string& path) {
  const PathKind kind = KindOfFile(path);
  if (kind == PathKind::kVector && FindPacked(path)) return kind;
  if (IsDirectory(path)) {
    return IsArmDirectory(path) ? PathKind::kArmDirectory : PathKind::kFolder;
  }
  if (!FileExists(path)) return BadInput(path + ": no such file");
  if (IsGraphAlone(kind) || kind == PathKind::kVector || kind == PathKind::kPack) return kind;
  return UsageError(
      path +
      ": neither .tosa, .json, .mlir, .mlirbc, .graph, .spv, .spvasm, .tvec, .tvecs nor a folder");
}

bool IsMlir(PathKind kind) { return kind == PathKind::kMlir || kind == PathKind::kMlirBytecode; }

bool IsSpirv(PathKind kind) { return kind == PathKind::kSpirv || kind == PathKind::kSpirvText; }

bool IsGraphAlone(PathKind kind) {
  return kind == PathKind::kTosa || kind == PathKind::kJson || kind == PathKind::kGraphText ||
         IsMlir(kind) || IsSpirv(kind);
}

}  // namespace assay

#include "path_kind.h"

#include "arm_directory.h"
#include "files.h"

namespace assay {
namespace {

struct EndingRow {
  std::string_view ending;
  PathKind kind;
};
constexpr EndingRow kEndings[] = {
    {".tosa", PathKind::kTosa},   {".json", PathKind::kJson},
    {".mlir", PathKind::kMlir},   {".mlirbc", PathKind::kMlirBytecode},
    {".tvec", PathKind::kVector}, {".dot", PathKind::kDot},
    {".svg", PathKind::kSvg},     {".txt", PathKind::kText},
};

}  // namespace

PathKind KindOfFile(std::string_view path) {
  for (const EndingRow& row : kEndings) {
    if (path.ends_with(row.ending)) return row.kind;
  }
  return PathKind::kOther;
}

Result<PathKind> KindOfSource(const std::string& path) {
  if (IsDirectory(path)) {
    return IsArmDirectory(path) ? PathKind::kArmDirectory : PathKind::kFolder;
  }
  if (!FileExists(path)) return BadInput(path + ": no such file");
  const PathKind kind = KindOfFile(path);
  if (IsGraphAlone(kind) || kind == PathKind::kVector) return kind;
  return Error{Error::Kind::kUsage,
               path + ": neither .tosa, .json, .mlir, .mlirbc, .tvec nor a folder"};
}

bool IsMlir(PathKind kind) { return kind == PathKind::kMlir || kind == PathKind::kMlirBytecode; }

bool IsGraphAlone(PathKind kind) {
  return kind == PathKind::kTosa || kind == PathKind::kJson || IsMlir(kind);
}

}  // namespace assay

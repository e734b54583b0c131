#include "coverage_of.h"

#include "coverage.h"
#include "load.h"

namespace assay {

Result<std::vector<CoverageGroup>> CoverageOf(const std::vector<std::string>& paths, bool lenient) {
  Coverage coverage;
  for (const std::string& path : paths) {
    const Result<LoadedCase> loaded = LoadCase(path);
    if (loaded) {
      coverage.Add(loaded->vector);
    } else if (!lenient) {
      return loaded.error();
    }
  }
  return coverage.Table();
}

}  // namespace assay

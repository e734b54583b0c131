#include "suite_coverage.h"

#include "case_source.h"
#include "coverage.h"
#include "time_limit.h"

namespace assay {

Result<std::vector<CoverageGroup>> CoverageOf(const std::vector<std::string>& paths,
                                              const BackendOptions& limits, bool lenient,
                                              const ChosenTargets& targets, int64_t* outside) {
  Coverage coverage(targets.targets());
  for (const std::string& path : paths) {
    const Result<LoadedCase> loaded = LoadCase(path);
    if (!loaded) {
      if (lenient) continue;
      return loaded.error();
    }
    if (!targets.Takes(loaded->vector)) {
      if (outside != nullptr) ++*outside;
      continue;
    }
    const TimeLimit limit(limits.cpu_seconds, limits.wall_seconds);
    coverage.Add(loaded->vector);
    if (limit.reached() && !lenient) {
      return Error{Error::Kind::kResource, path + ": " + limit.what()};
    }
  }
  return coverage.Table();
}

}  // namespace assay

#include "suite_coverage.h"

#include "coverage.h"
#include "time_limit.h"

namespace assay {

Result<std::vector<CoverageGroup>> CoverageOf(const std::vector<std::string>& names,
                                              const CaseLoader& load, const BackendOptions& limits,
                                              bool lenient, const ChosenTargets& targets,
                                              int64_t* outside) {
  Coverage coverage(targets.targets());
  for (size_t i = 0; i < names.size(); ++i) {
    const Result<LoadedCase> loaded = load(static_cast<int64_t>(i));
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
      return Error{Error::Kind::kResource, names[i] + ": " + limit.what()};
    }
  }
  return coverage.Table();
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "suite_coverage.h"

#include "json_text.h"
#include "time_limit.h"

namespace assay {

Result<Done> SuiteCoverage::Add(const std::string& name, const Result<LoadedCase>& loaded) {
  if (!loaded) return lenient_ ? Result<Done>(Done{}) : loaded.error();
  if (!targets_.Takes(loaded->vector)) {
    ++outside_;
    return Done{};
  }
  const TimeLimit limit(limits_.cpu_seconds, limits_.wall_seconds);
  coverage_.Add(loaded->vector);
  if (limit.reached() && !lenient_) return ResourceError(name + ": " + limit.what());
  return Done{};
}

std::string SuiteCoverage::ToJson() {
  return JsonText(Json{{"outside", outside_}, {"reached", coverage_.Reached()}});
}

Result<Done> SuiteCoverage::AddJson(std::string_view text) {
  try {
    const auto json = JsonFrom(text);
    ReachedItems reached;
    json.at("reached").get_to(reached);
    outside_ += json.at("outside").get<int64_t>();
    coverage_.Add(reached);
    return Done{};
  } catch (const JsonError&) {
    return BadInput("no counts of coverage");
  }
}

}  // namespace assay

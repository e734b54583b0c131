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

std::string FloatCountsToJson(const FloatCounts& counts) {
  Json informative = Json::array();
  for (const auto& [op, count] : counts.informative) {
    informative.push_back({op, count.informative, count.all});
  }
  return JsonText(Json{counts.idioms, counts.depths, counts.pairs, std::move(informative)});
}

FloatCounts FloatCountsFromJson(std::string_view text) {
  const auto told = JsonFrom(text);
  FloatCounts counts;
  told.at(0).get_to(counts.idioms);
  told.at(1).get_to(counts.depths);
  told.at(2).get_to(counts.pairs);
  for (const Json& entry : told.at(3)) {
    counts.informative[entry.at(0).get<Op>()] = {entry.at(1).get<int64_t>(),
                                                 entry.at(2).get<int64_t>()};
  }
  return counts;
}

std::string SuiteCoverage::ToJson() {
  const CoverageCounts counts = coverage_.Counts();
  return JsonText(Json{{"floats", FloatCountsToJson(counts.floats)},
                       {"outside", outside_},
                       {"reached", counts.reached}});
}

Result<Done> SuiteCoverage::AddJson(std::string_view text) {
  try {
    const auto json = JsonFrom(text);
    CoverageCounts counts;
    json.at("reached").get_to(counts.reached);
    counts.floats = FloatCountsFromJson(json.at("floats").get<std::string>());
    outside_ += json.at("outside").get<int64_t>();
    coverage_.Add(counts);
    return Done{};
  } catch (const JsonError&) {
    return BadInput("no counts of coverage");
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check_graph.h"
#include "guarded.h"
#include "handles.h"
#include "name_search.h"
#include "spirv_file.h"

namespace assay::api {
namespace {

std::unique_ptr<assay_lines> BreachLines(const std::vector<Breach>& breaches) {
  auto lines = std::make_unique<assay_lines>();
  for (const Breach& breach : breaches) {
    lines->lines.push_back(breach.rule + ": " + breach.where + ": " +
                           std::string(RuleText(breach.rule)));
  }
  return lines;
}

Result<Level> LevelNamed(const char* name) {
  if (name == nullptr) return NullPointer("level");
  const Result<size_t> found = FindName("level", name, NamesOfRows(AllLevels(), &Level::name));
  if (!found) return found.error();
  return AllLevels()[*found];
}

}  // namespace
}  // namespace assay::api

using assay::Result, assay::api::BreachLines, assay::api::Making, assay::api::NullPointer;

assay_status assay_check_graph(const void* tosa, size_t size, const char* name, const char* level,
                               assay_lines** broken, assay_error* error) {
  return Making("broken", broken, error, [&]() -> Result<std::unique_ptr<assay_lines>> {
    if (tosa == nullptr) return NullPointer("tosa");
    const Result<assay::Level> limits = assay::api::LevelNamed(level);
    if (!limits) return limits.error();
    const Result<assay::Graph> graph = assay::ReadGraphBytes(
        std::span(static_cast<const uint8_t*>(tosa), size), name == nullptr ? "" : name, nullptr);
    if (!graph) return graph.error();
    return BreachLines(CheckGraph(*graph, *limits, {}));
  });
}
assay_status assay_check_vector(const assay_vector* vector, assay_lines** broken,
                                assay_error* error) {
  return Making("broken", broken, error, [&]() -> Result<std::unique_ptr<assay_lines>> {
    if (vector == nullptr) return NullPointer("vector");
    return BreachLines(CheckVector(vector->vector));
  });
}

// SPDX-License-Identifier: Apache-2.0
#include "planner_tables.h"

#include <algorithm>

#include "enum_names.h"
#include "json_cost.h"
#include "json_place.h"
#include "json_text.h"
#include "lifetime_table.h"
#include "planned_json.h"
#include "tvm_table.h"

namespace assay {
namespace {

bool LooksLikeJson(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
}

// Returns the Error `FILE: line 3, column 7: what` for a byte of the text.
Error ProblemAt(std::string_view text, std::string_view name, size_t byte,
                const std::string& what) {
  const std::string_view before = text.substr(0, byte);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t column = byte - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return BadInput(std::string(name) + ": line " + std::to_string(line) + ", column " +
                  std::to_string(column) + ": " + what);
}

Result<Json> ParseTable(std::string_view text, std::string_view name, const ReadLimits& limits) {
  const Result<JsonCost> cost = CostOfJson(text);
  if (!cost) return BadInput(std::string(name) + ": " + cost.error().message);
  if (cost->memory_max > static_cast<size_t>(limits.memory_max)) {
    return Error{Error::Kind::kResource, std::string(name) + ": takes more than " +
                                             std::to_string(limits.memory_max) +
                                             " bytes of memory, the limit memory_max"};
  }
  const Result<Done> single = CheckNoDoubledField(text, name);
  if (!single) return single.error();
  try {
    return JsonFrom(text);
  } catch (const JsonSyntaxError& error) {
    if (error.is_vast_number) {
      return BadInput(std::string(name) + ": has a number that is too large");
    }
    return ProblemAt(text, name,
                     std::min(text.size(), error.byte - std::min<size_t>(error.byte, 1)),
                     "is no JSON");
  }
}

Result<PlannedProblem> ReadJson(std::string_view text, std::string_view name,
                                std::optional<PlanFormat> format, const ReadLimits& limits) {
  const Result<Json> json = ParseTable(text, name, limits);
  if (!json) return json.error();
  const JsonPlace document(*json, name);
  const bool tvm = format ? *format == PlanFormat::kTvm : document.Field({"buffers"}).has_value();
  Result<PlannedProblem> all = tvm ? ReadTvmTable(document) : ReadLifetimeTable(document);
  if (!all) return all.error();
  const Result<Done> valid = ValidateProblem(all->problem);
  if (!valid) return document.Problem(valid.error().message);
  return all;
}

}  // namespace

std::optional<PlanFormat> PlanFormatNamed(std::string_view name) {
  constexpr std::string_view kNames[] = {"assay", "minimalloc", "tvm", "executorch", "tflite"};
  return EnumNamed<PlanFormat>(kNames, name);
}

Result<PlannedProblem> ReadPlan(std::string_view text, std::string_view name,
                                std::optional<PlanFormat> format, const ReadLimits& limits) {
  if (!format && text.find("\"assay-plan\"") != std::string_view::npos) format = PlanFormat::kAssay;
  if (format == PlanFormat::kAssay) return ParsePlanJson(text, name);
  const bool json = LooksLikeJson(text);
  if (json && format == PlanFormat::kMiniMalloc) return BadInput(std::string(name) + ": is no CSV");
  if (!json && format == PlanFormat::kTvm) return BadInput(std::string(name) + ": is no JSON");
  return json ? ReadJson(text, name, format, limits) : ReadMiniMalloc(text, name, limits);
}

}  // namespace assay

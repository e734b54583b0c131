// SPDX-License-Identifier: Apache-2.0
#include "folding_json.h"

#include <string>

#include "clean_text.h"
#include "json_fields.h"

namespace assay {
namespace {

constexpr FoldStage kStages[] = {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry};

Json SourceJson(const FoldSource& source) {
  return {{source.kind == FoldSource::Kind::kArgument ? "argument" : "cached", source.index}};
}

Json StageJson(const FoldRecord& record, FoldStage stage) {
  const FoldStageRecord& part = record.at(stage);
  Json inputs = Json::array();
  for (const FoldSource& source : part.inputs) inputs.push_back(SourceJson(source));
  return {{"stage", NameOf(stage)},
          {"graph", part.graph},
          {"inputs", std::move(inputs)},
          {"outputs", part.outputs}};
}

Json CachedJson(const CachedTensor& cached) {
  return {{"global_index", cached.global_index},
          {"name", CleanText(cached.name)},
          {"type", cached.type.ToString()},
          {"stage", NameOf(cached.stage)},
          {"bytes", cached.bytes}};
}

Json TextsJson(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(CleanText(text));
  return json;
}

Json PostponementJson(const Postponement& one) {
  return {{"kind", NameOf(one.kind)},
          {"expanded", TextsJson(one.expanded)},
          {"result", CleanText(one.result)},
          {"inner", TextsJson(one.inner)},
          {"constants", TextsJson(one.constants)}};
}

Json WentJson(const StageSet& went) {
  Json stages = Json::array();
  for (const FoldStage stage : kStages) {
    if (went.Has(stage)) stages.push_back(NameOf(stage));
  }
  return stages;
}

}  // namespace

Json ConstnessJson(const TestVector& vector) {
  Json graphs = Json::array();
  for (const auto& [graph, arguments] : vector.constness) {
    Json inputs = Json::array();
    for (const Constness constness : arguments) inputs.push_back(NameOf(constness));
    graphs.push_back({{"graph", graph}, {"inputs", std::move(inputs)}});
  }
  return graphs;
}

Json FoldJson(const FoldRecord& record) {
  Json stages = Json::array(), cached = Json::array(), postponements = Json::array();
  Json went = Json::array();
  for (const FoldStage stage : kStages) stages.push_back(StageJson(record, stage));
  for (const CachedTensor& one : record.cached) cached.push_back(CachedJson(one));
  for (const Postponement& one : record.certificate.postponements) {
    postponements.push_back(PostponementJson(one));
  }
  for (const StageSet& one : record.certificate.went) went.push_back(WentJson(one));
  return {{"form", NameOf(record.form)},
          {"policy", {{"kind", NameOf(record.policy.kind)}, {"limit", record.policy.limit}}},
          {"original", record.original},
          {"postponed", record.postponed},
          {"stages", std::move(stages)},
          {"cached", std::move(cached)},
          {"postponements", std::move(postponements)},
          {"went", std::move(went)},
          {"baked", TextsJson(record.certificate.baked)}};
}

Json FoldPairJson(const FoldPair& pair) {
  return {{"before", pair.before},
          {"after", pair.after},
          {"law", CleanText(pair.law)},
          {"equal", pair.equal},
          {"reason", CleanText(pair.reason)}};
}

}  // namespace assay

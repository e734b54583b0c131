// SPDX-License-Identifier: Apache-2.0
#include "float_counts.h"

#include "executor.h"
#include "float_idioms.h"
#include "inexact_operators.h"

namespace assay {
namespace {

void Add(std::map<std::string, int64_t>& to, const std::map<std::string, int64_t>& from) {
  for (const auto& [item, count] : from) to[item] += count;
}

// Returns a group with the items of a list that were met and missed.
template <class List>
CoverageGroup GroupOf(std::string name, const List& list,
                      const std::map<std::string, int64_t>& counts,
                      std::vector<std::string>* unlisted) {
  CoverageGroup group;
  group.name = std::move(name);
  for (const auto& entry : list) {
    const std::string item(entry);
    ++group.total;
    const auto count = counts.find(item);
    if (count == counts.end()) {
      group.missed.push_back(item);
      continue;
    }
    ++group.reached;
    group.counts.push_back({item, count->second});
  }
  for (const auto& [item, count] : counts) {
    const bool is_listed = std::ranges::find(list, item) != std::end(list);
    if (!is_listed && unlisted != nullptr) unlisted->push_back(item);
  }
  return group;
}

}  // namespace

FloatCounts& FloatCounts::operator+=(const FloatCounts& other) {
  Add(idioms, other.idioms);
  Add(depths, other.depths);
  Add(pairs, other.pairs);
  for (const auto& [op, count] : other.informative) {
    informative[op].informative += count.informative;
    informative[op].all += count.all;
  }
  return *this;
}

FloatCounter::FloatCounter(const TestVector& vector)
    : vector_(vector), level_(LevelByName(vector.level).value_or(kLevel8K)), flow_(vector) {
  for (const Graph& graph : vector.graphs) idioms_of_.merge(FloatIdiomsOf(graph));
}

void FloatCounter::Ran(const ExecutedOperator& executed) {
  const auto idioms = idioms_of_.find(&executed.op);
  if (idioms != idioms_of_.end()) {
    for (const std::string_view idiom : idioms->second) ++counts_.idioms[std::string(idiom)];
  }
  const InformativeCount met =
      CountInformative(executed, flow_.VaryingOperands(executed.op), level_);
  if (met.all > 0) {
    InformativeCount& count = counts_.informative[executed.op.op];
    count.informative += met.informative;
    count.all += met.all;
  }
  for (const std::string& pair : flow_.Ran(executed.op)) ++counts_.pairs[pair];
}

FloatCounts FloatCounter::Counts(std::span<const Outcome> outcomes) const {
  FloatCounts counts = counts_;
  for (size_t i = 0; i < outcomes.size() && i < vector_.steps.size(); ++i) {
    if (outcomes[i].kind != OutcomeKind::kValid) continue;
    const Graph& graph = vector_.GraphOf(vector_.steps[i]);
    for (const int32_t depth : flow_.DepthsOfOutputs(graph)) {
      if (depth > 0) ++counts.depths[std::string(DepthClassOf(depth))];
    }
  }
  return counts;
}

FloatCounts CountFloats(const TestVector& vector) {
  FloatCounter counter(vector);
  return counter.Counts(ExecuteVector(vector, {.trace = &counter}));
}

std::vector<CoverageGroup> FloatGroups(const FloatCounts& counts,
                                       std::vector<std::string>* unlisted) {
  CoverageGroup informative;
  informative.name = "informative_elements";
  for (const auto& [op, count] : counts.informative) {
    informative.reached += count.informative;
    informative.total += count.all;
    const int64_t others = count.all - count.informative;
    if (others > 0) informative.counts.push_back({std::string(OperatorName(op)), others});
  }
  CoverageGroup pairs = GroupOf("float_pairs", AllInexactPairs(), counts.pairs, unlisted);
  pairs.counts.clear();  // they are too many
  return {GroupOf("float_idioms", AllFloatIdioms(), counts.idioms, unlisted),
          GroupOf("float_depths", kDepthClasses, counts.depths, unlisted), std::move(pairs),
          std::move(informative)};
}

}  // namespace assay

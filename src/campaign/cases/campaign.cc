// SPDX-License-Identifier: Apache-2.0
#include "campaign.h"

#include <algorithm>
#include <iterator>

#include "generator_table.h"
#include "name_search.h"
#include "network_request.h"
#include "suite.h"

namespace assay {
namespace {

// Returns true for the kinds that a campaign has by default: kinds that a backend executes. Plans
// are for checkers.
bool IsExecuted(const Generator& generator) { return generator.kind != "plan"; }

// Returns the named features of a prefix; all of them if none is named.
Result<Requirements> FeaturesOrAll(const char* option, const std::string& prefix,
                                   const std::vector<std::string>& names) {
  if (!names.empty()) return FeaturesNamed(option, prefix, names);
  Requirements features;
  for (const FeatureRow& row : AllFeatures()) {
    if (row.name.starts_with(prefix)) features = features | Requirements{row.feature};
  }
  return features;
}

}  // namespace

Result<Requirements> FeaturesNamed(const char* option, const std::string& prefix,
                                   const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  std::vector<Feature> features;
  for (const FeatureRow& row : AllFeatures()) {
    if (!row.name.starts_with(prefix)) continue;
    known.push_back(row.name);
    features.push_back(row.feature);
  }
  const char* const what = prefix == "PRO-" ? "profile" : "extension";
  const auto found = FindOptionNames(option, what, names, known, prefix);
  if (!found) return found.error();
  Requirements meant;
  for (const size_t i : *found) meant = meant | Requirements{features[i]};
  return meant;
}

bool Campaign::Takes(const TestVector& vector) const {
  if (chosen.TakesAll()) return true;
  const auto works = [](const Operator& op) { return !IsConstant(op.op); };
  const auto has_work = [&](const Graph& graph) {
    return std::ranges::any_of(graph.Blocks(), [&](const Block& block) {
      return std::ranges::any_of(block.operators, works);
    });
  };
  return std::ranges::any_of(vector.graphs, has_work) && chosen.Takes(vector);
}

std::string Campaign::NameOf(int64_t number) const {
  return CaseName(KindOf(number).kind, IndexOf(number));
}

std::string Campaign::FileOf(int64_t number) const {
  return CaseFile(KindOf(number).kind, IndexOf(number));
}

int64_t Campaign::Targets() const {
  constexpr int64_t kWithoutTargets = 1000;  // for kinds that have no such number
  int64_t most = 0;
  for (const Generator* kind : kinds) {
    const int64_t targets = kind->targets(options);
    most = std::max(most, targets > 0 ? targets : kWithoutTargets);
  }
  return most * std::ssize(kinds);
}

std::string CampaignWords(const CampaignOptions& options, const Campaign& campaign) {
  std::string words = " --seed " + std::to_string(options.seed);
  for (const Generator* kind : campaign.kinds) words += " --kind " + std::string(kind->kind);
  const auto add = [&](const std::vector<std::string>& given, const std::string& option,
                       const std::string& prefix) {
    if (given.empty()) return;
    const size_t before = words.size();
    for (const FeatureRow& row : AllFeatures()) {
      const bool is_meant =
          row.name.starts_with(prefix) && campaign.options.target.Contains(row.feature);
      if (is_meant) words += option + std::string(row.name);
    }
    if (words.size() == before) words += option + "none";
  };
  add(options.profiles, " --profile ", "PRO-");
  add(options.extensions, " --ext ", "EXT-");
  words += " --level " + std::string(campaign.options.level.name);
  if (!options.network.empty()) words += " --network " + options.network;
  words += TargetWords(options.target);
  return options.implied_errors ? words + " --implied-errors" : words;
}

Result<Campaign> MakeCampaign(const CampaignOptions& options) {
  Campaign campaign;
  if (!options.network.empty()) {
    const Result<NetworkRequest> network = ParseNetwork(options.network);
    if (!network) return network.error();
    campaign.options.network = network->ToString();
    if (options.kinds.empty()) campaign.kinds = {GeneratorByKind("network")};
  }
  const auto found = FindOptionNames("--kind", "kind", options.kinds,
                                     NamesOfRows(AllGenerators(), &Generator::kind));
  if (!found) return found.error();
  for (const size_t i : *found) {
    const Generator* generator = AllGenerators()[i];
    const auto& kinds = campaign.kinds;
    if (std::find(kinds.begin(), kinds.end(), generator) == kinds.end()) {
      campaign.kinds.push_back(generator);
    }
  }
  const Generator* const networks = GeneratorByKind("network");
  if (!options.network.empty() &&
      std::find(campaign.kinds.begin(), campaign.kinds.end(), networks) == campaign.kinds.end()) {
    return UsageError("--network: is for kind network, which --kind leaves out");
  }
  if (campaign.kinds.empty()) {
    std::copy_if(AllGenerators().begin(), AllGenerators().end(), std::back_inserter(campaign.kinds),
                 [](const Generator* generator) { return IsExecuted(*generator); });
  }
  const Result<size_t> level =
      FindOptionName("--level", "level", options.level, NamesOfRows(AllLevels(), &Level::name));
  if (!level) return level.error();
  const auto profiles = FeaturesOrAll("--profile", "PRO-", options.profiles);
  if (!profiles) return profiles.error();
  const bool no_extensions = options.extensions == std::vector<std::string>{"none"};
  const auto extensions = no_extensions ? Result<Requirements>(Requirements())
                                        : FeaturesOrAll("--ext", "EXT-", options.extensions);
  if (!extensions) return extensions.error();
  campaign.options.level = AllLevels()[*level];
  campaign.options.seed = options.seed;
  campaign.options.implied_errors = options.implied_errors;
  campaign.options.target = *profiles | *extensions;
  Result<ChosenTargets> chosen = ChosenTargets::Make(options.target);
  if (!chosen) return chosen.error();
  campaign.chosen = std::move(*chosen);
  const Result<Done> restricted = campaign.chosen.Restrict(campaign.options);
  if (!restricted) return restricted.error();
  return campaign;
}

}  // namespace assay

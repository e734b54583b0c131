#include "campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "command_line.h"

namespace assay {
namespace {

std::string KindsHelp() {
  std::string help = "Kinds (--kind):";
  for (const Generator* generator : AllGenerators()) {
    help += "\n  " + std::string(generator->kind) + "\n      ";
    for (char c : generator->help) {
      help += c;
      if (c == '\n') help += "      ";
    }
  }
  return help;
}

// Kinds that a campaign has without being asked: what a backend executes. Plans are for checkers.
bool IsExecuted(const Generator& generator) { return generator.kind != "plan"; }

Error Unknown(const char* option, const std::string& name, const std::string& known) {
  return {Error::Kind::kUsage,
          std::string(option) + " " + name + ": there is none of that name; there are " + known};
}

// "pro-int", "PRO-INT" and "INT" name PRO-INT.
std::optional<Feature> FindFeature(std::string name, const std::string& prefix) {
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (!name.starts_with(prefix)) name = prefix + name;
  return FeatureByName(name);
}

std::string KnownFeatures(const std::string& prefix) {
  std::string known;
  for (const FeatureRow& row : AllFeatures()) {
    if (row.name.starts_with(prefix)) known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return known;
}

// The named features of a prefix; all of them if none is named.
Result<Requirements> FeaturesOrAll(const char* option, const std::string& prefix,
                                   const std::vector<std::string>& names) {
  if (!names.empty()) return FeaturesNamed(option, prefix, names);
  Requirements features;
  for (const FeatureRow& row : AllFeatures()) {
    if (row.name.starts_with(prefix)) features = features | Requirements{row.feature};
  }
  return features;
}

// CLI11 takes what is beyond 64 bits for the greatest number. "" if all is well.
std::string IsSeed(const std::string& text) {
  uint64_t seed = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
  return whole ? "" : text + ": not a number from 0 to 18446744073709551615";
}

}  // namespace

Result<Requirements> FeaturesNamed(const char* option, const std::string& prefix,
                                   const std::vector<std::string>& names) {
  Requirements features;
  for (const std::string& name : names) {
    const std::optional<Feature> feature = FindFeature(name, prefix);
    if (!feature) return Unknown(option, name, KnownFeatures(prefix));
    features = features | Requirements{*feature};
  }
  return features;
}

void AddCampaignOptions(CommandLine& line, CampaignOptions& options) {
  line.Add("--kind", options.kinds, "kinds of vectors, see below; all but plan if none is named");
  line.Add("--seed", options.seed, "the same seed and version give the same vectors")
      .Check(IsSeed)
      .ShowDefault();
  line.Add("--profile", options.profiles,
           "profiles that vectors may need (PRO-INT, PRO-FP); both if none is named");
  line.Add("--ext", options.extensions,
           "extensions that vectors may need (EXT-BF16, ...), or none; all if none is named");
  line.Add("--level", options.level, "8K or none").ShowDefault();
  line.AddFlag("--implied-errors", options.implied_errors,
               "of kind invalid also errors that no ERROR_IF of the text states, tagged "
               "implied-error");
  const std::string own = line.Footer();
  line.SetFooter(KindsHelp() + (own.empty() ? "" : "\n\n" + own));
}

std::string Campaign::NameOf(int64_t number) const {
  return fmt::format("{}-{:06}", KindOf(number).kind, IndexOf(number));
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

Result<Campaign> MakeCampaign(const CampaignOptions& options) {
  Campaign campaign;
  std::string known;
  for (const Generator* generator : AllGenerators()) {
    known += (known.empty() ? "" : ", ") + std::string(generator->kind);
  }
  for (const std::string& kind : options.kinds) {
    const Generator* generator = GeneratorByKind(kind);
    if (generator == nullptr) return Unknown("--kind", kind, known);
    const auto& kinds = campaign.kinds;
    if (std::find(kinds.begin(), kinds.end(), generator) == kinds.end()) {
      campaign.kinds.push_back(generator);
    }
  }
  if (campaign.kinds.empty()) {
    std::copy_if(AllGenerators().begin(), AllGenerators().end(), std::back_inserter(campaign.kinds),
                 [](const Generator* generator) { return IsExecuted(*generator); });
  }
  const std::optional<Level> level = LevelByName(options.level);
  if (!level) return Unknown("--level", options.level, "8K, none");
  const auto profiles = FeaturesOrAll("--profile", "PRO-", options.profiles);
  if (!profiles) return profiles.error();
  const bool no_extensions = options.extensions == std::vector<std::string>{"none"};
  const auto extensions = no_extensions ? Result<Requirements>(Requirements())
                                        : FeaturesOrAll("--ext", "EXT-", options.extensions);
  if (!extensions) return extensions.error();
  campaign.options.level = *level;
  campaign.options.seed = options.seed;
  campaign.options.implied_errors = options.implied_errors;
  campaign.options.target = *profiles | *extensions;
  return campaign;
}

}  // namespace assay

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator.h"
#include "result.h"

namespace assay {

class CommandLine;

// What `gen` and `fuzz` generate: the options of both, and cases numbered across all kinds.
struct CampaignOptions {
  std::vector<std::string> kinds;  // empty: all that backends execute
  std::vector<std::string> profiles, extensions;
  std::string level = "8K";
  uint64_t seed = 1;
  bool implied_errors = false;
};

void AddCampaignOptions(CommandLine& line, CampaignOptions& options);

// Case n is case n / K of kind n % K of K kinds, so that any number of cases holds all kinds.
struct Campaign {
  std::vector<const Generator*> kinds;
  GeneratorOptions options;

  const Generator& KindOf(int64_t number) const {
    return *kinds[static_cast<size_t>(number) % kinds.size()];
  }
  uint64_t IndexOf(int64_t number) const { return static_cast<uint64_t>(number) / kinds.size(); }
  std::optional<TestVector> Make(int64_t number) const {
    return KindOf(number).make(options, IndexOf(number));
  }
  // "operator-000017", a file name.
  std::string NameOf(int64_t number) const;
  // "operator/operator-000017.tvec", its file in a suite.
  std::string FileOf(int64_t number) const;
  // How many cases hold everything that a kind covers systematically.
  int64_t Targets() const;
};

// The options that the cases hang on, as words of a command line, the same for the same campaign:
// " --seed 1 --kind graph --level 8K".
std::string CampaignWords(const CampaignOptions& options, const Campaign& campaign);

// The profiles ("PRO-") or extensions ("EXT-") of these names, as FindName() takes them.
// Error kUsage, which names the option, for one that does not exist.
Result<Requirements> FeaturesNamed(const char* option, const std::string& prefix,
                                   const std::vector<std::string>& names);

// Error kUsage for a kind, profile, extension or level that does not exist.
Result<Campaign> MakeCampaign(const CampaignOptions& options);

}  // namespace assay

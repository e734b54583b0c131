// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator.h"
#include "result.h"
#include "target_options.h"

namespace assay {

// The options of `gen` and `fuzz` that determine the generated cases, which are numbered across all
// kinds.
struct CampaignOptions {
  std::vector<std::string> kinds;  // empty: all that backends execute
  std::vector<std::string> profiles, extensions;
  std::string level = "8K";
  uint64_t seed = 1;
  bool implied_errors = false;
  std::string network;  // "mobilenet_v2@224,fp32,lattice"; "": all small ones
  TargetOptions target;
};

// The cases of a campaign. Case n is case n / K of kind n % K of K kinds, so that any number of
// cases has all kinds.
struct Campaign {
  std::vector<const Generator*> kinds;
  GeneratorOptions options;
  ChosenTargets chosen;  // what vectors have to be inside of

  const Generator& KindOf(int64_t number) const {
    return *kinds[static_cast<size_t>(number) % kinds.size()];
  }
  uint64_t IndexOf(int64_t number) const { return static_cast<uint64_t>(number) / kinds.size(); }
  std::optional<TestVector> Make(int64_t number) const {
    return KindOf(number).make(options, IndexOf(number));
  }
  // Returns true if the vector is inside the targets of the campaign. With a target, vectors of
  // constants alone are left out: they show nothing of its operators.
  bool Takes(const TestVector& vector) const;
  // Returns "operator-000017", a file name.
  std::string NameOf(int64_t number) const;
  // Returns "operator/operator-000017.tvec", the file in a suite.
  std::string FileOf(int64_t number) const;
  // Returns how many cases hold everything that a kind covers systematically.
  int64_t Targets() const;
};

// Returns the options that determine the cases, as words of a command line. They are the same for
// the same campaign: " --seed 1 --kind graph --level 8K".
std::string CampaignWords(const CampaignOptions& options, const Campaign& campaign);

// Returns the profiles ("PRO-") or extensions ("EXT-") of these names, as FindName() finds them.
// Error kUsage, which names the option, for a name that does not exist.
Result<Requirements> FeaturesNamed(const char* option, const std::string& prefix,
                                   const std::vector<std::string>& names);

// Makes a campaign. Error kUsage for a kind, profile, extension or level that does not exist.
Result<Campaign> MakeCampaign(const CampaignOptions& options);

}  // namespace assay

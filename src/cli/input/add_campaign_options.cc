// SPDX-License-Identifier: Apache-2.0
#include "campaign.h"
#include "command_line.h"
#include "generator_table.h"
#include "parse_number.h"

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

// Checks a seed, because CLI11 takes numbers beyond 64 bits for the greatest number. Returns "" if
// it is correct.
std::string IsSeed(const std::string& text) {
  uint64_t seed = 0;
  return ParseNumber(text, seed) ? "" : text + ": not a number from 0 to 18446744073709551615";
}

}  // namespace

void AddCampaignOptions(CommandLine& line, CampaignOptions& options) {
  line.Add("--kind", options.kinds, "kinds of vectors, see below (default: all but plan)");
  line.Add("--seed", options.seed, "the same seed and version give the same vectors")
      .Check(IsSeed)
      .ShowDefault();
  line.Add("--profile", options.profiles,
           "profiles that vectors may need: PRO-INT, PRO-FP (default: both)");
  line.Add("--ext", options.extensions,
           "extensions that vectors may need (EXT-BF16, ...), or none (default: all)");
  line.Add("--level", options.level, "level of the vectors: 8K or none").ShowDefault();
  line.AddFlag("--implied-errors", options.implied_errors,
               "for kind invalid: add errors that no ERROR_IF of the specification states, "
               "tagged implied-error");
  line.Add("--network", options.network,
           "for kind network: make only this one, NAME@SIZE,TYPE,lattice, as in resnet@224,fp32 or "
           "gru@8,bf16,lattice");
  AddTargetOptions(line, options.target);
  const std::string own = line.Footer();
  line.SetFooter(KindsHelp() + (own.empty() ? "" : "\n\n" + own));
}

}  // namespace assay

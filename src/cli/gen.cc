#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "arguments.h"
#include "campaign.h"
#include "command.h"
#include "command_line.h"
#include "console.h"
#include "files.h"
#include "judge.h"
#include "match.h"
#include "sha256.h"
#include "suite.h"
#include "terminal.h"
#include "test_vector_file.h"
#include "version.h"
#include "workers.h"

namespace assay::cli {
namespace {

struct Options {
  std::string out;
  int64_t count = 0;
  CampaignOptions campaign;
  std::string match;
  int jobs = 1;
  bool json = false;
};
Options options;

void Declare(CommandLine& line) {
  line.Add("--out", options.out, "folder for the suite; must not hold one").Required();
  line.Add("--count", options.count,
           "vectors over all kinds; otherwise as many as cover what a kind covers "
           "systematically; --match chooses among them")
      .Between(1, 1'000'000'000);
  AddCampaignOptions(line, options.campaign);
  AddMatchOption(line, options.match);
  AddJobsOption(line, options.jobs);
  line.AddFlag("--json", options.json, "print JSON");
}

// Told of a case whose vector --match does not choose.
constexpr char kNotChosen[] = "not chosen";

// The suite as it grows.
struct Growing {
  Suite suite;
  int64_t skipped = 0;  // cases for which no valid vector was found
  std::map<OperatorUse, int64_t> uses;
};

Suite NewSuite(const Campaign& campaign) {
  Suite suite;
  suite.toolkit_version = kToolkitVersion;
  suite.seed = campaign.options.seed;
  suite.level = campaign.options.level.name;
  for (const FeatureRow& row : AllFeatures()) {
    if (campaign.options.target.Contains(row.feature)) {
      suite.requirements.emplace_back(row.name);
    }
  }
  for (const Generator* kind : campaign.kinds) {
    suite.generators[std::string(kind->kind)] = kind->version;
  }
  return suite;
}

std::string FileOf(const Campaign& campaign, int64_t number) {
  return std::string(campaign.KindOf(number).kind) + "/" + campaign.NameOf(number) + ".tvec";
}

// Makes a case and writes it, in a worker. What it tells of it: the SHA-256 of the file and the
// uses of operators; nothing if no valid vector was found; kNotChosen.
Result<std::string> MakeOne(const Campaign& campaign, const Match& match, int64_t number) {
  const std::optional<TestVector> vector = campaign.Make(number);
  if (!vector) return std::string();
  if (!match.Chooses(*vector)) return std::string(kNotChosen);
  const std::vector<uint8_t> bytes = WriteTestVector(*vector);
  const Result<Done> written =
      WriteFileAtomically(JoinPath(options.out, FileOf(campaign, number)), bytes);
  if (!written) return written.error();
  nlohmann::json uses = nlohmann::json::array();
  for (const OperatorUse& use : OperatorsOf(*vector)) uses.push_back({use.op, use.type});
  return nlohmann::json{Sha256(bytes), std::move(uses)}.dump();
}

// Takes over what a worker tells of a case.
void Keep(const Campaign& campaign, int64_t number, const std::string& told, Growing& growing) {
  if (told.empty()) {
    ++growing.skipped;
    return;
  }
  if (told == kNotChosen) return;
  const nlohmann::json made = nlohmann::json::parse(told);
  for (const nlohmann::json& use : made[1]) ++growing.uses[{use[0].get<Op>(), use[1].get<DType>()}];
  ++growing.suite.counts[std::string(campaign.KindOf(number).kind)];
  growing.suite.vectors.push_back({FileOf(campaign, number), made[0]});
}

Result<Growing> Generate(const Campaign& campaign, const Match& match, int64_t count) {
  Growing growing;
  growing.suite = NewSuite(campaign);
  Progress progress("gen", count);
  WorkPlan plan;
  plan.last = count;
  plan.jobs = options.jobs;
  plan.start = [&]() -> Result<Work> {
    return Work([&](int64_t number) { return MakeOne(campaign, match, number); });
  };
  int64_t lost = 0;
  plan.merge = [&](int64_t number, const std::string& told,
                   const std::string& how) -> Result<Done> {
    if (!how.empty()) {
      ++lost;
      Fail(BadInput("defect in Assay itself: generating " + campaign.NameOf(number) + ": " + how));
      return Done{};
    }
    progress.Show(number + 1, 0);
    Keep(campaign, number, told, growing);
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  auto& coverage = growing.suite.coverage;
  for (const auto& [use, vectors] : growing.uses) {
    coverage[std::string(OperatorName(use.op)) + " " + std::string(TypeName(use.type))] = vectors;
  }
  if (growing.skipped > 0) growing.suite.counts["no valid case found"] = growing.skipped;
  if (lost > 0) growing.suite.counts["lost"] = lost;
  return growing;
}

int Run() {
  const Result<Campaign> campaign = MakeCampaign(options.campaign);
  if (!campaign) return Fail(campaign.error());
  const Result<Match> match = options.match.empty() ? Match() : Match::Parse(options.match);
  if (!match) return Fail(match.error());
  if (FileExists(SuiteFile(options.out))) {
    return Fail({Error::Kind::kUsage, options.out + ": holds a suite already"});
  }
  const int64_t count = options.count > 0 ? options.count : campaign->Targets();
  if (!options.json) {
    std::string kinds;
    for (const Generator* kind : campaign->kinds) kinds += " " + std::string(kind->kind);
    Print("seed {}, {} cases of{}\n", options.campaign.seed, count, kinds);
  }
  for (const Generator* kind : campaign->kinds) {
    const Result<Done> made = MakeDirectories(JoinPath(options.out, kind->kind));
    if (!made) return Fail(made.error());
  }
  const Result<Growing> grown = Generate(*campaign, *match, count);
  if (!grown) return Fail(grown.error());
  const Result<Done> written = WriteSuite(options.out, grown->suite);
  if (!written) return Fail(written.error());
  const Suite& suite = grown->suite;
  if (options.json) {
    Write(SuiteText(suite));
  } else {
    Print("{} vectors in {}, {} operators with their types", suite.vectors.size(), options.out,
          suite.coverage.size());
    for (const auto& [kind, number] : suite.counts) Print(", {} {}", number, kind);
    Write("\n");
  }
  if (suite.counts.contains("lost")) return kExitDefect;
  return suite.vectors.empty() ? kExitUndecided : kExitClean;
}

}  // namespace

extern const Command gen_command = {
    .name = "gen",
    .summary = "writes a suite of test vectors",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli

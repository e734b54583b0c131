// SPDX-License-Identifier: Apache-2.0
// assay plan generate: makes plans that test a checker.
#include <fmt/format.h>

#include <string>

#include "command.h"
#include "command_line.h"
#include "files.h"
#include "generator_table.h"
#include "json_fields.h"
#include "json_text.h"
#include "output_folder.h"
#include "planned_case.h"
#include "planned_json.h"
#include "terminal.h"
#include "tvec_file.h"

namespace assay::cli::plan {
namespace {

struct GenerateOptions {
  std::string out;
  uint64_t seed = 1;
  int64_t count = 0;
};

void DeclareGenerate(CommandLine& line, GenerateOptions& options) {
  line.Add("--out", options.out, "folder for the plans").Required();
  line.Add("--seed", options.seed, "the same seed gives the same plans").ShowDefault();
  line.Add("--count", options.count,
           "number of plans (default: one for each fault, and a sound one)")
      .Between(1, 10'000'000);
  std::string footer =
      "Writes problems with plans, as JSON and as .tvec like `assay gen --kind plan`. "
      "Also writes\n"
      "plans.json with the fault of each plan. In turn, a plan is sound or has one of "
      "these faults,\n"
      "which breaks only the rule named beside it:";
  for (const PlanFault& fault : AllPlanFaults()) {
    footer += fmt::format("\n  {:24}{:14}{}", fault.name, fault.rule, fault.what);
  }
  line.SetFooter(footer);
}

// Returns a file name without an ending.
std::string FileStem(const PlanCase& made, int64_t index) {
  return fmt::format("{:07}-{}", index, made.record.fault.empty() ? "sound" : made.record.fault);
}

Json RowOf(const PlanCase& made, const std::string& name) {
  Json row = {{"file", name + ".json"}, {"vector", name + ".tvec"}, {"shape", made.shape}};
  const PlanRecord& record = made.record;
  if (!record.fault.empty()) row["fault"] = record.fault;
  if (!record.broken.empty()) row["broken"] = record.broken;
  if (record.optimum) row["optimum"] = *record.optimum;
  return row;
}

// Writes a case as JSON and as a vector.
Result<Done> WriteCase(const PlanCase& made, uint64_t index, const std::string& name,
                       const std::string& out, uint64_t seed) {
  const Result<std::string> text = PlanJson(made.record.planned);
  if (!text) return text.error();
  const std::string path = JoinPath(out, name);
  const Result<Done> written = WriteFileAtomically(path + ".json", *text);
  if (!written) return written.error();
  GeneratorOptions campaign;
  campaign.seed = seed;
  campaign.level = *LevelByName("8K");
  const std::optional<TestVector> vector = GeneratorByKind("plan")->make(campaign, index);
  return WriteFileAtomically(path + ".tvec", WriteTestVector(*vector));
}

int RunGenerate(const GenerateOptions& options) {
  constexpr std::string_view kNames[] = {"*.json", "*.tvec"};
  const Result<FolderLock> lock = OpenOutputFolder(options.out, kNames);
  if (!lock) return Fail(lock.error());
  const int64_t count =
      options.count > 0 ? options.count : static_cast<int64_t>(AllPlanFaults().size()) + 1;
  Json all = {{"seed", options.seed}, {"plans", Json::array()}};
  for (int64_t index = 0; index < count; ++index) {
    const PlanCase made = MakePlanCase(options.seed, static_cast<uint64_t>(index));
    const std::string name = FileStem(made, index);
    const Result<Done> written =
        WriteCase(made, static_cast<uint64_t>(index), name, options.out, options.seed);
    if (!written) return Fail(written.error());
    all["plans"].push_back(RowOf(made, name));
  }
  const Result<Done> written =
      WriteFileAtomically(JoinPath(options.out, "plans.json"), JsonText(all, 1) + "\n");
  if (!written) return Fail(written.error());
  Print("{} plans in {}\n", count, options.out);
  return kExitClean;
}

}  // namespace

extern const Command generate_command = {
    .name = "generate",
    .summary = "writes plans that test a checker: sound plans, and plans with exactly one fault",
    .declare = DeclareWith<GenerateOptions, DeclareGenerate, RunGenerate>,
};

}  // namespace assay::cli::plan

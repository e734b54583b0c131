// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "campaign.h"
#include "check_graph.h"
#include "check_serialization.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "custom.h"
#include "graph_source.h"
#include "json_fields.h"
#include "json_text.h"
#include "rules.h"
#include "run_options.h"
#include "target_options.h"
#include "terminal.h"
#include "tosa_file.h"
#include "vector_facts.h"

namespace assay::cli {
namespace {

struct CheckOptions {
  std::string file;
  std::string function;
  std::string level;
  std::vector<std::string> profiles, extensions;
  TargetOptions target;
  bool json = false;
};

void DeclareCheck(CommandLine& line, CheckOptions& options) {
  line.Add("FILE", options.file, kGraphOrVectorHelp).Required();
  AddFunctionOption(line, options.function);
  line.Add("--level", options.level,
           "8K or none (default: the level of the vector; 8K for a graph)");
  line.Add("--profile", options.profiles,
           "profiles of the target: PRO-INT, PRO-FP. Operators outside of the target break "
           "the rule graph/TARGET/operators (default: the requirements of the vector; none "
           "for a graph)");
  line.Add("--ext", options.extensions,
           "extensions of the target; with EXT-DYNAMIC, compile-time constants may be "
           "computed");
  AddTargetOptions(line, options.target);
  line.AddFlag("--json", options.json, "print JSON");
}

// The broken rules, and the parts that were not checked. These are CUSTOM operators beyond their
// arguments, because only their implementation knows their rules, and the graph if none could be
// read.
struct Findings {
  std::vector<Breach> breaches;
  std::vector<std::string> customs;
  std::string unread;
  std::vector<std::string> misfits;  // why the graph or vector is outside the target, a line each
};

std::vector<std::string> CustomsOf(const TestVector& vector) {
  std::vector<std::string> names;
  for (const auto& [block, op] : vector.Operators()) {
    if (op.op == Op::kCustom) names.push_back(CustomName(op));
  }
  return names;
}

void PrintFindings(const Findings& findings, const TargetOptions& target, bool as_json) {
  if (as_json) {
    Json all = Json::array();
    for (const Breach& breach : findings.breaches) {
      all.push_back({{"rule", breach.rule},
                     {"where", CleanText(breach.where)},
                     {"text", RuleText(breach.rule)}});
    }
    Json rest = findings.customs;
    if (!findings.unread.empty()) rest.push_back(findings.unread);
    Json json = {{"broken", std::move(all)}, {"not_checked", std::move(rest)}};
    if (target.IsGiven()) json["outside_target"] = findings.misfits;
    Write(JsonText(json, 2) + "\n");
    return;
  }
  for (const Breach& breach : findings.breaches) {
    Write(breach.rule + "  " + OneLine(breach.where) + "\n    " +
          std::string(RuleText(breach.rule)) + "\n");
  }
  for (const std::string& custom : findings.customs) {
    Write("not checked: " + custom + ", beyond its arguments\n");
  }
  if (!findings.unread.empty()) Write("not checked: " + findings.unread + "\n");
  if (findings.breaches.empty()) Write("no static rule is broken\n");
  if (!target.IsGiven()) return;
  for (const std::string& misfit : findings.misfits) Write(misfit + "\n");
  if (findings.misfits.empty()) Write("inside the target\n");
}

// Applies the options in place of the vector's own values.
Result<Done> Override(const CheckOptions& options, TestVector& vector) {
  if (!options.level.empty()) vector.level = options.level;
  if (!LevelByName(vector.level)) {
    return UsageError("level " + vector.level + ": neither 8K nor none");
  }
  const auto profiles = FeaturesNamed("--profile", "PRO-", options.profiles);
  if (!profiles) return profiles.error();
  const auto extensions = FeaturesNamed("--ext", "EXT-", options.extensions);
  if (!extensions) return extensions.error();
  if (profiles->Empty() && extensions->Empty()) return Done{};
  vector.requirements = NamesOf(*profiles | *extensions);
  return Done{};
}

Result<Findings> CheckedVector(const CheckOptions& options, TestVector vector,
                               const ChosenTargets& targets) {
  const Result<Done> overridden = Override(options, vector);
  if (!overridden) return overridden.error();
  return Findings{CheckVector(vector), CustomsOf(vector), "", targets.WhyNot(vector)};
}

// Checks a `.tosa` file. It may break rules without which there is no graph, so that the other
// rules cannot be checked.
Result<Findings> CheckedTosa(const CheckOptions& options, const ChosenTargets& targets) {
  const Result<SharedBytes> bytes = LoadTosaBytes(options.file);
  if (!bytes) return bytes.error();
  TosaSerializationHandler file;
  const Result<Done> loaded = file.LoadTosaFlatbuffer(bytes->owner, bytes->bytes, options.file);
  if (!loaded) return loaded.error();
  std::vector<Breach> breaches = CheckSerialization(file);
  Result<Graph> graph = ReadTosa(*bytes, options.file, nullptr);
  if (!graph && breaches.empty()) return graph.error();
  if (!graph) return Findings{breaches, {}, "the graph: " + OneLine(graph.error().message), {}};
  TestVector vector;
  vector.graphs.push_back(std::move(*graph));
  Result<Findings> findings = CheckedVector(options, std::move(vector), targets);
  if (findings) {
    findings->breaches.insert(findings->breaches.begin(), breaches.begin(), breaches.end());
  }
  return findings;
}

Result<Findings> Checked(const CheckOptions& options) {
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return targets.error();
  const Result<PathKind> kind = KindOfSource(options.file);
  if (!kind) return kind.error();
  if (*kind == PathKind::kTosa || *kind == PathKind::kJson) return CheckedTosa(options, *targets);
  Result<GraphOrVector> loaded = LoadGraphOrVector(options.file, options.function);
  if (!loaded) return loaded.error();
  return CheckedVector(options, std::move(loaded->vector), *targets);
}

int RunCheck(const CheckOptions& options) {
  const Result<Findings> findings = Checked(options);
  if (!findings) return Fail(findings.error());
  PrintFindings(*findings, options.target, options.json);
  return findings->breaches.empty() && findings->misfits.empty() ? kExitClean : kExitFinding;
}

}  // namespace

extern const Command check_command = {
    .name = "check",
    .summary = "checks a graph or a vector against every static rule",
    .declare = DeclareWith<CheckOptions, DeclareCheck, RunCheck>,
};

}  // namespace assay::cli

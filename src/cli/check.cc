#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign.h"
#include "check_graph.h"
#include "clean_text.h"
#include "command.h"
#include "custom.h"
#include "load.h"
#include "rules.h"
#include "terminal.h"
#include "vector_source.h"

namespace assay::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string file;
  std::string level;
  std::vector<std::string> profiles, extensions;
  bool json = false;
};
Options options;

void Declare(CLI::App& app) {
  app.add_option("FILE", options.file,
                 "a .tosa, .json, .mlir or .tvec file or an Arm test directory")
      ->required();
  app.add_option("--level", options.level, "8K or none; otherwise that of the vector, or 8K");
  app.add_option("--profile", options.profiles,
                 "profiles of the target (PRO-INT, PRO-FP); operators that it does not include are "
                 "named as graph/TARGET/operators. Otherwise what the vector requires; of a graph "
                 "alone nothing is asked");
  app.add_option(
      "--ext", options.extensions,
      "extensions of the target; with EXT-DYNAMIC compile-time constants may be computed");
  app.add_flag("--json", options.json, "print JSON");
}

Result<TestVector> Load() {
  const Result<SourceKind> kind = KindOfSource(options.file);
  if (!kind) return kind.error();
  if (*kind == SourceKind::kFolder) {
    return Error{Error::Kind::kUsage, options.file + ": a folder; check takes one file"};
  }
  if (*kind == SourceKind::kVector || *kind == SourceKind::kArmDirectory) {
    return LoadVector(options.file, nullptr);
  }
  const Result<Graph> graph = LoadGraph(options.file, nullptr);
  if (!graph) return graph.error();
  TestVector vector;
  vector.graphs = {*graph};
  return vector;
}

// The CUSTOM operators: what they ask of their operands only their implementation knows.
std::vector<std::string> CustomsOf(const TestVector& vector) {
  std::vector<std::string> names;
  for (const Graph& graph : vector.graphs) {
    for (const Region& region : graph.regions) {
      for (const Block& block : region.blocks) {
        for (const Operator& op : block.operators) {
          if (op.op == Op::kCustom) names.push_back(CustomName(op));
        }
      }
    }
  }
  return names;
}

void Print(const std::vector<Breach>& breaches, const std::vector<std::string>& customs) {
  if (options.json) {
    Json all = Json::array();
    for (const Breach& breach : breaches) {
      all.push_back({{"rule", breach.rule},
                     {"where", CleanText(breach.where)},
                     {"text", RuleText(breach.rule)}});
    }
    Write(Json{{"broken", std::move(all)}, {"not_checked", customs}}.dump(2) + "\n");
    return;
  }
  for (const Breach& breach : breaches) {
    Write(breach.rule + "  " + OneLine(breach.where) + "\n    " +
          std::string(RuleText(breach.rule)) + "\n");
  }
  for (const std::string& custom : customs) {
    Write("not checked: " + custom + ", beyond its arguments\n");
  }
  if (breaches.empty()) Write("no static rule is broken\n");
}

// The options in place of what the vector says of itself.
Result<Done> Override(TestVector& vector) {
  if (!options.level.empty()) vector.level = options.level;
  if (!LevelByName(vector.level)) {
    return Error{Error::Kind::kUsage, "level " + vector.level + ": neither 8K nor none"};
  }
  const auto profiles = FeaturesNamed("--profile", "PRO-", options.profiles);
  if (!profiles) return profiles.error();
  const auto extensions = FeaturesNamed("--ext", "EXT-", options.extensions);
  if (!extensions) return extensions.error();
  if (profiles->Empty() && extensions->Empty()) return Done{};
  vector.requirements.clear();
  for (const FeatureRow& row : AllFeatures()) {
    if ((*profiles | *extensions).Contains(row.feature)) vector.requirements.emplace_back(row.name);
  }
  return Done{};
}

int Run() {
  Result<TestVector> vector = Load();
  if (!vector) return Fail(vector.error());
  const Result<Done> overridden = Override(*vector);
  if (!overridden) return Fail(overridden.error());
  const std::vector<Breach> breaches = CheckVector(*vector);
  Print(breaches, CustomsOf(*vector));
  return breaches.empty() ? kExitClean : kExitFinding;
}

}  // namespace

extern const Command check_command = {
    .name = "check",
    .summary = "checks a graph or a vector against every static rule",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli

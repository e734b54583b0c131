#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
  bool dynamic = false;
  bool json = false;
};
Options options;

void Declare(CLI::App& app) {
  app.add_option("FILE", options.file, "a .tosa, .mlir or .tvec file or an Arm test directory")
      ->required();
  app.add_option("--level", options.level, "8K or none; otherwise that of the vector, or 8K");
  app.add_flag("--dynamic", options.dynamic,
               "the target has EXT-DYNAMIC: compile-time constants may be computed");
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

// Inputs that do not have the types of the graph's; steps are checked in vectors only.
void CheckInputs(const TestVector& vector, std::vector<Breach>& breaches) {
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    const Block* main = vector.graphs[static_cast<size_t>(step.graph)].Main();
    if (main == nullptr) continue;
    bool fits = step.inputs.size() == main->inputs.size();
    for (size_t k = 0; fits && k < step.inputs.size(); ++k) {
      fits = step.inputs[k].tensor_type() == main->TypeOf(main->inputs[k]);
    }
    if (!fits) breaches.push_back({"graph/ERROR_IF/input-list", "step " + std::to_string(i)});
  }
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

int Run() {
  const Result<TestVector> vector = Load();
  if (!vector) return Fail(vector.error());
  const std::string name = options.level.empty() ? vector->level : options.level;
  const std::optional<Level> level = LevelByName(name);
  if (!level) return Fail({Error::Kind::kUsage, "level " + name + ": neither 8K nor none"});
  const auto& needs = vector->requirements;
  const bool dynamic =
      options.dynamic || std::find(needs.begin(), needs.end(), "EXT-DYNAMIC") != needs.end();
  std::vector<Breach> breaches;
  for (const Graph& graph : vector->graphs) {
    for (Breach& breach : CheckGraph(graph, *level, dynamic)) {
      breaches.push_back(std::move(breach));
    }
  }
  CheckInputs(*vector, breaches);
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

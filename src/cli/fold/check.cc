// SPDX-License-Identifier: Apache-2.0
// assay fold check: a graph before and after folding, by any folder.
#include <string>
#include <vector>

#include "case_source.h"
#include "certified_folding.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "equal_graphs.h"
#include "graph_source.h"
#include "json_fields.h"
#include "json_text.h"
#include "output_file.h"
#include "quoted.h"
#include "run_options.h"
#include "terminal.h"
#include "time_limit.h"
#include "tvec_file.h"

namespace assay::cli::fold {
namespace {

struct CheckOptions {
  std::string before, after, function;
  std::string mode = "exact";
  std::string out;
  int runs = FoldCheckOptions().runs;
  BackendOptions limits;
  bool prove = false;
  bool no_structure = false;
  bool dynamic = false;
  bool json = false;
};

void DeclareCheck(CommandLine& line, CheckOptions& options) {
  line.Add("BEFORE", options.before,
           "a graph: .tosa, JSON, .mlir, .mlirbc, .graph, .spv, .spvasm, or a .tvec with one graph")
      .Required();
  line.Add("AFTER", options.after,
           "the graph after folding (default: check the certificates and graph pairs in "
           "BEFORE, a .tvec)");
  AddFunctionOption(line, options.function);
  line.AddFlag("--prove", options.prove,
               "take long to compare the graphs element by element as terms over their inputs, and "
               "to ask Z3 where terms differ; both have a short turn without it");
  line.Add("--mode", options.mode,
           "exact: equal bits, except in NaNs; bounded: AFTER lies within the tolerance "
           "that the specification gives BEFORE")
      .OneOf({"exact", "bounded"})
      .ShowDefault();
  line.Add("--out", options.out, "file for the counterexample, a .tvec");
  line.Add("--runs", options.runs,
           "number of inputs to run the graphs on, before each special value of an input and each "
           "pair of special values of two inputs; 0 runs them on none")
      .Between(0, 1'000'000)
      .ShowDefault();
  line.AddFlag("--no-structure", options.no_structure,
               "do not compare the structure of the graphs");
  line.AddFlag("--dynamic", options.dynamic,
               "compile-time constants may be computed (EXT-DYNAMIC)");
  AddTimeOptions(line, options.limits);
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Inputs and outputs correspond by position. AFTER may do anything for inputs "
      "that are not valid for\n"
      "BEFORE.\n"
      "Status 0: equal for all inputs. 1: different; inputs that show it are printed. "
      "3: undecided.\n"
      "For a .tvec alone, 0: all its claims about foldings and pairs are true. 1: one "
      "is false.");
}

// Returns the only graph at a path.
Result<Graph> Load(const std::string& path, const std::string& function) {
  Result<GraphOrVector> loaded = LoadGraphOrVector(path, function);
  if (!loaded) return loaded.error();
  if (loaded->vector.graphs.size() != 1) {
    return BadInput(path + ": holds " + std::to_string(loaded->vector.graphs.size()) +
                    " graphs, not one");
  }
  return std::move(loaded->vector.graphs[0]);
}

void PrintVerdictJson(const FoldVerdict& verdict, const std::string& out) {
  Json json = {{"verdict", FoldVerdictName(verdict.kind)}};
  if (verdict.kind == FoldVerdictKind::kEqual) {
    json["argument"] = FoldArgumentText(verdict.argument);
  } else {
    json["reason"] = CleanText(verdict.reason);
  }
  json["runs"] = verdict.runs;
  json["elements"] = verdict.elements;
  json["classes"] = verdict.classes;
  json["questions"] = verdict.questions;
  if (verdict.counterexample && !out.empty()) json["counterexample"] = out;
  Write(JsonText(json, 2) + "\n");
}

void PrintVerdict(const FoldVerdict& verdict, const std::string& out) {
  const bool equal = verdict.kind == FoldVerdictKind::kEqual;
  Print("{}: {}\n", FoldVerdictName(verdict.kind),
        equal ? std::string(FoldArgumentText(verdict.argument)) : CleanText(verdict.reason));
  if (verdict.counterexample && !out.empty()) {
    Print("    counterexample: {}\n", Quoted(out));
  }
}

int StatusOfVerdict(FoldVerdictKind kind) {
  if (kind == FoldVerdictKind::kUndecided) return kExitUndecided;
  return kind == FoldVerdictKind::kEqual ? kExitClean : kExitFinding;
}

FoldCheckOptions FoldCheckOptionsOf(const CheckOptions& options) {
  FoldCheckOptions check;
  check.mode = options.mode == "exact" ? FoldMode::kExact : FoldMode::kBounded;
  check.structural = !options.no_structure;
  check.prove = options.prove;
  check.runs = options.runs;
  check.execution.dynamic = options.dynamic;
  return check;
}

// Compares two graphs within the time limits.
FoldVerdict Compare(const CheckOptions& options, const Graph& before, const Graph& after) {
  const TimeLimit limit(options.limits.cpu_seconds, options.limits.wall_seconds);
  FoldVerdict verdict;
  try {
    verdict = CheckFold(before, after, FoldCheckOptionsOf(options));
  } catch (const OutOfTime&) {  // among the terms
    verdict.kind = FoldVerdictKind::kUndecided;
  }
  if (limit.reached() && verdict.kind == FoldVerdictKind::kUndecided) {
    verdict.reason = limit.what();
  } else if (verdict.cut_short) {
    verdict.reason += "; --prove looks longer for a proof or a difference";
  }
  return verdict;
}

// The result of checking a part of a vector.
struct PartResult {
  std::string name;  // "folding 0", "pair 1"
  FoldVerdictKind kind = FoldVerdictKind::kEqual;
  std::vector<std::string> lines;
};

PartResult CheckRecord(const TestVector& vector, size_t number, bool dynamic) {
  PartResult part = {"folding " + std::to_string(number), FoldVerdictKind::kEqual, {}};
  const FoldRecord& record = vector.folds[number];
  Folding folding = {vector.graphs, {}, record};
  const auto constness = vector.constness.find(record.original);
  const Block& original = *folding.original().Main();
  folding.arguments.assign(original.inputs.size(), Constness::kVarying);
  if (constness != vector.constness.end()) folding.arguments = constness->second;
  FoldCertificateOptions certificate;
  certificate.execution.dynamic = dynamic;
  for (const FoldFlaw& flaw : FlawsOf(folding, certificate)) {
    part.lines.push_back(flaw.rule + ": " + flaw.where);
  }
  if (part.lines.empty()) {
    part.lines = {std::to_string(record.cached.size()) +
                  " tensors cached, as its certificate says"};
  } else {
    part.kind = FoldVerdictKind::kDifferent;
  }
  return part;
}

// A pair states whether its graphs are equal. A verdict that says otherwise is a finding.
PartResult CheckPair(const CheckOptions& options, const TestVector& vector, size_t number) {
  PartResult part = {"pair " + std::to_string(number), FoldVerdictKind::kUndecided, {}};
  const FoldPair& pair = vector.fold_pairs[number];
  const FoldVerdict verdict = Compare(options, vector.graphs[static_cast<size_t>(pair.before)],
                                      vector.graphs[static_cast<size_t>(pair.after)]);
  const bool equal = verdict.kind == FoldVerdictKind::kEqual;
  part.lines = {std::string(FoldVerdictName(verdict.kind)) + ": " +
                (equal ? std::string(FoldArgumentText(verdict.argument)) : verdict.reason)};
  if (verdict.kind != FoldVerdictKind::kUndecided) {
    part.kind = equal == pair.equal ? FoldVerdictKind::kEqual : FoldVerdictKind::kDifferent;
    part.lines[0] += equal == pair.equal ? "" : "; the vector says otherwise";
  }
  return part;
}

int CheckVectorAlone(const CheckOptions& options) {
  const Result<LoadedCase> loaded = LoadCase(options.before);
  if (!loaded) return Fail(loaded.error());
  const TestVector& vector = loaded->vector;
  std::vector<PartResult> parts;
  for (size_t i = 0; i < vector.folds.size(); ++i)
    parts.push_back(CheckRecord(vector, i, options.dynamic));
  for (size_t i = 0; i < vector.fold_pairs.size(); ++i)
    parts.push_back(CheckPair(options, vector, i));
  if (parts.empty()) {
    return Fail(UsageError(options.before +
                           ": has neither a folding nor a pair of graphs; AFTER is missing"));
  }
  Json all = Json::array();
  FoldVerdictKind worst = FoldVerdictKind::kEqual;
  for (const PartResult& part : parts) {
    Json lines = Json::array();
    for (const std::string& line : part.lines) {
      if (!options.json) Print("{}: {}\n", part.name, CleanText(line));
      lines.push_back(CleanText(line));
    }
    all.push_back({{"part", part.name},
                   {"sound", part.kind == FoldVerdictKind::kEqual},
                   {"lines", std::move(lines)}});
    const bool worse = part.kind == FoldVerdictKind::kDifferent || worst == FoldVerdictKind::kEqual;
    if (worse) worst = part.kind;
  }
  if (options.json) Write(JsonText(all, 2) + "\n");
  return StatusOfVerdict(worst);
}

int RunCheck(const CheckOptions& options) {
  const Result<std::optional<OutputFile>> out = OutputFile::IfNamed(options.out);
  if (!out) return Fail(out.error());
  if (options.after.empty()) return CheckVectorAlone(options);
  const Result<Graph> before = Load(options.before, options.function);
  if (!before) return Fail(before.error());
  const Result<Graph> after = Load(options.after, options.function);
  if (!after) return Fail(after.error());
  const FoldVerdict verdict = Compare(options, *before, *after);
  if (verdict.counterexample && *out) {
    const Result<Done> written = (*out)->Write(WriteTestVector(*verdict.counterexample));
    if (!written) return Fail(written.error());
  }
  if (options.json) {
    PrintVerdictJson(verdict, options.out);
  } else {
    PrintVerdict(verdict, options.out);
  }
  return StatusOfVerdict(verdict.kind);
}

}  // namespace

extern const Command check_command = {
    .name = "check",
    .summary = "compares a graph before and after constant folding, for all inputs",
    .declare = DeclareWith<CheckOptions, DeclareCheck, RunCheck>,
};

}  // namespace assay::cli::fold

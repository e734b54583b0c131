// SPDX-License-Identifier: Apache-2.0
// assay fold: constant folding.
#include <algorithm>
#include <string>
#include <vector>

#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "dataflow.h"
#include "fold_commands.h"
#include "fold_graph.h"
#include "folding.h"
#include "folding_json.h"
#include "graph_text.h"
#include "graph_to_fold.h"
#include "json_text.h"
#include "output_file.h"
#include "quoted.h"
#include "terminal.h"
#include "time_limit.h"
#include "tvec_file.h"

namespace assay::cli {

namespace {

constexpr FoldStage kStages[] = {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry};

struct FoldCommandOptions {
  std::string file, out;
  FoldingOptions folding;
  BackendOptions limits;
  bool json = false;
};

void DeclareFold(CommandLine& line, FoldCommandOptions& options) {
  line.AddCommands(fold::FoldCommands());
  line.Add("FILE", options.file,
           "a graph: .tosa, JSON, .mlir, .mlirbc, .graph, .spv, .spvasm, .tvec or an Arm test "
           "directory");
  AddFoldingOptions(line, options.folding);
  line.Add("--out", options.out,
           "file for the graphs, the cached tensors and the certificate, a .tvec");
  AddTimeOptions(line, options.limits);
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "FILE may name the constant inputs too: in a field of a .tvec, or in the "
      "attributes\n"
      "compiletime_const_args_index and runtime_const_args_index of @main in MLIR.\n"
      "Options take precedence over the file.");
}

// Counts the operators that compute something, without CONSTs.
int64_t CountOperators(const Graph& graph) {
  const std::vector<Operator>& operators = graph.Main()->operators;
  return std::count_if(operators.begin(), operators.end(),
                       [](const Operator& op) { return !IsConstant(op.op); });
}

void PrintArguments(const Folding& folding) {
  const Block& main = *folding.original().Main();
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const TensorInfo& info = main.tensors[static_cast<size_t>(main.inputs[i])];
    Print("input {}: {}, {}\n", Quoted(info.name), info.type.ToString(),
          NameOf(folding.arguments[i]));
  }
}

// Prints the constant values that are computed in every run nevertheless.
void PrintLeft(const Folding& folding, const FoldingOptions& options) {
  const std::set<std::string> pure(options.pure.begin(), options.pure.end());
  const Dataflow flow(folding.postponed(), folding.arguments, pure);
  const std::vector<Operator>& operators = flow.main().operators;
  for (size_t i = 0; i < operators.size(); ++i) {
    if (IsConstant(operators[i].op) || operators[i].outputs.empty() ||
        flow.OfOperator(static_cast<int32_t>(i)) == Constness::kVarying ||
        !folding.record.certificate.went[i].Has(FoldStage::kEntry)) {
      continue;
    }
    const TensorInfo& info = flow.main().tensors[static_cast<size_t>(operators[i].outputs[0])];
    Print("left: {} {}, {}\n", OperatorName(operators[i].op), Quoted(info.name),
          info.type.ToString());
  }
}

void PrintFolding(const Folding& folding, const FoldingOptions& options) {
  PrintArguments(folding);
  int64_t bytes = 0;
  for (const CachedTensor& cached : folding.record.cached) {
    bytes += cached.bytes;
    Print("cached {}: {}, {}, {} bytes, {}\n", cached.global_index, Quoted(cached.name),
          cached.type.ToString(), cached.bytes, NameOf(cached.stage));
  }
  for (const Postponement& one : folding.record.certificate.postponements) {
    Print("postponed: {} behind {}\n", NameOf(one.kind), Quoted(one.result));
  }
  PrintLeft(folding, options);
  Print("{} tensors of {} bytes are cached\n", folding.record.cached.size(), bytes);
  Print(
      "operators: {} at compile time, {} once in each context, {} in every execution; before: "
      "{}\n",
      CountOperators(folding.stage(FoldStage::kCompileTime)),
      CountOperators(folding.stage(FoldStage::kRuntime)),
      CountOperators(folding.stage(FoldStage::kEntry)), CountOperators(folding.original()));
}

void PrintFoldingJson(const TestVector& vector, const Folding& folding) {
  Json graphs = Json::array(), operators;
  for (const Graph& graph : folding.graphs) graphs.push_back(CleanText(GraphText(graph)));
  for (const FoldStage stage : kStages) {
    operators[std::string(NameOf(stage))] = CountOperators(folding.stage(stage));
  }
  operators["before"] = CountOperators(folding.original());
  const Json json = {{"constness", ConstnessJson(vector)},
                     {"fold", FoldJson(folding.record)},
                     {"operators", std::move(operators)},
                     {"graphs", std::move(graphs)}};
  Write(JsonText(json, 2) + "\n");
}

int RunFold(const FoldCommandOptions& options) {
  if (options.file.empty()) return Fail(UsageError("fold: FILE is required"));
  const Result<std::optional<OutputFile>> out = OutputFile::IfNamed(options.out);
  if (!out) return Fail(out.error());
  Result<FoldInput> input = LoadFoldInput(options.file, options.folding);
  if (!input) return Fail(input.error());
  const Result<FoldOptions> fold = FoldOptionsOf(options.folding, input->vector);
  if (!fold) return Fail(fold.error());
  const TimeLimit limit(options.limits.cpu_seconds, options.limits.wall_seconds);
  const Result<Folding> folding = FoldGraph(input->vector.graphs[0], input->arguments, *fold);
  // If time runs out, there is no folding, because a slower machine would get another one.
  if (limit.reached()) return Fail(ResourceError(options.file + ": " + limit.what()));
  if (!folding) {
    return Fail({folding.error().kind, options.file + ": " + folding.error().message});
  }
  TestVector& vector = input->vector;
  vector.graphs = folding->graphs;
  vector.constness[folding->record.original] = folding->arguments;
  vector.folds = {folding->record};
  if (*out) {
    const Result<Done> written = (*out)->Write(WriteTestVector(vector));
    if (!written) return Fail(written.error());
  }
  if (options.json) {
    PrintFoldingJson(vector, *folding);
  } else {
    PrintFolding(*folding, options.folding);
  }
  return kExitClean;
}

}  // namespace

extern const Command fold_command = {
    .name = "fold",
    .summary =
        "folds the constant parts of a graph; its subcommands execute and compare folded "
        "graphs",
    .declare = DeclareWith<FoldCommandOptions, DeclareFold, RunFold>,
};

}  // namespace assay::cli

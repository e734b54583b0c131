// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "coverage_report.h"
#include "extraction.h"
#include "files.h"
#include "joined.h"
#include "json_lines.h"
#include "json_text.h"
#include "model_power.h"
#include "run_options.h"
#include "terminal.h"

namespace assay::cli {
namespace {

constexpr int kOperatorsMost = 16;

struct ExtractCommand : ExtractionOptions {
  bool operators_only = false;
  bool json = false;
};

void DeclareExtract(CommandLine& line, ExtractCommand& options) {
  line.Add("MODEL", options.paths,
           "graphs (.tosa, .json, .mlir, .mlirbc, .graph, .spv, .spvasm), .tvec files, suites, or "
           "Arm test directories")
      .Required();
  line.Add("--out", options.out, "folder for the suite; must be empty or not exist yet").Required();
  line.Add("--windows", options.windows.operators_max,
           "maximum number of operators of a window; constants do not count")
      .Between(1, kOperatorsMost)
      .ShowDefault();
  line.AddFlag("--operators", options.operators_only,
               "write windows of one operator only, the distinct configurations; same as "
               "--windows 1");
  line.Add("--sets", options.windows.sets_max,
           "maximum number of connected sets of operators to look at from one operator; small sets "
           "come first")
      .Between(1, 1'000'000)
      .ShowDefault();
  line.Add("--max-bytes", options.bytes_max,
           "maximum size of a vector; a larger window of one operator loses output channels of "
           "convolutions, MATMUL and GATHER, and all other larger windows are left out")
      .Between(1, int64_t{1} << 40)
      .ShowDefault();
  line.Add("--made", options.made_most,
           "maximum number of further vectors for each configuration, on operands made for it: "
           "those that show a fault which the values of the models do not show; and for each "
           "window of two or three operators")
      .Between(0, ModelPower::kMadeMost);
  AddFunctionOption(line, options.model.function);
  AddShapeOption(line, options.model.shapes);
  line.Add("--input", options.model.inputs,
           "NAME=FILE.npy or 0=FILE.npy for each input of a graph (default: values drawn from "
           "--seed, in the range that makes most values inside the graph informative: finite, not "
           "zero, and neither the least nor the greatest of their tensor)");
  line.Add("--seed", options.model.seed, "the same seed gives the same values for inputs of graphs")
      .ShowDefault();
  AddDrawMissingOption(line, options.model.draw_missing);
  line.Add("--level", options.model.level, "for graphs: level, 8K or none").ShowDefault();
  AddTimeOptions(line, options.limits);
  AddTargetOptions(line, options.target);
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Writes DIR/operator: each distinct operator configuration of the models once (operator, "
      "types,\n"
      "attributes, shapes, compile-time constants), on the values that the reference executor has "
      "there.\n"
      "Writes DIR/window: the distinct connected parts of 2 to --windows operators. Writes "
      "DIR/sequence: the\n"
      "parts that carry state, from a VARIABLE_READ to its VARIABLE_WRITE, with several steps. "
      "Prints what the\n"
      "models need of a backend, and what the vectors of one operator reach of the specification.");
}

Json JsonOf(const WindowCounts& counts) {
  return {{"found", counts.found}, {"distinct", counts.distinct}, {"vectors", counts.vectors}};
}

void TellInJson(const Extraction& extraction) {
  Json json = {{"vectors", extraction.vectors()},
               {"bytes", extraction.bytes},
               {"configurations", JsonOf(extraction.one)},
               {"windows", JsonOf(extraction.several)},
               {"trimmed", extraction.trimmed},
               {"skipped", extraction.skipped},
               {"operators_cut_short", extraction.cut_short},
               {"operators", extraction.in_models},
               {"operators_tested", extraction.in_vectors}};
  if (extraction.made.vectors > 0) json["made"] = extraction.made.vectors;
  if (extraction.sequences.found > 0) json["sequences"] = JsonOf(extraction.sequences);
  json["power"] = JsonFrom(PowerToJson(extraction.power));
  json["needs"] = JsonFrom(NeedsToJson(extraction.needs));
  json["coverage"] = JsonFrom(CoverageToJson(extraction.coverage));
  auto& list = json["operator_vectors"] = Json::array();
  for (const OperatorConfiguration& configuration : extraction.configurations) {
    list.push_back({{"file", configuration.file},
                    {"operator", OperatorName(configuration.use.op)},
                    {"type", TypeName(configuration.use.type)},
                    {"operators", configuration.operators},
                    {"trimmed", configuration.trimmed},
                    {"identity", configuration.identity}});
  }
  Print("{}\n", JsonText(json, 2));
}

void Tell(const ExtractionOptions& options, const Extraction& extraction) {
  const auto written = [&options](const WindowCounts& counts) {
    return std::to_string(counts.vectors) + (counts.vectors == 1 ? " vector" : " vectors") +
           " in " + JoinPath(options.out, counts.kind);
  };
  Print("{} operators, {} distinct configurations, {}\n", extraction.one.found,
        extraction.one.distinct, written(extraction.one));
  if (options.made_most > 0) Print("on operands made for them: {}\n", written(extraction.made));
  if (const int most = options.windows.operators_max; most > 1) {
    Print("{} windows of {} operators, {} distinct, {}\n", extraction.several.found,
          most == 2 ? "2" : "2 to " + std::to_string(most), extraction.several.distinct,
          written(extraction.several));
  }
  if (const WindowCounts& sequences = extraction.sequences; sequences.found > 0) {
    Print("parts that carry state: {}, {} distinct, {}\n", sequences.found, sequences.distinct,
          written(sequences));
  }
  Print("{} bytes\n", extraction.bytes);
  if (extraction.trimmed > 0) {
    Print("{} trimmed to fewer output channels: --max-bytes {}\n", extraction.trimmed,
          options.bytes_max);
  }
  for (const auto& [reason, count] : extraction.skipped) Print("{} skipped: {}\n", count, reason);
  if (extraction.cut_short > 0) {
    Print("at {} operators some windows were left out: --sets {} is reached\n",
          extraction.cut_short, options.windows.sets_max);
  }
  Print("{}\n", Joined(PowerLines(extraction.power), "\n"));
  Print("\nThe models need of a backend:\n{}", NeedsToText(extraction.needs));
  Print(
      "\nThe vectors of one operator test {} of {} operators of the models, and of the "
      "specification:\n",
      extraction.in_vectors, extraction.in_models);
  for (const CoverageGroup& group : extraction.coverage) {
    Print("  {:<18} {}/{}\n", group.name, group.reached, group.total);
  }
}

int RunExtract(ExtractCommand command) {
  if (command.operators_only) command.windows.operators_max = 1;
  const Result<Extraction> extraction = Extract(command);
  if (!extraction) return Fail(extraction.error());
  command.json ? TellInJson(*extraction) : Tell(command, *extraction);
  return extraction->vectors() == 0 ? kExitUndecided : kExitClean;
}

}  // namespace

extern const Command extract_command = {
    .name = "extract",
    .summary =
        "writes the operator configurations of models and their windows of 2 to K operators, as "
        "a suite",
    .declare = DeclareWith<ExtractCommand, DeclareExtract, RunExtract>,
};

}  // namespace assay::cli

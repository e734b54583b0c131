// SPDX-License-Identifier: Apache-2.0
#include "run_options.h"

#include <limits>

#include "parse_number.h"

namespace assay {
namespace {

// Checks a seed, because CLI11 takes numbers beyond 64 bits for the greatest number. Returns "" if
// it is correct.
std::string IsSeed(const std::string& text) {
  uint64_t seed = 0;
  return ParseNumber(text, seed) ? "" : text + ": not a number from 0 to 18446744073709551615";
}

}  // namespace

void AddMatchOption(CommandLine& line, std::string& text) {
  line.Add("--match", text,
           "select vectors with one of these operators, e.g. 'CONV2D i8, ADD'. A term is OP "
           "[TYPE], with the type of the first input; a comma means or");
}

void AddFunctionOption(CommandLine& line, std::string& function) {
  line.Add("--function", function,
           "function of an MLIR file, or graph of a SPIR-V module, that has several")
      .ShowValueAs("NAME");
}

void AddShapeOption(CommandLine& line, std::vector<std::string>& shapes) {
  line.Add("--shape", shapes,
           "shape of an input of a graph that has open dimensions: NAME=1,224,224,3, or its "
           "position, 0=1,224,224,3. The open dimensions of all other tensors are inferred")
      .TakeAll()
      .ShowValueAs("NAME=DIMENSIONS");
}

void AddDrawMissingOption(CommandLine& line, bool& draw_missing) {
  line.AddFlag("--draw-missing", draw_missing,
               "draws constants whose data an MLIR file leaves out, dense_resource<__elided__>, "
               "from --seed");
}

void AddModelOptions(CommandLine& line, ModelOptions& options) {
  AddFunctionOption(line, options.function);
  AddShapeOption(line, options.shapes);
  line.Add("--input", options.inputs,
           "inputs of a graph: NAME=FILE.npy for each of them, or its position, 0=FILE.npy; or "
           "FILE.npz with an array for each. "
           "An array with one leading axis more than the input holds a sample for each index of "
           "that axis; several .npz files hold their samples one after the other (default: values "
           "drawn from --seed, in the range that makes most values inside the graph informative: "
           "finite, not zero, and neither the least nor the greatest of their tensor)");
  line.Add("--samples", options.samples,
           "number of samples of inputs to draw, or to take from --input (default: 1, or all of "
           "--input)")
      .Between(1, ModelOptions::kSamplesMax);
  line.Add("--seed", options.seed, "the same seed draws the same inputs of a graph").ShowDefault();
  line.Add("--weights", options.weights,
           "lattice: replaces the floating-point weights and inputs of a graph by small integers "
           "times a power of two, drawn from --seed, so that sums are exact in any order; the "
           "report says up to which layer the graph is exact")
      .OneOf({"lattice"});
  AddDrawMissingOption(line, options.draw_missing);
  line.Add("--level", options.level, "for graphs: level, 8K or none").ShowDefault();
}

void AddKnownOptions(CommandLine& line, KnownOptions& options) {
  line.Add("--known", options.file,
           "file of known failures: findings that do not fail the run, with reasons "
           "(src/campaign/README.md)")
      .ShowValueAs("FILE");
  line.Add("--today", options.today,
           "date that decides which known failures have ended (default: that of the system)")
      .ShowValueAs("DATE");
}

void AddKnownOptionsWithUpdate(CommandLine& line, KnownOptions& options) {
  AddKnownOptions(line, options);
  line.AddFlag("--update-known", options.update,
               "add the groups of findings that are not known to the file");
}

void AddPastOptions(CommandLine& line, PastOptions& options) {
  line.Add("--since", options.since,
           "an earlier report to compare with: its folder, or its report.jsonl. Groups of findings "
           "that it does not have are marked as new and come first, and those that are no longer "
           "found are listed")
      .ShowValueAs("REPORT");
  line.Add("--history", options.history,
           "file that gets a line for each run, with the date of --today; report.html shows the "
           "trend. "
           "A run with the result of the last one, on the same day, adds no line")
      .ShowValueAs("FILE");
}

void AddRecordedOptions(CommandLine& line, BackendOptions& options) {
  line.Add("--record", options.record,
           "folder that keeps the answers of the backend, to be judged again by "
           "--backend recorded:DIR")
      .ShowValueAs("DIR");
  line.Add("--next", options.next,
           "folder for the further vectors that the backend recorded:PATH needs answers to: "
           "windows, and candidates of --minimize. Run them, and repeat the command")
      .ShowValueAs("DIR");
}

void AddTargetShortcuts(CommandLine& line, TargetOptions& options) {
  line.Add(
          "--op", options.operators,
          "operators of the target, separated by commas: CONV2D,ADD; constants always belong to it")
      .TakeAll()
      .SplitAtCommas()
      .ShowValueAs("OP[,OP]");
  line.Add("--type", options.types,
           "types of the target, separated by commas: i8,fp32. The type of an operator is that of "
           "its first input")
      .TakeAll()
      .SplitAtCommas()
      .ShowValueAs("TYPE[,TYPE]");
  line.Add("--max-rank", options.rank_max, "greatest rank of a tensor in the target")
      .Between(1, 32);
  line.Add("--max-elements", options.elements_max,
           "greatest number of elements of a tensor in the target")
      .Between(1, std::numeric_limits<int64_t>::max());
}

void AddTargetOptions(CommandLine& line, TargetOptions& options) {
  line.Add("--target", options.file,
           "file that describes a target (src/target/README.md). Vectors and layers outside "
           "of it, or outside of the target that the options below make, are left out");
  AddTargetShortcuts(line, options);
}

void AddCampaignOptions(CommandLine& line, CampaignOptions& options) {
  line.Add("--kind", options.kinds,
           "kinds of vectors; see `assay help options` (default: all but plan)");
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
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "c_text.h"
#include "check.h"
#include "checked_plan.h"
#include "command.h"
#include "command_line.h"
#include "counted.h"
#include "emit_c.h"
#include "files.h"
#include "memory_to_plan.h"
#include "note.h"
#include "output_file.h"
#include "path_kind.h"
#include "plan_commands.h"
#include "planned_json.h"
#include "planner.h"
#include "plugin_algorithm.h"
#include "quoted.h"
#include "state_rules.h"
#include "terminal.h"
#include "tvec_file.h"
#include "version.h"

namespace assay::cli {

namespace {

struct PlanOptions {
  std::string file;
  std::string algorithm = "auto";
  MemoryOptions memory;
  std::optional<int64_t> steps_max;
  double plugin_seconds = 60;
  std::string emit, name, out;
  bool json = false;
};

void DeclarePlan(CommandLine& line, PlanOptions& options) {
  line.AddCommands(plan::PlanCommands());
  line.Add("FILE", options.file,
           "a graph (.tosa, .tvec, .mlir, .mlirbc, .graph, .spv, .spvasm, JSON, an Arm test "
           "directory), or a memory problem: JSON from --json, or a table of MiniMalloc (CSV), "
           "TVM, ExecuTorch or TensorFlow Lite. A plan in the file is ignored");
  line.Add("--algorithm", options.algorithm, "an algorithm listed below, or plugin:FILE.so")
      .ShowDefault();
  AddMemoryOptions(line, options.memory);
  line.Add("--max-steps", options.steps_max,
           "limit of a search, in steps of some nanoseconds (default: some hundredths of a "
           "second; some seconds for exact, and for auto until it has a plan)")
      .NotNegative();
  line.Add("--emit", options.emit,
           "for graphs: write a C99 model, NAME.h and NAME.c, with all buffers at their "
           "planned offsets; link it with libassay_kernels.a")
      .ShowValueAs("DIR");
  line.Add("--name", options.name,
           "name of the model that --emit writes, a C identifier (default: from the name of "
           "FILE)")
      .Needs("--emit");
  line.Add("--plugin-seconds", options.plugin_seconds, "time limit for a plugin")
      .Positive()
      .ShowDefault();
  line.Add("--out", options.out,
           "write the plan to a file: .json, or .tvec with the graph and everything else in "
           "its vector")
      .Excludes("--emit")
      .Check([](const std::string& path) {
        const PathKind kind = KindOfFile(path);
        const bool known = kind == PathKind::kJson || kind == PathKind::kVector;
        return known ? "" : path + ": neither .json nor .tvec";
      });
  line.AddFlag("--json", options.json, "print the problem with its plan as JSON");
  std::string footer = "Algorithms:";
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const std::string name(algorithm->name);
    footer += "\n  " + name + std::string(24 - std::min<size_t>(name.size(), 23), ' ') +
              std::string(algorithm->summary);
  }
  footer +=
      "\n"
      "  plugin:FILE.so          a shared library of yours with the C function of "
      "assay_plan_algorithm.h;\n"
      "                          it runs in its own process, and its plan is checked\n"
      "Status 1: the plugin's plan breaks a rule. 2: the plugin crashed or took too "
      "long; or a proof shows\n"
      "that no plan fits. 3: no plan was found, but one may exist.";
  line.SetFooter(footer);
}

void PrintPools(const MemoryProblem& problem, const MemoryPlan& plan) {
  std::vector<int64_t> tops(problem.pools.size(), 0), counts(problem.pools.size(), 0);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const auto pool = static_cast<size_t>(plan.allocations[i]->pool);
    tops[pool] = std::max(tops[pool], plan.allocations[i]->offset + problem.buffers[i].size_bytes -
                                          problem.pools[pool].offset);
    ++counts[pool];
  }
  for (size_t i = 0; i < problem.pools.size(); ++i) {
    const PoolInfo& pool = problem.pools[i];
    const std::string size =
        pool.size_bytes ? " of " + std::to_string(*pool.size_bytes) : std::string();
    Print("pool {}: {}{} bytes, {}\n", Quoted(pool.name), tops[i], size,
          Counted(counts[i], "buffer"));
  }
}

void PrintPlan(const MemoryProblem& problem, const PlanningResult& result) {
  int64_t sizes = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferInfo& buffer = problem.buffers[i];
    const PoolAllocation& place = *result.plan.allocations[i];
    sizes += buffer.size_bytes;
    Print("{} at {} of {}, {} bytes\n", Quoted(buffer.name_hint), place.offset,
          Quoted(problem.pools[static_cast<size_t>(place.pool)].name), buffer.size_bytes);
  }
  PrintPools(problem, result.plan);
  Print("{} bytes for buffers of {}; at least {} are needed{}\n", result.total_bytes, sizes,
        result.bound_bytes, result.total_bytes == result.bound_bytes ? ", so none is wasted" : "");
}

// The problem to be planned. For --emit it includes the graph that uses the memory.
struct Source {
  GraphMemory memory;
  std::optional<ModelMemory> model;  // of the graph; `memory` is a copy of its memory
  PlannedSource graph;
};

Result<Source> LoadToEmit(const std::string& file, const MemoryOptions& memory) {
  Result<PlannedSource> graph = LoadGraphToPlan(file, memory);
  if (!graph) return graph.error();
  if (graph->vector.semantics != AllStateRules()[0].name) {
    return Unsupported(file + ": has variables with the semantics " +
                       Quoted(graph->vector.semantics) +
                       ", and the kernels have those of the text");
  }
  const Result<MemoryTarget> target = MemoryTargetOf(memory);
  if (!target) return target.error();
  Source source;
  source.graph = std::move(*graph);
  Result<ModelMemory> model = MemoryOfModel(source.graph.Chosen(), *target);
  if (!model) return Error{model.error().kind, file + ": " + model.error().message};
  source.memory = model->graph;
  source.model = std::move(*model);
  return source;
}

Result<Source> LoadSource(const PlanOptions& options) {
  if (!options.emit.empty()) return LoadToEmit(options.file, options.memory);
  Source source;
  Result<GraphMemory> memory = LoadMemoryProblem(options.file, options.memory, source.graph);
  if (!memory) return memory.error();
  source.memory = std::move(*memory);
  return source;
}

// Returns the model's name, from the options or the file.
Result<std::string> NameOfModel(const std::string& file, const std::string& name) {
  if (name.empty()) return ModelNameOf(FileNameOf(file));
  if (IsCIdentifier(name)) return name;
  return UsageError("--name " + Quoted(name) +
                    ": is no identifier of C of at most 40 characters that a model may have");
}

Result<Done> WriteModel(const Source& source, const MemoryPlan& plan, const std::string& name,
                        const std::string& file, const std::string& emit) {
  const Result<ModelInC> model = EmitC(source.graph.Chosen(), *source.model, plan, name);
  if (!model) return Error{model.error().kind, file + ": " + model.error().message};
  const Result<Done> made = MakeDirectories(emit);
  if (!made) return made.error();
  const std::string path = JoinPath(emit, name);
  const FileText files[] = {{path + ".c", model->source}, {path + ".h", model->header}};
  return WriteFilesAtomically(files);
}

// Writes the graph with its plan and the rest of the vector, or only the problem with its plan.
Result<Done> WriteOut(PlannedSource source, const PlannedProblem& planned, const std::string& file,
                      const OutputFile& out) {
  if (KindOfFile(out.path()) == PathKind::kJson) {
    const Result<std::string> text = PlanJson(planned);
    return text ? out.Write(*text) : text.error();
  }
  if (source.vector.name.empty()) source.vector.name = file;
  if (source.vector.provenance.toolkit_version.empty()) {
    source.vector.provenance.toolkit_version = kToolkitVersion;
  }
  PlanRecord record;
  record.planned = planned;
  record.graph = source.graph;
  source.vector.plans.push_back(std::move(record));
  return out.Write(WriteTestVector(source.vector));
}

std::string_view PluginFile(std::string_view algorithm) {
  return algorithm.starts_with(kPluginPrefix) ? algorithm.substr(kPluginPrefix.size()) : "";
}

// Replaces the name of an algorithm by the known one.
Result<Done> FindKnown(std::string& algorithm) {
  if (!PluginFile(algorithm).empty()) return Done{};
  const Result<const Algorithm*> found = FindAlgorithm(algorithm);
  if (!found) return Error{found.error().kind, "--algorithm: " + found.error().message};
  algorithm = (*found)->name;
  return Done{};
}

Result<PlanningResult> MakePlan(const PlanOptions& options, const MemoryProblem& problem) {
  const std::string file(PluginFile(options.algorithm));
  if (file.empty()) {
    return PlanMemory(problem, *AlgorithmByName(options.algorithm), options.steps_max);
  }
  if (const std::optional<Error> output = RefuseOutputIn(file)) return *output;
  std::string printed;
  Result<PlanningResult> result =
      PlanWithPlugin(problem, file, options.steps_max, options.plugin_seconds, &printed);
  NoteLines(options.algorithm + " printed", printed);
  return result;
}

// Reports a plan that breaks a rule. Only a plugin's plan may break one.
int RefusePlan(const PlanBreach& breach, const std::string& file, const std::string& algorithm) {
  Check(!PluginFile(algorithm).empty(), "a plan of ours is sound");
  Fail(BadInput(file + ": " + algorithm + ": its plan is broken: " +
                std::string(PlanRuleName(breach.rule)) + ": " + breach.text));
  return kExitFinding;
}

int RunPlan(PlanOptions options) {
  if (options.file.empty()) return Fail(UsageError("plan: FILE is required"));
  const Result<std::optional<OutputFile>> out = OutputFile::IfNamed(options.out);
  if (!out) return Fail(out.error());
  const Result<Done> known = FindKnown(options.algorithm);
  if (!known) return Fail(known.error());
  const Result<std::string> name = NameOfModel(options.file, options.name);
  if (!name) return Fail(name.error());
  Result<Source> source = LoadSource(options);
  if (!source) return Fail(source.error());
  MemoryProblem& problem = source->memory.problem;
  Result<PlanningResult> result = MakePlan(options, problem);
  if (!result) {
    return Fail({result.error().kind, options.file + ": " + result.error().message});
  }
  const CheckedPlan checked = CheckPlan(problem, result->plan);
  if (!checked.breaches.empty()) {
    return RefusePlan(checked.breaches[0], options.file, options.algorithm);
  }
  if (*out) {
    const Result<Done> written =
        WriteOut(std::move(source->graph), {problem, result->plan}, options.file, **out);
    if (!written) return Fail(written.error());
  }
  if (!options.emit.empty()) {
    const Result<Done> written =
        WriteModel(*source, result->plan, *name, options.file, options.emit);
    if (!written) return Fail(written.error());
  }
  if (!options.json) {
    PrintPlan(problem, *result);
    if (source->memory.dynamic > 0) {
      Print("{} tensors are of unknown size, and not planned\n", source->memory.dynamic);
    }
    if (!options.emit.empty()) {
      const std::string path = JoinPath(options.emit, *name);
      Print("wrote {}.h and {}.c\n", path, path);
    }
    return kExitClean;
  }
  const Result<std::string> text = PlanJson({std::move(problem), std::move(result->plan)});
  if (!text) return Fail(text.error());
  Write(*text);
  return kExitClean;
}

}  // namespace

extern const Command plan_command = {
    .name = "plan",
    .summary = "plans the offsets of buffers in memory; `plan check` checks a plan",
    .declare = DeclareWith<PlanOptions, DeclarePlan, RunPlan>,
};

}  // namespace assay::cli

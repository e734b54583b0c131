// SPDX-License-Identifier: Apache-2.0
// assay plan check: checks a plan of any origin against its problem.
#include <algorithm>
#include <string>
#include <vector>

#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "counted.h"
#include "files.h"
#include "graph_source.h"
#include "json_fields.h"
#include "json_text.h"
#include "judged_plan.h"
#include "memory_picture.h"
#include "memory_to_plan.h"
#include "output_file.h"
#include "planner_tables.h"
#include "quoted.h"
#include "run_options.h"
#include "terminal.h"
#include "traced_problem.h"

namespace assay::cli::plan {
namespace {

struct CheckOptions {
  std::string file;
  std::string format;
  std::string graph, function;
  std::string svg;
  std::optional<int64_t> capacity, plan;
  bool prove = false;
  bool json = false;
};

void DeclareCheck(CommandLine& line, CheckOptions& options) {
  line.Add("PLAN", options.file,
           "a problem with its plan: JSON from `assay plan --json`, a .tvec, MiniMalloc "
           "CSV, or a table of TVM, ExecuTorch or TensorFlow Lite (src/format/README.md)")
      .Required();
  line.Add("--format", options.format,
           "assay, minimalloc, tvm, executorch or tflite (default: detected from the "
           "content)");
  line.Add("--plan", options.plan, "number of the plan in a .tvec file, from 0").NotNegative();
  line.Add("--capacity", options.capacity, "size of the only pool in bytes, for tables without it")
      .NotNegative();
  line.Add("--graph", options.graph,
           "graph of the plan (.tosa, .mlir, .mlirbc, .graph, .spv, .spvasm, JSON, .tvec, an Arm "
           "test directory). Its execution gives the live ranges and sizes, in place of the plan's "
           "claims. Inputs are those of the first step (default: zeros)");
  AddFunctionOption(line, options.function);
  line.AddFlag("--prove", options.prove,
               "also ask Z3, in up to three ways, which must agree with the sweep. For pools of "
               "up to 30 buffers, also find the smallest size, or whether the buffers can fit");
  line.Add("--svg", options.svg,
           "write a picture to this file: time across, address up, collisions in red");
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Reports overlaps, with the first tick and the bytes; buffers that are outside "
      "of their pool,\n"
      "misaligned, in a forbidden pool, or not at their fixed offset; and buffers that "
      "are missing,\n"
      "unknown or listed twice.\n"
      "Status 1: a rule is broken. 3: the file has no plan. 4: Assay's own checks "
      "disagree.");
}

Result<PlannedProblem> ReadFrom(std::optional<PlanFormat> format, const std::string& file,
                                std::optional<int64_t> plan) {
  if (KindOfFile(file) == PathKind::kVector && !format) {
    Result<PlanRecord> record = LoadPlanRecord(file, plan);
    if (!record) return record.error();
    return std::move(record->planned);
  }
  const Result<std::string> text = ReadTextFile(file);
  if (!text) return text.error();
  return ReadPlan(*text, file, format);
}

Result<PlannedProblem> Load(const CheckOptions& options) {
  std::optional<PlanFormat> format;
  if (!options.format.empty()) {
    format = PlanFormatNamed(options.format);
    if (!format) return UsageError("--format " + Quoted(options.format) + ": there is none");
  }
  Result<PlannedProblem> all = ReadFrom(format, options.file, options.plan);
  if (!all || !options.capacity) return all;
  if (all->problem.pools.size() != 1) {
    return UsageError("--capacity: " + options.file + " has " +
                      std::to_string(all->problem.pools.size()) + " pools, not one");
  }
  all->problem.pools[0].size_bytes = options.capacity;
  const Result<Done> valid = ValidateProblem(all->problem);
  if (!valid) return UsageError("--capacity: " + valid.error().message);
  return all;
}

std::string BufferName(const MemoryProblem& problem, int32_t buffer) {
  return problem.buffers[static_cast<size_t>(buffer)].name_hint;
}

Json ToJson(const MemoryProblem& problem, const PlanBreach& breach) {
  Json json = {{"rule", PlanRuleName(breach.rule)}};
  if (breach.buffer) json["buffer"] = CleanText(BufferName(problem, *breach.buffer));
  if (breach.other) json["other"] = CleanText(BufferName(problem, *breach.other));
  if (breach.pool) {
    json["pool"] = CleanText(problem.pools[static_cast<size_t>(*breach.pool)].name);
  }
  if (breach.tick) json["tick"] = *breach.tick;
  if (breach.begin < breach.end) json["bytes"] = {breach.begin, breach.end};
  json["text"] = breach.text;
  return json;
}

Json ToJson(const MemoryProblem& problem, size_t pool, const PoolUse& use) {
  Json json = {{"name", CleanText(problem.pools[pool].name)},
               {"buffers", use.buffers},
               {"total_bytes", use.total_bytes},
               {"peak", use.peak},
               {"bound", use.bound},
               {"gap", use.peak - use.bound},
               {"fragmentation", use.fragmentation}};
  if (use.bound_tick) json["bound_tick"] = *use.bound_tick;
  for (const int32_t buffer : use.clique) {
    json["bound_by"].push_back(CleanText(BufferName(problem, buffer)));
  }
  return json;
}

void AddProved(const PlanVerdict& verdict, size_t pool, Json& json) {
  if (pool < verdict.smallest.size() && verdict.smallest[pool]) {
    json["smallest_peak"] = {verdict.smallest[pool]->bound, verdict.smallest[pool]->peak};
  }
  if (pool < verdict.fits.size() && verdict.fits[pool] != PoolFit::kUndecided) {
    json["fits"] = verdict.fits[pool] == PoolFit::kFits;
  }
}

void PrintJson(const MemoryProblem& problem, const PlanVerdict& verdict) {
  Json json = {{"sound", verdict.IsSound()}, {"broken", Json::array()}};
  for (const PlanBreach& breach : verdict.checked.breaches) {
    json["broken"].push_back(ToJson(problem, breach));
  }
  json["more_broken"] = verdict.checked.more_breaches;
  json["pools"] = Json::array();
  for (size_t i = 0; i < verdict.checked.pools.size(); ++i) {
    Json pool = ToJson(problem, i, verdict.checked.pools[i]);
    AddProved(verdict, i, pool);
    json["pools"].push_back(std::move(pool));
  }
  for (const PlanOpinion& opinion : verdict.opinions) {
    json["opinions"][std::string(opinion.by)] = PlanOpinionName(opinion.kind);
  }
  Write(JsonText(json, 2) + "\n");
}

// Returns the names of the first few buffers, and the number of the others.
std::string Names(const MemoryProblem& problem, const std::vector<int32_t>& buffers) {
  constexpr size_t kNamesMax = 8;
  std::string text;
  for (size_t i = 0; i < std::min(buffers.size(), kNamesMax); ++i) {
    text += (i == 0 ? "" : ", ") + Quoted(BufferName(problem, buffers[i]));
  }
  if (buffers.size() > kNamesMax) {
    text += " and " + std::to_string(buffers.size() - kNamesMax) + " more";
  }
  return text;
}

double Percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void PrintProved(const PlanVerdict& verdict, size_t pool) {
  if (pool < verdict.smallest.size() && verdict.smallest[pool]) {
    const SmallestPeak& smallest = *verdict.smallest[pool];
    if (smallest.bound == smallest.peak) {
      Print("    proved: the smallest peak is {}\n", smallest.peak);
    } else {
      Print("    proved: the smallest peak is {} to {}\n", smallest.bound, smallest.peak);
    }
  }
  if (pool < verdict.fits.size() && verdict.fits[pool] == PoolFit::kDoesNotFit) {
    Write("    proved: no plan has these buffers fit into the pool\n");
  }
}

void PrintPool(const MemoryProblem& problem, size_t pool, const PoolUse& use) {
  const PoolInfo& info = problem.pools[pool];
  const std::string size =
      info.size_bytes ? " of " + std::to_string(*info.size_bytes) : std::string();
  Print("pool {}: {} of {} bytes, peak {}{}\n", Quoted(info.name), Counted(use.buffers, "buffer"),
        use.total_bytes, use.peak, size);
  if (use.buffers == 0) return;
  const std::string why =
      use.bound_tick ? "live at tick " + std::to_string(*use.bound_tick) + ": " : "";
  Print("    at least {} are needed ({}{})\n", use.bound, why, Names(problem, use.clique));
  const int64_t gap = use.peak - use.bound;
  if (gap < 0) return Write("    a peak below that is possible only for a broken plan\n");
  Print("    gap {} ({:.1f}%)", gap, Percent(gap, use.peak));
  if (use.bound_tick) Print(", fragmentation at that tick {} bytes", use.fragmentation);
  Write("\n");
}

void PrintText(const MemoryProblem& problem, const PlanVerdict& verdict) {
  const CheckedPlan& checked = verdict.checked;
  for (const PlanBreach& breach : checked.breaches) {
    Print("{}: {}\n", PlanRuleName(breach.rule), breach.text);
  }
  if (checked.more_breaches > 0) Print("and {} more\n", checked.more_breaches);
  for (size_t i = 0; i < checked.pools.size(); ++i) {
    PrintPool(problem, i, checked.pools[i]);
    PrintProved(verdict, i);
  }
  std::string opinions;
  for (const PlanOpinion& opinion : verdict.opinions) {
    opinions += (opinions.empty() ? "" : ", ") + std::string(opinion.by) + " " +
                std::string(PlanOpinionName(opinion.kind));
  }
  Print("opinions on overlap: {}\n", opinions);
  const auto count = static_cast<int64_t>(checked.breaches.size()) + checked.more_breaches;
  if (count == 0) {
    Write("the plan is sound\n");
  } else {
    Print("the plan is broken in {} place{}\n", count, count == 1 ? "" : "s");
  }
}

bool IsKnown(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int32_t dim) { return dim >= 0; });
}

struct Invocation {
  Graph graph;
  std::vector<Tensor> inputs;
};

Result<Invocation> LoadInvocation(const std::string& graph, const std::string& function) {
  Result<GraphOrVector> loaded = LoadGraphOrVector(graph, function);
  if (!loaded) return loaded.error();
  const TestVector& vector = loaded->vector;
  if (!loaded->is_graph) {
    if (vector.steps.empty()) return BadInput(graph + ": has no step");
    const Step& step = vector.steps[0];
    return Invocation{vector.GraphOf(step), step.inputs};
  }
  Invocation invocation;
  invocation.graph = std::move(loaded->vector.graphs[0]);
  if (const Block* main = invocation.graph.Main()) {
    for (const TensorIndex input : main->inputs) {
      const TensorType& type = main->TypeOf(input);
      constexpr int64_t kElementsMax = int64_t{1} << 26;
      if (!IsKnown(type.shape) || type.shape.Elements() > kElementsMax) {
        return Unsupported(graph + ": an input of unknown or enormous size; a .tvec has inputs");
      }
      invocation.inputs.push_back(Tensor::Splat(type.type, type.shape, 0));
    }
  }
  return invocation;
}

// Returns the plan for the graph of `--graph`, with the live ranges that a run of it shows.
Result<PlannedProblem> ByGraph(const PlannedProblem& claimed, const std::string& graph,
                               const std::string& function) {
  const Result<Invocation> invocation = LoadInvocation(graph, function);
  if (!invocation) return invocation.error();
  Result<PlannedProblem> all = PlanByTrace(invocation->graph, invocation->inputs, claimed);
  if (!all) return Error{all.error().kind, graph + ": " + all.error().message};
  return all;
}

int RunCheck(const CheckOptions& options) {
  const Result<std::optional<OutputFile>> svg = OutputFile::IfNamed(options.svg);
  if (!svg) return Fail(svg.error());
  Result<PlannedProblem> all = Load(options);
  if (!all) return Fail(all.error());
  if (!all->plan) return Fail(Unsupported(options.file + ": holds a problem, but no plan"));
  if (!options.graph.empty()) {
    all = ByGraph(*all, options.graph, options.function);
    if (!all) return Fail(all.error());
  }
  const PlanVerdict verdict = JudgePlan(all->problem, *all->plan, options.prove);
  if (*svg) {
    const Result<Done> drawn =
        (*svg)->Write(PlanPicture(all->problem, *all->plan, verdict.checked));
    if (!drawn) return Fail(drawn.error());
  }
  if (options.json) {
    PrintJson(all->problem, verdict);
  } else {
    PrintText(all->problem, verdict);
  }
  if (!verdict.disagreement.empty()) {
    Fail(Unsupported("defect in Assay itself: " + verdict.disagreement));
    return kExitDefect;
  }
  return verdict.IsSound() ? kExitClean : kExitFinding;
}

}  // namespace

extern const Command check_command = {
    .name = "check",
    .summary = "checks or proves a plan from any planner",
    .declare = DeclareWith<CheckOptions, DeclareCheck, RunCheck>,
};

}  // namespace assay::cli::plan

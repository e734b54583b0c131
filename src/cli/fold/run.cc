// SPDX-License-Identifier: Apache-2.0
// assay fold run: folded graphs, executed with the cache of their folded tensors.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "folded_sequence.h"
#include "graph_inputs.h"
#include "graph_source.h"
#include "graph_to_fold.h"
#include "json_fields.h"
#include "json_text.h"
#include "name_search.h"
#include "parse_number.h"
#include "quoted.h"
#include "terminal.h"
#include "time_limit.h"

namespace assay::cli::fold {
namespace {

constexpr int64_t kInvocationsMax = 1'000'000;
constexpr int64_t kBytesPerElement = 24;  // as for `assay run`

struct RunOptions {
  std::string file;
  FoldingOptions folding;
  std::vector<std::string> inputs;
  int contexts = 1;
  int repeat = 1;
  std::vector<std::string> limits, evictions, forgets;
  std::string fault;
  int64_t bytes_max = int64_t{2} << 30;
  BackendOptions time;
  bool json = false;
};

void DeclareRun(CommandLine& line, RunOptions& options) {
  line.Add("FILE", options.file,
           "a graph (.tosa, JSON, .mlir, .mlirbc, .graph, .spv, .spvasm), or a .tvec or Arm test "
           "directory, whose steps are the invocations")
      .Required();
  AddFoldingOptions(line, options.folding);
  line.Add("--input", options.inputs, "NAME=FILE.npy or 0=FILE.npy for each input of a graph");
  line.Add("--contexts", options.contexts, "number of contexts that invoke a graph in turn")
      .Between(1, 1000)
      .ShowDefault();
  line.Add("--repeat", options.repeat,
           "number of invocations of a graph in each context, or of runs of the steps of a "
           ".tvec")
      .Between(1, kInvocationsMax)
      .ShowDefault();
  line.Add("--cache-bytes", options.limits,
           "maximum size of the cache (default: no limit); N:BYTES applies from invocation "
           "N on, counted from 0")
      .TakeAll()
      .ShowValueAs("[N:]BYTES");
  line.Add("--evict", options.evictions,
           "evict one tensor, or all tensors, from the cache before invocation N")
      .TakeAll()
      .ShowValueAs("N[:TENSOR]");
  line.Add("--forget", options.forgets,
           "make the context of invocation N forget its run-time constants before it, so "
           "that they may change")
      .TakeAll()
      .ShowValueAs("N");
  line.Add("--fault", options.fault,
           "seed a fault in the folding or in the cache; `assay help faults` lists them");
  line.Add("--max-bytes", options.bytes_max,
           "maximum memory for the results of operators, in bytes")
      .Between(1, std::numeric_limits<int64_t>::max())
      .ShowDefault();
  AddTimeOptions(line, options.time);
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Folds each graph that is invoked, as `assay fold` does, and executes all of "
      "them with one cache.\n"
      "Compile-time constants are folded before the first invocation. A context folds "
      "run-time constants\n"
      "when it first invokes a graph, and again if a tensor of the graph was evicted. "
      "The tensors of a\n"
      "context leave the cache after its last invocation.\n"
      "Each invocation is compared with the graph before folding, bit by bit, except "
      "in NaNs.\n"
      "Status 0: all agree. 1: an output or a variable differs, or the cache broke a "
      "promise.\n"
      "3: an invocation is not valid before folding, or cannot be executed; later ones "
      "do not run.");
}

// Returns an Error that names the file.
Error InFile(const Error& error, const std::string& file) {
  const bool is_named = error.message.find(file) != std::string::npos;
  return {error.kind, is_named ? error.message : file + ": " + error.message};
}

// Returns the invocations: a vector as it stands, or a graph with its inputs in each context.
Result<TestVector> LoadInvocations(const RunOptions& options) {
  const Result<PathKind> kind = KindOfSource(options.file);
  if (!kind) return kind.error();
  const bool is_graph = IsGraphAlone(*kind);
  if (!is_graph && (options.contexts != 1 || !options.inputs.empty())) {
    return UsageError(options.file +
                      ": holds its own inputs and contexts; --input and --contexts are for graphs");
  }
  Result<TestVector> vector = LoadFoldSequence(options.file, options.folding);
  if (!vector) return vector.error();
  if (is_graph) {
    Result<std::vector<Tensor>> inputs = LoadInputs(vector->graphs[0], options.inputs);
    if (!inputs) return InFile(inputs.error(), options.file);
    for (int32_t context = 0; context < options.contexts; ++context) {
      Step& step = vector->steps.emplace_back();
      step.context = context;
      step.inputs = *inputs;
    }
  }
  if (vector->steps.empty()) return UsageError(options.file + ": no step invokes the graph");
  if (std::ssize(vector->steps) > kInvocationsMax / options.repeat) {
    return UsageError("--repeat " + std::to_string(options.repeat) + ": more than " +
                      std::to_string(kInvocationsMax) + " invocations");
  }
  return vector;
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  return ParseNumber(text, number) && number >= 0 ? std::optional(number) : std::nullopt;
}

// Reads one request for `count` invocations: N or N:WORD; for a limit, BYTES or N:BYTES.
Result<CacheRequest> ReadRequest(CacheRequest::Kind kind, const std::string& option,
                                 const std::string& text, int64_t count) {
  using enum CacheRequest::Kind;
  const size_t colon = text.find(':');
  const bool has_colon = colon != std::string::npos;
  const std::string first = text.substr(0, colon);
  const std::string second = has_colon ? text.substr(colon + 1) : "";
  const std::string place = option + " " + Quoted(text) + ": ";
  const bool has_number = kind != kLimit || has_colon;
  const std::optional<int64_t> before = has_number ? Number(first) : 0;
  const std::optional<int64_t> bytes = kind == kLimit ? Number(has_colon ? second : first) : 0;
  const bool is_odd = has_colon && (kind == kForget || second.empty());
  if (!before || !bytes || is_odd) {
    return UsageError(place + (kind == kLimit   ? "not BYTES or N:BYTES"
                               : kind == kEvict ? "not N or N:TENSOR"
                                                : "not the number of an invocation"));
  }
  if (*before >= count) {
    return UsageError(place + "the last invocation is " + std::to_string(count - 1));
  }
  return CacheRequest{kind, *before, *bytes, kind == kEvict ? second : ""};
}

Result<std::vector<CacheRequest>> ReadRequests(const RunOptions& options, int64_t count) {
  using enum CacheRequest::Kind;
  std::vector<CacheRequest> requests;
  for (const auto& [kind, option, texts] : {std::tuple{kLimit, "--cache-bytes", &options.limits},
                                            {kEvict, "--evict", &options.evictions},
                                            {kForget, "--forget", &options.forgets}}) {
    for (const std::string& text : *texts) {
      Result<CacheRequest> request = ReadRequest(kind, option, text, count);
      if (!request) return request.error();
      requests.push_back(std::move(*request));
    }
  }
  return requests;
}

Result<FoldOptions> ReadFoldOptions(const TestVector& vector, const FoldingOptions& folding,
                                    const std::string& name) {
  Result<FoldOptions> fold = FoldOptionsOf(folding, vector);
  if (!fold || name.empty()) return fold;
  const Result<size_t> fault =
      FindOptionName("--fault", "fault", name, NamesOfRows(AllFoldFaults(), &FoldFaultRow::name));
  if (!fault) return fault.error();
  fold->fault = AllFoldFaults()[*fault].fault;
  return fold;
}

Result<FoldedSequence> Execute(const RunOptions& options) {
  const Result<TestVector> vector = LoadInvocations(options);
  if (!vector) return vector.error();
  const int64_t count = std::ssize(vector->steps) * options.repeat;
  const Result<std::vector<CacheRequest>> requests = ReadRequests(options, count);
  if (!requests) return requests.error();
  const Result<FoldOptions> fold = ReadFoldOptions(*vector, options.folding, options.fault);
  if (!fold) return fold.error();
  const Result<Done> constant = CheckConstants(*vector, *requests, count);
  if (!constant) return InFile(constant.error(), options.file);
  ExecutionOptions execution;
  execution.dynamic = fold->execution.dynamic;
  execution.elements_max = std::max<int64_t>(options.bytes_max / kBytesPerElement, 1);
  const TimeLimit limit(options.time.cpu_seconds, options.time.wall_seconds);
  Result<FoldedSequence> sequence =
      RunFoldedSequence(*vector, *requests, count, *fold, execution, limit);
  if (!sequence) return InFile(sequence.error(), options.file);
  return sequence;
}

struct ActionNames {
  const char* text;
  const char* key;  // in JSON
};
// The names of each CacheAction, in the order of the enumeration.
constexpr ActionNames kActions[] = {{"folded", "folded"},
                                    {"folded again", "folded_again"},
                                    {"taken from the cache", "taken"},
                                    {"evicted", "evicted"}};

struct Sum {
  int64_t tensors = 0, bytes = 0;

  void Add(int64_t more) {
    ++tensors;
    bytes += more;
  }
  std::string Text() const {
    return std::to_string(tensors) + (tensors == 1 ? " tensor of " : " tensors of ") +
           std::to_string(bytes) + " bytes";
  }
  Json ToJson() const { return {{"tensors", tensors}, {"bytes", bytes}}; }
};

// The totals of all invocations.
struct InvocationTotals {
  Sum compiled;
  Sum actions[std::size(kActions)];
  int64_t agreeing = 0, wrong = 0, undecided = 0;
  std::set<int32_t> graphs, contexts;
};

InvocationTotals TotalsOf(const FoldedSequence& sequence) {
  InvocationTotals totals;
  for (const FoldedTensor& tensor : sequence.compiled) totals.compiled.Add(tensor.bytes);
  for (const FoldedInvocation& invocation : sequence.invocations) {
    totals.graphs.insert(invocation.graph);
    totals.contexts.insert(invocation.context);
    for (const auto* entries : {&invocation.before, &invocation.during, &invocation.after}) {
      for (const CacheEntry& entry : *entries) {
        totals.actions[static_cast<size_t>(entry.action)].Add(entry.bytes);
      }
    }
    if (!invocation.findings.empty()) {
      ++totals.wrong;
    } else {
      ++(invocation.undecided.empty() ? totals.agreeing : totals.undecided);
    }
  }
  return totals;
}

// Prints each part of a sequence on its own line. Names graphs and contexts if there are several.
void PrintText(const FoldedSequence& sequence, const InvocationTotals& totals) {
  const auto of_graph = [&](int32_t graph) {
    return totals.graphs.size() > 1 ? " of graph " + std::to_string(graph) : "";
  };
  const auto in_context = [&](std::optional<int32_t> context) {
    if (totals.contexts.size() < 2) return std::string();
    return " in context " + (context ? std::to_string(*context) : "?");
  };
  for (const FoldedTensor& tensor : sequence.compiled) {
    Print("at compile time: folded {}{}, {} bytes\n", Quoted(tensor.name), of_graph(tensor.graph),
          tensor.bytes);
  }
  for (size_t i = 0; i < sequence.invocations.size(); ++i) {
    const FoldedInvocation& invocation = sequence.invocations[i];
    const auto print = [&](const char* when, const std::vector<CacheEntry>& entries) {
      for (const CacheEntry& entry : entries) {
        const FoldedTensor& tensor = sequence.tensors.at(entry.global_index);
        const bool is_lost = entry.action != CacheAction::kEvicted && !entry.is_held;
        Print("  {}{} {}{}{}, {} bytes{}\n", when, kActions[static_cast<size_t>(entry.action)].text,
              Quoted(tensor.name), of_graph(tensor.graph),
              entry.context == invocation.context ? "" : in_context(entry.context), entry.bytes,
              is_lost ? ", which the cache does not keep" : "");
      }
    };
    Print("invocation {}{}{}: {}\n", i, of_graph(invocation.graph), in_context(invocation.context),
          !invocation.findings.empty()   ? "wrong"
          : invocation.undecided.empty() ? "agrees"
                                         : CleanText("undecided: " + invocation.undecided));
    print("before: ", invocation.before);
    print("", invocation.during);
    print("the context ends: ", invocation.after);
    for (const std::string& finding : invocation.findings) {
      Print("  FAIL  {}\n", CleanText(finding));
    }
  }
  Print("{} at compile time\n", totals.compiled.Text());
  for (size_t i = 0; i < std::size(kActions); ++i) {
    Print("{} {}\n", totals.actions[i].Text(), kActions[i].text);
  }
  Print("{} bytes held at most\n", sequence.held_bytes_max);
  Print("{} invocations agree, {} wrong, {} undecided\n", totals.agreeing, totals.wrong,
        totals.undecided);
}

void PrintJson(const FoldedSequence& sequence, const InvocationTotals& totals) {
  Json compiled = Json::array(), invocations = Json::array();
  for (const FoldedTensor& tensor : sequence.compiled) {
    compiled.push_back(
        {{"tensor", CleanText(tensor.name)}, {"graph", tensor.graph}, {"bytes", tensor.bytes}});
  }
  const auto entries_of = [&](const std::vector<CacheEntry>& entries) {
    Json all = Json::array();
    for (const CacheEntry& entry : entries) {
      const FoldedTensor& tensor = sequence.tensors.at(entry.global_index);
      all.push_back({{"action", kActions[static_cast<size_t>(entry.action)].key},
                     {"tensor", CleanText(tensor.name)},
                     {"graph", tensor.graph},
                     {"context", entry.context ? Json(*entry.context) : Json()},
                     {"bytes", entry.bytes},
                     {"held", entry.is_held}});
    }
    return all;
  };
  for (const FoldedInvocation& invocation : sequence.invocations) {
    Json findings = Json::array();
    for (const std::string& finding : invocation.findings) findings.push_back(CleanText(finding));
    invocations.push_back({{"graph", invocation.graph},
                           {"context", invocation.context},
                           {"before", entries_of(invocation.before)},
                           {"during", entries_of(invocation.during)},
                           {"after", entries_of(invocation.after)},
                           {"held_bytes", invocation.held_bytes},
                           {"findings", std::move(findings)},
                           {"undecided", CleanText(invocation.undecided)}});
  }
  Json sums = {{"compile_time", totals.compiled.ToJson()}};
  for (size_t i = 0; i < std::size(kActions); ++i) {
    sums[kActions[i].key] = totals.actions[i].ToJson();
  }
  sums["held_bytes_max"] = sequence.held_bytes_max;
  sums["agreeing"] = totals.agreeing;
  sums["wrong"] = totals.wrong;
  sums["undecided"] = totals.undecided;
  Print("{}\n", JsonText(Json({{"compile_time", std::move(compiled)},
                               {"invocations", std::move(invocations)},
                               {"totals", std::move(sums)}}),
                         2));
}

int RunFolding(const RunOptions& options) {
  const Result<FoldedSequence> sequence = Execute(options);
  if (!sequence) return Fail(sequence.error());
  const InvocationTotals totals = TotalsOf(*sequence);
  if (options.json) {
    PrintJson(*sequence, totals);
  } else {
    PrintText(*sequence, totals);
  }
  if (totals.wrong > 0) return kExitFinding;
  return totals.undecided > 0 ? kExitUndecided : kExitClean;
}

}  // namespace

extern const Command run_command = {
    .name = "run",
    .summary = "executes folded graphs and shows what their cache folds, keeps and evicts",
    .declare = DeclareWith<RunOptions, DeclareRun, RunFolding>,
};

}  // namespace assay::cli::fold

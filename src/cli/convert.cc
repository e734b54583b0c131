#include <span>
#include <string>
#include <vector>

#include "arm_directory.h"
#include "case_source.h"
#include "child_process.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "executor.h"
#include "files.h"
#include "graph_dot.h"
#include "graph_inputs.h"
#include "graph_source.h"
#include "graph_text.h"
#include "mlir_writer.h"
#include "terminal.h"
#include "time_limit.h"
#include "tosa_file.h"
#include "tosa_json.h"
#include "tvec_file.h"
#include "vector_source.h"

namespace assay::cli {
namespace {

struct Options {
  std::string in, out;
  std::string function;
  std::vector<std::string> inputs;
  size_t graph = 0;
  size_t step = 0;
  BackendOptions limits;
};
Options options;

void Declare(CommandLine& line) {
  line.Add("IN", options.in,
           "a .tosa, .json, .mlir, .mlirbc or .tvec file or an Arm test directory")
      .Required();
  line.Add("OUT", options.out,
           "a .tosa, .json, .mlir, .tvec, .dot, .svg or .txt file, or, with a / at the end, "
           "an Arm test directory. JSON is that of flatc with the schema of .tosa files")
      .Required();
  AddFunctionOption(line, options.function);
  line.Add("--input", options.inputs,
           "NAME=FILE.npy for each input, when a graph becomes a .tvec file");
  line.Add("--graph", options.graph, "which graph of a vector, from 0").ShowDefault();
  line.Add("--step", options.step, "which step of a vector, from 0, becomes an Arm test directory")
      .ShowDefault();
  AddTimeOptions(line, options.limits);
}

Error Usage(std::string message) { return {Error::Kind::kUsage, std::move(message)}; }

// A vector of one step, with what the reference executor expects.
Result<TestVector> VectorOf(const Graph& graph) {
  Result<std::vector<Tensor>> inputs = LoadInputs(graph, options.inputs);
  if (!inputs) return inputs.error();
  TestVector vector;
  vector.name = std::string(FileNameOf(options.in));
  vector.graphs = {graph};
  vector.steps.resize(1);
  vector.steps[0].inputs = std::move(*inputs);
  std::string reason;
  const TimeLimit limit(options.limits.cpu_seconds, options.limits.wall_seconds);
  if (!Expect(vector, {}, &reason)) {
    return Error{Error::Kind::kUnsupported, options.in + ": no expectation: " + reason};
  }
  return vector;
}

Result<std::vector<uint8_t>> Drawn(const Graph& graph) {
  const Result<ChildReport> report =
      RunChild({{"dot", "-Tsvg"}, "", {}, 60}, GraphDot(graph), {120, size_t{64} << 20});
  if (!report) return report.error();
  if (report->Describe() != "exit status 0") {
    return Error{Error::Kind::kResource, "dot: " + report->Describe()};
  }
  return std::vector<uint8_t>(report->output.begin(), report->output.end());
}

std::vector<uint8_t> BytesOf(const std::string& text) { return {text.begin(), text.end()}; }

Result<std::vector<uint8_t>> Json(std::span<const uint8_t> tosa) {
  const Result<std::string> text = TosaToJson(tosa, options.in);
  if (!text) return text.error();
  return BytesOf(*text);
}

// Between a `.tosa` file and JSON nothing is interpreted, so that nothing is lost.
bool KeepsContent() {
  const std::string_view in = options.in, out = options.out;
  return (in.ends_with(".json") && out.ends_with(".tosa")) ||
         ((in.ends_with(".tosa") || in.ends_with(".json")) && out.ends_with(".json"));
}

Result<std::vector<uint8_t>> SameContent() {
  const Result<std::vector<uint8_t>> bytes = LoadTosaBytes(options.in);
  if (!bytes || std::string_view(options.out).ends_with(".tosa")) return bytes;
  return Json(*bytes);
}

Result<std::vector<uint8_t>> Encoded(const Graph& graph) {
  const std::string_view out = options.out;
  if (out.ends_with(".tosa")) return WriteTosa(graph);
  if (out.ends_with(".json")) return Json(WriteTosa(graph));
  if (out.ends_with(".dot")) return BytesOf(GraphDot(graph));
  if (out.ends_with(".txt")) return BytesOf(GraphText(graph));
  if (out.ends_with(".svg")) return Drawn(graph);
  if (out.ends_with(".mlir")) {
    const Result<std::string> text = WriteMlir(graph);
    if (!text) return Error{text.error().kind, options.in + ": " + text.error().message};
    return BytesOf(*text);
  }
  return Usage(options.out + ": neither .tosa, .json, .mlir, .tvec, .dot, .svg nor .txt");
}

// A vector of what IN is. That of an Arm test directory expects what was recorded there.
Result<TestVector> VectorIn(SourceKind kind) {
  if (kind == SourceKind::kTosa || kind == SourceKind::kMlir) {
    const Result<Graph> graph = LoadGraph(options.in, options.function, nullptr);
    if (!graph) return graph.error();
    return VectorOf(*graph);
  }
  const Result<LoadedCase> loaded = LoadCase(options.in);
  if (!loaded) return loaded.error();
  return loaded->recorded ? loaded->recorded->recorded : loaded->vector;
}

Result<Done> WriteDirectory() {
  const Result<SourceKind> kind = KindOfSource(options.in);
  if (!kind) return kind.error();
  if (*kind == SourceKind::kFolder) return Usage(options.in + ": a folder of no known kind");
  const Result<TestVector> vector = VectorIn(*kind);
  if (!vector) return vector.error();
  if (options.step >= vector->steps.size()) {
    return Usage("--step " + std::to_string(options.step) + ": " + options.in + " has " +
                 std::to_string(vector->steps.size()) + " steps");
  }
  return WriteArmDirectory(options.out, *vector, options.step);
}

Result<std::vector<uint8_t>> Converted() {
  const Result<SourceKind> kind = KindOfSource(options.in);
  if (!kind) return kind.error();
  if (*kind == SourceKind::kFolder) return Usage(options.in + ": a folder of no known kind");
  if (KeepsContent()) return SameContent();
  if (std::string_view(options.out).ends_with(".tvec")) {
    const Result<TestVector> vector = VectorIn(*kind);
    if (!vector) return vector.error();
    return WriteTestVector(*vector);
  }
  if (*kind == SourceKind::kTosa || *kind == SourceKind::kMlir) {
    const Result<Graph> graph = LoadGraph(options.in, options.function, nullptr);
    if (!graph) return graph.error();
    return Encoded(*graph);
  }
  const Result<TestVector> vector = LoadVector(options.in, nullptr);
  if (!vector) return vector.error();
  if (options.graph >= vector->graphs.size()) {
    return Usage("--graph " + std::to_string(options.graph) + ": " + options.in + " has " +
                 std::to_string(vector->graphs.size()) + " graphs");
  }
  return Encoded(vector->graphs[options.graph]);
}

int Run() {
  if (options.out.ends_with('/')) {
    const Result<Done> written = WriteDirectory();
    return written ? kExitClean : Fail(written.error());
  }
  const Result<std::vector<uint8_t>> bytes = Converted();
  if (!bytes) return Fail(bytes.error());
  const Result<Done> written = WriteFileAtomically(options.out, *bytes);
  return written ? kExitClean : Fail(written.error());
}

}  // namespace

extern const Command convert_command = {
    .name = "convert",
    .summary = "converts a graph or vector to another format, by the endings of the files",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli

// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
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
#include "model_source.h"
#include "npy_file.h"
#include "output_file.h"
#include "run_options.h"
#include "shared_tosa.h"
#include "spirv_instructions.h"
#include "spirv_text.h"
#include "spirv_writer.h"
#include "terminal.h"
#include "time_limit.h"
#include "tosa_file.h"
#include "tosa_json.h"
#include "tvec_file.h"

namespace assay::cli {
namespace {

struct ConvertOptions {
  std::string in, out;
  std::string function;
  std::vector<std::string> shapes;
  std::vector<std::string> inputs;
  size_t graph = 0;
  size_t step = 0;
  BackendOptions limits;
};

void DeclareConvert(CommandLine& line, ConvertOptions& options) {
  line.Add("IN", options.in, kGraphOrVectorHelp).Required();
  line.Add("OUT", options.out,
           "a .tosa, .json, .mlir, .graph, .spv, .spvasm, .tvec, .dot or .svg file, or an Arm test "
           "directory if it ends with /. JSON has the form that flatc gives to .tosa files. The "
           "value of graph constant N of OUT.spv or OUT.spvasm is written to OUT.spv.N.npy or "
           "OUT.spvasm.N.npy, where commands that read OUT take it; such files of greater numbers "
           "are removed")
      .Required();
  AddFunctionOption(line, options.function);
  AddShapeOption(line, options.shapes);
  line.Add("--input", options.inputs,
           "NAME=FILE.npy or 0=FILE.npy for each input, to convert a graph to a .tvec file");
  line.Add("--graph", options.graph, "number of the graph in a vector, from 0").ShowDefault();
  line.Add("--step", options.step, "number of the step, from 0, to write to an Arm test directory")
      .ShowDefault();
  AddTimeOptions(line, options.limits);
}

// Returns a vector with one step of a graph, and the expectation of the reference executor.
Result<TestVector> WithStep(const ConvertOptions& options, TestVector vector) {
  Result<std::vector<Tensor>> inputs = LoadInputs(vector.graphs[0], options.inputs);
  if (!inputs) return inputs.error();
  vector.name = std::string(FileNameOf(options.in));
  vector.steps.resize(1);
  vector.steps[0].inputs = std::move(*inputs);
  std::string reason;
  const TimeLimit limit(options.limits.cpu_seconds, options.limits.wall_seconds);
  if (!Expect(vector, {}, &reason)) return Unsupported(options.in + ": no expectation: " + reason);
  return vector;
}

// Returns the bytes of a text, which they share.
SharedBytes TextBytes(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  const auto* const bytes = reinterpret_cast<const uint8_t*>(owner->data());
  return {{owner, bytes}, {bytes, owner->size()}};
}

Result<SharedBytes> Drawn(const Graph& graph) {
  const Result<ChildReport> report =
      RunChild({{"dot", "-Tsvg"}, "", {}, 60}, GraphDot(graph), {120, size_t{64} << 20});
  if (!report) return report.error();
  if (report->Describe() != "exit status 0") return ResourceError("dot: " + report->Describe());
  return TextBytes(report->output);
}

Result<SharedBytes> TosaJson(std::span<const uint8_t> tosa, const std::string& in) {
  Result<std::string> text = TosaToJson(tosa, in);
  if (!text) return text.error();
  return TextBytes(std::move(*text));
}

// Returns true if the conversion keeps all content. Between a `.tosa` file and JSON nothing is
// interpreted, so that nothing is lost.
bool KeepsContent(PathKind in, PathKind out, const std::vector<std::string>& shapes) {
  if (!shapes.empty()) return false;
  return (in == PathKind::kJson && out == PathKind::kTosa) ||
         ((in == PathKind::kTosa || in == PathKind::kJson) && out == PathKind::kJson);
}

Result<SharedBytes> SameContent(const std::string& in, const std::string& out) {
  const Result<SharedBytes> bytes = LoadTosaBytes(in);
  if (!bytes) return bytes.error();
  if (KindOfFile(out) != PathKind::kTosa) return TosaJson(bytes->bytes, in);
  return *bytes;
}

// Returns the SPIR-V module of a graph, or its text. Writes its graph constants to files beside
// OUT.
Result<SharedBytes> SpirvModule(const Graph& graph, const std::string& in, const std::string& out) {
  const Result<spirv::Module> module = spirv::WriteModule(graph);
  if (!module) {
    return Error{module.error().kind,
                 in + ": not expressible in SPIR-V: " + module.error().message};
  }
  for (size_t i = 0; i < module->constants.size(); ++i) {
    const Result<Done> written =
        WriteOutput(out + "." + std::to_string(i) + ".npy", WriteNpy(module->constants[i]));
    if (!written) return written.error();
  }
  // An earlier graph may have had more constants.
  std::error_code gone;
  for (size_t i = module->constants.size();
       std::filesystem::remove(out + "." + std::to_string(i) + ".npy", gone); ++i) {
  }
  if (KindOfFile(out) == PathKind::kSpirv) return SharedBytesOf(spirv::ModuleBytes(module->words));
  Result<std::string> text = spirv::ModuleText(module->words);
  if (!text) return text.error();
  return TextBytes(std::move(*text));
}

Result<SharedBytes> Encoded(const Graph& graph, const std::string& in, const std::string& file) {
  const PathKind out = KindOfFile(file);
  if (out == PathKind::kTosa) return WriteSharedTosa(graph);
  if (out == PathKind::kJson) return TosaJson(WriteSharedTosa(graph).bytes, in);
  if (out == PathKind::kDot) return TextBytes(GraphDot(graph));
  if (out == PathKind::kGraphText) return TextBytes(GraphText(graph, TextForm::kFull));
  if (out == PathKind::kSvg) return Drawn(graph);
  if (out == PathKind::kMlir) {
    Result<std::string> text = WriteMlir(graph);
    if (!text) return Error{text.error().kind, in + ": " + text.error().message};
    return TextBytes(std::move(*text));
  }
  if (IsSpirv(out)) return SpirvModule(graph, in, file);
  return UsageError(file +
                    ": neither .tosa, .json, .mlir, .graph, .spv, .spvasm, .tvec, .dot nor .svg");
}

// Loads IN, and closes the dimensions of a graph if --shape is given.
Result<GraphOrVector> Loaded(const ConvertOptions& options) {
  Result<GraphOrVector> loaded = LoadGraphOrVector(options.in, options.function);
  if (!loaded || options.shapes.empty()) return loaded;
  if (!loaded->is_graph) {
    return UsageError(options.in + ": holds its own inputs; --shape is for graphs");
  }
  const Result<Done> closed = CloseShapes(options.in, options.shapes, loaded->vector.graphs[0]);
  if (!closed) return closed.error();
  return loaded;
}

// Returns the vector for IN. The vector of an Arm test directory expects the recorded results.
Result<TestVector> VectorIn(const ConvertOptions& options) {
  const Result<PathKind> kind = KindOfSource(options.in);
  if (kind && *kind == PathKind::kArmDirectory && options.shapes.empty()) {
    const Result<LoadedCase> test = LoadCase(options.in);
    if (!test) return test.error();
    return test->recorded->recorded;
  }
  Result<GraphOrVector> loaded = Loaded(options);
  if (!loaded) return loaded.error();
  return loaded->is_graph ? WithStep(options, std::move(loaded->vector))
                          : std::move(loaded->vector);
}

Result<Done> WriteDirectory(const ConvertOptions& options) {
  const Result<TestVector> vector = VectorIn(options);
  if (!vector) return vector.error();
  if (options.step >= vector->steps.size()) {
    return UsageError("--step " + std::to_string(options.step) + ": " + options.in + " has " +
                      std::to_string(vector->steps.size()) + " steps");
  }
  return WriteArmDirectory(options.out, *vector, options.step);
}

Result<SharedBytes> Converted(const ConvertOptions& options) {
  const Result<PathKind> in = KindOfSource(options.in);
  if (!in) return in.error();
  const PathKind out = KindOfFile(options.out);
  if (KeepsContent(*in, out, options.shapes)) return SameContent(options.in, options.out);
  if (out == PathKind::kVector) {
    const Result<TestVector> vector = VectorIn(options);
    if (!vector) return vector.error();
    return SharedBytesOf(WriteTestVector(*vector));
  }
  const Result<GraphOrVector> loaded = Loaded(options);
  if (!loaded) return loaded.error();
  const std::vector<Graph>& graphs = loaded->vector.graphs;
  if (options.graph >= graphs.size()) {
    return UsageError("--graph " + std::to_string(options.graph) + ": " + options.in + " has " +
                      std::to_string(graphs.size()) + " graphs");
  }
  return Encoded(graphs[options.graph], options.in, options.out);
}

int RunConvert(const ConvertOptions& options) {
  if (options.out.ends_with('/')) {
    std::error_code none;
    if (std::filesystem::equivalent(options.in, options.out, none)) {
      return Fail(UsageError(options.out + ": is the input; choose another folder"));
    }
    const Result<Done> written = WriteDirectory(options);
    return written ? kExitClean : Fail(written.error());
  }
  const Result<OutputFile> out = OutputFile::At(options.out);
  if (!out) return Fail(out.error());
  const Result<SharedBytes> bytes = Converted(options);
  if (!bytes) return Fail(bytes.error());
  const Result<Done> written = out->Write(bytes->bytes);
  return written ? kExitClean : Fail(written.error());
}

}  // namespace

extern const Command convert_command = {
    .name = "convert",
    .summary = "converts a graph or vector to the format that the ending of OUT names",
    .declare = DeclareWith<ConvertOptions, DeclareConvert, RunConvert>,
};

}  // namespace assay::cli

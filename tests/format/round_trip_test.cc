// SPDX-License-Identifier: Apache-2.0
// Round-trip tests: files are converted to other formats and back, and must have the same content.
// They use all generated kinds in small numbers, and the folders that ASSAY_ROUND_TRIP names
// (scripts/check_round_trips). For these folders, MLIR's own tool is used in between as well.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>

#include "canonical_graph.h"
#include "check_graph.h"
#include "check_serialization.h"
#include "child_process.h"
#include "files.h"
#include "generated.h"
#include "generator_table.h"
#include "graph_parser.h"
#include "graph_text.h"
#include "mlir_reader.h"
#include "mlir_writer.h"
#include "packing.h"
#include "tosa_file.h"
#include "tosa_json.h"
#include "tvec_file.h"
#include "vector_source.h"

namespace assay::round_trip_test {
namespace {

using Handler = TosaSerializationHandler;

Handler MustLoad(std::span<const uint8_t> bytes) {
  Handler handler;
  const Result<Done> loaded = handler.LoadTosaFlatbuffer(bytes, "test.tosa");
  EXPECT_TRUE(loaded) << loaded.error().message;
  return handler;
}

// The number of files that came back the same and different, and the reasons why others were
// refused.
struct Trips {
  int same = 0, different = 0;
  std::map<std::string, int> refused;

  void Count(bool is_same) { ++(is_same ? same : different); }
  void Print(const std::string& name) const {
    PrintRefused(name + ": " + std::to_string(same) + " the same, " + std::to_string(different) +
                 " different");
  }
  void PrintRefused(const std::string& heading) const {
    std::cout << heading;
    for (const auto& [why, count] : refused) std::cout << "\n    " << count << " refused: " << why;
    std::cout << "\n";
  }
};

struct Tally {
  Trips json, vector, text, mlir, mlir_opt, validated;
  int accepted = 0;  // by the validation
};

// Everything of TOSA 1.0 that the reference executor supports.
constexpr const char* kValidation =
    "--pass-pipeline=builtin.module(tosa-attach-target{specification_version=1.0 level=8k "
    "profiles=pro_int,pro_fp extensions=int16,int4,bf16,fp8e4m3,fp8e5m2,fft,variable,controlflow,"
    "doubleround,inexactround,dynamic},tosa-validate{strict-op-spec-alignment})";

// Returns a message without the numbers and names that differ among refusals of the same kind.
// MLIR's names of operators stay.
std::string Reason(std::string_view message) {
  std::string reason;
  message = message.substr(0, message.find('\n'));
  while (!message.empty()) {
    const char c = message[0];
    const size_t end = c == '"' || c == '\'' ? message.find(c, 1) : std::string_view::npos;
    const size_t taken = end == std::string_view::npos ? 1 : end + 1;
    const std::string_view word = message.substr(0, taken);
    if (taken > 1) {
      reason += word.starts_with("'tosa.") ? word : "'...'";
    } else if (c < '0' || c > '9') {
      reason += c;
    }
    message.remove_prefix(taken);
  }
  return reason;
}

void CutPadding(std::vector<uint8_t>& data, int64_t bytes) {
  if (static_cast<size_t>(bytes) < data.size()) data.resize(static_cast<size_t>(bytes));
}

void CutPadding(TosaSerializationBasicBlock& block, TosaSerializationOperator& op) {
  for (const AttributeId id : {AttributeId::kMinVal, AttributeId::kMaxVal}) {
    if (op.GetOp() != Op::kClamp || op.GetInputTensorNames().empty()) continue;
    const auto* input = block.GetTensorByName(op.GetInputTensorNames()[0]);
    auto data = op.GetAttribute().Get<std::vector<uint8_t>>(id);
    if (input != nullptr) CutPadding(data, PackedBytes(input->GetDtype(), 1));
    op.GetAttribute().Set(id, std::move(data));
  }
}

// Removes what a Graph does not keep of a file: locations of operators, zeros behind data, and the
// type of an empty attribute table (Arm's converter uses those of other operators).
Handler Plain(Handler file) {
  for (auto& region : file.GetRegions()) {
    for (auto& block : region.GetBlocks()) {
      for (auto& op : block.GetOperators()) {
        TosaSerializationAttribute attribute = op.GetAttribute();
        if (attribute.GetFields().empty()) attribute = TosaSerializationAttribute(op.GetOp());
        op = {op.GetOp(), attribute, op.GetInputTensorNames(), op.GetOutputTensorNames()};
        CutPadding(block, op);
      }
      for (auto& tensor : block.GetTensors()) {
        std::vector<uint8_t> data(tensor.GetData().begin(), tensor.GetData().end());
        const int64_t elements = Shape(std::span(tensor.GetShape())).Elements();
        CutPadding(data, PackedBytes(tensor.GetDtype(), elements));
        tensor.SetData(std::move(data));
      }
      for (auto& shape : block.GetShapes()) {
        std::vector<uint8_t> data = shape.GetData();
        CutPadding(data, PackedBytes(DType::kShape, shape.GetRank()));
        shape.SetData(std::move(data));
      }
    }
  }
  return file;
}

void ThroughJson(std::span<const uint8_t> file, const std::string& name, Trips& trips) {
  const Result<std::string> text = TosaToJson(file, name);
  ASSERT_TRUE(text) << text.error().message;
  const Result<std::vector<uint8_t>> again = TosaFromJson(*text, name);
  ASSERT_TRUE(again) << again.error().message;
  const bool same = MustLoad(*again) == MustLoad(file);
  EXPECT_TRUE(same) << name;
  trips.Count(same);
}

void ThroughVector(const Graph& graph, std::span<const uint8_t> file, const std::string& name,
                   Trips& trips) {
  TestVector vector;
  vector.graphs = {graph};
  const Result<TestVector> again = ReadTestVector(WriteTestVector(vector), name);
  ASSERT_TRUE(again) << again.error().message;
  const bool same = Plain(MustLoad(WriteTosa(again->graphs.at(0)))) == Plain(MustLoad(file));
  EXPECT_TRUE(same) << name;
  trips.Count(same);
}

// Returns the graph with the tensors of each block in the order of their names.
Graph Sorted(Graph graph) {
  for (Block& block : graph.Blocks()) {
    std::vector<TensorIndex> order(block.tensors.size()), moved_to(order.size());
    std::iota(order.begin(), order.end(), 0);
    const std::vector<TensorInfo> tensors = block.tensors;
    const auto name_of = [&](TensorIndex i) { return tensors[static_cast<size_t>(i)].name; };
    std::ranges::sort(order, {}, name_of);
    for (size_t i = 0; i < order.size(); ++i) {
      block.tensors[i] = tensors[static_cast<size_t>(order[i])];
      moved_to[static_cast<size_t>(order[i])] = static_cast<TensorIndex>(i);
    }
    ForEachOperand(block, [&](TensorIndex& i) { i = moved_to[static_cast<size_t>(i)]; });
  }
  return graph;
}

void ThroughText(const Graph& graph, const std::string& name, Trips& trips) {
  const std::string text = GraphText(graph, TextForm::kFull);
  const Result<Graph> again = ParseGraph(text, name);
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  EXPECT_EQ(GraphText(*again, TextForm::kFull), text);
  const bool same = Sorted(*again) == Sorted(graph);
  EXPECT_TRUE(same) << name << "\n" << text;
  trips.Count(same);
}

void ComparedWith(const Graph& graph, const std::string& text, const std::string& name,
                  Trips& trips) {
  const Result<Graph> again = ReadMlir(text, name);
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  const std::string before = CanonicalGraph::TextOf(graph), after = CanonicalGraph::TextOf(*again);
  EXPECT_EQ(after, before) << name;
  trips.Count(after == before);
}

// Returns the output of mlir-opt-22 for a module with an option. If mlir-opt refuses the module,
// counts that and returns nothing.
std::optional<std::string> MlirOpt(const std::string& option, const std::string& text,
                                   Trips& trips) {
  const Result<ChildReport> report =
      RunChild({{"mlir-opt-22", option}, "", {}, 60}, text, {120, size_t{256} << 20});
  EXPECT_TRUE(report) << report.error().message;
  if (!report) return std::nullopt;
  if (report->Describe() == "exit status 0") return report->output;
  const size_t error = report->errors.find("error: ");
  ++trips.refused[Reason(error == std::string::npos ? report->Describe()
                                                    : report->errors.substr(error))];
  return std::nullopt;
}

void ThroughMlir(const Graph& graph, const std::string& name, Tally& tally, bool with_tool) {
  const Result<std::string> text = WriteMlir(graph);
  if (!text) {
    ++tally.mlir.refused[Reason(text.error().message)];
    return;
  }
  ComparedWith(graph, *text, name, tally.mlir);
  if (!with_tool) return;
  if (const auto printed = MlirOpt("--mlir-print-op-generic", *text, tally.mlir_opt)) {
    ComparedWith(graph, *printed, name, tally.mlir_opt);
  }
  tally.accepted += MlirOpt(kValidation, *text, tally.validated).has_value();
}

// Returns true if all steps are expected to be valid or, without steps, if no rule is broken.
bool IsExpectedValid(const TestVector& vector) {
  if (vector.steps.empty()) return CheckVector(vector).empty();
  return std::all_of(vector.steps.begin(), vector.steps.end(),
                     [](const Step& step) { return step.expected == OutcomeKind::kValid; });
}

void Travel(std::span<const uint8_t> file, bool is_valid, const std::string& name, Tally& tally,
            bool with_tool) {
  std::vector<std::string> notes;
  const Result<Graph> graph = ReadTosa(file, name, &notes);
  ASSERT_TRUE(graph) << graph.error().message;
  ThroughJson(file, name, tally.json);
  const bool captures = std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find(" of the first block") != std::string::npos;
  });
  if (captures) {
    ++tally.vector.refused["blocks use tensors of the first block, and declare them afterwards"];
  } else {
    ThroughVector(*graph, file, name, tally.vector);
  }
  ThroughText(*graph, name, tally.text);
  if (is_valid) ThroughMlir(*graph, name, tally, with_tool);
}

void Print(const Tally& tally, bool with_tool) {
  tally.json.Print("through JSON");
  tally.vector.Print("through .tvec");
  tally.text.Print("through .graph");
  tally.mlir.Print("through .mlir, up to renaming, of those that are valid");
  if (!with_tool) return;
  tally.mlir_opt.Print("the same, with mlir-opt-22 in between");
  tally.validated.PrintRefused("into its --tosa-validate: " + std::to_string(tally.accepted) +
                               " accepted");
}

TEST(RoundTrip, KeepsGeneratedGraphs) {
  Tally tally;
  for (const Generator* generator : AllGenerators()) {
    for (uint64_t index = 0; index < 40; ++index) {
      const std::optional<TestVector> vector = generator->make(Options(7), index);
      if (!vector) continue;
      for (const Graph& graph : vector->graphs) {
        const std::vector<uint8_t> file = WriteTosa(graph);
        Travel(file, IsExpectedValid(*vector), vector->name, tally, false);
        for (const Breach& breach : CheckSerialization(MustLoad(file))) {
          ADD_FAILURE() << vector->name << " breaks " << breach.rule << ": " << breach.where;
        }
      }
    }
  }
  Print(tally, false);
  EXPECT_GT(tally.json.same, 200);
  EXPECT_GT(tally.vector.same, 200);
  EXPECT_GT(tally.text.same, 200);
  EXPECT_GT(tally.mlir.same, 100);
}

TEST(RoundTrip, KeepsTheFilesOfAFolder) {
  const char* folder = std::getenv("ASSAY_ROUND_TRIP");
  if (folder == nullptr) GTEST_SKIP() << "ASSAY_ROUND_TRIP names no folder";
  const bool with_tool = bool(RunChild({{"mlir-opt-22", "--version"}, "", {}, 0}, "", {}));
  Tally tally;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".tosa") && !path.ends_with(".tvec")) continue;
    const Result<TestVector> vector = LoadVector(path);
    if (!vector) {
      std::cout << "refused: " << vector.error().message << "\n";
      continue;
    }
    const bool is_valid = IsExpectedValid(*vector);
    for (const Graph& graph : vector->graphs) {
      const std::vector<uint8_t> file =
          path.ends_with(".tosa") ? *ReadFile(path) : WriteTosa(graph);
      Travel(file, is_valid, path, tally, with_tool);
    }
  }
  Print(tally, with_tool);
}

}  // namespace
}  // namespace assay::round_trip_test

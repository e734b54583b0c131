// SPDX-License-Identifier: Apache-2.0
// Tests of files other than `.tosa`: test vectors, NumPy arrays, suites.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <set>

#include "child_process.h"
#include "damaged_files.h"
#include "files.h"
#include "graph_dot.h"
#include "graph_text.h"
#include "npy_file.h"
#include "path_kind.h"
#include "sample_vectors.h"
#include "sha256.h"
#include "suite.h"
#include "tvec_file.h"
#include "vector_source.h"

namespace assay::format_test {
namespace {

TEST(TestVectorFile, KeepsEveryField) {
  const TestVector vector = FullVector();
  const std::vector<uint8_t> bytes = WriteTestVector(vector);
  EXPECT_EQ(WriteTestVector(vector), bytes);
  const Result<TestVector> again = ReadTestVector(bytes, "full.tvec");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(*again == vector);
  EXPECT_TRUE(*ReadTestVector(WriteTestVector(TestVector()), "empty") == TestVector());
}

// The vector's file contains the file that WriteTosa() makes, at an aligned place.
TEST(TestVectorFile, HoldsTosaFiles) {
  const TestVector vector = FullVector();
  const std::vector<uint8_t> bytes = WriteTestVector(vector);
  for (const Graph& graph : vector.graphs) {
    const std::vector<uint8_t> tosa = WriteTosa(graph);
    const auto at = std::search(bytes.begin(), bytes.end(), tosa.begin(), tosa.end());
    ASSERT_NE(at, bytes.end());
    EXPECT_EQ((at - bytes.begin()) % 16, 0);
  }
}

TEST(TestVectorFile, IsReadByFlatcWithTheSchema) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  ASSERT_TRUE(WriteFileAtomically(folder->path() + "/v.tvec", WriteTestVector(FullVector())));
  ChildCommand command;
  command.argv = {"flatc",
                  "--json",
                  "-I",
                  ASSAY_BINARY_DIR "/gen/fbs",
                  "-o",
                  folder->path(),
                  ASSAY_SOURCE_DIR "/src/format/vector/test_vector.fbs",
                  "--",
                  folder->path() + "/v.tvec"};
  const Result<ChildReport> report = RunChild(command, "", {});
  ASSERT_EQ(report->Describe(), "exit status 0") << report->output << report->errors;
  const Result<std::string> json = ReadTextFile(folder->path() + "/v.json");
  for (const char* text : {"name: \"full\"", "requirements", "op: \"ABS\"", "UNPREDICTABLE",
                           "campaign: 9223372036854775808", "rule: \"ABS/ERROR_IF/types\""}) {
    EXPECT_NE(json->find(text), std::string::npos) << text << *json;
  }
}

TEST(TestVectorFile, SurvivesDamage) {
  int64_t mutants = 0, refused = 0;
  ForEachMutant(WriteTestVector(FullVector()), [&](const std::vector<uint8_t>& bytes) {
    ++mutants;
    const Result<TestVector> read = ReadTestVector(bytes, "mutant");
    if (!read) {
      ++refused;
      ASSERT_TRUE(IsOneLine(read.error().message, "mutant")) << read.error().message;
      return;
    }
    const std::vector<uint8_t> written = WriteTestVector(*read);
    const Result<TestVector> again = ReadTestVector(written, "again");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(WriteTestVector(*again), written);
  });
  std::cout << mutants << " damaged files, " << refused << " refused\n";
}

// Commands write and judge the outputs of a step in the order of the graph's outputs.
TEST(TestVectorFile, RefusesOutputsThatTheGraphDoesNotHave) {
  TestVector vector;
  vector.graphs = {AbsGraph(DType::kInt8)};
  Step& step = vector.steps.emplace_back();
  step.outputs.emplace_back().value = Tensor::Splat(DType::kInt8, {2}, 1);
  EXPECT_TRUE(ReadTestVector(WriteTestVector(vector), "x.tvec"));
  step.outputs.push_back(step.outputs[0]);
  EXPECT_EQ(ReadTestVector(WriteTestVector(vector), "x.tvec").error().message,
            "x.tvec: step 0: expects 2 outputs of graph 0, which has 1");
  step.outputs.pop_back();
  vector.graphs[0].Main()->name = "other";
  EXPECT_EQ(ReadTestVector(WriteTestVector(vector), "x.tvec").error().message,
            "x.tvec: step 0: expects 1 outputs of graph 0, which has 0");
}

TEST(TestVectorFile, RefusesPlansThatAreNone) {
  const auto error = [](auto spoil) {
    TestVector vector;
    vector.plans = {FullPlanRecord()};
    vector.plans[0].graph.reset();
    spoil(vector.plans[0]);
    const Result<TestVector> read = ReadTestVector(WriteTestVector(vector), "x.tvec");
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(error([](PlanRecord&) {}), "");
  EXPECT_EQ(error([](PlanRecord& r) { r.graph = 0; }), "x.tvec: plan 0: there is no graph 0");
  EXPECT_EQ(error([](PlanRecord& r) { r.optimum = -2; }), "x.tvec: plan 0: an optimum of -2");
  EXPECT_EQ(error([](PlanRecord& r) { r.planned.plan->allocations.pop_back(); }),
            "x.tvec: plan 0: a plan with not one row for each buffer");
  EXPECT_EQ(error([](PlanRecord& r) { r.planned.plan->allocations[0]->pool = 2; }),
            "x.tvec: plan 0: a plan with buffer \"main/in\" in pool 2, which there is none of");
  EXPECT_EQ(error([](PlanRecord& r) { r.planned.problem.buffers[1].fixed_offset = -2; }),
            "x.tvec: plan 0: buffer \"w\": a fixed offset of -2");
  EXPECT_EQ(error([](PlanRecord& r) { r.planned.problem.buffers[0].kind = BufferKind{6}; }),
            "x.tvec: plan 0: kind of buffer 6 is not known");
  EXPECT_EQ(
      error([](PlanRecord& r) { r.planned.problem.pools[0].targets[0].access = PoolAccess{2}; }),
      "x.tvec: plan 0: access 2 is not known");
  // This is the message of ValidateProblem().
  EXPECT_EQ(error([](PlanRecord& r) { r.planned.problem.buffers[0].conflicts = {3}; }),
            "x.tvec: plan 0: buffer 0 \"main/in\": conflict 3 is no buffer");
}

TEST(TestVectorFile, RefusesOtherFormats) {
  std::vector<uint8_t> bytes = WriteTestVector(TestVector());
  // The root table is found by the offset before the identifier; field 0 is `format`.
  uint32_t root = 0;
  std::memcpy(&root, bytes.data(), 4);
  int32_t to_vtable = 0;
  std::memcpy(&to_vtable, bytes.data() + root, 4);
  uint16_t field = 0;
  std::memcpy(&field, bytes.data() + static_cast<int64_t>(root) - to_vtable + 4, 2);
  bytes[root + field] = 6;
  const Result<TestVector> read = ReadTestVector(bytes, "new.tvec");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "new.tvec: is of format 6; this build reads 1 to 5");
  EXPECT_EQ(read.error().kind, Error::Kind::kUnsupported);
  EXPECT_EQ(ReadTestVector(WriteTosa(EmptyGraph()), "x.tosa").error().message,
            "x.tosa: offset 4: not a .tvec file: no identifier TVEC");
}

TEST(TestVectorFile, KeepsTheSemanticsAndRefusesThoseThatItDoesNotKnow) {
  TestVector vector = FullVector();
  vector.semantics = "nested-keeps-seen";
  EXPECT_EQ(ReadTestVector(WriteTestVector(vector), "x.tvec")->semantics, "nested-keeps-seen");
  vector.semantics = "2.0";
  EXPECT_EQ(ReadTestVector(WriteTestVector(vector), "x.tvec").error().message,
            "x.tvec: semantics \"2.0\" is not known to this build");
}

TEST(TestVectorFile, RefusesFoldsThatDoNotFitTheGraphs) {
  const auto error = [](const FoldRecord& record) {
    TestVector vector = FullVector();
    vector.folds = {record};
    return ReadTestVector(WriteTestVector(vector), "x.tvec").error().message;
  };
  FoldRecord record = FullFoldRecord();
  record.postponed = 2;
  EXPECT_EQ(error(record), "x.tvec: fold 0: there is no graph 2");
  record = FullFoldRecord();
  record.stages[0].inputs[0].index = 1;
  EXPECT_EQ(error(record), "x.tvec: fold 0: stage compile-time: there is no argument 1");
  record = FullFoldRecord();
  record.stages[2].inputs[0].index = 2;
  EXPECT_EQ(error(record), "x.tvec: fold 0: stage entry: there is no cached tensor 2");
  record = FullFoldRecord();
  record.stages[1].outputs = {2};
  EXPECT_EQ(error(record), "x.tvec: fold 0: stage runtime: there is no cached tensor 2");
  record = FullFoldRecord();
  record.stages[1].outputs = {};
  EXPECT_EQ(error(record), "x.tvec: fold 0: stage runtime: has another number of outputs");
  record = FullFoldRecord();
  record.stages[2].outputs = {1};
  EXPECT_EQ(error(record), "x.tvec: fold 0: stage entry: has another number of outputs");
  record = FullFoldRecord();
  record.stages[1].inputs = {};
  EXPECT_EQ(error(record), "x.tvec: fold 0: stage runtime: has another number of inputs");
  record = FullFoldRecord();
  record.policy.limit = -1;
  EXPECT_EQ(error(record), "x.tvec: fold 0: the limit of the policy is negative");
  record = FullFoldRecord();
  record.certificate.went = {};
  EXPECT_EQ(error(record), "x.tvec: fold 0: places of 0 operators, where there are 1");
  record = FullFoldRecord();
  record.certificate.went = {StageSet::FromBits(8)};
  EXPECT_EQ(error(record), "x.tvec: fold 0: fold stages 8 are not known");
}

TEST(TestVectorFile, RefusesConstnessThatDoesNotFitTheGraph) {
  TestVector vector = FullVector();
  vector.constness = {{0, {}}};
  EXPECT_EQ(ReadTestVector(WriteTestVector(vector), "x.tvec").error().message,
            "x.tvec: constness: graph 0 has another number of inputs");
  vector.constness = {{2, {}}};
  EXPECT_EQ(ReadTestVector(WriteTestVector(vector), "x.tvec").error().message,
            "x.tvec: constness: there is no graph 2");
}

TEST(TestVectorFile, RefusesTargetsThatItDoesNotKnow) {
  TestVector vector = FullVector();
  vector.level = "16K";
  Result<TestVector> read = ReadTestVector(WriteTestVector(vector), "x.tvec");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "x.tvec: level \"16K\" is not known to this build");
  EXPECT_EQ(read.error().kind, Error::Kind::kUnsupported);
  vector = FullVector();
  vector.requirements.push_back("EXT-SHAPE");
  read = ReadTestVector(WriteTestVector(vector), "x.tvec");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "x.tvec: \"EXT-SHAPE\" is no profile or extension known to this build");
}

TEST(TestVectorFile, RefusesErrorsBelowZero) {
  TestVector vector = FullVector();
  vector.steps[1].outputs[0].error[1] = -0x1p-25;
  const Result<TestVector> read = ReadTestVector(WriteTestVector(vector), "x.tvec");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "x.tvec: step 1: output 0: an error is below 0");
}

TEST(TestVectorFile, RefusesStatisticsThatDoNotFit) {
  TestVector vector = FullVector();
  DotStatistics& statistics = *vector.steps[1].outputs[0].statistics;
  const DotStatistics good = statistics;
  const auto message = [&vector] {
    const Result<TestVector> read = ReadTestVector(WriteTestVector(vector), "x.tvec");
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(message(), "");
  statistics.unit.push_back(1);
  EXPECT_EQ(
      message(),
      "x.tvec: step 1: output 0: statistics without one unit for each floating-point element");
  const char* const no_number =
      "x.tvec: step 1: output 0: a unit or bound of the statistics is no finite number from 0";
  statistics = good;
  statistics.unit[1] = -1;
  EXPECT_EQ(message(), no_number);
  statistics = good;
  statistics.variance_bound = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(), no_number);
}

// Returns a tensor with the least and greatest values of an integer type, or with special values of
// a float type.
Tensor EndsOf(DType type) {
  if (IsFloat(type)) {
    const double values[] = {1.5, -0.0, std::numeric_limits<double>::quiet_NaN()};
    return Tensor::FromFloats(type, {3, 1}, values);
  }
  const int64_t values[] = {MinimumInteger(type), 1, MaximumInteger(type)};
  return Tensor::FromIntegers(type, {3, 1}, values);
}

TEST(Npy, KeepsEveryType) {
  for (DType type : kAllTypes) {
    const Tensor tensor = EndsOf(type);
    const std::vector<uint8_t> bytes = WriteNpy(tensor);
    EXPECT_EQ(bytes.size(), 128 + tensor.bytes().size());
    const Result<Tensor> again = ReadNpyTensor(bytes, "x.npy", tensor.tensor_type());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, tensor) << TypeName(type);
    const Result<Tensor> alone = ReadNpyTensor(bytes, "x.npy");
    if (type == DType::kInt4 || type == DType::kShape) continue;  // stored as i8 and i48
    ASSERT_TRUE(alone) << alone.error().message;
    EXPECT_EQ(*alone, tensor) << TypeName(type);
  }
  const double doubles[] = {0.1, -1e300};
  EXPECT_EQ(*ReadNpyDoubles(WriteNpyDoubles(doubles, {2}), "x", 2),
            std::vector<double>(std::begin(doubles), std::end(doubles)));
}

std::vector<uint8_t> Npy(std::string header, const std::vector<uint8_t>& data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += static_cast<char>(header.size());
  text.append(version == 1 ? 1 : 3, '\0');
  text += header;
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

TEST(Npy, TakesWhatNumPyWrites) {
  // NumPy writes other header lengths and versions for large shapes and names.
  for (char version : {'\1', '\2', '\3'}) {
    EXPECT_EQ(*ReadNpyTensor(Npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n",
                                 {1, 0, 254, 255}, version),
                             "x", {DType::kInt16, {2}}),
              Tensor::FromIntegers(DType::kInt16, {2}, std::vector<int64_t>{1, -2}));
  }
  // Other integer widths are accepted if the values fit; unsigned ones of the same width are bits.
  EXPECT_EQ(ReadNpyTensor(
                Npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", {1, 0, 254, 255}),
                "x", {DType::kInt8, {2}})
                ->Integer(1),
            -2);
  EXPECT_EQ(ReadNpyTensor(Npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", {200}),
                          "x", {DType::kInt8, {1}})
                ->Integer(0),
            -56);
  EXPECT_EQ(ReadNpyTensor(Npy("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", {200}), "x",
                          {DType::kInt32, {}})
                ->Integer(0),
            200);
  // A double whose value is an fp16.
  EXPECT_EQ(ReadNpyTensor(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': ()}",
                              {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}),
                          "x", {DType::kFp16, {}})
                ->Float(0),
            1.5);
  // The highest byte first.
  EXPECT_EQ(
      *ReadNpyTensor(
          Npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", {1, 2, 255, 254}), "x"),
      Tensor::FromIntegers(DType::kInt16, {2}, std::vector<int64_t>{258, -2}));
  EXPECT_EQ(*ReadNpyTensor(Npy("{'descr': '>i4', 'fortran_order': True, 'shape': (2, 2)}",
                               {0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 4}),
                           "x"),
            Tensor::FromIntegers(DType::kInt32, {2, 2}, std::vector<int64_t>{1, 2, 3, 4}));
  // Columns first: [[1,2,3],[4,5,6]].
  EXPECT_EQ(
      *ReadNpyTensor(
          Npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}", {1, 4, 2, 5, 3, 6}), "x"),
      Tensor::FromIntegers(DType::kInt8, {2, 3}, std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, RefusesInOneLine) {
  const TensorType i4{DType::kInt4, {1}};
  const struct {
    std::vector<uint8_t> bytes;
    TensorType type;
    const char* message;
  } kCases[] = {
      {{}, i4, "x: offset 0: not a .npy file"},
      {Npy("{}", {}), i4, "x: offset 10: the header is damaged"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}", {}), i4, "is damaged"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,)", {0}), i4, "is damaged"},
      {Npy("{'descr': '=i2', 'fortran_order': False, 'shape': (1,)}", {0, 0}), i4,
       "x: elements of type \"=i2\" are not understood"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}", {8}), i4,
       "x: element 0 ('i1') is no value of i4"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}", {0xf8}), i4,
       "x: element 0 ('i1') is no value of i4"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", {0, 0}), i4,
       "x: has 2 elements, not those of i4[1]"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", {0}), i4,
       "x: has 1 bytes of data"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", {0, 0, 0, 0}), i4,
       "x: element 0 ('f4') is no value of i4"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", {1, 0, 0x80, 0x3f}),
       {DType::kBf16, {1}},
       "x: element 0 ('f4') is no value of bf16"},
      {Npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", {2}),
       {DType::kBool, {1}},
       "x: element 0 ('b1') is no value of bool"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': "
           "(4294967296,4294967296,4294967296,4294967296)}",
           {}),
       i4, "x: has 0 bytes of data"},
      {Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}", {0}, 9), i4,
       "x: offset 6: .npy version 9 is not known"},
  };
  for (const auto& test : kCases) {
    const Result<Tensor> read = ReadNpyTensor(test.bytes, "x", test.type);
    ASSERT_FALSE(read) << test.message;
    EXPECT_NE(read.error().message.find(test.message), std::string::npos) << read.error().message;
    EXPECT_TRUE(IsOneLine(read.error().message, "x")) << read.error().message;
  }
}

// An answer may have one kind of elements for each type; also bits where numpy has no type.
TEST(Npy, HasOneElementTypeForEachTypeOfTosa) {
  const std::map<DType, std::set<std::string>> allowed = {
      {DType::kBool, {"b1"}},  {DType::kInt4, {"i1"}},          {DType::kInt8, {"i1"}},
      {DType::kInt16, {"i2"}}, {DType::kInt32, {"i4"}},         {DType::kInt48, {"i8"}},
      {DType::kFp32, {"f4"}},  {DType::kFp16, {"f2"}},          {DType::kBf16, {"V2", "u2"}},
      {DType::kShape, {"i8"}}, {DType::kFp8e4m3, {"V1", "u1"}}, {DType::kFp8e5m2, {"V1", "u1"}}};
  for (const DType type : kAllTypes) {
    for (const char* elements : {"b1", "i1", "u1", "V1", "i2", "u2", "f2", "V2", "i4", "u4", "f4",
                                 "V4", "i8", "u8", "f8", "V8"}) {
      for (const char* order : {"<", ">", "|"}) {
        const std::vector<uint8_t> file =
            Npy("{'descr': '" + std::string(order) + elements +
                    "', 'fortran_order': True, 'shape': (1,)}",
                std::vector<uint8_t>(static_cast<size_t>(elements[1] - '0')));
        const Result<NpyArray> head = ReadNpyHead(file, file.size(), "x");
        ASSERT_TRUE(head) << head.error().message;
        EXPECT_EQ(static_cast<bool>(CheckNpyElements(*head, "x", type)),
                  allowed.at(type).contains(elements))
            << TypeName(type) << " " << elements;
      }
    }
  }
  const auto message = [](const char* descr, DType type) {
    const std::vector<uint8_t> file =
        Npy("{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (0,)}", {});
    return CheckNpyElements(*ReadNpyHead(file, file.size(), "x.npy"), "x.npy", type)
        .error()
        .message;
  };
  EXPECT_EQ(message("<i2", DType::kInt8),
            "x.npy: has int16 elements; i8 needs int8, and other types no longer pass");
  EXPECT_EQ(
      message("<f4", DType::kBf16),
      "x.npy: has float32 elements; bf16 needs void16 or uint16, and other types no longer pass");
}

TEST(Npy, SurvivesDamage) {
  const Tensor tensor = EndsOf(DType::kInt16);
  ForEachMutant(WriteNpy(tensor), [&](const std::vector<uint8_t>& bytes) {
    const Result<Tensor> read = ReadNpyTensor(bytes, "mutant", tensor.tensor_type());
    ASSERT_TRUE(read || IsOneLine(read.error().message, "mutant")) << read.error().message;
    const Result<Tensor> alone = ReadNpyTensor(bytes, "mutant");
    ASSERT_TRUE(alone || IsOneLine(alone.error().message, "mutant")) << alone.error().message;
  });
}

TEST(Files, AreWrittenAtOnceOrNotAtAll) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path() + "/a/b/file";
  EXPECT_FALSE(WriteFileAtomically(path, "text"));
  ASSERT_TRUE(MakeDirectories(FolderOf(path)));
  ASSERT_TRUE(MakeDirectories(FolderOf(path)));
  ASSERT_TRUE(WriteFileAtomically(path, "text"));
  ASSERT_TRUE(WriteFileAtomically(path, "other text"));
  EXPECT_EQ(*ReadTextFile(path), "other text");
  EXPECT_EQ(*ListDirectory(FolderOf(path)), std::vector<std::string>{"file"});
  // The disk is full: one line says so, the file is unchanged, and nothing else remains.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{10, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Result<Done> full = WriteFileAtomically(path, std::string(100, 'x'));
  setrlimit(RLIMIT_FSIZE, &limit);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message, path + ": cannot write: File too large");
  EXPECT_EQ(full.error().kind, Error::Kind::kResource);
  EXPECT_EQ(*ReadTextFile(path), "other text");
  EXPECT_EQ(*ListDirectory(FolderOf(path)), std::vector<std::string>{"file"});
  EXPECT_EQ(ReadFile(folder->path()).error().message,
            folder->path() + ": cannot read: Is a directory");
  EXPECT_EQ(ReadFile("/no/such/file").error().message,
            "/no/such/file: cannot open: No such file or directory");
  EXPECT_FALSE(MakeDirectories(path));
  EXPECT_EQ(FileNameOf("a/b.tosa"), "b.tosa");
  EXPECT_EQ(FileNameOf("a/b/"), "b");
  EXPECT_EQ(FolderOf("a/b.tosa"), "a");
  const std::string gone = folder->path();
  {
    const TemporaryDirectory moved = std::move(*folder);
    EXPECT_TRUE(IsDirectory(gone));
  }
  EXPECT_FALSE(FileExists(gone));
}

Suite SmallSuite() {
  Suite suite;
  suite.toolkit_version = "0.1.0";
  suite.spec = {1, 0, 2, false};
  suite.seed = 18446744073709551615u;
  suite.requirements = {"PRO-INT"};
  suite.level = "8K";
  suite.options = {{"count", "10"}};
  suite.generators = {{"graph", 3}};
  suite.counts = {{"graph", 2}};
  suite.coverage = {{"operators", 75}};
  return suite;
}

TEST(SuiteFile, KeepsEveryFieldAndFindsChangedVectors) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string& path = folder->path();
  Suite suite = SmallSuite();
  ASSERT_TRUE(MakeDirectories(path + "/graph"));
  for (const char* file : {"graph/1.tvec", "graph/0.tvec"}) {
    TestVector vector = FullVector();
    vector.name = file;
    const std::vector<uint8_t> bytes = WriteTestVector(vector);
    ASSERT_TRUE(WriteFileAtomically(JoinPath(path, file), bytes));
    suite.vectors.push_back({file, Sha256(bytes)});
  }
  ASSERT_TRUE(WriteSuite(path, suite));
  const Result<Suite> again = ReadSuite(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(SuiteText(*again), SuiteText(suite));
  EXPECT_EQ(again->seed, suite.seed);
  EXPECT_TRUE(VerifySuite(path, *again));
  EXPECT_EQ(*ListVectors(path),
            (std::vector<std::string>{path + "/graph/1.tvec", path + "/graph/0.tvec"}));
  EXPECT_EQ(*ListVectors(path + "/suite.json"), *ListVectors(path));
  EXPECT_EQ(LoadVector(path + "/graph/0.tvec")->name, "graph/0.tvec");
  ASSERT_TRUE(WriteFileAtomically(path + "/graph/0.tvec", "changed"));
  const Result<Done> verified = VerifySuite(path, suite);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().message, path + "/graph/0.tvec: is not the file that " + path +
                                          "/suite.json lists: its SHA-256 differs");
}

TEST(SuiteFile, RefusesWhatItDoesNotKnow) {
  const std::string text = SuiteText(SmallSuite());
  for (size_t size = 0; size < text.size() - 1; ++size) {
    const Result<Suite> suite = ParseSuite(text.substr(0, size), "s");
    EXPECT_TRUE(suite || IsOneLine(suite.error().message, "s")) << suite.error().message;
  }
  std::string newer = text;
  newer.replace(newer.find("\"format\": 1"), 11, "\"format\": 2");
  EXPECT_EQ(ParseSuite(newer, "s").error().message, "s: is of format 2; this build reads 1");
  std::string negative = text;
  negative.replace(negative.find("\"graph\": 3"), 10, "\"graph\": -3");
  EXPECT_FALSE(ParseSuite(negative, "s"));
  for (const char* file : {"../x.tvec", "/etc/passwd", "a/../../x.tvec", ""}) {
    Suite suite = SmallSuite();
    suite.vectors = {{file, ""}};
    EXPECT_FALSE(ParseSuite(SuiteText(suite), "s")) << file;
  }
}

// A vector that is listed twice would be counted twice.
TEST(SuiteFile, ListsEachFileOnce) {
  for (const char* file : {"graph/0.tvec", "graph/./0.tvec", "graph//1.tvec"}) {
    Suite suite = SmallSuite();
    suite.vectors = {{"graph/0.tvec", ""}, {file, ""}};
    EXPECT_EQ(ParseSuite(SuiteText(suite), "s").error().message,
              "s: lists " + std::string(file) + " twice, or not by its shortest name");
  }
  std::string doubled = SuiteText(SmallSuite());
  doubled.insert(doubled.find("\"seed\""), "\"seed\": 7, ");
  EXPECT_TRUE(ParseSuite(doubled, "s")
                  .error()
                  .message.ends_with("/seed: is there twice; keep one of the two"))
      << ParseSuite(doubled, "s").error().message;
  Suite before = SmallSuite();
  before.spec.major = -1;
  EXPECT_FALSE(ParseSuite(SuiteText(before), "s"));
}

TEST(Sha256, IsThatOfTheStandard) {
  const uint8_t abc[] = {'a', 'b', 'c'};  // FIPS 180-2, appendix B.1
  EXPECT_EQ(Sha256(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ListVectors, FindsAllBelowAFolder) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string& path = folder->path();
  ASSERT_FALSE(ListVectors(path));
  ASSERT_TRUE(MakeDirectories(path + "/b/c"));
  ASSERT_TRUE(MakeDirectories(path + "/a"));
  for (const char* file :
       {"/b/c/2.tosa", "/b/1.tvec", "/b/notes.txt", "/a/desc.json", "/a/x.tosa"}) {
    ASSERT_TRUE(WriteFileAtomically(path + file, "x"));
  }
  EXPECT_EQ(*ListVectors(path),
            (std::vector<std::string>{path + "/a", path + "/b/1.tvec", path + "/b/c/2.tosa"}));
  EXPECT_EQ(*ListVectors(path + "/a/desc.json"), std::vector<std::string>{path + "/a"});
  EXPECT_EQ(ListVectors(path + "/b/notes.txt").error().message,
            path + "/b/notes.txt: neither .tvec, .tvecs, .tosa, desc.json nor suite.json");
  EXPECT_EQ(ListVectors(path + "/none").error().message, path + "/none: no such file or folder");
}

TEST(PathKind, IsThatOfTheEndingOrTheFolder) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string& path = folder->path();
  ASSERT_TRUE(MakeDirectories(path + "/arm.tvec"));
  ASSERT_TRUE(MakeDirectories(path + "/suite.tosa"));
  for (const char* file :
       {"/arm.tvec/desc.json", "/suite.tosa/suite.json", "/x.tosa", "/x.json", "/x.mlir",
        "/x.mlirbc", "/x.graph", "/x.spv", "/x.spvasm", "/x.tvec", "/x.dot"}) {
    ASSERT_TRUE(WriteFileAtomically(path + file, "x"));
  }
  EXPECT_EQ(*KindOfSource(path + "/arm.tvec"), PathKind::kArmDirectory);
  EXPECT_EQ(*KindOfSource(path + "/suite.tosa"), PathKind::kFolder);
  EXPECT_EQ(*KindOfSource(path + "/x.tvec"), PathKind::kVector);
  for (const auto& [file, kind] :
       {std::pair("/x.tosa", PathKind::kTosa), std::pair("/x.json", PathKind::kJson),
        std::pair("/x.mlir", PathKind::kMlir), std::pair("/x.mlirbc", PathKind::kMlirBytecode),
        std::pair("/x.graph", PathKind::kGraphText), std::pair("/x.spv", PathKind::kSpirv),
        std::pair("/x.spvasm", PathKind::kSpirvText)}) {
    EXPECT_EQ(*KindOfSource(path + file), kind) << file;
    EXPECT_TRUE(IsGraphAlone(kind)) << file;
    EXPECT_EQ(KindOfFile(file), kind) << file;
  }
  EXPECT_EQ(KindOfFile("tosa"), PathKind::kOther);
  EXPECT_EQ(KindOfSource(path + "/x.dot").error().message,
            path +
                "/x.dot: neither .tosa, .json, .mlir, .mlirbc, .graph, .spv, .spvasm, .tvec, "
                ".tvecs nor a folder");
  EXPECT_EQ(KindOfSource(path + "/none.tosa").error().message, path + "/none.tosa: no such file");
}

TEST(GraphDot, IsWhatGraphvizReads) {
  Graph graph = AbsGraph(DType::kInt32);
  graph.Main()->tensors[0].name = "a \"quoted\\ name\n";
  const std::string dot = GraphDot(graph);
  EXPECT_EQ(dot,
            "digraph tosa {\n"
            "  graph [fontname=\"monospace\", fontsize=11];\n"
            "  node [shape=box, fontname=\"monospace\", fontsize=11, height=0.3];\n"
            "  edge [fontname=\"monospace\", fontsize=10, arrowsize=0.7];\n"
            "  subgraph cluster_b0 {\n"
            "    label=\"\\\"main\\\"\";\n"
            "    b0t0 [label=\"%\\\"a \\\\x22quoted\\\\x5c name\\\\x0a\\\":i32[2]\", "
            "shape=ellipse];\n"
            "    b0n0 [label=\"ABS\", shape=box];\n"
            "    b0t0 -> b0n0 [label=\"%\\\"a \\\\x22quoted\\\\x5c name\\\\x0a\\\":i32[2]\"];\n"
            "    b0o0 [label=\"%out:i32[2]\", shape=ellipse];\n"
            "    b0n0 -> b0o0;\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace assay::format_test

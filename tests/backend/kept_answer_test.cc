// SPDX-License-Identifier: Apache-2.0
// Tests answers that are kept in folders, and the keys of vectors by which they are found.
#include "kept_answer.h"

#include <fstream>

#include "block_builder.h"
#include "files.h"
#include "npy_file.h"
#include "vector_key.h"

namespace assay::kept_answer_test {
namespace {

// The key is that of what a backend gets, and of nothing else.
TEST(VectorKey, DependsOnWhatABackendGets) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kAbs, {b.Input("i8[2]")}, "i8[2]")});
  TestVector vector;
  vector.graphs.push_back(GraphOf({b.block}));
  vector.steps.resize(2);
  for (Step& step : vector.steps) step.inputs = {TensorOf("i8[2]{1,2}")};
  const std::string key = VectorKey(vector);
  const auto changed = [&vector](const auto& change) {
    TestVector other = vector;
    change(other);
    return VectorKey(other);
  };
  EXPECT_EQ(changed([](TestVector& v) {
              v.name = "other";
              v.steps[0].expected = OutcomeKind::kError;
              v.steps[0].rule = "rule";
            }),
            key);
  std::set<std::string> keys = {key};
  const auto differs = [&](const auto& change) { return keys.insert(changed(change)).second; };
  EXPECT_TRUE(differs([](TestVector& v) { v.level += "x"; }));
  EXPECT_TRUE(differs([](TestVector& v) { v.graphs.push_back(v.graphs[0]); }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps.pop_back(); }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps[1].context = 1; }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps[1].inputs = {TensorOf("i8[2]{1,3}")}; }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps[1].inputs = {TensorOf("i4[2]{1,2}")}; }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps[1].inputs = {TensorOf("i8[2,1]{1,2}")}; }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps[1].state_before["a"] = TensorOf("i8[1]{1}"); }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps[1].state_before["b"] = TensorOf("i8[1]{1}"); }));
  EXPECT_TRUE(differs([](TestVector& v) { v.steps[1].state_before["b"] = TensorOf("i8[1]{2}"); }));
  EXPECT_TRUE(keys.insert(TapsKey(vector, {{1}})).second);
  EXPECT_TRUE(keys.insert(TapsKey(vector, {{1, 2}})).second);
  EXPECT_TRUE(keys.insert(TapsKey(vector, {{1}, {2}})).second);
}

class Kept : public testing::Test {
 protected:
  // Writes the answer and reads it again.
  Result<KeptAnswer> Again(const KeptAnswer& answer) {
    for (const FolderFile& file : KeptAnswerFiles(answer)) {
      std::ofstream(folder_->path() + "/" + file.name, std::ios::binary)
          .write(reinterpret_cast<const char*>(file.bytes.data()),
                 static_cast<std::streamsize>(file.bytes.size()));
    }
    return ReadKeptAnswer(folder_->path());
  }
  // Returns what is wrong with an answer whose first step this is.
  std::string Wrong(const std::string& step) {
    std::ofstream(folder_->path() + "/answer.json")
        << R"({"format": "assay answer", "version": 1, "steps": [)" << step << "]}";
    const Result<KeptAnswer> read = ReadKeptAnswer(folder_->path());
    if (read) return "nothing";
    const std::string start = folder_->path() + "/answer.json: ";
    EXPECT_TRUE(read.error().message.starts_with(start)) << read.error().message;
    return read.error().message.substr(start.size());
  }
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

TEST_F(Kept, AnswersComeBackAsTheyWere) {
  KeptAnswer answer;
  answer.errors = "warning: \"x\"\nline";
  answer.outcomes.resize(3);
  Outcome& valid = answer.outcomes[0];
  valid.kind = OutcomeKind::kValid;
  valid.outputs = {TensorOf("i4[3]{-7,0,7}"), TensorOf("bf16[1]{1.5}")};
  valid.state["v/w"] = TensorOf("fp8e4m3[2]{1,2}");
  valid.pass = "a pass", valid.rewrites = "two", valid.wrote_outside = true;
  answer.outcomes[1].kind = OutcomeKind::kError;
  answer.outcomes[1].rule = "ABS/ERROR_IF/1", answer.outcomes[1].message = "no";
  answer.outcomes[2].kind = OutcomeKind::kTimedOut;
  answer.taps.resize(3);
  answer.taps[0][5] = TensorOf("i48[1]{-1}");
  const auto read = Again(answer);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->errors, answer.errors);
  ASSERT_EQ(read->outcomes.size(), 3u);
  EXPECT_EQ(read->outcomes[0].kind, OutcomeKind::kValid);
  EXPECT_EQ(read->outcomes[0].outputs, valid.outputs);
  EXPECT_EQ(read->outcomes[0].state, valid.state);
  EXPECT_EQ(read->outcomes[0].pass, "a pass");
  EXPECT_EQ(read->outcomes[0].rewrites, "two");
  EXPECT_TRUE(read->outcomes[0].wrote_outside);
  EXPECT_EQ(read->outcomes[1].kind, OutcomeKind::kError);
  EXPECT_EQ(read->outcomes[1].rule, "ABS/ERROR_IF/1");
  EXPECT_EQ(read->outcomes[1].message, "no");
  EXPECT_EQ(read->outcomes[2].kind, OutcomeKind::kTimedOut);
  EXPECT_EQ(read->taps, answer.taps);
  EXPECT_EQ(Again({"no ABS", {}, {}, ""})->unsupported, "no ABS");
}

TEST_F(Kept, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(Wrong(R"({"outcome": "fine"})"), "a step without an outcome");
  EXPECT_EQ(Wrong(R"({"outcome": "valid", "rule": 3})"), "a step without an outcome");
  EXPECT_EQ(Wrong(R"({"outcome": "valid", "outputs": 3})"), "outputs: no array");
  const auto tensor = [](const std::string& file, const std::string& type, const std::string& shape,
                         const std::string& more = "") {
    return R"({"file": ")" + file + R"(", "type": ")" + type + R"(", "shape": )" + shape + more +
           "}";
  };
  const auto output = [&](const std::string& text) {
    return Wrong(R"({"outcome": "valid", "outputs": [)" + text + "]}");
  };
  EXPECT_EQ(output("3"), "no tensor with file, type and shape");
  EXPECT_EQ(output(tensor("x", "i9", "[1]")), "no tensor with file, type and shape");
  EXPECT_EQ(output(tensor("x", "i8", "1")), "no tensor with file, type and shape");
  EXPECT_EQ(output(tensor("../x", "i8", "[1]")), "no tensor with file, type and shape");
  EXPECT_EQ(output(tensor("x", "i8", "[-1]")), "x: bad shape");
  EXPECT_EQ(output(tensor("x", "i8", "[2147483648]")), "x: bad shape");
  std::string many = "[1";
  for (int i = 0; i < Shape::kMaxRank; ++i) many += ",1";
  EXPECT_EQ(output(tensor("x", "i8", many + "]")), "x: bad shape");
  const std::vector<uint8_t> file = WriteNpy(TensorOf("i8[1]{1}"));
  std::ofstream(folder_->path() + "/x", std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  EXPECT_EQ(output(tensor("x", "i8", "[1]")), "nothing");
  EXPECT_EQ(Wrong(R"({"outcome": "valid", "state": [)" + tensor("x", "i8", "[1]") + "]}"),
            "nothing");
  EXPECT_EQ(Wrong(R"({"outcome": "valid", "state": [)" +
                  tensor("x", "i8", "[1]", R"(, "name": 3)") + "]}"),
            "state: no name");
  EXPECT_EQ(Wrong(R"({"outcome": "valid", "taps": [)" +
                  tensor("x", "i8", "[1]", R"(, "tensor": -1)") + "]}"),
            "taps: no name");
}

TEST_F(Kept, AnswersHaveTheElementsOfTheirType) {
  const std::vector<uint8_t> file = WriteNpy(TensorOf("i16[1]{1}"));
  std::ofstream(folder_->path() + "/x", std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  std::ofstream(folder_->path() + "/answer.json")
      << R"({"format": "assay answer", "version": 1, "steps": [{"outcome": "valid",
            "outputs": [{"file": "x", "type": "i8", "shape": [1]}]}]})";
  const Result<KeptAnswer> read = ReadKeptAnswer(folder_->path());
  ASSERT_FALSE(read);
  EXPECT_EQ(
      read.error().message,
      folder_->path() + "/x: has int16 elements; i8 needs int8, and other types no longer pass");
}

TEST_F(Kept, BackendsFillNoReportWithTheirDescription) {
  const auto about = [&](const std::string& description) {
    std::ofstream(folder_->path() + "/backend.json")
        << R"({"format": "assay backend", "version": 1, "description": ")" + description +
               R"(", "declarations": []})";
    return ReadAnsweringBackend(folder_->path());
  };
  EXPECT_EQ((*about("fine"))->description, "fine");
  EXPECT_EQ((*about(std::string(2000, 'x')))->description, std::string(1000, 'x') + "...");
  const auto refused = about(std::string(300'000, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            folder_->path() + "/backend.json: is larger than 262144 bytes");
  const auto doubled = about("a\",\n\"description\": \"b");
  ASSERT_FALSE(doubled);
  EXPECT_EQ(doubled.error().message,
            folder_->path() + "/backend.json:2: /description: is there twice; keep one of the two");
}

}  // namespace
}  // namespace assay::kept_answer_test

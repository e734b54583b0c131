// SPDX-License-Identifier: Apache-2.0
// Tests the reader of the lines that the C programs of `assay export` print.
#include "printed_answers.h"

#include <fmt/format.h>

#include <fstream>

#include "block_builder.h"
#include "files.h"

namespace assay::printed_answers_test {
namespace {

// Returns a vector of `steps` steps of a graph whose outputs have the types.
TestVector VectorOf(const std::vector<std::string>& types, size_t steps = 1) {
  BlockBuilder b;
  std::vector<TensorIndex> outputs;
  for (const std::string& type : types) outputs.push_back(b.Add(Op::kAbs, {b.Input(type)}, type));
  b.Outputs(outputs);
  TestVector vector;
  vector.graphs.push_back(GraphOf({b.block}));
  vector.spec = vector.graphs[0].version;
  vector.steps.resize(steps);
  return vector;
}

class Printed : public testing::Test {
 protected:
  // Returns lines with the checksum that belongs to them.
  static std::string Ended(const std::string& lines) {
    const uint32_t checksum = AddToPrintedChecksum(kPrintedChecksumStart, lines);
    return lines + fmt::format("assay end {:08x}\n", checksum);
  }

  Result<KeptAnswer> Find(const std::string& text, const TestVector& vector,
                          const std::string& key = "k") {
    const std::string path = folder_->path() + "/answers";
    std::ofstream(path, std::ios::binary) << text;
    const Result<PrintedAnswers> answers = PrintedAnswers::Open(path);
    if (!answers) return answers.error();
    if (!answers->Has(key)) return Error{Error::Kind::kUsage, "unknown"};
    return answers->Find(vector, key);
  }

  // Returns the answer to the vector `k`, whose lines these are.
  Result<KeptAnswer> Answer(const std::string& lines, const TestVector& vector) {
    return Find(Ended("assay vector k\n" + lines), vector);
  }

  // Returns what is wrong with the lines.
  std::string Wrong(const std::string& lines, const TestVector& vector) {
    const Result<KeptAnswer> answer = Answer(lines, vector);
    return answer ? "nothing" : answer.error().message;
  }

  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

TEST_F(Printed, SaysWhatTheBackendDeclares) {
  const std::string path = folder_->path() + "/answers";
  const auto open = [&](const std::string& line) {
    std::ofstream(path) << line << Ended("assay vector k\n");
    return PrintedAnswers::Open(path);
  };
  EXPECT_EQ(open("")->declarations(), std::vector<std::string>());
  EXPECT_EQ(open("assay declares no-checks, plain-sums\r\n")->declarations(),
            (std::vector<std::string>{"no-checks", "plain-sums"}));
  const auto unknown = open("assay declares nothing\n");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message.find(path + ": no declaration is named 'nothing'"), 0u)
      << unknown.error().message;
}

TEST_F(Printed, ReadsElementsFromTheHighestByteOn) {
  const TestVector vector = VectorOf({"i16[3]", "bool[2]", "i4[1]", "i48[1]", "fp32[1]"});
  const auto answer =
      Answer("assay output 0 0 0 0102ff\nassay output 0 0 2 7fff\n", VectorOf({"i16[3]"}));
  ASSERT_FALSE(answer);
  const auto right = Answer(
      "assay output 0 0 0 0102ffff\nassay output 0 0 2 7fff\nassay output 0 1 0 0100\n"
      "assay output 0 2 0 f9\nassay output 0 3 0 ffff800000000000\nassay output 0 4 0 c0400000\n",
      vector);
  ASSERT_TRUE(right) << right.error().message;
  ASSERT_EQ(right->outcomes.size(), 1u);
  EXPECT_EQ(right->outcomes[0].kind, OutcomeKind::kValid);
  const std::vector<Tensor>& outputs = right->outcomes[0].outputs;
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(outputs[0], TensorOf("i16[3]{258,-1,32767}"));
  EXPECT_EQ(outputs[1], TensorOf("bool[2]{true,false}"));
  EXPECT_EQ(outputs[2], TensorOf("i4[1]{-7}"));
  EXPECT_EQ(outputs[3], TensorOf("i48[1]{-140737488355328}"));
  EXPECT_EQ(outputs[4], TensorOf("fp32[1]{-3}"));
}

TEST_F(Printed, NamesElementsThatAreNoValues) {
  for (const auto& [type, digits] :
       std::map<std::string, std::string>{{"bool[1]", "02"},
                                          {"i4[1]", "f8"},
                                          {"i4[2]", "0708"},
                                          {"i48[1]", "0000800000000000"},
                                          {"i48[2]", "ffff800000000000ffff7fffffffffff"}}) {
    const auto answer = Answer("assay output 0 0 0 " + digits + "\n", VectorOf({type}));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->outcomes[0].kind, OutcomeKind::kCrashed) << type;
    EXPECT_EQ(answer->outcomes[0].message,
              "output 0 has an element that is no value of " + type.substr(0, type.find('[')));
  }
  // Nothing after it is judged.
  const auto later =
      Answer("assay output 0 0 0 02\nassay output 1 0 0 01\n", VectorOf({"bool[1]"}, 2));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->outcomes[1].message, "not run");
  EXPECT_TRUE(later->outcomes[1].outputs.empty());
}

TEST_F(Printed, TakesRefusedAndUnsupportedSteps) {
  const TestVector vector = VectorOf({"i8[1]"}, 3);
  const auto refused =
      Answer("assay output 0 0 0 05\nassay refused 1 an axis\nassay refused 2 \n", vector);
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_EQ(refused->outcomes[0].outputs[0], TensorOf("i8[1]{5}"));
  EXPECT_EQ(refused->outcomes[1].kind, OutcomeKind::kError);
  EXPECT_EQ(refused->outcomes[1].message, "an axis");
  EXPECT_EQ(refused->outcomes[2].kind, OutcomeKind::kError);
  const auto unsupported = Answer("assay output 0 0 0 05\nassay unsupported ABS\n", vector);
  ASSERT_TRUE(unsupported) << unsupported.error().message;
  EXPECT_EQ(unsupported->unsupported, "ABS");
  EXPECT_TRUE(unsupported->outcomes.empty());
  EXPECT_EQ(Answer("assay unsupported \n", vector)->unsupported, "unsupported");
}

TEST_F(Printed, SaysWhatIsWrongWithLines) {
  const TestVector vector = VectorOf({"i16[3]"});
  EXPECT_EQ(Wrong("assay output 0 0 0 00010002\n", vector),
            "unreadable answer: output 0 of step 0 has 2 of 3 elements");
  EXPECT_EQ(Wrong("", vector), "unreadable answer: output 0 of step 0 has 0 of 3 elements");
  for (const char* line :
       {"output 1 0 0 0001", "output 0 1 0 0001", "output 0 0 1 0001", "output 0 0 0 001",
        "output 0 0 0 0g01", "output 0 0 0 0001000200030004", "output 0 0 x 0001",
        "output x 0 0 0001", "output 0 -1 0 0001", "output", "refused 1 why", "refused", "maybe"}) {
    const std::string word = std::string(line).substr(0, std::string(line).find(' '));
    EXPECT_EQ(Wrong("assay " + std::string(line) + "\n", vector),
              "unreadable answer: a bad line: assay " + word)
        << line;
  }
  EXPECT_EQ(Wrong("assay output 0 0 0 0001\n", VectorOf({"i16[2000000000]", "i16[1]"})),
            "unreadable answer: its outputs are too large to be printed");
}

TEST_F(Printed, ChecksWhatHasArrived) {
  const TestVector vector = VectorOf({"i8[2]"});
  const std::string lines = "assay vector k\nassay output 0 0 0 0102\n";
  EXPECT_TRUE(Find(Ended(lines), vector));
  std::string changed = Ended(lines);
  changed[changed.find("0102") + 3] = '3';
  EXPECT_EQ(Find(changed, vector).error().message,
            "unreadable answer: its checksum does not fit: lines were lost or changed");
  EXPECT_EQ(Find(lines + "assay end 12x\n", vector).error().message,
            "unreadable answer: a bad checksum");
  const auto unfinished = Find(lines, vector);
  EXPECT_EQ(unfinished.error().message, "no answer: the printed lines end within the vector");
  EXPECT_EQ(unfinished.error().kind, Error::Kind::kNoAnswer);
  EXPECT_EQ(Find(Ended("assay vector other\n"), vector).error().message, "unknown");
  EXPECT_NE(Find("assay\nassay end 0\n", vector).error().message.find("has no line \"assay vector"),
            std::string::npos);
}

// FNV-1a has published values.
TEST_F(Printed, ChecksumIsFnv1a) {
  EXPECT_EQ(AddToPrintedChecksum(kPrintedChecksumStart, ""), 0x811c9dc5u);
  EXPECT_EQ(AddToPrintedChecksum(kPrintedChecksumStart, "a"), 0xe40c292cu);
  EXPECT_EQ(AddToPrintedChecksum(kPrintedChecksumStart, "foobar"), 0xbf9cf968u);
}

TEST_F(Printed, TakesTheLastAnswerThatHasEnded) {
  const TestVector vector = VectorOf({"i8[1]"});
  const std::string begin = "assay vector k\nassay output 0 0 0 0";
  const std::string one = Ended(begin + "1\n"), two = Ended(begin + "2\n");
  const auto value = [&](const std::string& text) {
    const auto answer = Find(text, vector);
    return answer ? answer->outcomes[0].outputs[0] : Tensor();
  };
  EXPECT_EQ(value(one + two), TensorOf("i8[1]{2}"));
  EXPECT_EQ(value(begin + "3\n" + one), TensorOf("i8[1]{1}"));
  EXPECT_EQ(value(one + begin + "3\n"), TensorOf("i8[1]{1}"));
  EXPECT_EQ(value(one + begin + "3\n" + Ended("assay vector other\n")), TensorOf("i8[1]{1}"));
  // The first end counts.
  EXPECT_EQ(value(one + "assay end 0\n"), TensorOf("i8[1]{1}"));
  // Words of others stand between the lines and behind them.
  EXPECT_EQ(value("boot\nassay\n" + one + "assay output 0 0 0 09\nlast words"),
            TensorOf("i8[1]{1}"));
  std::string noisy = one;
  noisy.insert(noisy.find('\n') + 1, "[  1.0] usb\r\n");
  EXPECT_EQ(value(noisy), TensorOf("i8[1]{1}"));
}

}  // namespace
}  // namespace assay::printed_answers_test

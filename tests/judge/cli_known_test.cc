// SPDX-License-Identifier: Apache-2.0
// Tests files of known failures on the command line.
#include <fstream>
#include <set>

#include "json_text.h"
#include "run_assay.h"

namespace assay::cli_known_test {
namespace {

class KnownCli : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    ASSERT_EQ(Run("gen --out s --kind operator --op SUB,ADD --type i32,fp32 --count 40").status, 0);
  }
  void WriteKnown(const std::string& entries) {
    std::ofstream(Path("k.json"))
        << R"({"format": "assay known failures", "version": 1, "known": [)" << entries << "]}";
  }
};

constexpr char kVerify[] = "verify s --backend canary:swapped-operands --known k.json";

TEST_F(KnownCli, ANightWithNothingNewIsGreen) {
  EXPECT_EQ(Run("verify s --backend canary:swapped-operands").status, 1);
  const std::string report = std::string(kVerify) + " --minimize --report r --today 2026-11-26";
  const Ran first = ExpectStatus(1, report + " --update-known", "FAIL  SUB");
  EXPECT_NE(first.output.find("group: SUB: wrong number"), std::string::npos) << first.output;
  const Ran second = ExpectStatus(0, report, "KNOWN  SUB: wrong number");
  EXPECT_NE(second.output.find("reason: not looked into yet: SUB: wrong number"), std::string::npos)
      << second.output;
  EXPECT_NE(second.output.find(" 0 disagrees"), std::string::npos) << second.output;
  EXPECT_EQ(second.output.find("FAIL"), std::string::npos) << second.output;
  const auto content = Content("r");
  EXPECT_NE(content.at("report.jsonl").find(R"("today":"2026-11-26")"), std::string::npos);
  EXPECT_NE(content.at("report.xml").find("known: not looked into yet"), std::string::npos);
  EXPECT_NE(content.at("report.html").find("≈ known: not looked into yet"), std::string::npos);
  // A second update changes nothing.
  const std::string known = Content(".").at("k.json");
  ExpectStatus(0, report + " --update-known", "KNOWN");
  EXPECT_EQ(Content(".").at("k.json"), known);
}

TEST_F(KnownCli, WhatIsNotNamedStillFails) {
  WriteKnown(R"({"operator": "SUB", "type": "i32", "reason": "r"})");
  const Ran ran = ExpectStatus(1, kVerify, "FAIL  SUB fp32");
  EXPECT_EQ(ran.output.find("FAIL  SUB i32"), std::string::npos) << ran.output;
  WriteKnown(R"({"operator": "SUB", "reason": "r"})");
  ExpectStatus(0, kVerify, "KNOWN  SUB");
  ExpectStatus(0, std::string(kVerify) + " --strict", "KNOWN  SUB");
}

TEST_F(KnownCli, EntriesThatEndPassOrMatchNothingAreTold) {
  WriteKnown(R"({"operator": "SUB", "reason": "r", "until": "2026-11-25"},
                {"operator": "ADD", "reason": "r"}, {"group": "nothing-1", "reason": "r"},
                {"operator": "ADD", "backend": "mlir", "reason": "r"})");
  const Ran ran = ExpectStatus(1, std::string(kVerify) + " --today 2026-11-26", "FAIL  SUB");
  for (const char* note : {"k.json: entry 1, SUB, has ended on 2026-11-25 and matches nothing",
                           "k.json: entry 2, ADD, matches nothing; it passes now: ",
                           "k.json: entry 3, group nothing-1, matches nothing\n"}) {
    EXPECT_NE(ran.output.find(note), std::string::npos) << ran.output;
  }
  EXPECT_EQ(ran.output.find("entry 4"), std::string::npos) << ran.output;
  ExpectStatus(0, std::string(kVerify) + " --today 2026-11-25", "KNOWN  SUB");
  WriteKnown(R"({"operator": "ADD", "reason": "r"})");
  ExpectStatus(0, "verify s --backend reference --known k.json", "it passes now");
  ExpectStatus(3, "verify s --backend reference --known k.json --strict", "it passes now");
}

TEST_F(KnownCli, FuzzTakesThemToo) {
  const std::string fuzz =
      "fuzz --backend canary:swapped-operands --kind operator --op SUB "
      "--budget 30 --known k.json ";
  ExpectStatus(1, fuzz + "--out f --update-known", "FAIL  SUB");
  const Ran second = ExpectStatus(0, fuzz + "--out g", "KNOWN  SUB");
  EXPECT_EQ(second.output.find("FAIL"), std::string::npos) << second.output;
  EXPECT_NE(second.output.find(" 0 disagrees"), std::string::npos) << second.output;
  // A finished run can be told of them as well.
  ExpectStatus(1,
               "fuzz --backend canary:swapped-operands --kind operator --op SUB --budget 30 "
               "--out g --resume",
               "FAIL  SUB");
}

TEST_F(KnownCli, AKnownGroupHidesNoOtherOperator) {
  ASSERT_EQ(
      Run("gen --out m --kind operator --op MAXIMUM,MINIMUM,REDUCE_MAX --type fp32 --count 60")
          .status,
      0);
  const std::string verify = "verify m --backend canary:wrong-nan-mode --minimize --known k.json ";
  ExpectStatus(1, verify + "--op MAXIMUM,MINIMUM --report a --update-known",
               "PROPAGATE and IGNORE");
  EXPECT_NE(Content(".").at("k.json").find("\"MAXIMUM fp32\""), std::string::npos);
  ExpectStatus(0, verify + "--op MAXIMUM,MINIMUM --report b", "KNOWN");
  const Ran more = ExpectStatus(1, verify + "--report c --update-known", "FAIL  REDUCE_MAX fp32");
  for (const char* words :
       {"1 finding new in known groups",
        "  new in a known group: k.json names it for MAXIMUM fp32, MINIMUM fp32 (not looked into",
        "  known: M"}) {
    EXPECT_NE(more.output.find(words), std::string::npos) << words << "\n" << more.output;
  }
  EXPECT_EQ(more.output.find("FAIL  M"), std::string::npos) << more.output;
  const auto content = Content("c");
  EXPECT_NE(content.at("report.jsonl").find(R"("known_beside":"MAXIMUM fp32, MINIMUM fp32 ()"),
            std::string::npos);
  EXPECT_NE(content.at("report.html").find("its group is known for"), std::string::npos);
  EXPECT_NE(content.at("summary.md").find("only for MAXIMUM fp32"), std::string::npos);
  ExpectStatus(0, verify + "--report d", "KNOWN");
}

// A group is complete only when the run is.
TEST_F(KnownCli, FuzzSaysOnlyAtItsEndWhatIsKnown) {
  const std::string fuzz =
      "fuzz --backend canary:swapped-operands --kind operator --op SUB --budget 30 ";
  EXPECT_NE(Run(fuzz + "--out f").output.find("FAIL  SUB"), std::string::npos);
  WriteKnown(R"({"operator": "SUB", "reason": "r"})");
  const Ran known = ExpectStatus(0, fuzz + "--out g --known k.json", "KNOWN  SUB");
  const std::string before = known.output.substr(0, known.output.find("total:"));
  EXPECT_NE(before.find("FOUND  SUB"), std::string::npos) << before;
  EXPECT_EQ(before.find("KNOWN"), std::string::npos) << before;
}

// Two outputs of one vector are wrong, each by an operator of its own. The order of findings is
// that of the outputs, so the known one hides the other unless fuzz looks behind it.
TEST_F(KnownCli, AKnownFindingHidesNoOtherInFuzz) {
  constexpr char kBackend[] = " --backend canary:ignored-zero-point";
  ASSERT_EQ(Run("gen --out g --kind graph --count 200").status, 0);
  std::istringstream lines(Run(std::string("verify g --json") + kBackend).output);
  std::string first, second, number;
  for (std::string line; second.empty() && std::getline(lines, line);) {
    const auto json = ParseJson(line);
    if (!json.contains("case")) continue;
    std::set<std::string> blamed;
    for (const auto& finding : json["findings"]) {
      if (finding["follows"] == "") blamed.insert(finding["operator"].Text());
    }
    if (blamed.size() != 2) continue;
    number = json["case"].Text();
    number = number.substr(number.rfind('-') + 1, 6);
    first = *blamed.begin();
    second = *blamed.rbegin();
  }
  ASSERT_FALSE(second.empty());
  const std::string fuzz = "fuzz --kind graph --budget 1 --known k.json --shard " +
                           std::to_string(std::stoi(number)) + "/200" + kBackend;
  WriteKnown("{\"operator\": \"" + first + "\", \"reason\": \"r\"}");
  const Ran ran = ExpectStatus(1, fuzz + " --out f", "FAIL  " + second);
  EXPECT_NE(ran.output.find(" 1 disagrees"), std::string::npos) << ran.output;
  for (const auto& [name, bytes] : Content("f/findings")) {
    EXPECT_LT(bytes.size(), fs::file_size(Path("g/graph/graph-" + number + ".tvec")) / 2) << name;
  }
  WriteKnown("{\"operator\": \"" + first + "\", \"reason\": \"r\"}, {\"operator\": \"" + second +
             "\", \"reason\": \"r\"}");
  ExpectStatus(0, fuzz + " --out h", " 0 disagrees");
}

TEST_F(KnownCli, AModelWithAKnownLayerIsNotWrong) {
  ASSERT_EQ(Run("gen --out n --kind network --network transformer@4,fp32 --count 1").status, 0);
  const std::string model =
      "model " + AnyFile("n", ".tvec") + " --backend canary:swapped-operands --known k.json";
  WriteKnown(R"({"operator": "ADD", "reason": "r"})");
  ExpectStatus(1, model, "disagrees: layer");
  WriteKnown(R"({"operator": "SUB", "reason": "r"})");
  const Ran ran = ExpectStatus(0, model, "verdict: known: r");
  EXPECT_EQ(ran.output.find("wrong layer"), std::string::npos) << ran.output;
}

TEST_F(KnownCli, AModelNamesTheLayerThatIsNotKnown) {
  ASSERT_EQ(Run("gen --out n --kind network --network mobilenet_v2@16,i8 --count 1").status, 0);
  const std::string model =
      "model " + AnyFile("n", ".tvec") + " --backend canary:off-by-one-rounding --known k.json";
  WriteKnown(R"({"operator": "RESCALE", "reason": "r"})");
  const Ran ran = ExpectStatus(1, model, "disagrees: layer");
  EXPECT_NE(ran.output.find(", AVG_POOL2D i8"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find(" known"), std::string::npos) << ran.output;
}

TEST_F(KnownCli, BadFilesAndDatesAreOneLine) {
  ExpectStatus(2, kVerify, "k.json");
  WriteKnown(R"({"operator": "SUBB", "reason": "r"})");
  ExpectStatus(2, kVerify, "k.json: /known/0/operator: no operator is named");
  WriteKnown("");
  ExpectStatus(2, std::string(kVerify) + " --today tomorrow", "--today \"tomorrow\": not a date");
  ExpectStatus(2, "verify s --backend reference --update-known", "needs --known");
  ExpectStatus(2, "verify s --backend reference --today 2026-11-26", "needs --known");
}

}  // namespace
}  // namespace assay::cli_known_test

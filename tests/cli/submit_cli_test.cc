// SPDX-License-Identifier: Apache-2.0
// Tests that `assay submit` refuses reports, packages and shards that were edited or damaged, and
// names the line.
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "run_assay.h"
#include "sha256.h"
#include "submission.h"

namespace assay::submit_cli_test {
namespace {

using Lines = std::vector<std::string>;

// Returns the lines of a text, without their ends.
Lines LinesOf(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string TextOf(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Makes the last line the SHA-256 of the others, as somebody does who forges a report.
void SumAgain(Lines& lines) {
  lines.pop_back();
  lines.push_back("{\"sha256\":\"" + Sha256(TextOf(lines)) + "\"}");
}

// Replaces a text in the first line that has it. Returns the number of the line; 0 if none has it.
size_t Replace(Lines& lines, const std::string& from, const std::string& to, size_t first = 0) {
  for (size_t i = first; i < lines.size(); ++i) {
    const size_t at = lines[i].find(from);
    if (at == std::string::npos) continue;
    lines[i].replace(at, from.size(), to);
    return i + 1;
  }
  return 0;
}

// A package of SUB, and reports on it: `good` agrees, `bad` has findings, which are known in
// `known`.
class SubmitCli : public Cli {
 protected:
  static constexpr char kGen[] = "gen --conformance INT --ext none --op SUB --count 300 --out p";

  void SetUp() override {
    static const Result<TemporaryDirectory> made = TemporaryDirectory::Make();
    const std::filesystem::path shared = made->path() + "/all";
    constexpr auto kAll = std::filesystem::copy_options::recursive;
    if (!std::filesystem::exists(shared)) {
      ExpectStatus(0, kGen, "package is in p");
      std::ofstream(Path("k.json")) << R"({"format": "assay known failures", "version": 1,
          "known": [{"operator": "SUB", "reason": "operands are swapped"}]})";
      const std::string canary = "canary:swapped-operands";
      Verify("good", "reference");
      Verify("bad", canary);
      Verify("known", canary + " --known k.json --today 2026-11-26");
      for (const char* shard : {"0/2", "1/2"}) {
        Verify(std::string("shard") + shard[0], canary + " --shard " + shard);
      }
      std::filesystem::copy(Path(""), shared, kAll);
    } else {
      std::filesystem::copy(shared, Path(""), kAll);
    }
  }

  void Verify(const std::string& report, const std::string& options) {
    EXPECT_LT(Run("verify p/vectors --report " + report + " --backend " + options).status, 2);
  }

  Lines Report(const std::string& report) {
    return LinesOf(*ReadTextFile(Path(report + "/report.jsonl")));
  }

  // Submits a report with these lines. Expects status 2 and one line with `words`.
  void Refuse(const Lines& lines, const std::string& words) { RefuseText(TextOf(lines), words); }
  void RefuseText(const std::string& text, const std::string& words) {
    std::filesystem::create_directories(Path("x"));
    std::ofstream(Path("x/report.jsonl"), std::ios::binary) << text;
    const Ran ran =
        ExpectStatus(2, "submit x --package p --out st.txt", "assay: x/report.jsonl" + words);
    EXPECT_EQ(ran.errors.find("exception"), std::string::npos) << ran.errors;
    EXPECT_FALSE(std::filesystem::exists(Path("st.txt")));
  }
};

// An edit of a report: the first line that has `from` gets `to` instead.
struct Edit {
  const char *report, *from, *to;
  // The message behind the path and, if `line` is 0, the number of the edited line.
  const char* words;
  int line = 0;
};

constexpr Edit kEdits[] = {
    {"bad", R"("state":"disagrees")", R"("state":"agrees")",
     R"(its state is "agrees", its verdict "disagrees", with findings)"},
    {"bad", R"("state":"disagrees")", R"("state":"known")",
     R"(its state is "known", and the run knew no failures)"},
    {"bad", R"("state":"disagrees")", R"("state":"suspect")", R"(its state is "suspect")"},
    {"bad", R"("state":"disagrees")", R"("state":"undecided")", R"(its state is "undecided")"},
    {"bad", R"("verdict":"disagrees")", R"("verdict":"agrees")",
     R"(its state is "disagrees", its verdict "agrees", with findings)"},
    {"good", R"("verdict":"agrees")", R"("verdict":"undecided")",
     R"(its state is "agrees", its verdict "undecided", with no finding)"},
    {"good", R"("state":"agrees")", R"("state":"disagrees")",
     "not a case: disagrees without a finding"},
    {"good", R"("state":"agrees")", R"("state":"passes")", "not a case: a name is unknown"},
    {"good", R"("judged_elements":)", R"("judged_elements":1)", "says 1", 1},
    {"good", R"("cases":{"agrees":)", R"("cases":{"agrees":1)", "says 1", 1},
    {"known", R"(,"known":)", R"(,"known":1)", "says 1", 1},
    {"bad", R"("schema":2)", R"("schema":3)", "is no report of schema 1 to 2"},
    {"bad", R"("backend":"canary:swapped-operands")", R"("backend":"mlir")",
     "its command has another backend than mlir"},
    {"good", "--backend reference", "--backend mlir", "its command has another backend"},
    {"good", "assay verify", "assay fuzz", "its command is no `assay verify`"},
    {"good", "verify p/vectors", "verify q/vectors", "its command has no suite p/vectors"},
    {"known", " --known k.json", "", "its command and its known failures name different files"},
    {"known", "--today 2026-11-26", "--today 2026-11-27", "its command and its known failures"},
    {"known", R"("known_failures":)", R"("unknown_failures":)", "its command and its known"},
    {"good", R"("suites":[{"path":"p/vectors","sha256":")",
     R"("suites":[{"path":"p/vectors","sha256":"0)", ": is not about this package"},
    {"good", R"({"case":"p/vectors/operator/operator-000000.tvec","sha256":")",
     R"({"case":"p/vectors/operator/operator-000000.tvec","sha256":"0)",
     "its SHA-256 is not that of the vector in the package"},
    {"good", R"({"case":)", R"({"cases":)", "is damaged: no line of a report"},
    {"good", R"("name":)", R"("names":)", "not a case: key 'name' not found"},
    {"good", R"("undecided_elements":0,"findings")", R"("undecided_elements":1e30,"findings")",
     "not a case: type must be integer, but is number"},
    {"good", R"({"run":)", R"({"ran":)", "is damaged: no line of a report"},
    {"bad", R"({"finding":)", R"({"findings":)", "is damaged: no line of a report"},
};

TEST_F(SubmitCli, EditedReportIsRefusedByItsLineEvenWithANewHash) {
  for (const Edit& edit : kEdits) {
    SCOPED_TRACE(std::string(edit.from) + " -> " + edit.to);
    Lines lines = Report(edit.report);
    const size_t number = Replace(lines, edit.from, edit.to);
    ASSERT_GT(number, 0u);
    SumAgain(lines);
    std::string words = edit.words;
    if (words.starts_with(":")) {
      Refuse(lines, words);
      continue;
    }
    const std::string line = std::to_string(edit.line > 0 ? edit.line : static_cast<int>(number));
    std::filesystem::create_directories(Path("x"));
    Refuse(lines, ":" + line + ": ");
    const Ran ran = Run("submit x --package p --out st.txt");
    EXPECT_NE(ran.errors.find(words), std::string::npos) << ran.errors;
  }
}

// Everything that the checks of members do not see.
TEST_F(SubmitCli, ReportWithoutItsHashIsRefused) {
  const Lines good = Report("good");
  const std::string last = ":" + std::to_string(good.size()) + ": ";
  for (const auto& [from, to] :
       {std::pair("\"note\":\"", "\"note\":\"x"), {"\"name\":\"", "\"name\":\"x"}}) {
    Lines lines = good;
    ASSERT_GT(Replace(lines, from, to), 0u);
    Refuse(lines, last + "is not the SHA-256 of the lines before it");
  }
  Lines lines = good;
  lines.pop_back();
  Refuse(lines,
         ":" + std::to_string(lines.size()) + ": is the last line, but should be the SHA-256");
  lines = good;
  lines.push_back(good[1]);
  Refuse(lines, ":" + std::to_string(lines.size()) + ": follows the last line");
  // A case that is left out, or there twice.
  lines = good;
  lines.erase(lines.begin() + 3);
  SumAgain(lines);
  Refuse(lines, ":1: says ");
  lines = good;
  lines.insert(lines.begin() + 3, good[3]);
  SumAgain(lines);
  Refuse(lines, ":1: says ");
  const std::string text = TextOf(good);
  RefuseText(text.substr(0, text.size() / 2), ":");
  RefuseText(text.substr(0, text.size() - 1), last + "has no end: the report is cut off");
  RefuseText("", ": is empty");
  RefuseText("\n", ":1: is damaged");
}

TEST_F(SubmitCli, FindingsMustBeOfCasesThatDisagree) {
  Lines lines = Report("bad");
  const auto finding = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("{\"finding\""); });
  ASSERT_NE(finding, lines.end());
  Lines good = Report("good");
  good.insert(good.end() - 1, *finding);
  SumAgain(good);
  Refuse(good, ":" + std::to_string(good.size() - 1) + ": is a finding, and no vector disagrees");
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("{\"finding\"") || line.starts_with("{\"group\"");
  });
  SumAgain(lines);
  Refuse(lines, ":1: vectors disagree, and no line is a finding");
}

TEST_F(SubmitCli, GroupsMustHaveTheFindings) {
  const Lines bad = Report("bad");
  const auto is_group = [](const std::string& line) { return line.starts_with("{\"group\""); };
  const auto at = std::ranges::find_if(bad, is_group) - bad.begin();
  ASSERT_LT(at, std::ssize(bad));
  const std::string number = ":" + std::to_string(at + 1) + ": ";
  const auto refuse = [&](Lines lines, const std::string& words) {
    SumAgain(lines);
    Refuse(lines, words);
  };
  Lines lines = bad;
  std::erase_if(lines, is_group);
  refuse(lines, ":" + std::to_string(lines.size()) + ": no group has the finding ");
  lines = bad;
  lines.insert(lines.begin() + at, bad[static_cast<size_t>(at)]);
  refuse(lines, ":" + std::to_string(at + 2) + ": is a second group of this name");
  lines = bad;
  const size_t seen = lines[static_cast<size_t>(at)].find("\"seen\":") + 7;
  lines[static_cast<size_t>(at)].insert(seen, "9");
  refuse(lines, number + "says that 9");
  // A finding that was seen on more vectors than disagree.
  lines = bad;
  for (std::string& line : lines) {
    const size_t of_finding = line.find("\"seen\":");
    if (line.starts_with("{\"finding\"")) line.insert(of_finding + 7, "9");
    if (is_group(line)) line.clear();
  }
  std::erase(lines, "");
  refuse(lines, ":1: ");
}

TEST_F(SubmitCli, ReportOfAnOlderVersionIsNoProof) {
  Lines lines = Report("good");
  lines.pop_back();
  Replace(lines, "\"schema\":2", "\"schema\":1");
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t at = lines[i].find(",\"sha256\":");
    ASSERT_NE(at, std::string::npos);
    lines[i].erase(at, std::string(",\"sha256\":").size() + 66);
  }
  std::filesystem::create_directories(Path("x"));
  std::ofstream(Path("x/report.jsonl")) << TextOf(lines);
  const Ran ran = Run("submit x --package p --out st.txt");
  EXPECT_EQ(ran.status, 3) << ran.output << ran.errors;
  EXPECT_EQ(ran.output.find("no proof, because a report has no hash of its lines: "), 0u);
  EXPECT_EQ(ran.output.find("is complete: "), std::string::npos);
  EXPECT_NE(ReadTextFile(Path("st.txt"))->find("x is a report of an older version; verify again"),
            std::string::npos);
  // Its lines must fit together all the same.
  ASSERT_GT(Replace(lines, "\"state\":\"agrees\"", "\"state\":\"known\""), 0u);
  std::ofstream(Path("x/report.jsonl")) << TextOf(lines);
  ExpectStatus(2, "submit x --package p --out st.txt", "its state is \"known\"");
}

// Real reports of every origin fit together: merged ones, resumed ones, and those on Arm
// directories are in other tests.
TEST_F(SubmitCli, ReportsThatNobodyEditedAreTaken) {
  ExpectStatus(0, "submit good --package p --out st.txt", "every claimed list is complete");
  ExpectStatus(1, "submit bad --package p --out st.txt", "not complete");
  ExpectStatus(0, "submit known --package p --out st.txt", "every claimed list is complete");
  ExpectStatus(1, "submit shard0 shard1 --package p --out st.txt", "not complete");
  EXPECT_EQ(Run("merge shard0 shard1 --report m --known k.json --today 2026-11-26").status, 0);
  ExpectStatus(0, "submit m --package p --out st.txt", "every claimed list is complete");
}

TEST_F(SubmitCli, SummaryIsShortAndTheFileHasEveryVector) {
  const Ran ran = ExpectStatus(1, "submit bad --package p --out st.txt", "not complete");
  EXPECT_LE(std::ranges::count(ran.output, '\n'), 13) << ran.output;
  EXPECT_NE(ran.output.find(" failed: SUB i32: wrong value\n"), std::string::npos) << ran.output;
  EXPECT_TRUE(ran.output.ends_with("\nthe statement is in st.txt\n")) << ran.output;
  const std::string text = *ReadTextFile(Path("st.txt"));
  EXPECT_GT(std::ranges::count(text, '\n'), std::ranges::count(ran.output, '\n'));
  EXPECT_NE(text.find("\nfailed\n"), std::string::npos);
  const Ran json = ExpectStatus(1, "submit bad --package p --json --out st.json", "not_passed");
  EXPECT_EQ(*ReadTextFile(Path("st.json")), json.output);
}

TEST(SubmissionSummary, HasFiveListsAndFiveReasons) {
  Submission submission;
  for (int i = 0; i < 7; ++i) {
    const std::string number = std::to_string(i);
    submission.lists["list " + number].counts[SubmittedState::kFailed] = 1;
    submission.open.push_back(
        {"v" + number, "list " + number, SubmittedState::kFailed, "why " + number});
  }
  const std::string text = SubmissionSummary(submission);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 6 + 6) << text;
  EXPECT_NE(text.find("  and 2 more lists that are not complete\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  and 2 more reasons\n"), std::string::npos) << text;
}

TEST_F(SubmitCli, DamagedPackageIsRefused) {
  const auto refuse = [this](const std::string& file, const std::string& words) {
    ExpectStatus(2, "submit good --package p --out st.txt", "assay: p/" + file + ": " + words);
  };
  const std::string vector = "vectors/operator/operator-000000.tvec";
  for (const std::string& file :
       {vector, std::string("must-pass.json"), std::string("package.json"),
        std::string("vectors/suite.json"), std::string("README.md")}) {
    const std::string text = *ReadTextFile(Path("p/" + file));
    std::ofstream(Path("p/" + file), std::ios::app) << " ";
    refuse(file, "was changed: its SHA-256 is not that in p/manifest.sha256");
    std::filesystem::remove(Path("p/" + file));
    refuse(file, "is missing; p/manifest.sha256 lists it");
    std::ofstream(Path("p/" + file), std::ios::binary) << text;
  }
  std::ofstream(Path("p/more.txt")) << "x";
  refuse("more.txt", "does not belong to the package");
  std::filesystem::remove(Path("p/more.txt"));
  // Changed files, with a manifest that fits them.
  const auto refuse_edited = [&](const std::string& file, const std::string& from,
                                 const std::string& to, const std::string& words) {
    const std::string manifest = *ReadTextFile(Path("p/manifest.sha256")),
                      text = *ReadTextFile(Path("p/" + file));
    std::string edited = text, listed = manifest;
    ASSERT_NE(edited.find(from), std::string::npos) << from;
    edited.replace(edited.find(from), from.size(), to);
    listed.replace(listed.find(Sha256(text)), 64, Sha256(edited));
    std::ofstream(Path("p/" + file)) << edited;
    std::ofstream(Path("p/manifest.sha256")) << listed;
    ExpectStatus(2, "submit good --package p --out st.txt", "p/" + file + ": " + words);
    std::ofstream(Path("p/" + file)) << text;
    std::ofstream(Path("p/manifest.sha256")) << manifest;
  };
  refuse_edited("package.json", "\"vectors\": ", "\"vectors\": 1", "says 1");
  refuse_edited("package.json", "\"level\": ", "\"level\": 5, \"x\": ", "");
  refuse_edited("must-pass.json", vector.substr(8), "operator/x.tvec", "does not have the vector");
  refuse_edited("must-pass.json", "\"file\"", "\"fil", "");
  const std::string lists = *ReadTextFile(Path("p/must-pass.json")), first = vector.substr(8);
  const size_t second = lists.find("operator/operator-", lists.find(first) + first.size());
  refuse_edited("must-pass.json", lists.substr(second, first.size()), first,
                "has the vector " + first + " twice");
  // A manifest that fits a changed vector: the report is on another one.
  const std::string path = Path("p/" + vector), old = Sha256(*ReadTextFile(path));
  std::ofstream(path, std::ios::app) << " ";
  const std::string now = Sha256(*ReadTextFile(path));
  for (const char* list : {"p/vectors/suite.json", "p/manifest.sha256"}) {
    std::string text = *ReadTextFile(Path(list));
    const size_t at = text.find(old);
    ASSERT_NE(at, std::string::npos);
    const std::string before = Sha256(text);
    std::ofstream(Path(list)) << text.replace(at, 64, now);
    if (list[2] != 'v') continue;
    std::string manifest = *ReadTextFile(Path("p/manifest.sha256"));
    std::ofstream(Path("p/manifest.sha256"))
        << manifest.replace(manifest.find(before), 64, Sha256(text));
  }
  ExpectStatus(2, "submit good --package p --out st.txt",
               "good/report.jsonl: is not about this package: p/vectors has other vectors");
}

TEST_F(SubmitCli, DamagedShardIsRefusedByMerge) {
  const auto refuse = [this](const std::string& file, const std::string& from,
                             const std::string& to, const std::string& words) {
    const std::string path = Path("shard0/" + file), text = *ReadTextFile(path);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(path, std::ios::binary) << std::string(text).replace(at, from.size(), to);
    const Ran ran = Run("merge shard0 shard1 --report m");
    EXPECT_EQ(ran.status, 2) << from << ran.output;
    EXPECT_NE(ran.errors.find(words), std::string::npos) << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    std::ofstream(path, std::ios::binary) << text;
  };
  refuse("shard.json", "\"format\"", "\"formal\"", "shard0/shard.json: is damaged or was edited");
  for (const auto& [from, to] : {std::pair("\"cases\":", "\"cases\":1"),
                                 {"swapped-operands", "truncated-scaling"},
                                 {"\"shard\":0", "\"shard\":1"},
                                 {"\"gaps\":[", "\"gaps\":[\"x\""}}) {
    refuse("shard.json", from, to, "shard0/shard.json: is damaged or was edited");
  }
  refuse("shard.jsonl", "\"disagrees\"", "\"agrees\"",
         "shard0/shard.jsonl: is damaged or was edited");
  refuse("shard.jsonl", "\"index\":0", "\"index\":7",
         "shard0/shard.jsonl: is damaged or was edited");
}

}  // namespace
}  // namespace assay::submit_cli_test

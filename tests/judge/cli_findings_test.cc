// SPDX-License-Identifier: Apache-2.0
// Tests what happens to findings: how often vectors run, the names of findings, which files are
// kept.

#include "json_text.h"
#include "run_assay.h"

namespace assay::cli_findings_test {
namespace {

class CliFindings : public Cli {
 protected:
  // Returns how often a script that does `echo >>runs` was run.
  int64_t Runs() {
    const Result<std::string> text = ReadTextFile(Path("runs"));
    fs::remove(Path("runs"));
    return text ? std::count(text->begin(), text->end(), '\n') : 0;
  }
  // Returns the only file of a folder whose name starts and ends with these texts.
  std::string FileLike(const std::string& folder, const std::string& start,
                       const std::string& end) {
    for (const auto& entry : fs::directory_iterator(Path(folder))) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(start) && name.ends_with(end)) return folder + "/" + name;
    }
    ADD_FAILURE() << "no " << start << "*" << end << " in " << folder;
    return folder;
  }
};

TEST_F(CliFindings, AreRunAgainAsOftenAsIsAskedFor) {
  ASSERT_EQ(Run("gen --out s --count 1 --kind operator").status, 0);
  WriteScript("crash", "echo >>runs; kill -SEGV $$");
  ExpectStatus(1, "verify s --backend exec:./crash", "crash");
  EXPECT_EQ(Runs(), 2);
  ExpectStatus(1, "verify s --backend exec:./crash --repeat 0", "crash");
  EXPECT_EQ(Runs(), 1);
  ExpectStatus(1, "verify s --backend exec:./crash --repeat 4", "crash");
  EXPECT_EQ(Runs(), 5);
  WriteScript("hang", "echo >>runs; sleep 100");
  ExpectStatus(1, "verify s --backend exec:./hang --wall-seconds 0.1", "time-out");
  EXPECT_EQ(Runs(), 2);
}

TEST_F(CliFindings, KeepWhatTheBackendSaid) {
  ASSERT_EQ(Run("gen --out s --count 1 --kind operator").status, 0);
  WriteScript("crash",
              "i=0; while [ $i -lt 2000 ]; do echo \"line $i of $1\" >&2; i=$((i+1)); done\n"
              "echo \"KeyError: 't0'\" >&2; exit 1");
  for (const char* minimize : {"", " --minimize"}) {
    const Ran ran = Run("verify s --backend exec:./crash --report r" + std::string(minimize));
    EXPECT_EQ(ran.status, 1);
    const std::string log = FileLike("r/findings", "", ".log");
    const std::string text = *ReadTextFile(Path(log));
    EXPECT_NE(ran.output.find("standard error, whole in " + log), std::string::npos) << ran.output;
    EXPECT_TRUE(text.ends_with("line 1999 of {dir}\nKeyError: 't0'\n"));
    EXPECT_LE(text.size(), 16384u);
    EXPECT_GT(text.size(), 4000u) << "as long as it may be before {dir} stands for the folder";
    for (const std::string& report : {ran.output, *ReadTextFile(Path("r/report.html"))}) {
      EXPECT_NE(report.find("line 1999"), std::string::npos) << report;
      EXPECT_EQ(report.find("line 1980"), std::string::npos) << "the last lines are enough";
    }
    fs::remove_all(Path("r"));
  }
  ExpectStatus(1, "verify s --backend exec:./crash", "standard error:\n");
}

// A terminal that shows the file must not obey it. U+009B begins a command, as ESC does.
TEST_F(CliFindings, KeepALogWithoutControls) {
  ASSERT_EQ(Run("gen --out s --count 1 --kind operator").status, 0);
  WriteScript("crash", R"(printf 'a\033[2Jb\302\233c\302\251\td\n' >&2; exit 1)");
  ASSERT_EQ(Run("verify s --backend exec:./crash --report r").status, 1);
  EXPECT_EQ(*ReadTextFile(Path(FileLike("r/findings", "", ".log"))),
            "a\uFFFD[2Jb\uFFFDc\u00A9\td\n");
  const std::string lines = *ReadTextFile(Path("r/report.jsonl"));
  EXPECT_EQ(lines.find("\u009b"), std::string::npos) << lines;
}

TEST_F(CliFindings, ShowTheirWrongElementsAndTheOperatorToBlame) {
  ASSERT_EQ(Run("gen --out s --count 20 --kind graph").status, 0);
  ASSERT_EQ(Run("verify s --backend canary:truncated-broadcast --minimize --report r").status, 1);
  const std::string html = *ReadTextFile(Path("r/report.html"));
  EXPECT_NE(html.find("<caption>difference</caption>"), std::string::npos) << html;
  if (html.find("<svg") != std::string::npos) {
    EXPECT_NE(html.find("class=\"node marked\""), std::string::npos) << html;
  }
  const std::string xml = *ReadTextFile(Path("r/report.xml"));
  EXPECT_NE(xml.find(" name=\"graph/graph-0000"), std::string::npos) << xml;
  EXPECT_NE(xml.find("\nreplay: assay verify s/graph/graph-0000"), std::string::npos) << xml;
  EXPECT_NE(ReadTextFile(Path("r/summary.md"))->find("](findings/"), std::string::npos);
}

// The words of this backend do not tell which operators it refuses.
TEST_F(CliFindings, AreNamedAfterTheSmallestGraphWithoutEvidence) {
  ASSERT_EQ(Run("gen --out s --count 40 --kind graph --profile INT").status, 0);
  WriteScript("crash", kAssay +
                           " show $1/graph-0.tosa >text.$$; grep -q NEGATE text.$$ && "
                           "grep -q REVERSE text.$$ || exit 77\n"
                           "echo 'void f(const char*): could not add' >&2; kill -SEGV $$");
  const Ran seen = Run("verify s --backend exec:./crash");
  EXPECT_EQ(seen.status, 1) << seen.output << seen.errors;
  EXPECT_NE(seen.output.find("FAIL  whole graph: crash"), std::string::npos) << seen.output;
  const Ran reduced = Run("verify s --backend exec:./crash --minimize --report r");
  const bool named = reduced.output.find("FAIL  NEGATE, REVERSE ") != std::string::npos ||
                     reduced.output.find("FAIL  REVERSE, NEGATE ") != std::string::npos;
  EXPECT_TRUE(named) << reduced.output;
  EXPECT_EQ(reduced.output.find("none"), std::string::npos) << reduced.output;
  const std::string file = AnyFile("r/findings", ".tvec");
  EXPECT_EQ(file.find("unknown"), std::string::npos) << file;
  EXPECT_NE(file.find("negate"), std::string::npos) << file;
}

// A worker of Assay that dies says nothing about the backend.
TEST_F(CliFindings, WhoseWorkerDiesAreKeptAndNamed) {
  ASSERT_EQ(Run("gen --out s --count 1 --kind operator").status, 0);
  const std::string verify = "verify s --backend exec:./backend --minimize --report r";
  const struct {
    const char* signal;
    int status;
  } kCases[] = {{"SEGV", 4}, {"KILL", 1}};
  for (const auto& row : kCases) {
    WriteScript("backend", "echo >>runs; [ $(wc -l <runs) -gt 2 ] && kill -" +
                               std::string(row.signal) + " $PPID; kill -SEGV $$");
    const Ran ran = Run(verify);
    EXPECT_EQ(ran.status, row.status) << ran.output;
    EXPECT_EQ(ran.output.find("not repeatable"), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find(", not minimized"), std::string::npos) << ran.output;
    // A sanitizer turns the signal into an exit status.
    EXPECT_NE(ran.output.find("the worker that minimized the vector ended: "), std::string::npos)
        << ran.output;
    const std::string kept = FileLike("r/findings", "not-minimized-", ".tvec");
    EXPECT_NE(ran.output.find(kept), std::string::npos) << ran.output;
    fs::remove_all(Path("r"));
    Runs();
  }
}

TEST_F(CliFindings, CountAnUnsupportedGraphOnce) {
  WriteScript("decline", "echo 'no graphs at all' >&2; exit 77");
  const std::string fuzz = "fuzz --kind graph --budget 20 --out f --backend exec:./decline";
  ExpectStatus(3, fuzz, "20 unsupported");
  const auto progress = JsonFrom(*ReadTextFile(Path("f/progress.json")));
  int64_t unsupported = 0;
  for (const auto& row : progress["tally"]["operators"]) {
    unsupported += row["states"][4].get<int64_t>();
  }
  EXPECT_EQ(unsupported, 20) << JsonText(progress["tally"]["operators"]);
}

}  // namespace
}  // namespace assay::cli_findings_test

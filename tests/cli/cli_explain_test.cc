// SPDX-License-Identifier: Apache-2.0
// Tests `assay explain` on the command line.
#include "run_assay.h"

namespace assay::cli_explain_test {
namespace {

class ExplainCli : public Cli {
 protected:
  // Writes a suite of RESCALEs, and a report on a backend that truncates where it should round.
  void WriteReport() {
    ExpectStatus(0, "gen --count 300 --seed 3 --out s", "vectors in s");
    ExpectStatus(1, "verify s --minimize --report r --backend " + backend_, "FAIL");
  }
  const std::string backend_ = "canary:off-by-one-rounding";
};

TEST_F(ExplainCli, ExplainsTheFindingOfAReport) {
  WriteReport();
  const std::string finding = AnyFile("r/findings", ".tvec");
  const Ran of_report = ExpectStatus(0, "explain " + finding, "wrong value");
  for (const char* words : {"how the right value comes about", "apply_clip_s(", ">>",
                            "what is allowed\n  only ", "what came back\n  "}) {
    EXPECT_NE(of_report.output.find(words), std::string::npos) << words << of_report.output;
  }
  // The backend gives the same finding again.
  const Ran again = ExpectStatus(0, "explain " + finding + " --backend " + backend_, "wrong value");
  EXPECT_EQ(again.output, of_report.output);
  const Ran json = ExpectStatus(0, "explain --json " + finding, "\"explanation\": ");
  EXPECT_NE(json.output.find(finding), std::string::npos) << json.output;
}

TEST_F(ExplainCli, SaysWhatThereIsToExplain) {
  WriteReport();
  const std::string vector = AnyFile("s/operator", ".tvec");
  ExpectStatus(2, "explain " + vector, "no report knows a finding of it");
  ExpectStatus(3, "explain " + vector + " --backend reference", "nothing to explain");
  ExpectStatus(2, "explain " + vector + " --element none[0]",
               "--element: step 0 has no output none");
  ExpectStatus(2, "explain " + vector + " --element x[0] --step 7", "the vector has no step 7");
  ExpectStatus(2, "explain no.tvec", "no.tvec");
  ExpectStatus(2, "explain " + vector + " --element x[0] --backend reference", "--element");
  ExpectStatus(2, "explain " + vector + " --step 1", "--element");
  std::ofstream(Path("r/report.jsonl")) << "{\"finding\": 1}\n";
  ExpectStatus(2, "explain " + AnyFile("r/findings", ".tvec"), "report.jsonl: no finding");
}

}  // namespace
}  // namespace assay::cli_explain_test

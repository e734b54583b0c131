// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "backend_kind.h"
#include "case_source.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "explain_finding.h"
#include "files.h"
#include "finding_text.h"
#include "json_lines.h"
#include "json_text.h"
#include "judge_in_depth.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct ExplainOptions {
  std::string file;
  std::string backend;
  BackendOptions limits;
  std::string element;
  int step = 0;
  int depth = 3;
  bool json = false;
};

void DeclareExplain(CommandLine& line, ExplainOptions& options) {
  line.Add("FINDING", options.file,
           "the .tvec file of a finding in the folder of a report, or any other vector")
      .Required();
  line.Add("--element", options.element,
           "explain this element of an output, as \"t3[0,1]\", instead of a finding");
  line.Add("--step", options.step, "the step that the element belongs to")
      .Needs("--element")
      .ShowDefault();
  line.Add("--depth", options.depth, "number of operators, from the element backwards, to explain")
      .Between(1, 1000)
      .ShowDefault();
  line.Add("--backend", options.backend,
           "run the vector on this backend, and explain what is wrong")
      .Excludes("--element");
  AddLimitOptions(line, options.limits);
  line.AddFlag("--json", options.json, "print JSON");
}

// Returns the finding that the report beside the vector's folder has for it; nothing if there is no
// such report.
Result<std::optional<Finding>> FindingOfReport(const std::string& file) {
  const std::string report = JoinPath(FolderOf(file), "../report.jsonl");
  std::optional<Finding> found;
  if (!FileExists(report)) return found;
  const Result<std::string> text = ReadTextFile(report);
  if (!text) return text.error();
  for (size_t begin = 0; begin < text->size() && !found;) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with("{\"finding\"")) continue;
    const Result<ReportedFinding> reported = ReportedFindingFromJson(line);
    if (!reported) return BadInput(report + ": " + reported.error().message);
    if (FileNameOf(reported->vector) == FileNameOf(file)) found = reported->finding;
  }
  return found;
}

// Runs the vector on the backend, and returns what is wrong.
Result<Finding> FindingOfBackend(const ExplainOptions& options, const LoadedCase& loaded) {
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options.backend, options.limits);
  if (!backend) return backend.error();
  const CaseResult result = JudgeInDepth(**backend, loaded, options.file);
  if (const auto failure = (*backend)->MachineFailure()) return *failure;
  if (result.state == CaseState::kDisagrees) return result.verdict.findings[0];
  std::string state(CaseStateName(result.state));
  if (!result.note.empty()) state += ": " + result.note;
  return Unsupported(options.file + ": nothing to explain, as the backend's answer " + state);
}

Result<std::string> Explanation(const ExplainOptions& options, const LoadedCase& loaded) {
  const TestVector& vector = loaded.recorded ? loaded.recorded->computed : loaded.vector;
  if (!options.element.empty()) {
    const auto place = PlaceOfElement(vector, options.step, options.element);
    if (!place) return Error{place.error().kind, "--element: " + place.error().message};
    return ExplainElementOf(vector, *place, options.depth);
  }
  if (!options.backend.empty()) {
    const Result<Finding> finding = FindingOfBackend(options, loaded);
    if (!finding) return finding.error();
    return ExplainFinding(vector, *finding, options.depth);
  }
  const Result<std::optional<Finding>> finding = FindingOfReport(options.file);
  if (!finding) return finding.error();
  if (*finding) return ExplainFinding(vector, **finding, options.depth);
  return UsageError(options.file +
                    ": no report knows a finding of it; give --backend, or --element of an output");
}

int RunExplain(const ExplainOptions& options) {
  const Result<LoadedCase> loaded = LoadCase(options.file);
  if (!loaded) return Fail(loaded.error());
  const Result<std::string> text = Explanation(options, *loaded);
  if (!text) return Fail(text.error());
  if (options.json) {
    Write(JsonText(Json{{"vector", options.file}, {"explanation", *text}}, 2) + "\n");
  } else {
    Write(*text);
  }
  return kExitClean;
}

}  // namespace

extern const Command explain_command = {
    .name = "explain",
    .summary = "explains a finding: the rule, the arithmetic of the element, what is allowed",
    .declare = DeclareWith<ExplainOptions, DeclareExplain, RunExplain>,
};

}  // namespace assay::cli

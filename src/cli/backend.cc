// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>

#include "backend_exam.h"
#include "backend_kind.h"
#include "backend_traits.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "enum_names.h"
#include "files.h"
#include "json_text.h"
#include "probe_traits.h"
#include "quoted.h"
#include "report_files.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct BackendCommandOptions {
  std::string backend;
  BackendOptions limits;
  std::string report;
  bool json = false;
};

void DeclareTest(CommandLine& line, BackendCommandOptions& options) {
  AddBackendArgument(line, options.backend, options.limits);
  line.AddFlag("--json", options.json, "print JSON lines");
  line.SetFooter(line.Footer() +
                 "\n"
                 "\n"
                 "Exit status 0: the backend does everything that it supports correctly; 1: it "
                 "does not;\n"
                 "3: it supports nothing.");
}

void DeclareBackendShow(CommandLine& line, BackendCommandOptions& options) {
  line.Add("BACKEND", options.backend, "name of a backend (`assay help backends`)").Required();
  line.AddFlag("--json", options.json, "print JSON");
}

void DeclareTraits(CommandLine& line, BackendCommandOptions& options) {
  AddBackendArgument(line, options.backend, options.limits);
  line.Add("--report", options.report, "folder for traits.html, traits.json and traits.txt");
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(line.Footer() + "\n\nExit status 0; 3 if the backend supports no question.");
}

const char* MarkName(ExamPoint::Mark mark) {
  constexpr const char* kNames[] = {"ok", "FAILED", "not supported", "not declared"};
  return EntryOf(kNames, mark);
}

void ShowPoint(const ExamPoint& point, bool json) {
  const std::string remark = OneLine(point.remark);  // the backend's own words
  if (json) {
    const Json line = {
        {"question", point.question}, {"mark", MarkName(point.mark)}, {"remark", remark}};
    Print("{}\n", JsonText(line));
    return;
  }
  Print("{:<14} {} ({})\n", MarkName(point.mark), point.question, remark);
}

// A backend that breaks its protocol at once is a finding like any other.
Result<std::vector<ExamPoint>> Examine(const std::string& name, const BackendOptions& limits) {
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(name, limits);
  const std::string question = "says what it is";
  if (!backend) {
    if (backend.error().kind != Error::Kind::kBadInput) return backend.error();
    return std::vector<ExamPoint>{{question, ExamPoint::Mark::kFailed, backend.error().message}};
  }
  std::vector<ExamPoint> points = ExamineBackend(**backend);
  if (const auto failure = (*backend)->MachineFailure()) return *failure;
  points.insert(points.begin(), {question, ExamPoint::Mark::kGood, (*backend)->Describe()});
  return points;
}

std::string ExemptionText(const Exemption& row) {
  std::string text(OperatorName(row.op));
  for (const std::string_view word : {row.types, row.attribute}) {
    if (!word.empty()) text += " " + std::string(word);
  }
  return text;
}

// Prints the facts about a kind of backend that are known without opening one.
int ShowBackend(const BackendCommandOptions& options) {
  const Result<const BackendKind*> found = FindBackendKind(options.backend);
  if (!found) return Fail(found.error());
  const BackendKind& kind = **found;
  if (options.json) {
    Json rows = Json::array();
    for (const Exemption& row : kind.exemptions) {
      rows.push_back({{"operator", OperatorName(row.op)},
                      {"types", row.types},
                      {"attribute", row.attribute},
                      {"source", row.source},
                      {"words", row.words}});
    }
    const Json json = {{"backend", kind.name},
                       {"argument", kind.argument},
                       {"help", kind.help},
                       {"taps", kind.taps},
                       {"exemptions", std::move(rows)}};
    Print("{}\n", JsonText(json, 2));
    return kExitClean;
  }
  Print("{}{}{}\n{}\n\n", kind.name, kind.argument.empty() ? "" : ":", kind.argument, kind.help);
  Print("Inner tensors (taps): {}.\n", kind.taps.empty() ? "none" : kind.taps);
  if (kind.exemptions.empty()) {
    Print("It may refuse no valid graph: each refusal is a finding.\n");
    return kExitClean;
  }
  Print("It may refuse valid graphs with these operators; every other refusal is a finding.\n");
  for (const Exemption& row : kind.exemptions) {
    Print("  {}\n    {}: \"{}\"\n", ExemptionText(row), row.source, row.words);
  }
  return kExitClean;
}

int Test(const BackendCommandOptions& options) {
  const Result<std::vector<ExamPoint>> points = Examine(options.backend, options.limits);
  if (!points) return Fail(points.error());
  for (const ExamPoint& point : *points) ShowPoint(point, options.json);
  const auto count = [&points](ExamPoint::Mark mark) {
    return std::count_if(points->begin(), points->end(),
                         [mark](const ExamPoint& point) { return point.mark == mark; });
  };
  if (count(ExamPoint::Mark::kFailed) > 0) return kExitFinding;
  return count(ExamPoint::Mark::kGood) > 1 ? kExitClean : kExitUndecided;  // more than a name
}

// Tells whether the backend supports any question.
bool AnyAnswer(const BackendTraits& traits) {
  const auto is_answer = [](const BackendTrait& trait) {
    return !trait.answer.starts_with("not supported");
  };
  return std::ranges::any_of(traits.sums, is_answer) ||
         std::ranges::any_of(traits.precision, is_answer) ||
         std::ranges::any_of(traits.subnormals, is_answer) ||
         std::ranges::any_of(traits.functions, [](const FunctionAccuracy& function) {
           return function.why_not.empty();
         });
}

int Traits(const BackendCommandOptions& options) {
  const Result<Done> fits = CheckReportFolder(options.report);
  if (!fits) return Fail(fits.error());
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options.backend, options.limits);
  if (!backend) return Fail(backend.error());
  BackendTraits traits = ProbeTraits(**backend);
  if (const auto failure = (*backend)->MachineFailure()) return Fail(*failure);
  traits.title = (*backend)->Describe();
  traits.command = "assay backend traits " + ShellWord(options.backend);
  const std::string text = TraitsToText(traits), json = TraitsToJson(traits);
  Write(options.json ? json : text);
  const int status = AnyAnswer(traits) ? kExitClean : kExitUndecided;
  if (options.report.empty()) return status;
  const Result<FolderLock> lock = OpenReportFolder(options.report);
  if (!lock) return Fail(lock.error());
  const std::pair<const char*, std::string> files[] = {
      {"traits.html", TraitsToHtml(traits)}, {"traits.json", json}, {"traits.txt", text}};
  for (const auto& [name, content] : files) {
    const Result<Done> written =
        WriteFileAtomically(JoinPath(options.report, name), std::string_view(content));
    if (!written) return Fail(written.error());
  }
  return status;
}

}  // namespace

namespace {

constexpr Command kTraits = {
    .name = "traits",
    .summary = "finds out which freedom of the specification a backend uses",
    .declare = DeclareWith<BackendCommandOptions, DeclareTraits, Traits>,
};
constexpr Command kTest = {
    .name = "test",
    .summary = "checks that a backend follows its protocol",
    .declare = DeclareWith<BackendCommandOptions, DeclareTest, Test>,
};
constexpr Command kBackendShow = {
    .name = "show",
    .summary = "describes a backend and the valid graphs that it may refuse",
    .declare = DeclareWith<BackendCommandOptions, DeclareBackendShow, ShowBackend>,
};
constexpr const Command* kBackendVerbs[] = {&kTest, &kTraits, &kBackendShow};

std::function<int()> DeclareBackend(CommandLine& line) {
  line.AddCommands(kBackendVerbs);
  line.RequireSubcommand();
  return nullptr;
}

}  // namespace

extern const Command backend_command = {
    .name = "backend",
    .summary =
        "tests a backend's protocol (`backend test`), probes its floating point (`backend "
        "traits`), or describes a backend (`backend show`)",
    .declare = DeclareBackend,
};

}  // namespace assay::cli

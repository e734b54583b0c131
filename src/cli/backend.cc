#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "arguments.h"
#include "backend_exam.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct Options {
  std::string backend;
  BackendOptions limits;
  bool json = false;
};
Options options;

void Declare(CommandLine& line) {
  line.RequireSubcommand();
  CommandLine test = line.AddSubcommand("test", "asks a backend whether it speaks its protocol");
  test.Add("BACKEND", options.backend, "what to ask; see below").Required();
  AddLimitOptions(test, options.limits);
  test.AddFlag("--json", options.json, "print JSON lines");
  test.SetFooter(test.Footer() +
                 "\n\nExit status 0: what it supports it does well; 1: it does not; 3: it supports "
                 "nothing.");
}

const char* MarkName(ExamPoint::Mark mark) {
  switch (mark) {
    case ExamPoint::Mark::kGood:
      return "ok";
    case ExamPoint::Mark::kFailed:
      return "FAILED";
    case ExamPoint::Mark::kNotSupported:
      return "not supported";
  }
  return "";
}

void Show(const ExamPoint& point) {
  const std::string remark = OneLine(point.remark);  // the backend's own words
  if (options.json) {
    const nlohmann::ordered_json line = {
        {"question", point.question}, {"mark", MarkName(point.mark)}, {"remark", remark}};
    Print("{}\n", line.dump());
    return;
  }
  Print("{:<14} {} ({})\n", MarkName(point.mark), point.question, remark);
}

// A backend that breaks its protocol at once is a finding like others.
Result<std::vector<ExamPoint>> Examine() {
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options.backend, options.limits);
  const std::string question = "says what it is";
  if (!backend) {
    if (backend.error().kind != Error::Kind::kBadInput) return backend.error();
    return std::vector<ExamPoint>{{question, ExamPoint::Mark::kFailed, backend.error().message}};
  }
  std::vector<ExamPoint> points = ExamineBackend(**backend);
  points.insert(points.begin(), {question, ExamPoint::Mark::kGood, (*backend)->Describe()});
  return points;
}

int Run() {
  const Result<std::vector<ExamPoint>> points = Examine();
  if (!points) return Fail(points.error());
  for (const ExamPoint& point : *points) Show(point);
  const auto count = [&points](ExamPoint::Mark mark) {
    return std::count_if(points->begin(), points->end(),
                         [mark](const ExamPoint& point) { return point.mark == mark; });
  };
  if (count(ExamPoint::Mark::kFailed) > 0) return kExitFinding;
  return count(ExamPoint::Mark::kGood) > 1 ? kExitClean : kExitUndecided;  // more than a name
}

}  // namespace

extern const Command backend_command = {
    .name = "backend",
    .summary = "asks a backend whether it speaks its protocol: assay backend test B",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli

// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include <optional>
#include <string>
#include <utility>

#include "backend_kind.h"
#include "case_source.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "console.h"
#include "finding_text.h"
#include "finding_to_keep.h"
#include "interrupt.h"
#include "json_text.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "output_file.h"
#include "quoted.h"
#include "reported_findings.h"
#include "reported_suspects.h"
#include "terminal.h"
#include "tvec_file.h"

namespace assay::cli {
namespace {

// The runs that a reduction may take if --max-runs is not given and the backend answers.
constexpr int64_t kCallsMax = 2000;

struct ReduceCommandOptions {
  std::string file;
  std::string backend;
  BackendOptions limits;
  std::string out;
  int64_t calls_max = 0;  // 0: not given
  bool json = false;
};

void DeclareReduce(CommandLine& line, ReduceCommandOptions& options) {
  line.Add("FILE", options.file, "a .tvec file or an Arm test directory").Required();
  line.Add("--out", options.out, "file for the smallest vector, a .tvec").Required();
  line.Add(
          "--max-runs", options.calls_max,
          "maximum number of runs of the backend, by default 2000, or 50 if the backend crashes or "
          "takes too long; for a suspect, of judgements of up to a dozen runs each")
      .Between(1, 1'000'000'000);
  line.AddFlag("--json", options.json, "print JSON");
  AddBackendOptions(line, options.backend, options.limits);
}

// Returns what shows a finding if its outputs do not; "" if they do.
std::string ShownBy(const Finding& finding) {
  if (!finding.taps.empty()) return "taps of " + finding.taps;
  return finding.window.empty() ? "" : "a window of " + finding.window;
}

// Returns the limits of a reduction, which a signal ends as well.
ReduceOptions LimitsOf(const ReduceCommandOptions& options, int64_t otherwise) {
  return {.calls_max = options.calls_max > 0 ? options.calls_max : otherwise, .stop = Interrupted};
}

std::string_view WhyStopped(const Reduction& reduction) {
  if (reduction.complete) return "";
  return Interrupted() ? ", stopped by a signal" : ", stopped at --max-runs";
}

// Writes the smallest vector that is a suspect of the same kind as `seen`, the result of `vector`.
int ReduceSuspect(const ReduceCommandOptions& options, const OutputFile& out, Backend& backend,
                  const TestVector& vector, const CaseResult& seen) {
  const std::string signature = SuspectSignature(seen);
  std::string why;
  const InterruptWatch watch;
  Progress progress("reduce", 0);
  int64_t runs = 0;
  const auto count = [&](const TestVector&) {
    progress.ShowMinimizing(1, 1, ++runs);
    return true;
  };
  const std::optional<Reduction> reduction =
      SmallestSuspect(backend, vector, signature, LimitsOf(options, kCallsMax), &why, count);
  progress.Clear();
  if (const auto failure = backend.MachineFailure()) return Fail(*failure);
  if (!reduction) {
    return Fail(
        Unsupported(options.file + ": is not the same suspect when it runs again: " + seen.note));
  }
  const TestVector& smallest = reduction->vector;
  const Result<Done> written = out.Write(WriteTestVector(smallest));
  if (!written) return Fail(written.error());
  const std::string replay =
      ReplayLine(ShellWord(options.out), options.backend, options.limits, {});
  if (options.json) {
    const Json json = {{"operators_before", vector.OperatorCount()},
                       {"operators", smallest.OperatorCount()},
                       {"judgements", reduction->calls},
                       {"complete", reduction->complete},
                       {"suspect", CleanText(signature)},
                       {"why", CleanText(why)},
                       {"replay", CleanText(replay)}};
    Print("{}\n", JsonText(json, 2));
  } else {
    Print("{} operators -> {} in {} judgements{}\nsuspect: {}\nreplay: {}\n",
          vector.OperatorCount(), smallest.OperatorCount(), reduction->calls,
          WhyStopped(*reduction), why, AsCalled(replay));
  }
  return kExitUndecided;
}

int RunReduce(const ReduceCommandOptions& options) {
  const Result<OutputFile> out = OutputFile::At(options.out);
  if (!out) return Fail(out.error());
  const Result<LoadedCase> loaded = LoadCase(options.file);
  if (!loaded) return Fail(loaded.error());
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options.backend, options.limits);
  if (!backend) return Fail(backend.error());
  TestVector vector = loaded->recorded ? loaded->recorded->computed : loaded->vector;
  const int64_t operators_before = vector.OperatorCount();
  const CaseResult before = JudgeInDepth(**backend, {vector, {}}, options.file);
  if (const auto failure = (*backend)->MachineFailure()) return Fail(*failure);
  if (before.state == CaseState::kSuspect)
    return ReduceSuspect(options, *out, **backend, vector, before);
  if (before.state != CaseState::kDisagrees) {
    std::string state(CaseStateName(before.state));
    if (!before.note.empty()) state += ": " + before.note;
    return Fail(
        Unsupported(options.file + ": nothing to reduce, as the backend's answer " + state));
  }
  Finding seen = before.verdict.findings[0];
  const std::string shown_by = ShownBy(seen);
  if (!shown_by.empty()) {
    std::optional<FailingWindow> part = FailingPart(**backend, vector, seen);
    if (const auto failure = (*backend)->MachineFailure()) return Fail(*failure);
    if (!part) {
      return Fail(Unsupported(options.file + ": only " + shown_by +
                              " show the finding in the whole vector: " + FindingHeadline(seen)));
    }
    vector = std::move(part->vector);
    seen = std::move(part->result.verdict.findings[0]);
  }
  const FindingToKeep finding(vector, seen);
  const InterruptWatch watch;
  Progress progress("reduce", 0);
  int64_t runs = 0;
  const auto fails = [&](const TestVector& candidate) {
    progress.ShowMinimizing(1, 1, ++runs);
    const CaseResult result = JudgeOnce(**backend, candidate, "");
    return result.state == CaseState::kDisagrees && finding.In(result.verdict.findings);
  };
  const int64_t calls_max = HasNoResults(seen.violation) ? CallsMaxFor(seen) : kCallsMax;
  const Reduction reduction = Reduce(vector, fails, LimitsOf(options, calls_max));
  progress.Clear();
  if (const auto failure = (*backend)->MachineFailure()) return Fail(*failure);
  const TestVector& smallest = reduction.vector;
  const Result<Done> written = out->Write(WriteTestVector(smallest));
  if (!written) return Fail(written.error());
  CaseResult after = JudgeOnBackend(**backend, {smallest, {}}, options.out);
  if (after.state != CaseState::kDisagrees) {
    return Fail(Unsupported(options.out + ": " + after.note));
  }
  std::vector<Finding>& findings = after.verdict.findings;
  PutFirst(finding.In(findings).value_or(0), findings);
  NameSmallest(**backend, smallest, after);
  const Finding& smallest_finding = findings[0];
  const std::string replay =
      ReplayLine(ShellWord(options.out), options.backend, options.limits, smallest_finding);
  if (options.json) {
    const Json json = {{"operators_before", operators_before},
                       {"operators", smallest.OperatorCount()},
                       {"shown_by", shown_by},
                       {"runs", reduction.calls},
                       {"complete", reduction.complete},
                       {"signature", CleanText(smallest_finding.Signature())},
                       {"replay", CleanText(replay)}};
    Print("{}\n", JsonText(json, 2));
    return kExitFinding;
  }
  Print("{} operators -> {} in {} runs{}{}\n{}\n{}\nreplay: {}\n", operators_before,
        smallest.OperatorCount(), reduction.calls, WhyStopped(reduction),
        shown_by.empty() ? "" : "; first shown by " + shown_by, FindingHeadline(smallest_finding),
        FindingText(smallest_finding), AsCalled(replay));
  return kExitFinding;
}

}  // namespace

extern const Command reduce_command = {
    .name = "reduce",
    .summary =
        "finds the smallest vector that still fails in the same way, or is still suspect for the "
        "same reason",
    .declare = DeclareWith<ReduceCommandOptions, DeclareReduce, RunReduce>,
};

}  // namespace assay::cli

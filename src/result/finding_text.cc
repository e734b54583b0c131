// SPDX-License-Identifier: Apache-2.0
#include "finding_text.h"

#include <algorithm>
#include <utility>

#include "canaries.h"
#include "clean_text.h"
#include "joined.h"
#include "rules.h"

namespace assay {
namespace {

// Returns the part of an output that is wrong, for a finding of the kind kType.
std::string WrongPart(const Finding& finding) {
  const auto [expected, got] = std::pair(finding.expected.find('['), finding.got.find('['));
  if (expected == std::string::npos) return "number of outputs";
  if (got == std::string::npos) return "type";  // no value
  const bool same_type = finding.expected.substr(0, expected) == finding.got.substr(0, got);
  const bool same_shape = finding.expected.substr(expected) == finding.got.substr(got);
  return same_type ? "shape" : same_shape ? "type" : "type and shape";
}

std::string ViolationWords(const Finding& finding) {
  const Violation violation = finding.violation;
  if (finding.rule == kDamageRule) return "later vectors are wrong";
  if (finding.rule == kDependenceRule) return "wrong after other vectors";
  if (HasNoResults(violation)) return std::string(ViolationName(violation));
  if (violation == Violation::kOutcome && finding.got == "error") {
    // A backend that rewrites graphs begins its message with these words if its own graph is
    // invalid.
    const bool is_made = finding.message.starts_with("the rewritten graph ");
    return is_made ? "made an invalid graph" : "refused a valid graph";
  }
  if (IsAccepted(finding)) return "accepted an invalid graph";
  if (violation == Violation::kOutcome && finding.got == "unpredictable")
    return "found a valid graph unpredictable";
  return "wrong " + (violation == Violation::kType ? WrongPart(finding)
                                                   : std::string(ViolationName(violation)));
}

}  // namespace

std::string_view OperatorLabel(Op op) {
  return op == Op::kUnknown ? std::string_view("whole graph") : OperatorName(op);
}

std::string_view TypeLabel(DType type) {
  return type == DType::kUnknown ? std::string_view("any") : TypeName(type);
}

bool IsImplied(const Finding& finding) { return IsImpliedError(finding.rule); }

bool IsDamage(const Finding& finding) {
  return finding.rule == kDamageRule || finding.rule == kDependenceRule;
}

bool IsAccepted(const Finding& finding) {
  return finding.violation == Violation::kOutcome && finding.got == "valid";
}

void ImpliedErrorsLast(std::vector<ReportedFinding>& findings) {
  std::stable_partition(findings.begin(), findings.end(), [](const ReportedFinding& reported) {
    return !IsImplied(reported.finding);
  });
}

std::string FindingHeadline(const Finding& finding) {
  std::string text(finding.graph.empty() ? OperatorLabel(finding.op) : finding.graph);
  if (finding.type != DType::kUnknown) text += " " + std::string(TypeName(finding.type));
  text += ": ";
  text += ViolationWords(finding);
  if (!finding.pass.empty()) text += " in " + finding.pass.substr(0, finding.pass.find(','));
  if (IsImplied(finding)) text += " on an implied error";
  if (!finding.rule.empty() && finding.rule != OperatorName(finding.op) && !IsDamage(finding)) {
    text += " (" + finding.rule + ")";
  }
  return OneLine(text);
}

std::string ReportedHeadline(const ReportedFinding& reported) {
  return FindingHeadline(reported.finding) + (reported.repeats ? "" : ", not repeatable") +
         (reported.lost.empty() ? "" : ", not minimized");
}

std::string FindingText(const Finding& finding, bool names_step) {
  std::string text = names_step ? "step " + std::to_string(finding.step) : "";
  if (!finding.tensor.empty()) {
    text += (names_step ? ", " : "") + finding.tensor + finding.position;
  }
  if (!finding.expected.empty()) text += ": expected " + finding.expected;
  if (!finding.allowed.empty()) text += " (" + finding.allowed + ")";
  if (!finding.got.empty()) text += ", got " + finding.got;
  if (finding.wrong_elements > 1) {
    text += "; " + std::to_string(finding.wrong_elements) + " elements wrong";
  }
  if (!finding.window.empty()) {
    text += "; in the window " + finding.window +
            " of the graph, on the values that the reference executor has there";
  }
  if (!finding.taps.empty()) {
    text +=
        "; judged by taps: " + finding.taps + ", on the values that the backend itself has there";
  }
  if (!finding.follows.empty()) text += "; may follow from " + finding.follows;
  if (!finding.pass.empty()) text += "\npass: " + finding.pass;
  if (!finding.message.empty()) text += "\n" + finding.message;
  if (!finding.rewrites.empty()) text += "\nrewrites: " + finding.rewrites;
  if (!finding.readings.empty()) text += "\nrests on the readings: " + Joined(finding.readings);
  if (!finding.rests_on.empty())
    text += "\nrests on what the backend declares: " + finding.rests_on;
  return CleanText(text);
}

std::string LossText(const ReportedFinding& reported) {
  const char* words = reported.lost_by_itself
                          ? "a defect in Assay itself: the worker that minimized "
                          : "the worker that minimized ";
  return reported.lost.empty() ? "" : words + ("the vector ended: " + reported.lost);
}

std::string DamageText(const DamagedBy& damaged_by) {
  if (damaged_by.vectors.empty()) return "";
  return damaged_by.wrong + ", after " + Joined(damaged_by.vectors) +
         " in the same process; alone, the vector is right";
}

std::string CauseText(const FindingCause& cause) {
  std::string text;
  const auto add = [&text](const std::string& words) {
    text += (text.empty() ? "" : "; ") + words;
  };
  if (cause.alone.op != Op::kUnknown) {
    add(std::string(OperatorLabel(cause.alone.op)) + " " +
        std::string(TypeLabel(cause.alone.type)) + " is wrong alone: expected " + cause.expected +
        ", got " + cause.got);
  }
  if (cause.needs_variables) add("every operator without a variable is right alone");
  if (cause.refuses_nothing) add("the backend refused no invalid graph, not even the simplest");
  if (cause.needs_constants) add("right if the constants are inputs");
  if (!cause.looks_like.empty()) {
    const Mutant* known = MutantById(cause.looks_like[0]);
    for (const Mutant& canary : AllCanaries()) {
      if (canary.id == cause.looks_like[0]) known = &canary;
    }
    if (known != nullptr) {
      add("the same results come from " + std::string(known->id) +
          ", one of Assay's own seeded faults (" + std::string(known->what) +
          "), which is a hint at the cause");
    }
  }
  if (!cause.changed_by.pass.empty()) {
    add("changed by pass " + cause.changed_by.pass + ": " + cause.changed_by.evidence);
  }
  return text;
}

std::string ReportedText(const ReportedFinding& reported) {
  std::string text = FindingText(reported.finding);
  const std::string damage = DamageText(reported.damaged_by);
  if (!damage.empty()) text += "\n" + damage;
  const std::string cause = CauseText(reported.cause);
  if (!cause.empty()) text += "\n" + cause;
  if (!reported.module_before.empty()) {
    text += "\nmodule before the pass: " + reported.module_before +
            "\nmodule after the pass: " + reported.module_after;
  }
  if (!reported.lost.empty()) text += "\n" + LossText(reported);
  if (!reported.last_words.empty()) {
    text += "\nstandard error" + (reported.log.empty() ? "" : ", whole in " + reported.log) +
            ":\n" + reported.last_words;
  }
  return CleanText(text);
}

}  // namespace assay

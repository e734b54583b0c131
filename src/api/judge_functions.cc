// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "declaration_names.h"
#include "explain_finding.h"
#include "finding_text.h"
#include "guarded.h"
#include "handles.h"
#include "judge_outcomes.h"
#include "packing.h"
#include "vector_power.h"

namespace assay::api {
namespace {

Result<Tensor> ToTensor(const GivenTensor& given, const std::string& what) {
  Result<Tensor> tensor = TensorOfElements(given.type.type, given.type.shape, given.bytes);
  if (tensor) return tensor;
  return BadArgument(what + ": " + tensor.error().message);
}

// Returns the outcome of a step for the oracles.
Result<Outcome> OutcomeOf(const assay_outcomes::Step& step, size_t index) {
  Outcome outcome;
  outcome.kind = step.kind;
  outcome.message = step.message;
  if (step.kind != OutcomeKind::kValid) return outcome;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const std::string what = PlaceInStep(index, "output " + std::to_string(i));
    if (!step.outputs[i]) return BadArgument(what + ": is not set");
    Result<Tensor> tensor = ToTensor(*step.outputs[i], what);
    if (!tensor) return tensor.error();
    outcome.outputs.push_back(std::move(*tensor));
  }
  for (const auto& [name, given] : step.state) {
    Result<Tensor> tensor = ToTensor(given, PlaceInStep(index, "variable " + name));
    if (!tensor) return tensor.error();
    outcome.state.emplace(name, std::move(*tensor));
  }
  return outcome;
}

// Returns the texts of a finding by assay_finding_field.
std::vector<std::string> TextsOf(const Finding& finding) {
  return {FindingHeadline(finding),
          FindingText(finding),
          std::string(ViolationName(finding.violation)),
          finding.op == Op::kUnknown ? "" : std::string(OperatorName(finding.op)),
          finding.type == DType::kUnknown ? "" : std::string(TypeName(finding.type)),
          finding.rule,
          finding.tensor,
          finding.position,
          finding.expected,
          finding.got,
          finding.allowed,
          finding.message,
          finding.Signature(),
          finding.rests_on};
}

int64_t ElementOf(const TestVector& vector, const Finding& finding) {
  const Result<ExplainedPlace> place = PlaceOfFinding(vector, finding);
  return place ? place->element : -1;
}

const Finding* FindingAt(const assay_judgement* judgement, size_t finding) {
  if (finding >= assay_judgement_finding_count(judgement)) return nullptr;
  return &judgement->result.verdict.findings[finding];
}

assay_verdict VerdictOf(CaseState state) {
  switch (state) {
    case CaseState::kAgrees:
      return ASSAY_VERDICT_AGREES;
    case CaseState::kDisagrees:
    case CaseState::kKnown:
      return ASSAY_VERDICT_DISAGREES;
    case CaseState::kSuspect:
      return ASSAY_VERDICT_SUSPECT;
    case CaseState::kUnsupported:
      return ASSAY_VERDICT_UNSUPPORTED;
    case CaseState::kUndecided:
    case CaseState::kBadInput:
    case CaseState::kDefect:
      break;
  }
  return ASSAY_VERDICT_UNDECIDED;
}

}  // namespace
}  // namespace assay::api

using assay::Finding, assay::Result;
using assay::api::FindingAt, assay::api::Making, assay::api::NullPointer;

assay_status assay_judge(const assay_vector* vector, const assay_outcomes* outcomes,
                         assay_judgement** judgement, assay_error* error) {
  return Making("judgement", judgement, error, [&]() -> Result<std::unique_ptr<assay_judgement>> {
    if (vector == nullptr) return NullPointer("vector");
    if (outcomes == nullptr) return NullPointer("outcomes");
    const assay::TestVector& content = vector->vector;
    if (outcomes->steps.size() != content.steps.size()) {
      return assay::api::BadArgument("outcomes: of " + std::to_string(outcomes->steps.size()) +
                                     " steps; the vector has " +
                                     std::to_string(content.steps.size()));
    }
    std::vector<assay::Outcome> given;
    for (size_t i = 0; i < outcomes->steps.size(); ++i) {
      Result<assay::Outcome> outcome = assay::api::OutcomeOf(outcomes->steps[i], i);
      if (!outcome) return outcome.error();
      given.push_back(std::move(*outcome));
    }
    const Result<assay::BackendDeclarations> declared =
        assay::DeclarationsNamed(outcomes->declarations);
    if (!declared) return declared.error();
    auto made = std::make_unique<assay_judgement>();
    made->result = NewCase(content, content.name);
    JudgeOutcomes(content, given, *declared, made->result);
    for (const Finding& finding : made->result.verdict.findings) {
      made->texts.push_back(assay::api::TextsOf(finding));
      made->elements.push_back(assay::api::ElementOf(content, finding));
    }
    return made;
  });
}
void assay_judgement_free(assay_judgement* judgement) { delete judgement; }
assay_verdict assay_judgement_verdict(const assay_judgement* judgement) {
  return judgement == nullptr ? -1 : assay::api::VerdictOf(judgement->result.state);
}
const char* assay_judgement_verdict_name(const assay_judgement* judgement) {
  if (judgement == nullptr) return "";
  return assay::CaseStateName(judgement->result.state).data();  // of a literal
}
const char* assay_judgement_note(const assay_judgement* judgement) {
  return judgement == nullptr ? "" : judgement->result.note.c_str();
}
uint64_t assay_judgement_elements(const assay_judgement* judgement) {
  if (judgement == nullptr) return 0;
  return static_cast<uint64_t>(judgement->result.verdict.judged_elements);
}
size_t assay_judgement_finding_count(const assay_judgement* judgement) {
  return judgement == nullptr ? 0 : judgement->texts.size();
}
const char* assay_finding_text(const assay_judgement* judgement, size_t finding,
                               assay_finding_field field) {
  if (field < 0 || FindingAt(judgement, finding) == nullptr) return "";
  return assay::api::TextAt(judgement->texts[finding], static_cast<size_t>(field));
}
int32_t assay_finding_step(const assay_judgement* judgement, size_t finding) {
  const Finding* found = FindingAt(judgement, finding);
  return found == nullptr ? -1 : found->step;
}
int64_t assay_finding_element(const assay_judgement* judgement, size_t finding) {
  return FindingAt(judgement, finding) == nullptr ? -1 : judgement->elements[finding];
}
int64_t assay_finding_wrong_elements(const assay_judgement* judgement, size_t finding) {
  const Finding* found = FindingAt(judgement, finding);
  return found == nullptr ? -1 : found->wrong_elements;
}
assay_status assay_explain(const assay_vector* vector, const assay_judgement* judgement,
                           size_t finding, assay_lines** lines, assay_error* error) {
  return Making("lines", lines, error, [&]() -> Result<std::unique_ptr<assay_lines>> {
    if (vector == nullptr) return NullPointer("vector");
    if (judgement == nullptr) return NullPointer("judgement");
    const std::vector<Finding>& findings = judgement->result.verdict.findings;
    if (finding >= findings.size()) {
      return assay::api::BeyondList("finding", finding, "the judgement", findings.size());
    }
    constexpr int kDepth = 3;  // operators, as many as `assay explain` follows
    return assay::api::LinesOf(ExplainFinding(vector->vector, findings[finding], kDepth));
  });
}
assay_status assay_vector_power(const assay_vector* vector, uint64_t* faults, uint64_t* noticed,
                                assay_lines** missed, assay_error* error) {
  return Making("missed", missed, error, [&]() -> Result<std::unique_ptr<assay_lines>> {
    if (vector == nullptr) return NullPointer("vector");
    assay::VectorPower power;
    power.Add(vector->vector);
    const assay::PowerSummary sum = power.Summary();
    if (faults != nullptr) *faults = static_cast<uint64_t>(sum.faults);
    if (noticed != nullptr) *noticed = static_cast<uint64_t>(sum.shown);
    auto lines = std::make_unique<assay_lines>();
    for (const auto& fault : sum.not_shown) {
      lines->lines.push_back(fault.fault + ": " + fault.what);
    }
    return lines;
  });
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_record.h"
#include "report.h"
#include "report_lines.h"

namespace assay {

// The tables of the records of results (json_record.h): the lines of report.jsonl, and what workers
// send. Names that a later build has given to an operator, a type or a violation are read as
// unknown ones; states, outcomes and verdicts of other names are errors.

template <>
struct JsonForm<CaseState> : JsonFormOfNames<kAllCaseStates, CaseStateName> {};
template <>
struct JsonForm<OutcomeKind> : JsonFormOfNames<kAllOutcomeKinds, OutcomeName> {};
template <>
struct JsonForm<VerdictKind> : JsonFormOfNames<kAllVerdictKinds, VerdictName> {};
template <>
struct JsonForm<Violation> : JsonFormOfNames<kAllViolations, ViolationName> {
  static Violation From(const Json& json) {
    return ViolationNamed(json.Text()).value_or(Violation::kValue);
  }
};
template <>
struct JsonForm<Op> {
  static Json To(Op op) { return OperatorName(op); }
  static Op From(const Json& json) { return OperatorByName(json.Text()).value_or(Op::kUnknown); }
  static Json Schema() { return {{"type", "string"}}; }
};
template <>
struct JsonForm<DType> {
  static Json To(DType type) { return TypeName(type); }
  static DType From(const Json& json) { return TypeByName(json.Text()).value_or(DType::kUnknown); }
  static Json Schema() { return {{"type", "string"}}; }
};

template <>
struct JsonForm<CountsByState> {
  static Json To(const CountsByState& by_state) {
    Json json = Json::object();
    for (const CaseState state : kAllCaseStates) {
      const int64_t count = by_state.counts[static_cast<size_t>(state)];
      if (by_state.with_zeros || count > 0) json[CaseStateName(state)] = count;
    }
    return json;
  }
  static CountsByState From(const Json& json) {
    CountsByState by_state;
    for (const CaseState state : kAllCaseStates) {
      const Json* count = json.Find(CaseStateName(state));
      if (count != nullptr) count->get_to(by_state.counts[static_cast<size_t>(state)]);
    }
    return by_state;
  }
  static Json Schema() {
    return {{"type", "object"},
            {"propertyNames", JsonForm<CaseState>::Schema()},
            {"additionalProperties", {{"type", "integer"}, {"minimum", 0}}}};
  }
};

template <>
struct JsonRecord<OperatorUse> {
  static constexpr bool kIsList = true;
  static constexpr char kName[] = "use";
  static constexpr char kAbout[] = "an operator and its type: [\"ADD\", \"fp32\"]";
  static void Fields(auto& v, auto& use) {
    v.Always("operator", use.op);
    v.Always("type", use.type);
  }
};

template <>
struct JsonRecord<Finding> {
  static constexpr char kName[] = "finding_of_case";
  static constexpr char kAbout[] = "what a finding says, in a case and after minimization";
  static void Fields(auto& v, auto& finding) {
    v.Always("oracle", finding.oracle, "the oracle that decided");
    v.Always("violation", finding.violation);
    v.Always("rule", finding.rule, "the rule that the answer breaks, \"\" if none is named");
    v.Always("operator", finding.op,
             "the operator that is blamed; of the whole graph, a name that is no operator");
    v.Always("type", finding.type);
    v.Always("step", finding.step, "the invocation, from 0");
    v.Always("tensor", finding.tensor);
    v.Always("position", finding.position, "of the first wrong element: \"[0,3]\"");
    v.Always("expected", finding.expected);
    v.Always("got", finding.got);
    v.Always("allowed", finding.allowed, "the allowed error, \"\" if there is one right value");
    v.Always("wrong_elements", finding.wrong_elements);
    v.Always("message", finding.message, "what the backend says");
    v.Since("pass", finding.pass, "the compiler pass that failed");
    v.Since("rewrites", finding.rewrites, "the rewrites of MLIR that made the difference");
    v.Since("follows", finding.follows, "the tensor whose finding this one follows from");
    v.Maybe("graph_operators", finding.graph, "operators of the smallest graph that fails");
    v.Maybe("window", finding.window, "the part of the graph that was judged");
    v.Maybe("taps", finding.taps, "inner values that were judged");
    v.Maybe("readings", finding.readings, "readings that the verdict rests on");
    v.Maybe("rests_on", finding.rests_on, "the declaration that the verdict rests on");
  }
};

template <>
struct JsonRecord<DamagedBy> {
  static constexpr char kName[] = "damaged_by";
  static constexpr char kAbout[] =
      "vectors after which this one is wrong in the same process, and right alone; the rule of the "
      "finding is then vectors-are-independent, and its operators are those of the last of these "
      "vectors; or, if other vectors make it wrong as well, vector-is-independent, and its own "
      "operators";
  static void Fields(auto& v, auto& damaged_by) {
    v.Always("vectors", damaged_by.vectors, "their paths, in the order in which they ran");
    v.Always("wrong", damaged_by.wrong, "what is wrong then");
  }
};

template <>
struct JsonRecord<CaseResult> {
  static constexpr char kName[] = "case";
  static constexpr char kAbout[] = "The result of one vector.";
  static void Fields(auto& v, auto& result) {
    v.Always("case", result.vector, "the path of the vector");
    v.Maybe("sha256", result.sha256,
            {"of the file of the vector; of an Arm test directory, that of what sha256sum prints "
             "of its files",
             kSha256Pattern});
    v.Always("name", result.name);
    v.Always("kind", result.kind, "the generator's kind, \"\" if none");
    v.Always("operators", result.operators);
    v.Always("state", result.state);
    v.Always("outcome", result.outcome);
    v.Always("verdict", result.verdict.kind);
    v.Always("reason", result.verdict.reason);
    v.Always("judged_elements", result.verdict.judged_elements);
    v.Always("undecided_elements", result.verdict.undecided_elements);
    v.Always("findings", result.verdict.findings);
    v.Always("note", result.note);
    v.Maybe("windows", result.windows);
    v.Maybe("tapped", result.tapped);
    v.Maybe("work", result.work);
    v.Old("spread");
    v.Maybe("damaged_by", result.damaged_by);
    v.Maybe("unreached", result.unreached);
    v.Maybe("unanswered", result.unanswered);
    v.Maybe("lost", result.lost);
    v.Maybe("implied_error", result.implied_error);
    v.Maybe("contradicts_record", result.contradicts_record);
    v.If(result.state == CaseState::kUnsupported, "refused", result.refused);
  }
};

template <>
struct JsonRecord<BlamedPass> {
  static constexpr char kName[] = "changed_by";
  static constexpr char kAbout[] =
      "the compiler pass after which the result is wrong for the first time";
  static void Fields(auto& v, auto& blamed) {
    v.Always("pass", blamed.pass);
    v.Always("evidence", blamed.evidence, "how that is known");
    v.Maybe("before", blamed.before, "the compiler's module before the pass");
    v.Maybe("after", blamed.after, "the compiler's module after the pass");
  }
};

template <>
struct JsonRecord<FindingCause> {
  static constexpr char kName[] = "cause";
  static void Fields(auto& v, auto& cause) {
    v.Maybe("alone", cause.alone);
    v.Maybe("expected", cause.expected);
    v.Maybe("got", cause.got);
    v.Maybe("needs_variables", cause.needs_variables);
    v.Maybe("needs_constants", cause.needs_constants);
    v.Maybe("refuses_nothing", cause.refuses_nothing,
            "the backend refused no invalid graph, not even the simplest");
    v.Maybe("looks_like", cause.looks_like);
    v.Maybe("changed_by", cause.changed_by);
  }
};

template <>
struct JsonRecord<ReportedFinding> {
  static constexpr char kName[] = "finding";
  static constexpr char kAbout[] = "A finding after minimization.";
  static void Fields(auto& v, auto& reported) {
    v.Computed("finding", reported.finding.Signature(), "the signature");
    JsonRecord<Finding>::Fields(v, reported.finding);
    v.Maybe("cause", reported.cause);
    v.Maybe("damaged_by", reported.damaged_by);
    v.Maybe("known", reported.known, "the reason of a known failure");
    v.Maybe("known_beside", reported.known_beside,
            "the operators for which a file of known failures names the group of this finding, "
            "which is not known, and the reason");
    v.Always("seen", reported.seen);
    v.Maybe("seen_with_new", reported.seen_with_new);
    v.Maybe("first_blamed", reported.first_blamed,
            "the operators that were blamed before minimization, where others are now");
    v.Since("repeats", reported.repeats);
    v.Always("vector", reported.vector, "the path of the smallest vector");
    v.Always("replay", reported.replay, "a command line");
    v.Always("graph", reported.graph_text);
    v.Maybe("lost", reported.lost);
    v.Maybe("lost_by_itself", reported.lost_by_itself);
    v.Maybe("log", reported.log);
    v.Maybe("last_words", reported.last_words);
    v.Maybe("module_before", reported.module_before,
            "the file with the compiler's module before the pass of cause.changed_by");
    v.Maybe("module_after", reported.module_after,
            "the file with the compiler's module after that pass");
  }
};

template <>
struct JsonRecord<ReportedSuspect> {
  static constexpr char kName[] = "suspect";
  static constexpr char kAbout[] = "A group of suspects (fuzz).";
  static void Fields(auto& v, auto& suspect) {
    v.Always("suspect", suspect.signature, "the signature");
    v.Always("why", suspect.why);
    v.Always("seen", suspect.seen);
    v.Always("repeats", suspect.repeats);
    v.Always("vector", suspect.vector);
    v.Always("replay", suspect.replay);
    v.Always("graph", suspect.graph_text);
  }
};

template <>
struct JsonRecord<RunHead::Suite> {
  static void Fields(auto& v, auto& suite) {
    v.Always("path", suite.path);
    v.Always("sha256", suite.sha256, {"", kSha256Pattern});
  }
};

template <>
struct JsonRecord<KnownUse> {
  static void Fields(auto& v, auto& known) {
    v.Always("file", known.file);
    v.Always("today", known.today);
    v.Always("notes", known.notes);
  }
};

template <>
struct JsonRecord<RunHead::Since> {
  static void Fields(auto& v, auto& since) {
    v.Always("file", since.file);
    v.Always("gone", since.gone, "names of its groups that this run has not found");
  }
};

template <>
struct JsonRecord<PowerSummary::OfLayer> {
  static constexpr char kName[] = "layer_power";
  static void Fields(auto& v, auto& of) {
    v.Always("layer", of.layer);
    v.Always("faults", of.faults);
    v.Always("shown", of.shown);
    v.Always("shown_made", of.shown_made);
    v.Maybe("shown_lattice", of.shown_lattice);
  }
};

template <>
struct JsonRecord<PowerSummary::NotShown> {
  static constexpr char kName[] = "fault_not_shown";
  static void Fields(auto& v, auto& fault) {
    v.Always("fault", fault.fault, "a mutant of `assay mutants --list`, or a fault between layers");
    v.Always("what", fault.what);
    v.Always("layers", fault.layers);
  }
};

template <>
struct JsonRecord<PowerSummary::NotReached> {
  static constexpr char kName[] = "not_reached";
  static void Fields(auto& v, auto& part) {
    v.Always("layer", part.layer, "a COND_IF or WHILE_LOOP");
    v.Always("what", part.what, "a branch, or a number of iterations");
  }
};

template <>
struct JsonRecord<PowerSummary> {
  static constexpr char kName[] = "power";
  static constexpr char kAbout[] = "What a verdict that agrees would have noticed.";
  static void Fields(auto& v, auto& power) {
    v.Always("faults", power.faults,
             "shown or open: of a single layer, by configuration; without layers, of all operators "
             "of a kind");
    v.Always("shown", power.shown, "by values of the model");
    v.Always("shown_made", power.shown_made, "only by operands made for a layer");
    v.Maybe("shown_lattice", power.shown_lattice, "only with weights on a lattice");
    v.Always("cannot_show", power.cannot_show, "change nothing here");
    v.Always("layers", power.layers);
    v.Always("not_measured", power.not_measured, "layers; or vectors, from 1");
    v.Since("wiring_not_measured", power.wiring_not_measured,
            "faults between layers, which count nowhere else");
    v.Always("not_shown", power.not_shown);
    v.Maybe("not_reached", power.not_reached, "parts of control flow that no sample runs");
  }
};

template <>
struct JsonRecord<RunHead> {
  static constexpr char kName[] = "run";
  static constexpr char kAbout[] = "The first line: the run.";
  static void Fields(auto& v, auto& head) {
    v.Always("run", head.title, "the backend's description, with its version");
    v.Always("schema", head.schema,
             "the version of this schema; reports of version 1 have no sha256, neither of vectors "
             "nor as their last line");
    v.Always("assay", head.assay, "the version of Assay");
    v.Always("spec", head.spec, "the version of the specification: [1, 0, 0]");
    v.Always("backend", head.backend, "as given to --backend");
    v.Always("command", head.command);
    v.Maybe("suites", head.suites,
            "the suites of conformance packages on the command line, each with the SHA-256 of its "
            "suite.json");
    v.Maybe("partial", head.gaps, "what the run has left out, a line each");
    v.Always("cases", head.cases, "vectors by state");
    v.Maybe("known_failures", head.known);
    v.Maybe("since", head.since, "the earlier report of --since");
    v.Maybe("about", head.facts, "versions and settings by name, for people");
    v.Always("judged_elements", head.judged_elements);
    v.Always("undecided_elements", head.undecided_elements);
    v.Maybe("implied_errors", head.implied_errors, "vectors by state");
    v.Maybe("counts", head.counts, "extra figures by name");
    v.Maybe("power", head.power, "of the graphs that the command line names itself");
  }
};

template <>
struct JsonRecord<GroupLine> {
  static constexpr char kName[] = "group";
  static constexpr char kAbout[] = "Findings that likely have one cause.";
  static void Fields(auto& v, auto& group) {
    v.Always("group", group.name, "its name, the same in every run that finds the cause");
    v.Always("title", group.title);
    v.Always("findings", group.findings, "signatures");
    v.Always("seen", group.seen);
    v.Maybe("new", group.is_new, "the earlier report of --since does not have the group");
    v.Maybe("known", group.known);
    v.Always("vector", group.vector);
    v.Always("replay", group.replay);
  }
};

template <>
struct JsonRecord<SumLine> {
  static constexpr char kName[] = "sum";
  static constexpr char kAbout[] = "The last line: the SHA-256 of all lines before it.";
  static void Fields(auto& v, auto& sum) { v.Always("sha256", sum.sha256, {"", kSha256Pattern}); }
};

template <>
struct JsonRecord<WorkByKind::Kind> {
  static constexpr bool kIsList = true;
  static void Fields(auto& v, auto& kind) {
    v.Always("next", kind.next);
    v.Always("cases", kind.cases);
    v.Always("work", kind.work);
  }
};

template <>
struct JsonRecord<WorkByKind> {
  static void Fields(auto& v, auto& work) {
    v.Always("round", work.round);
    v.Always("cases", work.cases);
    v.Always("kinds", work.kinds);
  }
};

}  // namespace assay

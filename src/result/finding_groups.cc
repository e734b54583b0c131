// SPDX-License-Identifier: Apache-2.0
#include "finding_groups.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "canaries.h"
#include "clean_text.h"
#include "finding_text.h"
#include "float_format.h"
#include "parse_number.h"

namespace assay {
namespace {

// Returns the text with names of TOSA operators replaced by "*": "tosa.cond_if", and the name of
// the operator that the finding blames.
std::string WithoutOperators(std::string text, Op blamed) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  constexpr std::string_view kDialect = "tosa.";
  for (size_t at = text.find(kDialect); at != std::string::npos; at = text.find(kDialect, at + 1)) {
    size_t end = at + kDialect.size();
    while (end < text.size() && is_word(text[end])) ++end;
    text.replace(at, end - at, "*");
  }
  const std::string name(blamed == Op::kUnknown ? "" : OperatorName(blamed));
  for (size_t at = name.empty() ? std::string::npos : text.find(name); at != std::string::npos;
       at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = at + name.size() == text.size() || !is_word(text[at + name.size()]);
    if (begins && ends) text.replace(at, name.size(), "*");
  }
  return text;
}

constexpr char kVariables[] = "variables";
constexpr size_t kTitleMax = 160;    // characters of a title
constexpr size_t kTitleInName = 48;  // of these, in a name

std::string_view ClassOf(const std::string& element) {
  if (element.find("nan") != std::string::npos) return "NaN";
  return element.find("inf") != std::string::npos ? "infinity" : "number";
}

// Returns the type of the tensor that a finding is about: "%t1:fp16[2]" in the text of its graph.
DType TypeOfTensor(const ReportedFinding& reported) {
  const std::string name = "%" + reported.finding.tensor + ":";
  const size_t found = reported.graph_text.find(name);
  if (found == std::string::npos) return reported.finding.type;
  const size_t begin = found + name.size();
  const size_t end = reported.graph_text.find('[', begin);
  return TypeByName(std::string_view(reported.graph_text).substr(begin, end - begin))
      .value_or(reported.finding.type);
}

// Tells whether subnormal numbers became zero in a place where they must be kept, or where others
// are kept.
bool IsFlush(const ReportedFinding& reported) {
  const Finding& finding = reported.finding;
  if (finding.violation == Violation::kFlush) return true;
  if (IsDamage(finding)) return false;
  const DType type = TypeOfTensor(reported);
  if (finding.violation != Violation::kValue || !IsFloat(type)) return false;
  double expected = 0, got = 0;
  return ParseNumber(finding.expected, expected) && ParseNumber(finding.got, got) && got == 0 &&
         expected != 0 && std::fabs(expected) < FormatOf(type).normal_min;
}

// Returns the text of a type and a shape without dimensions of size 1: "fp32[2,1,31]" gives
// "fp32,2,31".
std::string WithoutOnes(const std::string& text) {
  std::string rest;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("[,]", begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (!part.empty() && part != "1") rest += (rest.empty() ? "" : ",") + part;
    begin = end + 1;
  }
  return rest;
}

// A group while it is made: `key` names the cause.
struct Draft {
  std::string key, title;
};

// Tells whether a result has dimensions of size 1 too many or too few, and is right otherwise.
bool IsWrongRank(const Finding& finding) {
  return finding.violation == Violation::kType &&
         WithoutOnes(finding.expected) == WithoutOnes(finding.got);
}

// The facts of a finding of wrong results that groups hang on.
struct WrongResult {
  std::string place;  // an operator, "variables", or the operators of a graph
  Op op = Op::kUnknown;
  bool is_float = false;
  bool folds = false;
  std::string special;                // "wrong NaN"; "" if a number is wrong
  std::vector<std::string> canaries;  // that give the same results
  // The operators of the smallest vector if it has control flow and no operator is known to be
  // wrong alone: one of its blocks may run other numbers than those that were tried. If variables
  // are needed, only the control flow, or the one operator, whose result is a variable.
  std::vector<std::string> inside;
};

bool IsControlFlow(const std::string& name) {
  return name == OperatorName(Op::kCondIf) || name == OperatorName(Op::kWhileLoop);
}

// Returns the names of the operators in the text of a graph, in order.
std::vector<std::string> OperatorsIn(const std::string& graph_text) {
  std::vector<std::string> names;
  for (size_t open = graph_text.find('('); open != std::string::npos;
       open = graph_text.find('(', open + 1)) {
    size_t begin = open;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(graph_text[begin - 1])) ||
                         graph_text[begin - 1] == '_')) {
      --begin;
    }
    std::string name = graph_text.substr(begin, open - begin);
    if (OperatorByName(name)) names.push_back(std::move(name));
  }
  return names;
}

// Returns the outermost control flow of a graph that breaks a rule in a block inside; "" if there
// is none, or no block inside that.
std::string ControlFlowAround(const ReportedFinding& reported) {
  std::vector<std::string> names = OperatorsIn(reported.graph_text);
  std::erase_if(names, std::not_fn(IsControlFlow));
  return names.size() < 2 ? "" : names[0];
}

WrongResult WrongResultOf(const ReportedFinding& reported) {
  const Finding& finding = reported.finding;
  const FindingCause& cause = reported.cause;
  WrongResult wrong;
  wrong.op = cause.alone.op != Op::kUnknown ? cause.alone.op : finding.op;
  const DType type = cause.alone.op != Op::kUnknown ? cause.alone.type : finding.type;
  wrong.is_float = IsFloat(type);
  wrong.folds = cause.needs_constants;
  // A finding that does not come again, or that rests on taps, has no experiments. If variables are
  // read, they are the likely cause: memory that nobody has set differs from run to run, and a tap
  // of a read shows what was written later if the read shares the memory of the variable.
  const std::string read = std::string(OperatorName(Op::kVariableRead)) + "(";
  const bool is_untried =
      !reported.repeats || (!finding.taps.empty() && cause.alone.op == Op::kUnknown);
  const bool of_variables =
      cause.needs_variables || (is_untried && reported.graph_text.find(read) != std::string::npos);
  if (of_variables) wrong.op = Op::kUnknown;
  wrong.place = of_variables ? kVariables
                : wrong.op == Op::kUnknown && !finding.graph.empty()
                    ? finding.graph
                    : std::string(OperatorLabel(wrong.op));
  const std::string& expected = cause.expected.empty() ? finding.expected : cause.expected;
  const std::string& got = cause.got.empty() ? finding.got : cause.got;
  const std::string_view from = ClassOf(expected), to = ClassOf(got);
  if (from == "NaN" || to == "NaN") {
    wrong.special = "wrong NaN";
  } else if (from == "infinity" || to == "infinity") {
    wrong.special = "wrong infinity";
  }
  const bool may_follow =
      IsControlFlow(wrong.place) || of_variables || finding.violation == Violation::kOutcome;
  if (cause.alone.op == Op::kUnknown && may_follow) {
    wrong.inside = OperatorsIn(reported.graph_text);
    if (std::ranges::none_of(wrong.inside, IsControlFlow)) {
      if (!of_variables || wrong.inside.size() > 1) wrong.inside.clear();
    } else if (of_variables) {
      std::erase_if(wrong.inside, std::not_fn(IsControlFlow));
    }
  }
  for (const Mutant& canary : AllCanaries()) {
    const bool is_shared = canary.operators.size() > 1;
    if (is_shared && std::ranges::find(cause.looks_like, canary.id) != cause.looks_like.end()) {
      wrong.canaries.emplace_back(canary.id);
    }
  }
  return wrong;
}

// Puts findings of wrong results into groups. What a finding shows decides together with what the
// others show.
class WrongResults {
 public:
  explicit WrongResults(const std::vector<WrongResult>& all) {
    for (const WrongResult& wrong : all) {
      if (!wrong.inside.empty()) {
        if (IsControlFlow(wrong.place)) control_flow_.insert(wrong.place);
        continue;
      }
      const auto [at, is_new] = places_.try_emplace(PlaceOf(wrong));
      Place& place = at->second;
      if (is_new) {
        place.canaries = wrong.canaries;
      } else {
        std::erase_if(place.canaries, [&](const std::string& id) {
          return std::ranges::find(wrong.canaries, id) == wrong.canaries.end();
        });
      }
      if (wrong.special.empty()) place.numbers[wrong.is_float] = true;
    }
    ChooseCanaries();
  }

  // Tells whether numbers of the operator that is blamed are wrong in other ways, too.
  bool HasNumbersOf(const WrongResult& wrong) const {
    const auto found = places_.find(PlaceOf(wrong));
    return found != places_.end() && found->second.numbers[wrong.is_float];
  }

  // Tells whether an operator gives wrong results, or control flow does so around others.
  bool HasPlace(const std::string& op) const {
    return places_.contains(op) || control_flow_.contains(op);
  }

  Draft GroupOf(WrongResult wrong) const {
    const bool is_blamed = IsControlFlow(wrong.place);
    for (const std::string& op : std::exchange(wrong.inside, {})) {
      if (!places_.contains(op) && (is_blamed || !control_flow_.contains(op))) continue;
      wrong.place = op;
      wrong.folds = false;
      break;
    }
    const std::string name = PlaceOf(wrong);
    const auto found = places_.find(name);
    const Place place = found == places_.end() ? Place{} : found->second;
    if (place.canary != nullptr) {
      return {std::string("canary|") + std::string(place.canary->id),
              std::string(place.canary->what)};
    }
    const std::string folds = wrong.folds ? " where operands are constants" : "";
    const bool is_number =
        wrong.special.empty() || place.numbers[wrong.is_float] || wrong.place == kVariables;
    if (!is_number) {
      return {name + "|" + (wrong.is_float ? "floats|" : "integers|") + wrong.special,
              wrong.place + ": " + wrong.special + folds};
    }
    return {name + "|number", wrong.place + ": wrong number" + folds};
  }

 private:
  struct Place {
    bool numbers[2] = {false, false};   // numbers of integers, of floats are wrong
    std::vector<std::string> canaries;  // that explain all of its findings
    const Mutant* canary = nullptr;     // that explains those of other places as well
  };

  static std::string PlaceOf(const WrongResult& wrong) {
    return wrong.place + (wrong.folds ? "|folds" : "");
  }

  // Chooses for each place the canary that explains most places, if there are several.
  void ChooseCanaries() {
    std::map<std::string, int> explained;
    for (const auto& [name, place] : places_) {
      for (const std::string& id : place.canaries) ++explained[id];
    }
    for (auto& [name, place] : places_) {
      for (const Mutant& canary : AllCanaries()) {
        const std::string id(canary.id);
        const bool explains = std::ranges::find(place.canaries, id) != place.canaries.end();
        if (!explains || explained[id] < 2) continue;
        const int best = place.canary == nullptr ? 0 : explained[std::string(place.canary->id)];
        if (explained[id] > best) place.canary = &canary;
      }
    }
  }

  std::map<std::string, Place> places_;
  std::set<std::string> control_flow_;  // that is blamed, though it is in no place
};

// Tells whether a finding is of wrong results, rather than of a refusal or a failure.
bool IsWrongResult(const ReportedFinding& reported) {
  const Finding& finding = reported.finding;
  switch (finding.violation) {
    case Violation::kValue:
    case Violation::kState:
    case Violation::kStatistics:
      return true;
    default:
      // With a right number the operator would not have broken its rule, or one before it not have
      // led to that.
      return reported.cause.alone.op != Op::kUnknown || finding.got == "unpredictable" ||
             (finding.violation == Violation::kType && reported.cause.needs_variables);
  }
}

Draft ComplaintGroup(const Finding& finding) {
  const std::string what = FindingHeadline(finding);
  const std::string words = what.substr(what.find(": ") + 2);
  const bool refused = finding.violation == Violation::kOutcome && finding.got == "error";
  // The place where a backend failed, or its reason, says more than the graph that it was given.
  const bool is_known = !finding.pass.empty() || (refused && !finding.message.empty());
  const std::string complaint = WithoutOperators(finding.Complaint(), finding.op);
  if (complaint.empty()) {
    const std::string key = std::string(ViolationName(finding.violation)) + "|" + finding.rule +
                            "|" + std::string(OperatorName(finding.op)) + "|" + finding.graph;
    return {key, std::string(OperatorLabel(finding.op)) + ": " + words};
  }
  if (!is_known) return {finding.Signature(), what};
  const std::string message = WithoutOperators(finding.message, finding.op);
  return {complaint, words + (message.empty() ? "" : ": " + message)};
}

// Returns the group of all vectors that are wrong, in any way, after vectors of some operators.
Draft DamageGroup(const Finding& finding) {
  const std::string name(finding.graph.empty() ? OperatorLabel(finding.op) : finding.graph);
  return {finding.rule + "|" + name,
          name + (finding.rule == kDamageRule ? ": later vectors are wrong"
                                              : ": wrong after other vectors")};
}

Draft AcceptedGroup(const ReportedFinding& reported, const WrongResults& wrong_results) {
  if (reported.cause.refuses_nothing) return {"refuses-nothing", "no invalid graph is refused"};
  WrongResult around;
  around.place = ControlFlowAround(reported);
  return wrong_results.HasPlace(around.place) ? wrong_results.GroupOf(std::move(around))
                                              : ComplaintGroup(reported.finding);
}

bool IsSmaller(const ReportedFinding& a, const ReportedFinding& b) {
  if (a.repeats != b.repeats) return a.repeats;
  const auto lines = [](const ReportedFinding& r) {
    return std::ranges::count(r.graph_text, '\n');
  };
  if (lines(a) != lines(b)) return lines(a) < lines(b);
  return a.graph_text.size() < b.graph_text.size();
}

}  // namespace

std::vector<FindingGroup> GroupByCause(const std::vector<ReportedFinding>& findings) {
  std::vector<WrongResult> all;
  for (const ReportedFinding& reported : findings) {
    const bool is_shared =
        IsFlush(reported) || IsWrongRank(reported.finding) || IsDamage(reported.finding);
    if (IsWrongResult(reported) && !is_shared) all.push_back(WrongResultOf(reported));
  }
  const WrongResults wrong_results(all);
  // A wrong number may be zero in place of a subnormal number.
  const bool flushes = std::ranges::any_of(findings, [&](const ReportedFinding& reported) {
    return IsFlush(reported) && !wrong_results.HasNumbersOf(WrongResultOf(reported));
  });
  std::vector<FindingGroup> groups;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < findings.size(); ++i) {
    const ReportedFinding& reported = findings[i];
    const bool is_flush = IsFlush(reported);
    Draft draft = IsDamage(reported.finding) ? DamageGroup(reported.finding)
                  : is_flush && flushes      ? Draft{"flush", "some subnormal numbers are flushed"}
                  : IsWrongRank(reported.finding)
                      ? Draft{"rank", "dimensions of size 1 are too many or too few"}
                  : is_flush || IsWrongResult(reported)
                      ? wrong_results.GroupOf(WrongResultOf(reported))
                  : IsAccepted(reported.finding) ? AcceptedGroup(reported, wrong_results)
                                                 : ComplaintGroup(reported.finding);
    if (IsImplied(reported.finding)) draft.key += "|implied";
    const auto [at, is_new] = known.try_emplace(draft.key, groups.size());
    if (is_new) {
      const std::string title = OneLine(draft.title, kTitleMax);
      groups.push_back({FileNameFrom(title.substr(0, kTitleInName), draft.key), title, {}});
    }
    groups[at->second].findings.push_back(i);
  }
  for (FindingGroup& group : groups) {
    const auto is_new = [&findings](size_t i) { return findings[i].known.empty(); };
    const std::span<size_t> members = group.findings;
    const auto known_ones = std::stable_partition(members.begin(), members.end(), is_new);
    const auto fresh = static_cast<size_t>(known_ones - members.begin());
    for (const std::span<size_t> part : {members.first(fresh), members.subspan(fresh)}) {
      const auto smallest = std::ranges::min_element(
          part, [&](size_t a, size_t b) { return IsSmaller(findings[a], findings[b]); });
      if (smallest != part.end()) std::rotate(part.begin(), smallest, smallest + 1);
    }
  }
  std::stable_partition(groups.begin(), groups.end(), [&](const FindingGroup& group) {
    return !IsImplied(findings[group.findings[0]].finding);
  });
  return groups;
}

std::vector<OperatorUse> LikelyWrong(const ReportedFinding& reported) {
  const Finding& finding = reported.finding;
  if (reported.cause.alone.op != Op::kUnknown) return {reported.cause.alone};
  if (finding.op != Op::kUnknown) return {{finding.op, finding.type}};
  std::vector<OperatorUse> uses;
  for (size_t begin = 0; begin < finding.graph.size();) {
    const size_t end = std::min(finding.graph.find_first_of(", ", begin), finding.graph.size());
    const auto op = OperatorByName(finding.graph.substr(begin, end - begin));
    if (op) uses.push_back({*op, DType::kUnknown});
    begin = end + 1;
  }
  return uses;
}

std::vector<GroupPlace> PlacesInGroups(const std::vector<ReportedFinding>& findings) {
  std::vector<GroupPlace> places(findings.size());
  for (const FindingGroup& group : GroupByCause(findings)) {
    for (const size_t i : group.findings) places[i] = {group.name, LikelyWrong(findings[i])};
  }
  return places;
}

int64_t SeenBy(const FindingGroup& group, const std::vector<ReportedFinding>& findings) {
  int64_t seen = 0;
  for (const size_t i : group.findings) seen += findings[i].seen;
  return seen;
}

bool IsKnown(const FindingGroup& group, const std::vector<ReportedFinding>& findings) {
  return std::ranges::none_of(group.findings, [&](size_t i) { return findings[i].known.empty(); });
}

}  // namespace assay

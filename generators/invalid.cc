// SPDX-License-Identifier: Apache-2.0
// Breaks every rule alone: each vector has one planted fault, and the same vector without the fault
// comes right before it as its control. Rules that leave the outcome open (REQUIRE, level checks)
// come once, to see whether the backend survives.
#include <algorithm>
#include <array>
#include <string>

#include "check_graph.h"
#include "executor.h"
#include "graph_breaches.h"
#include "operator_breaches.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "recipe.h"
#include "rules.h"
#include "vector_facts.h"
#include "worked_example.h"

namespace assay::generators {

extern const Generator invalid_generator;

namespace {

constexpr int kVariants = 4;  // of one rule: other types, shapes and faults
constexpr std::string_view kConstantRule = "graph/ERROR_IF/compile-time-constant";
// The numbers of valid vectors that are tried until a fault breaks the rule alone: first before the
// worked examples, then in all. The examples cover rare cases.
constexpr int kFirstAttempts = 3;
constexpr int kAttempts = 48;

// A vector of the suite: a rule, the variant of its fault, and whether the vector is the control.
struct Target {
  const Rule* rule = nullptr;
  int variant = 0;
  bool control = false;
};

bool DecidesError(const Rule& rule) { return rule.kind == RuleKind::kErrorIf; }

// Returns the operators in which a rule is to be broken. These are the rule's own operator; for the
// rule on compile-time constants, every operator with constant operands; for other rules of graphs,
// IDENTITY.
std::vector<Op> OperatorsFor(const GeneratorOptions& options, const Rule& rule) {
  if (rule.op != Op::kUnknown) return {rule.op};
  std::vector<Op> all;
  for (const Recipe& recipe : AllRecipes()) {
    const bool has_constants = FactsOf(recipe.op).constant_inputs != 0;
    const bool fits = rule.id == kConstantRule ? has_constants : recipe.op == Op::kIdentity;
    if (fits && !AllowedRows(options, recipe.op).empty()) all.push_back(recipe.op);
  }
  return all;
}

std::vector<const HandMadeFault*> HandMadeFaultsOf(const Rule& rule) {
  std::vector<const HandMadeFault*> faults;
  for (const HandMadeFault& fault : HandMadeFaults()) {
    if (fault.rule == rule.id) faults.push_back(&fault);
  }
  return faults;
}

bool IsTarget(const GeneratorOptions& options, const Rule& rule) {
  if (!rule.unreachable.empty() || (rule.implied && !options.implied_errors)) return false;
  if (rule.id == kConstantRule && options.target.Contains(Feature::kExtDynamic)) return false;
  return rule.op == Op::kUnknown || !AllowedRows(options, rule.op).empty();
}

int VariantsOf(const GeneratorOptions& options, const Rule& rule) {
  if (!DecidesError(rule)) return 1;
  if (rule.op == Op::kUnknown) return 2 * kVariants;
  return std::clamp(static_cast<int>(AllowedRows(options, rule.op).size()), 2, kVariants);
}

// Returns all targets, each control right before its fault. Keeps the last list, so that repeated
// calls with the same options are cheap.
const std::vector<Target>& TargetsOf(const GeneratorOptions& options) {
  struct Last {
    GeneratorOptions options;
    std::vector<Target> targets;
  };
  static thread_local std::optional<Last> last;
  if (last && last->options == options) return last->targets;
  std::vector<Target> targets;
  for (const Rule& rule : AllRules()) {
    if (!IsTarget(options, rule)) continue;
    for (int variant = 0; variant < VariantsOf(options, rule); ++variant) {
      if (DecidesError(rule)) targets.push_back({&rule, variant, true});
      targets.push_back({&rule, variant, false});
    }
  }
  last = Last{options, std::move(targets)};
  return last->targets;
}

int64_t Targets(const GeneratorOptions& options) { return std::ssize(TargetsOf(options)); }

// A valid vector and the vector that a fault made of it.
struct Spoilt {
  TestVector control, faulty;
};

bool Expects(TestVector& vector, OutcomeKind kind, std::string_view rule) {
  if (!Expect(vector, {})) return false;
  const Step& last = vector.steps.back();
  return last.expected == kind && last.rule == rule;
}

// Returns true if the vector breaks the rule and, if the rule decides an error, no other. Fills in
// the expectation.
bool Breaks(TestVector& vector, const Rule& rule) {
  if (!DecidesError(rule)) return Expects(vector, OutcomeKind::kUnpredictable, rule.id);
  const std::vector<Breach> breaches = CheckVector(vector);
  const bool alone =
      !breaches.empty() && std::all_of(breaches.begin(), breaches.end(),
                                       [&](const Breach& b) { return b.rule == rule.id; });
  return alone && Expects(vector, OutcomeKind::kError, rule.id);
}

// Returns a valid vector of the operator alone. `number` runs through its type rows and, slower,
// through its attribute classes.
std::optional<TestVector> Sibling(Choices& choices, const GeneratorOptions& options, Op op,
                                  size_t number) {
  const Recipe* recipe = RecipeOf(op);
  if (recipe == nullptr) return HandMade(choices, options, op);
  const std::vector<int> rows = AllowedRows(options, op);
  Wish wish;
  wish.op = op;
  wish.type_row = rows[number % rows.size()];
  wish.attribute_class = static_cast<int>(number / rows.size() % recipe->classes.size());
  wish.from_pool = false;
  GraphBuilder builder(choices, options, ValueMode::kFinite);
  if (!Grow(builder, wish)) return std::nullopt;
  return builder.FinishVector(builder.Unread());
}

// Returns the requirements of the vector and of all its element types. A fault may add types that
// only its operands have.
Requirements NeedsOf(const TestVector& vector, const GeneratorOptions& options) {
  Requirements needs = RequirementsOf(vector, options.target);
  for (const TensorInfo& tensor : vector.graphs[0].Main()->tensors) {
    TestVector copy;
    copy.graphs.push_back(EmptyGraph());
    Block& main = *copy.graphs[0].Main();
    main.tensors = {tensor, tensor};
    main.operators = {{Op::kIdentity, {}, {0}, {1}}};
    needs = needs | RequirementsOf(copy, options.target);
  }
  return needs;
}

bool IsWithin(const GeneratorOptions& options, const Requirements& needs) {
  return options.target.Empty() || options.target.ContainsAll(needs);
}

// Returns false if the rules that the operator itself breaks show that the vector cannot break the
// rule (and no other, if the rule decides an error). Cheap, because nothing is executed.
bool MayBreak(FaultEdit& edit, const GeneratorOptions& options, const Rule& rule) {
  const auto broken = edit.BrokenRules(options.level);
  if (rule.op == Op::kUnknown) return !DecidesError(rule) || !broken || broken->empty();
  if (!broken) return false;
  const auto is_rule = [&](const char* other) { return rule.id == other; };
  if (DecidesError(rule)) {
    return !broken->empty() && std::all_of(broken->begin(), broken->end(), is_rule);
  }
  return std::any_of(broken->begin(), broken->end(), is_rule) ||
         (rule.kind == RuleKind::kRequire && broken->empty());
}

// Applies one fault after another, in random order, each to a copy of the vector. Returns the first
// result for which `is_found` is true.
template <class IsFound>
std::optional<TestVector> SearchFaults(Choices& choices, const GeneratorOptions& options, Op op,
                                       const TestVector& vector, IsFound is_found) {
  const std::vector<DType> types = AllowedTypes(options, Op::kIdentity);
  std::vector<OperatorFault> faults = FaultsOf(vector, op, types, options.level);
  for (size_t left = faults.size(); left > 0; --left) {
    const auto pick = static_cast<size_t>(choices.Below(left));
    TestVector copy = vector;
    FaultEdit edit(copy, op);
    if (faults[pick](edit) && is_found(edit, copy)) return copy;
    std::swap(faults[pick], faults[left - 1]);
  }
  return std::nullopt;
}

std::optional<Spoilt> SpoilOperator(Choices& choices, const GeneratorOptions& options,
                                    const Rule& rule, Op op, const TestVector& control) {
  auto faulty = SearchFaults(choices, options, op, control, [&](FaultEdit& edit, TestVector& copy) {
    return MayBreak(edit, options, rule) && Breaks(copy, rule) &&
           IsWithin(options, NeedsOf(copy, options));
  });
  if (!faulty) return std::nullopt;
  return Spoilt{control, std::move(*faulty)};
}

// Returns the examples in the operator's file that break the rule; if the rule is an error, only
// those that break it alone.
std::vector<TestVector> ExamplesOf(const GeneratorOptions& options, const Rule& rule) {
  std::vector<TestVector> found;
  // In a file a constant has the type and shape of its output, so its errors cannot be written.
  if (rule.op == Op::kUnknown || IsConstant(rule.op)) return found;
  for (const ops::Example& example : ops::DefinitionOf(rule.op).examples) {
    if (!example.results.ends_with(" " + rule.id)) continue;
    Result<TestVector> vector = VectorOfExample(rule.op, example);
    if (!vector) continue;
    vector->level = options.level.name;
    if (!IsWithin(options, NeedsOf(*vector, options))) continue;
    if (Breaks(*vector, rule)) found.push_back(std::move(*vector));
  }
  return found;
}

// Makes a pair from the examples that are worked out by hand in an operator's file. The control of
// an error is the result of one edit that makes the example valid again.
std::optional<Spoilt> FromExamples(Choices& choices, const GeneratorOptions& options,
                                   const Rule& rule, int variant) {
  const std::vector<TestVector> examples = ExamplesOf(options, rule);
  for (size_t i = 0; i < examples.size(); ++i) {
    const TestVector& faulty = examples[(static_cast<size_t>(variant) + i) % examples.size()];
    if (!DecidesError(rule)) return Spoilt{{}, faulty};
    auto control =
        SearchFaults(choices, options, rule.op, faulty, [&](FaultEdit& edit, TestVector& copy) {
          const auto broken = edit.BrokenRules(options.level);
          return broken && broken->empty() && CheckVector(copy).empty() &&
                 IsWithin(options, NeedsOf(copy, options)) &&
                 Expects(copy, OutcomeKind::kValid, "");
        });
    if (control) return Spoilt{std::move(*control), faulty};
  }
  return std::nullopt;
}

std::optional<Spoilt> SpoilByHand(Choices& choices, const GeneratorOptions& options,
                                  const Rule& rule, const HandMadeFault& fault) {
  constexpr int kDraws = 16;  // of types and shapes
  for (int draw = 0; draw < kDraws; ++draw) {
    std::optional<TestVector> control = fault.sibling(choices, options);
    if (!control) return std::nullopt;
    control->level = options.level.name;
    Spoilt spoilt = {*control, std::move(*control)};
    fault.spoil(spoilt.faulty, options);
    if (Breaks(spoilt.faulty, rule) && IsWithin(options, NeedsOf(spoilt.faulty, options))) {
      return spoilt;
    }
  }
  return std::nullopt;
}

std::optional<Spoilt> MakePair(Choices& choices, const GeneratorOptions& options,
                               const Target& target) {
  const Rule& rule = *target.rule;
  const auto by_hand = HandMadeFaultsOf(rule);
  if (!by_hand.empty()) {
    const auto pick = static_cast<size_t>(target.variant) % by_hand.size();
    return SpoilByHand(choices, options, rule, *by_hand[pick]);
  }
  const std::vector<Op> operators = OperatorsFor(options, rule);
  if (operators.empty()) return std::nullopt;
  const size_t first = kVariants * static_cast<size_t>(choices.Below(kAttempts)) +
                       static_cast<size_t>(target.variant);
  for (size_t attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt == (DecidesError(rule) ? kFirstAttempts : 0)) {
      if (auto example = FromExamples(choices, options, rule, target.variant)) return example;
    }
    const Op op = operators[static_cast<size_t>(
        rule.op == Op::kUnknown ? choices.Below(operators.size()) : 0)];
    std::optional<TestVector> control = Sibling(choices, options, op, first + attempt);
    if (!control) continue;
    control->level = options.level.name;
    if (auto spoilt = SpoilOperator(choices, options, rule, op, *control)) return spoilt;
  }
  return std::nullopt;
}

std::string TitleOf(const Target& target) {
  std::string title = target.rule->id;
  std::replace(title.begin(), title.end(), '/', '-');
  return title + (target.control ? "-control" : "");
}

// Returns the pair of a control and its fault; `index` is that of the control. Keeps the last pair,
// because callers mostly ask for both one after the other.
const std::optional<Spoilt>& PairOf(const GeneratorOptions& options, uint64_t index,
                                    const Target& target) {
  struct Last {
    GeneratorOptions options;
    uint64_t index;
    std::optional<Spoilt> pair;
  };
  static thread_local std::optional<Last> last;
  if (!last || last->index != index || last->options != options) {
    Choices choices(
        Random::For(options.seed, index, invalid_generator.kind, invalid_generator.version));
    last = Last{options, index, MakePair(choices, options, target)};
  }
  return last->pair;
}

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  const std::vector<Target>& targets = TargetsOf(options);
  if (targets.empty()) return std::nullopt;
  const Target& target = targets[index % targets.size()];
  const bool second = DecidesError(*target.rule) && !target.control;
  const std::optional<Spoilt>& spoilt = PairOf(options, second ? index - 1 : index, target);
  if (!spoilt) return std::nullopt;
  Requirements needs = NeedsOf(spoilt->faulty, options);
  if (!spoilt->control.graphs.empty()) {
    needs = needs | RequirementsOf(spoilt->control, options.target);
  }
  TestVector vector = target.control ? spoilt->control : spoilt->faulty;
  if (target.control && !Expects(vector, OutcomeKind::kValid, "")) return std::nullopt;
  Describe(vector, options, invalid_generator, index, TitleOf(target));
  vector.requirements = NamesOf(needs);
  vector.tags.push_back((target.control ? "control-of:" : "breaks:") + target.rule->id);
  if (target.rule->implied && !target.control) vector.tags.emplace_back(kImpliedErrorTag);
  return vector;
}

}  // namespace

const Generator invalid_generator = {
    .kind = "invalid",
    .help =
        "for every rule, vectors that break only this rule, each beside its valid control;\n"
        "errors that no ERROR_IF of the specification states need --implied-errors",
    .version = 2,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators

// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <algorithm>
#include <vector>

#include "enum_names.h"

namespace assay {
namespace {

struct NamedRule {
  std::string_view name;
  RuleKind kind;
  std::string_view text;
  std::string_view unreachable = {};
};

// The rules that the text states for a graph (specification, "Operator Graphs", "Tensors",
// "Levels").
constexpr NamedRule kGraphRules[] = {
    {"input-list", RuleKind::kErrorIf, "tensor_list_shape(input_list) != tosa_input_shape(graph)"},
    {"output-list", RuleKind::kErrorIf,
     "tensor_list_shape(output_list) != tosa_output_shape(graph)",
     "an execution is given no list of outputs: they are as the graph declares them"},
    {"tensor-size", RuleKind::kRequire,
     "the dimensions of a tensor are at least 1, and its bytes (one per element at least) are "
     "representable as tensor_size_t"},
    {"tensor-rank", RuleKind::kLevelCheck, "rank(shape) <= MAX_RANK, of every tensor"},
    {"termination", RuleKind::kRequire, "every WHILE_LOOP ends",
     "no execution can tell an endless loop from a long one"},
    {"operators", RuleKind::kTarget,
     "every operator is, with its types and modes, one that the target's profiles and extensions "
     "include",
     "it is no error: a vector names what it needs"},
};

// The reasons why no vector breaks a rule of graphs.
constexpr std::string_view kRefusedByReaders =
    "names and codes are the file's: a reader refuses the file before there is a graph";
constexpr std::string_view kOfTheFile = "it is a rule of files: the graph that is read keeps it";
constexpr std::string_view kFirstOfTheName =
    "the text knows no names; control flow takes the first of them";

// An error that no ERROR_IF of the text states.
struct ImpliedRule {
  std::string_view name;
  std::string_view text;
  std::string_view unreachable = {};
  Op op = Op::kUnknown;
};

// The errors that the text implies. They are the conditions for operators to form a graph, and for
// a `.tosa` file to hold one. Other conditions are stated only in the tables and the prose.
constexpr ImpliedRule kImpliedRules[] = {
    {"main-block", "the graph has a block to start with, `main`",
     "a file without it holds nothing to execute, and no executor is asked"},
    {"main-region", "the first region of the file is called `main`", kOfTheFile},
    {"unique-regions", "no two regions have the same name", kFirstOfTheName},
    {"unique-blocks", "no two blocks of a region have the same name", kFirstOfTheName},
    {"unique-names", "no two tensors or shapes of a block have the same name", kRefusedByReaders},
    {"unknown-operator", "every operator is one of this version", kRefusedByReaders},
    {"undefined-tensor",
     "every name that an operator or a list of a block uses is a tensor of that block",
     kRefusedByReaders},
    {"unused-tensor",
     "every tensor or shape that a block declares is an operand in it, an input or an output",
     kOfTheFile},
    {"unknown-type", "every tensor has a type", kRefusedByReaders},
    {"unranked-tensor", "every tensor has a shape: none is unranked", kRefusedByReaders},
    {"attribute-table",
     "every operator has the table of its attributes, an empty one if it has none", kOfTheFile},
    {"variable-operand",
     "the first output of VARIABLE and VARIABLE_WRITE and the first input of VARIABLE_READ are "
     "tensors with variable=true",
     kRefusedByReaders},
    {"constant-data",
     "the data of a constant or of a variable's initial value are its elements, packed as their "
     "type is, and zeros behind them",
     kRefusedByReaders},
    {"unproduced-tensor",
     "every tensor that is read or given out is an input of its block or made by an operator"},
    {"duplicate-producer", "no tensor is made by two operators"},
    {"produced-input", "no operator makes an input of its block"},
    {"captured-tensor",
     "a block reads no tensor of the block that runs it but those of its input list"},
    {"cycle", "no operator depends on its own output"},
    {"unknown-region", "the graph that a COND_IF or WHILE_LOOP names is in the file"},
    {"recursion", "no block runs itself, directly or through others"},
    {"shape-operand", "the inputs and outputs of a graph contain no element of type shape_t"},
    {"compile-time-constant",
     "a CTC input is connected to a CTC output, that of CONST or CONST_SHAPE"},
    {"list-types",
     "the lists of tensors that a graph gets and gives have the element types that it declares"},
    {"condition-outputs", "the condition graph of a WHILE_LOOP has one output"},
    {"mode-types",
     "the types of the type row and its mode fit the attribute mode",
     {},
     Op::kResize},
    {"declared-type",
     "a variable without an initial value is of a type of the type rows",
     {},
     Op::kVariable},
};

std::vector<Rule> MakeRules() {
  std::vector<Rule> rules;
  for (const NamedRule& rule : kGraphRules) {
    rules.push_back({RuleId(Op::kUnknown, rule.kind, rule.name), rule.kind, Op::kUnknown, rule.text,
                     rule.unreachable, false});
  }
  for (const OperatorRow& row : AllOperators()) {
    for (const RuleRow& rule : row.rules) {
      rules.push_back({rule.number > 0 ? RuleId(row.op, rule.kind, rule.number)
                                       : RuleId(row.op, rule.kind, rule.name),
                       rule.kind, row.op, rule.text, rule.unreachable, false});
    }
  }
  for (const ImpliedRule& rule : kImpliedRules) {
    rules.push_back({RuleId(rule.op, RuleKind::kErrorIf, rule.name), RuleKind::kErrorIf, rule.op,
                     rule.text, rule.unreachable, true});
  }
  return rules;
}

// Returns the rules of AllRules(), sorted by id.
std::vector<const Rule*> SortById() {
  std::vector<const Rule*> sorted;
  for (const Rule& rule : AllRules()) sorted.push_back(&rule);
  std::sort(sorted.begin(), sorted.end(),
            [](const Rule* a, const Rule* b) { return a->id < b->id; });
  return sorted;
}

}  // namespace

std::span<const Rule> AllRules() {
  static const std::vector<Rule> rules = MakeRules();
  return rules;
}

const Rule* FindRule(std::string_view id) {
  static const std::vector<const Rule*> sorted = SortById();
  const auto found =
      std::lower_bound(sorted.begin(), sorted.end(), id,
                       [](const Rule* rule, std::string_view wanted) { return rule->id < wanted; });
  return found != sorted.end() && (*found)->id == id ? *found : nullptr;
}

bool IsKnownRule(std::string_view id) { return FindRule(id) != nullptr; }

bool IsImpliedError(std::string_view id) {
  const Rule* rule = FindRule(id);
  return rule != nullptr && rule->implied;
}

std::string_view RuleText(std::string_view id) {
  const Rule* rule = FindRule(id);
  return rule != nullptr ? rule->text : std::string_view();
}

std::string_view RuleKindName(RuleKind kind) {
  constexpr std::string_view kNames[] = {"ERROR_IF", "REQUIRE", "LEVEL_CHECK", "TARGET"};
  return EntryOf(kNames, kind);
}

std::string RuleId(Op op, RuleKind kind, int number) {
  return RuleId(op, kind, std::to_string(number));
}

std::string RuleId(Op op, RuleKind kind, std::string_view name) {
  std::string id(op == Op::kUnknown ? "graph" : OperatorName(op));
  id += '/';
  id += RuleKindName(kind);
  id += '/';
  id += name;
  return id;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "backend_exam.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "clean_text.h"
#include "declaration_probes.h"
#include "executor.h"
#include "finding_text.h"
#include "graph_builder.h"
#include "judge_vector.h"
#include "operator_definition.h"
#include "operator_set.h"
#include "operator_table.h"
#include "tap_probes.h"
#include "worked_example.h"

namespace assay {
namespace {

// The types to ask with. Variables may only be of some types.
constexpr DType kExamTypes[] = {DType::kInt32, DType::kFp32, DType::kInt8};
constexpr DType kVariableTypes[] = {DType::kFp32, DType::kInt8};
constexpr int32_t kLarge = 1 << 20;  // elements
constexpr int32_t kValues = 32;

// A vector to ask with. A question has several attempts; the first one that a backend supports
// decides.
struct Attempt {
  std::string what;  // "ADD i32"
  // Makes the vector, with its expectation. Most attempts are never asked with.
  std::function<TestVector()> vector;
};
using Attempts = std::vector<Attempt>;

// ---- Graphs

// Returns the elements first, first + 1, ..., which repeat after kValues elements.
Tensor Counting(DType type, const Shape& shape, int first) {
  const auto value = [first](int64_t i) { return first + static_cast<int>(i % kValues); };
  if (IsFloat(type)) {
    std::vector<double> elements(static_cast<size_t>(shape.Elements()));
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = value(static_cast<int64_t>(i));
    return Tensor::FromFloats(type, shape, elements);
  }
  std::vector<int64_t> elements(static_cast<size_t>(shape.Elements()));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = value(static_cast<int64_t>(i));
  return Tensor::FromIntegers(type, shape, elements);
}

class MainBlock {
 public:
  explicit MainBlock(TensorType type) : type_(std::move(type)) {}

  TensorIndex Declare(const std::string& name) { return block_.AddTensor(name, type_); }
  TensorIndex Input(const std::string& name) {
    block_.inputs.push_back(Declare(name));
    return block_.inputs.back();
  }
  TensorIndex Variable(const std::string& name, const Tensor& initial) {
    const TensorIndex index = Declare(name);
    block_.tensors.back().variable = true;
    block_.tensors.back().initial_value = initial;
    return index;
  }
  void Add(Op op, Attributes attributes, std::vector<TensorIndex> inputs,
           std::vector<TensorIndex> outputs) {
    block_.operators.push_back({op, std::move(attributes), std::move(inputs), std::move(outputs)});
  }
  void Output(TensorIndex index) { block_.outputs.push_back(index); }
  Graph Finish() {
    Graph graph = EmptyGraph();
    block_.name = graph.Main()->name;
    *graph.Main() = std::move(block_);
    return graph;
  }

 private:
  TensorType type_;
  Block block_;
};

// The two forms of state.
enum class Form { kOperators, kTensors };

struct RegisterParts {
  bool reads = true, writes = true;
};

// Returns the graph y = v; v = x. Its variable v returns the value that it was given in the
// invocation before.
Graph Register(Form form, const Tensor& initial, RegisterParts parts = {}) {
  MainBlock block(initial.tensor_type());
  const Attributes name = {{AttributeId::kName, std::string("v")}};
  if (form == Form::kOperators) {
    const Operator declaration = DeclarationOf("v", initial.tensor_type(), initial);
    block.Add(declaration.op, declaration.attributes, {}, {});
  }
  const TensorIndex variable = form == Form::kTensors ? block.Variable("v", initial) : -1;
  if (parts.reads) {
    const TensorIndex y = block.Declare("y");
    if (form == Form::kOperators) block.Add(Op::kVariableRead, name, {}, {y});
    if (form == Form::kTensors) block.Add(Op::kIdentity, {}, {variable}, {y});
    block.Output(y);
  }
  if (parts.writes) {
    const TensorIndex x = block.Input("x");
    if (form == Form::kOperators) block.Add(Op::kVariableWrite, name, {x}, {});
    if (form == Form::kTensors) block.Add(Op::kIdentity, {}, {x}, {variable});
  }
  return block.Finish();
}

// Returns a graph whose outputs are results of one operator, with its input x as all operands.
Graph Repeats(const OperatorRow& row, const TensorType& type, int times) {
  MainBlock block(type);
  const TensorIndex x = block.Input("x");
  for (int i = 0; i < times; ++i) {
    const TensorIndex result = block.Declare("y" + std::to_string(i));
    block.Add(row.op, {}, std::vector<TensorIndex>(row.arguments.size() - 1, x), {result});
    block.Output(result);
  }
  return block.Finish();
}

// ---- Vectors

Step StepWith(int context, int graph, std::vector<Tensor> inputs, std::vector<Tensor> outputs) {
  Step step;
  step.context = context;
  step.graph = graph;
  step.inputs = std::move(inputs);
  for (Tensor& output : outputs) step.outputs.push_back({std::move(output), {}, {}, "exact"});
  return step;
}

TestVector VectorOf(std::vector<Graph> graphs, std::vector<Step> steps) {
  TestVector vector;
  vector.graphs = std::move(graphs);
  vector.steps = std::move(steps);
  return vector;
}

// Returns the hand-worked examples of all operators whose outcome is `kind`, ADD's first.
Attempts Examples(OutcomeKind kind) {
  Attempts attempts;
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    for (const ops::Example& example : definition->examples) {
      Result<TestVector> vector = VectorOfExample(definition->op, example);
      if (!vector || vector->steps[0].expected != kind) continue;
      const Block& main = *vector->graphs[0].Main();
      std::string what = std::string(OperatorName(definition->op)) + " " +
                         std::string(TypeName(CharacteristicType(main, main.operators.back())));
      attempts.push_back(
          {std::move(what), [vector = std::move(*vector)]() -> TestVector { return vector; }});
    }
  }
  const auto is_add = [](const Attempt& attempt) { return attempt.what.starts_with("ADD "); };
  std::stable_partition(attempts.begin(), attempts.end(), is_add);
  return attempts;
}

// Returns true for an operator whose result has the type and the shape of each operand, and that
// has no attributes.
bool IsPlain(const OperatorRow& row) {
  const bool keeps_shape = row.op == Op::kIdentity || row.category.starts_with("elementwise");
  return keeps_shape && std::ranges::all_of(row.arguments, [](const ArgumentRow& argument) {
           return !argument.attribute && argument.type_variable == 0u;
         });
}

// Returns a vector of a plain operator, with its expectation; nothing if that is not valid, or if
// the operator does not have the type.
std::optional<TestVector> PlainVector(const OperatorRow& row, const TensorType& type, int times) {
  const std::vector<DType> operands(row.arguments.size() - 1, type.type);
  if (!FindTypeRow(row.op, operands, std::array{type.type})) return std::nullopt;
  TestVector vector = VectorOf({Repeats(row, type, times)},
                               {StepWith(0, 0, {Counting(type.type, type.shape, 1)}, {})});
  const bool is_valid = Expect(vector, {}) && vector.steps[0].expected == OutcomeKind::kValid;
  return is_valid ? std::optional(std::move(vector)) : std::nullopt;
}

// Returns vectors of one plain operator, IDENTITY first. They have `times` outputs.
Attempts PlainOperators(const Shape& shape, int times) {
  Attempts attempts;
  for (const OperatorRow& row : AllOperators()) {
    if (!IsPlain(row)) continue;
    for (const DType type : kExamTypes) {
      // All values that Counting() gives are operands of the operator.
      if (!PlainVector(row, {type, {kValues}}, 1)) continue;
      const TensorType of_all = {type, shape};
      attempts.push_back({std::string(row.name) + " " + of_all.ToString(),
                          [&row, of_all, times] { return *PlainVector(row, of_all, times); }});
    }
  }
  const auto is_identity = [](const Attempt& attempt) {
    return attempt.what.starts_with("IDENTITY ");
  };
  std::stable_partition(attempts.begin(), attempts.end(), is_identity);
  return attempts;
}

// Returns the vectors that `make` makes for each form and type. The tensors a, b, c and d are four
// values of the variable; a is its initial value.
Attempts WithState(const std::function<TestVector(Form form, const Tensor& a, const Tensor& b,
                                                  const Tensor& c, const Tensor& d)>& make) {
  Attempts attempts;
  for (const Form form : {Form::kOperators, Form::kTensors}) {
    for (const DType type : kVariableTypes) {
      const auto value = [type](int first) { return Counting(type, {2, 3}, first); };
      attempts.push_back({std::string(form == Form::kOperators ? "VARIABLE " : "variable tensor ") +
                              std::string(TypeName(type)),
                          [=] { return make(form, value(1), value(11), value(21), value(31)); }});
    }
  }
  return attempts;
}

TestVector KeepsState(Form form, const Tensor& a, const Tensor& b, const Tensor& c,
                      const Tensor& d) {
  return VectorOf({Register(form, a)},
                  {StepWith(0, 0, {b}, {a}), StepWith(0, 0, {c}, {b}), StepWith(0, 0, {d}, {c})});
}

TestVector KeepsContextsApart(Form form, const Tensor& a, const Tensor& b, const Tensor& c,
                              const Tensor& d) {
  return VectorOf({Register(form, a)}, {StepWith(0, 0, {b}, {a}), StepWith(1, 0, {c}, {a}),
                                        StepWith(0, 0, {d}, {b}), StepWith(1, 0, {d}, {c})});
}

TestVector SharesState(Form form, const Tensor& a, const Tensor& b, const Tensor& c,
                       const Tensor&) {
  return VectorOf({Register(form, a, {.reads = false}), Register(form, a, {.writes = false})},
                  {StepWith(0, 0, {b}, {}), StepWith(0, 1, {}, {b}), StepWith(0, 0, {c}, {}),
                   StepWith(0, 1, {}, {c})});
}

// ---- Questions

using Runs = std::function<std::optional<Result<std::vector<Outcome>>>(const TestVector&)>;

bool IsUnsupported(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.kind != OutcomeKind::kUnsupported) return false;
  }
  return true;
}

// Runs one vector. Returns nothing if it is not supported, with the reason in `why`.
std::optional<ExamPoint> RunAttempt(const Attempt& attempt, const Backend& backend, const Runs& run,
                                    std::string& why) {
  const TestVector vector = attempt.vector();
  why = backend.WhyNotTaken(vector);
  if (!why.empty()) return std::nullopt;
  const auto outcomes = run(vector);
  if (!outcomes) {
    why = "its protocol has no such request";
    return std::nullopt;
  }
  if (!*outcomes) return ExamPoint{"", ExamMark::kFailed, outcomes->error().message};
  if (IsUnsupported(**outcomes)) {
    why = (**outcomes)[0].message;
    return std::nullopt;
  }
  const Verdict verdict = JudgeVector(vector, **outcomes);
  switch (verdict.kind) {
    case VerdictKind::kAgrees:
      return ExamPoint{"", ExamMark::kGood, attempt.what};
    case VerdictKind::kDisagrees: {
      const bool unchecked = vector.steps[0].expected == OutcomeKind::kError &&
                             (**outcomes)[0].kind == OutcomeKind::kValid;
      return ExamPoint{"", ExamMark::kFailed,
                       attempt.what + ": " + FindingText(verdict.findings[0]) +
                           (unchecked ? "; if it checks no graphs, declare no-checks" : "")};
    }
    case VerdictKind::kUndecided:
      return ExamPoint{"", ExamMark::kFailed, attempt.what + ": " + verdict.reason};
  }
  return std::nullopt;
}

ExamPoint AskQuestion(std::string question, const Attempts& attempts, const Backend& backend,
                      const Runs& run) {
  std::string first_why;
  for (const Attempt& attempt : attempts) {
    std::string why;
    if (std::optional<ExamPoint> point = RunAttempt(attempt, backend, run, why)) {
      point->question = std::move(question);
      point->remark = OneLine(point->remark);
      return *point;
    }
    if (first_why.empty()) first_why = why;
  }
  return {std::move(question), ExamMark::kNotSupported, OneLine(first_why)};
}

}  // namespace

std::vector<ExamPoint> ExamineBackend(Backend& backend) {
  const Runs once = [&backend](const TestVector& vector) {
    return std::optional(backend.Run(vector));
  };
  // Returns the outcomes of the second of two runs, in which nothing of the first may be left.
  const Runs again = [&backend](const TestVector& vector) {
    const Result<std::vector<Outcome>> first = backend.Run(vector);
    return std::optional(first ? backend.Run(vector) : first);
  };
  const Runs after_reset = [&backend](const TestVector& vector) {
    return backend.RunAfterReset(vector);
  };
  const struct {
    const char* question;
    Attempts attempts;
    const Runs& run;
  } kQuestions[] = {
      {"answers a graph of one operator", Examples(OutcomeKind::kValid), once},
      {"answers the same when asked again", Examples(OutcomeKind::kValid), again},
      {"refuses a graph that breaks an ERROR_IF", Examples(OutcomeKind::kError), once},
      {"takes and gives tensors of rank 0", PlainOperators({}, 1), once},
      {"takes and gives a million elements", PlainOperators({kLarge}, 1), once},
      {"leaves its inputs as they are", PlainOperators({3, 5}, 3), once},
      {"keeps a variable from step to step", WithState(KeepsState), once},
      {"keeps contexts apart", WithState(KeepsContextsApart), once},
      {"shares a variable among graphs, one of them without outputs", WithState(SharesState), once},
      {"starts each vector with fresh contexts", WithState(KeepsState), again},
      {"makes a context fresh by a reset", WithState(KeepsState), after_reset},
  };
  std::vector<ExamPoint> points;
  for (const auto& [question, attempts, run] : kQuestions) {
    points.push_back(AskQuestion(question, attempts, backend, run));
  }
  for (ExamPoint& point : ProbeDeclarations(backend)) points.push_back(std::move(point));
  for (ExamPoint& point : ProbeTaps(backend)) points.push_back(std::move(point));
  return points;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "graph_functions.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "arrays.h"
#include "check_graph.h"
#include "executor.h"
#include "fold_graph.h"
#include "infer_operator.h"
#include "levels.h"
#include "liveness.h"
#include "name_search.h"
#include "planner.h"
#include "python_error.h"
#include "quoted.h"
#include "spirv_file.h"
#include "time_limit.h"
#include "tosa_file.h"

namespace assay::python {
namespace {

namespace py = pybind11;

std::vector<int32_t> DimsOf(const Shape& shape) { return {shape.begin(), shape.end()}; }

// Returns a type for Python: the number of its element type, and the dimensions.
py::tuple TypeTuple(const TensorType& type) {
  return py::make_tuple(static_cast<int>(type.type), py::tuple(py::cast(DimsOf(type.shape))));
}

std::span<const uint8_t> BytesOf(const std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Graph ReadGraph(const py::bytes& content, const std::string& name) {
  return ValueOf(ReadGraphBytes(BytesOf(std::string_view(content)), name, nullptr));
}

Level LevelNamed(const std::string& name) {
  return AllLevels()[ValueOf(FindName("level", name, NamesOfRows(AllLevels(), &Level::name)))];
}

Requirements FeaturesNamed(const std::vector<std::string>& names) {
  const std::vector<std::string_view> known = NamesOfRows(AllFeatures(), &FeatureRow::name);
  Requirements features;
  for (const std::string& name : names) {
    const size_t found = ValueOf(FindName("profile or extension", name, known));
    features = features | Requirements{AllFeatures()[found].feature};
  }
  return features;
}

// A graph that can be executed any number of times.
class Program {
 public:
  Program(const py::bytes& content, const std::string& name) : graph_(ReadGraph(content, name)) {
    if (graph_.Main() == nullptr) Raise(BadInput(name + ": has no main block"));
  }

  // Returns (name, element type, dimensions) of the inputs or the outputs.
  py::list Inputs() const { return Described(graph_.Main()->inputs); }
  py::list Outputs() const { return Described(graph_.Main()->outputs); }

  // Executes the graph. Returns the name of the outcome, the rule, the message and the outputs.
  py::tuple Run(const py::list& arrays, Context& context, const std::string& level, bool dynamic,
                double seconds) const {
    const Block& main = *graph_.Main();
    if (arrays.size() != main.inputs.size()) {
      Raise(BadInput("the graph has " + std::to_string(main.inputs.size()) +
                     " inputs, and is given " + std::to_string(arrays.size())));
    }
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      const TensorInfo& info = main.tensors[static_cast<size_t>(main.inputs[i])];
      const std::string what = "input " + Quoted(info.name);
      inputs.push_back(ToTensor(arrays[i], info.type.type, what, Elements::kShared));
      if (inputs.back().shape() == info.type.shape) continue;
      Raise(BadInput(what + ": has shape " + inputs.back().shape().ToString() + "; the graph has " +
                     info.type.shape.ToString()));
    }
    const ExecutionOptions options{.level = LevelNamed(level), .dynamic = dynamic};
    const Outcome outcome = Executed(context, inputs, options, seconds);
    inputs.clear();
    py::list outputs;
    for (const Tensor& output : outcome.outputs) outputs.append(ToArray(output));
    return py::make_tuple(std::string(OutcomeName(outcome.kind)), outcome.rule, outcome.message,
                          outputs);
  }

 private:
  Outcome Executed(Context& context, const std::vector<Tensor>& inputs,
                   const ExecutionOptions& options, double seconds) const {
    const py::gil_scoped_release unlocked;
    const TimeLimit limit(0, seconds);
    return Execute(context, graph_, inputs, options);
  }

  py::list Described(const std::vector<TensorIndex>& tensors) const {
    py::list described;
    for (const TensorIndex index : tensors) {
      const TensorInfo& info = graph_.Main()->tensors[static_cast<size_t>(index)];
      described.append(py::make_tuple(info.name, static_cast<int>(info.type.type),
                                      py::tuple(py::cast(DimsOf(info.type.shape)))));
    }
    return described;
  }

  Graph graph_;
};

// Returns the values of the variables that have been written, by name.
py::dict VariablesOf(const Context& context) {
  py::dict values;
  for (const auto& [name, variable] : context.variables) {
    if (variable.is_written) values[py::str(name)] = ToArray(variable.value.tensor());
  }
  return values;
}

py::list Check(const py::bytes& content, const std::string& name, const std::string& level,
               const std::vector<std::string>& features) {
  const Graph graph = ReadGraph(content, name);
  const Level limits = LevelNamed(level);
  const Requirements target = FeaturesNamed(features);
  std::vector<Breach> breaches;
  {
    const py::gil_scoped_release unlocked;
    breaches = CheckGraph(graph, limits, target);
  }
  py::list all;
  for (const Breach& breach : breaches) {
    all.append(py::make_tuple(breach.rule, breach.where, std::string(RuleText(breach.rule))));
  }
  return all;
}

// Returns the types of the outputs of the last operator of a graph's main block.
py::list Infer(const py::bytes& content, const std::vector<uint32_t>& wished,
               const std::string& level) {
  Graph graph = ReadGraph(content, "operator");
  std::vector<DType> types;
  for (const uint32_t type : wished) types.push_back(static_cast<DType>(type));
  const auto inferred = ValueOf(InferLastOperator(graph, types, LevelNamed(level)));
  py::list all;
  for (const TensorType& type : inferred) all.append(TypeTuple(type));
  return all;
}

py::dict Plan(const py::bytes& content, const std::string& name, const std::string& algorithm,
              int64_t alignment, bool workspace_io, bool share) {
  const Graph graph = ReadGraph(content, name);
  const Algorithm* chosen = ValueOf(FindAlgorithm(algorithm));
  MemoryTarget target;
  target.alignment = alignment;
  target.workspace_io = workspace_io;
  target.share_operands = share;
  const GraphMemory memory = ValueOf(MemoryOf(graph, target));
  std::optional<Result<PlanningResult>> planned;
  {
    const py::gil_scoped_release unlocked;
    planned = PlanMemory(memory.problem, *chosen);
  }
  const PlanningResult result = ValueOf(std::move(*planned));
  py::list buffers;
  for (size_t i = 0; i < memory.problem.buffers.size(); ++i) {
    const BufferInfo& buffer = memory.problem.buffers[i];
    const auto& place = result.plan.allocations[i];
    py::list live;
    for (const LiveRange& range : buffer.live)
      live.append(py::make_tuple(range.lower, range.upper));
    const std::string pool =
        place ? memory.problem.pools[static_cast<size_t>(place->pool)].name : "";
    buffers.append(py::make_tuple(buffer.name_hint, std::string(NameOf(buffer.kind)),
                                  buffer.size_bytes, pool, place ? place->offset : -1, live));
  }
  py::dict plan;
  plan["buffers"] = buffers;
  plan["total_bytes"] = result.total_bytes;
  plan["bound_bytes"] = result.bound_bytes;
  plan["dynamic"] = memory.dynamic;
  return plan;
}

Constness ConstnessNamed(const std::string& name) {
  for (const Constness constness :
       {Constness::kVarying, Constness::kRuntime, Constness::kCompileTime}) {
    if (name == NameOf(constness)) return constness;
  }
  Raise(BadInput(Quoted(name) + " is none of varying, runtime and compile-time"));
}

py::dict Fold(const py::bytes& content, const std::string& name,
              const std::vector<std::string>& arguments, const std::string& form,
              const std::string& policy, int64_t limit, bool postpone) {
  const Graph graph = ReadGraph(content, name);
  std::vector<Constness> constness;
  for (const std::string& argument : arguments) constness.push_back(ConstnessNamed(argument));
  FoldOptions options;
  const auto named_form = FoldFormNamed(form);
  const auto named_policy = SizePolicyKindNamed(policy);
  if (!named_form) Raise(BadInput("form " + Quoted(form) + " is neither split nor runtime"));
  if (!named_policy)
    Raise(BadInput("policy " + Quoted(policy) + " is none of ratio, additive and absolute"));
  options.form = *named_form;
  options.policy = {*named_policy, limit};
  options.postpone = postpone;
  std::optional<Result<Folding>> result;
  {
    const py::gil_scoped_release unlocked;
    result = FoldGraph(graph, constness, options);
  }
  const Folding folding = ValueOf(std::move(*result));
  py::dict stages;
  for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry}) {
    stages[py::str(std::string(NameOf(stage)))] = ToBytes(WriteTosa(folding.stage(stage)));
  }
  py::list cached;
  for (const CachedTensor& tensor : folding.record.cached) {
    cached.append(py::make_tuple(tensor.name, TypeTuple(tensor.type),
                                 std::string(NameOf(tensor.stage)), tensor.bytes));
  }
  py::dict folded;
  folded["stages"] = stages;
  folded["cached"] = cached;
  folded["postponed"] = folding.record.certificate.postponements.size();
  return folded;
}

}  // namespace

void DefineGraphFunctions(py::module_& module) {
  py::class_<Context>(module, "Context",
                      "The variables of a process. Graphs that are executed in one context share "
                      "them.")
      .def(py::init<>())
      .def_property_readonly("variables", &VariablesOf,
                             "The values of the variables that have been written, by name.");
  py::class_<Program>(module, "Program")
      .def(py::init<const py::bytes&, const std::string&>(), py::arg("content"), py::arg("name"))
      .def_property_readonly("inputs", &Program::Inputs)
      .def_property_readonly("outputs", &Program::Outputs)
      .def("run", &Program::Run, py::arg("inputs"), py::arg("context"), py::arg("level"),
           py::arg("dynamic"), py::arg("seconds"));
  module.def("check", &Check);
  module.def("infer", &Infer);
  module.def("plan", &Plan);
  module.def("fold", &Fold);
}

}  // namespace assay::python

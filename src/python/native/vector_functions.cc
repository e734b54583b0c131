// SPDX-License-Identifier: Apache-2.0
#include "vector_functions.h"

#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apply_known.h"
#include "arrays.h"
#include "backend_kind.h"
#include "campaign.h"
#include "console.h"
#include "declaration_names.h"
#include "files.h"
#include "finding_text.h"
#include "json_lines.h"
#include "judge_case.h"
#include "known_options.h"
#include "python_backend.h"
#include "python_error.h"
#include "quoted.h"
#include "report_files.h"
#include "structural_moves.h"
#include "tvec_file.h"
#include "vector_power.h"
#include "verify_in_process.h"

namespace assay::python {
namespace {

namespace py = pybind11;

TestVector ReadVector(const py::bytes& content, const std::string& name) {
  const std::string_view text(content);
  return ValueOf(
      ReadTestVector({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, name));
}

std::vector<std::pair<std::string, std::string>> NamesOf(const std::vector<OperatorUse>& uses) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const OperatorUse& use : uses) {
    names.emplace_back(OperatorName(use.op), TypeName(use.type));
  }
  return names;
}

std::string NameOr(Op op) { return op == Op::kUnknown ? "" : std::string(OperatorName(op)); }

// ---- Vector

// Returns (name, element type, dimensions) of the outputs of the graph of a step.
py::list OutputsOf(const TestVector& vector, size_t step) {
  const Block* main = vector.GraphOf(vector.steps.at(step)).Main();
  py::list described;
  if (main == nullptr) return described;
  for (const TensorIndex index : main->outputs) {
    const TensorInfo& info = main->tensors[static_cast<size_t>(index)];
    const std::vector<int32_t> dims(info.type.shape.begin(), info.type.shape.end());
    described.append(
        py::make_tuple(info.name, static_cast<int>(info.type.type), py::tuple(py::cast(dims))));
  }
  return described;
}

// Returns the outcome of a step: its kind, its message, pairs of element type and array, and the
// variables by name.
Outcome OutcomeOf(const py::tuple& given, size_t step) {
  static constexpr OutcomeKind kKinds[] = {OutcomeKind::kValid, OutcomeKind::kError,
                                           OutcomeKind::kUnsupported, OutcomeKind::kCrashed,
                                           OutcomeKind::kTimedOut};
  const std::string name = py::str(given[0]);
  Outcome outcome;
  for (const OutcomeKind kind : kKinds) {
    if (OutcomeName(kind) == name) outcome.kind = kind;
  }
  outcome.message = py::str(given[1]);
  const std::string place = "step " + std::to_string(step) + ": ";
  int index = 0;
  for (const py::handle pair : given[2]) {
    const auto [type, array] = pair.cast<std::pair<uint32_t, py::object>>();
    outcome.outputs.push_back(ToTensor(array, static_cast<DType>(type),
                                       place + "output " + std::to_string(index++),
                                       Elements::kShared));
  }
  for (const auto& [variable, pair] : py::reinterpret_borrow<py::dict>(given[3])) {
    const auto [type, array] = pair.cast<std::pair<uint32_t, py::object>>();
    const std::string text = py::str(variable);
    outcome.state.emplace(text, ToTensor(array, static_cast<DType>(type),
                                         place + "variable " + text, Elements::kShared));
  }
  return outcome;
}

CaseResult Judge(const TestVector& vector, const py::list& given,
                 const std::vector<std::string>& declared) {
  if (given.size() != vector.steps.size()) {
    Raise(BadInput("judge: the vector has " + std::to_string(vector.steps.size()) +
                   " steps, and is given outputs of " + std::to_string(given.size())));
  }
  std::vector<Outcome> outcomes;
  for (size_t i = 0; i < given.size(); ++i) outcomes.push_back(OutcomeOf(given[i], i));
  const BackendDeclarations declarations = ValueOf(DeclarationsNamed(declared));
  CaseResult result = NewCase(vector, vector.name);
  const py::gil_scoped_release unlocked;
  JudgeOutcomes(vector, outcomes, declarations, result);
  outcomes.clear();
  return result;
}

void DefineVector(py::module_& module) {
  py::class_<TestVector, std::shared_ptr<TestVector>>(module, "Vector")
      .def(py::init(&ReadVector), py::arg("content"), py::arg("name"))
      .def("bytes", [](const TestVector& vector) { return ToBytes(WriteTestVector(vector)); })
      .def_property_readonly("name", [](const TestVector& vector) { return vector.name; })
      .def_property_readonly("kind",
                             [](const TestVector& vector) { return vector.provenance.kind; })
      .def_property_readonly("requirements",
                             [](const TestVector& vector) { return vector.requirements; })
      .def_property_readonly("tags", [](const TestVector& vector) { return vector.tags; })
      .def_property_readonly("operators",
                             [](const TestVector& vector) { return NamesOf(OperatorsOf(vector)); })
      .def_property_readonly("steps", [](const TestVector& vector) { return vector.steps.size(); })
      .def_property_readonly("graphs",
                             [](const TestVector& vector) { return vector.graphs.size(); })
      .def("outputs", &OutputsOf, py::arg("step"))
      .def("judge", &Judge, py::arg("outcomes"), py::arg("declarations"));
}

// ---- Results

PowerSummary PowerOf(const std::vector<std::shared_ptr<TestVector>>& vectors) {
  const py::gil_scoped_release unlocked;
  VectorPower power;
  for (const auto& vector : vectors) power.Add(*vector);
  return power.Summary();
}

void DefineResults(py::module_& module) {
  py::class_<PowerSummary>(module, "Power", "The faults that an agreement on vectors notices.")
      .def_readonly("faults", &PowerSummary::faults, "The number of faults that may show.")
      .def_readonly("noticed", &PowerSummary::shown, "The number of those that show.")
      .def_property_readonly(
          "missed",
          [](const PowerSummary& power) {
            std::vector<std::pair<std::string, std::string>> missed;
            for (const auto& fault : power.not_shown) missed.emplace_back(fault.fault, fault.what);
            return missed;
          },
          "The others: (id, what it does).")
      .def("__repr__", [](const PowerSummary& power) {
        return "<Power " + std::to_string(power.shown) + " of " + std::to_string(power.faults) +
               ">";
      });
  module.def("power", &PowerOf, py::arg("vectors"));
  py::class_<Finding>(module, "Finding", "One way in which a result departs from the expectation.")
      .def_property_readonly("headline", &FindingHeadline, "One line: 'ADD i8: wrong value'.")
      .def_property_readonly(
          "text", [](const Finding& finding) { return FindingText(finding); },
          "Some lines: the first wrong element, its value and the expected value.")
      .def_property_readonly(
          "violation", [](const Finding& finding) { return ViolationName(finding.violation); },
          "'value', 'type', 'crash', 'time-out', 'outcome', 'state', ...")
      .def_property_readonly(
          "op", [](const Finding& finding) { return NameOr(finding.op); },
          "The operator that is blamed; '' if none can be.")
      .def_property_readonly("type", [](const Finding& finding) { return TypeName(finding.type); })
      .def_readonly("rule", &Finding::rule, "The rule of the specification that is broken.")
      .def_readonly("step", &Finding::step)
      .def_readonly("tensor", &Finding::tensor, "The output or the variable that is wrong.")
      .def_readonly("position", &Finding::position, "The first wrong element: '[0,2,1]'.")
      .def_readonly("expected", &Finding::expected)
      .def_readonly("got", &Finding::got)
      .def_readonly("allowed", &Finding::allowed)
      .def_readonly("wrong_elements", &Finding::wrong_elements)
      .def_readonly("message", &Finding::message)
      .def("__repr__",
           [](const Finding& finding) { return "<Finding " + FindingHeadline(finding) + ">"; });
  py::class_<CaseResult>(module, "CaseResult", "The result of judging one vector.")
      .def_readonly("vector", &CaseResult::vector, "The path, or the name of a vector in memory.")
      .def_readonly("name", &CaseResult::name)
      .def_readonly("kind", &CaseResult::kind)
      .def_readonly("note", &CaseResult::note, "One line that says why it was not judged.")
      .def_readonly("log", &CaseResult::log)
      .def_property_readonly(
          "verdict", [](const CaseResult& result) { return CaseStateName(result.state); },
          "'agrees', 'disagrees', 'known', 'suspect', 'undecided', 'unsupported', 'bad input' or "
          "'defect'.")
      .def_property_readonly("operators",
                             [](const CaseResult& result) { return NamesOf(result.operators); })
      .def_property_readonly("findings",
                             [](const CaseResult& result) { return result.verdict.findings; })
      .def_property_readonly(
          "judged_elements",
          [](const CaseResult& result) { return result.verdict.judged_elements; })
      .def("__bool__", [](const CaseResult& result) { return result.state == CaseState::kAgrees; })
      .def("__repr__", [](const CaseResult& result) {
        return "<CaseResult " + result.vector + ": " + std::string(CaseStateName(result.state)) +
               ">";
      });
  py::class_<ReportedFinding>(module, "ReportedFinding",
                              "A finding of a run, minimized if that was asked for.")
      .def_property_readonly("headline", &ReportedHeadline)
      .def_property_readonly("text", &ReportedText)
      .def_readonly("finding", &ReportedFinding::finding)
      .def_readonly("seen", &ReportedFinding::seen, "How many vectors show it.")
      .def_readonly("known", &ReportedFinding::known,
                    "The reason that a file of known failures gives; '' if it has none.")
      .def_readonly("vector", &ReportedFinding::vector, "The path of the vector that shows it.")
      .def_readonly("replay", &ReportedFinding::replay, "The command that judges it again.")
      .def_readonly("graph", &ReportedFinding::graph_text, "The graph, one operator a line.")
      .def("__repr__", [](const ReportedFinding& finding) {
        return "<ReportedFinding " + ReportedHeadline(finding) + ">";
      });
  py::class_<RunReport>(module, "RunReport", "The results of a run.")
      .def_readonly("cases", &RunReport::cases)
      .def_readonly("findings", &RunReport::findings)
      .def_readonly("title", &RunReport::title)
      .def_readonly("gaps", &RunReport::gaps, "What the run has left out, a line each.")
      .def_property_readonly(
          "counts",
          [](const RunReport& run) {
            py::dict counts;
            for (const CaseState state : kAllCaseStates) {
              const int64_t count = run.tally.CountAll(state);
              if (count > 0) counts[py::str(std::string(CaseStateName(state)))] = count;
            }
            return counts;
          },
          "The number of vectors by verdict.")
      .def_property_readonly("text", &RunToText, "The report for a terminal.")
      .def_property_readonly("json", &RunToJsonLines, "The report as JSON lines.")
      .def("set_command",
           [](RunReport& run, std::string command) { run.command = std::move(command); })
      .def(
          "write_report",
          [](RunReport& run, const std::string& folder) {
            const py::gil_scoped_release unlocked;
            run.folder = folder;
            const FolderLock lock = ValueOf(OpenReportFolder(folder));
            ValueOf(WriteReports(run, folder));
          },
          py::arg("folder"), "Writes report.html, report.xml (JUnit), summary.md and others.");
}

// ---- Functions

std::optional<py::bytes> BytesOrNone(const std::optional<TestVector>& vector) {
  if (!vector) return std::nullopt;
  return ToBytes(WriteTestVector(*vector));
}

// The cases that `assay gen` makes with the same options, by number.
class Cases {
 public:
  explicit Cases(const CampaignOptions& options) : campaign_(ValueOf(MakeCampaign(options))) {}
  void SetSizes(int32_t dimension_max, int64_t elements_max) {
    if (dimension_max > 0) campaign_.options.dimension_max = dimension_max;
    if (elements_max > 0) campaign_.options.elements_max = elements_max;
  }
  // Returns the `.tvec` bytes of a case, or None if there is no such vector inside the target.
  std::optional<py::bytes> Make(int64_t number) const {
    std::optional<TestVector> made;
    {
      const py::gil_scoped_release unlocked;
      made = campaign_.Make(number);
      if (made && !campaign_.Takes(*made)) made.reset();
    }
    return BytesOrNone(made);
  }
  int64_t targets() const { return campaign_.Targets(); }

 private:
  Campaign campaign_;
};

CampaignOptions OptionsOf(const py::dict& given) {
  CampaignOptions options;
  const auto take = [&given](const char* name, auto& field) {
    if (given.contains(name)) field = given[name].cast<std::decay_t<decltype(field)>>();
  };
  take("kinds", options.kinds);
  take("profiles", options.profiles);
  take("extensions", options.extensions);
  take("level", options.level);
  take("seed", options.seed);
  take("implied_errors", options.implied_errors);
  take("network", options.network);
  take("target", options.target.file);
  take("operators", options.target.operators);
  take("types", options.target.types);
  take("rank_max", options.target.rank_max);
  take("elements_max", options.target.elements_max);
  return options;
}

BackendOptions BackendOptionsOf(const py::dict& given) {
  BackendOptions options;
  const auto take = [&given](const char* name, auto& field) {
    if (given.contains(name)) field = given[name].cast<std::decay_t<decltype(field)>>();
  };
  take("cpu_seconds", options.cpu_seconds);
  take("wall_seconds", options.wall_seconds);
  take("environment", options.environment);
  take("declarations", options.declarations);
  return options;
}

// Opens the backend that Python code is (`connection`), or that a specification names.
Result<std::unique_ptr<Backend>> Open(const py::object& connection, const std::string& name,
                                      const BackendOptions& options) {
  py::object kept = connection;
  const bool in_process = !connection.is_none();
  const py::gil_scoped_release unlocked;
  if (!in_process) return OpenBackend(name, options);
  Result<std::unique_ptr<Backend>> backend = [&] {
    const py::gil_scoped_acquire lock;
    return OpenPythonBackend(std::move(kept), name, options);
  }();
  if (!backend) return backend;
  const Result<BackendDeclarations> declared = DeclarationsNamed(options.declarations);
  if (!declared) return declared.error();
  (*backend)->Declare(*declared);
  return backend;
}

Result<Done> CheckSignals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return Done{};
}

RunReport VerifyAll(const std::vector<std::string>& paths, const py::list& vectors,
                    const py::object& connection, const std::string& backend_name,
                    const py::dict& options) {
  VerificationPlan plan;
  plan.paths = paths;
  for (const py::handle vector : vectors) {
    plan.vectors.push_back(*vector.cast<std::shared_ptr<TestVector>>());
  }
  plan.backend = backend_name;
  plan.options = BackendOptionsOf(options);
  const auto take = [&options](const char* name, auto& field) {
    if (options.contains(name)) field = options[name].cast<std::decay_t<decltype(field)>>();
  };
  take("minimize", plan.minimize);
  take("folder", plan.folder);
  take("repeats", plan.repeats);
  take("implied_errors", plan.implied_errors);
  KnownOptions known;
  take("known", known.file);
  take("today", known.today);
  plan.known = ValueOf(LoadKnown(known, plan.backend));
  if (plan.minimize) ValueOf(MakeDirectories(plan.folder));
  plan.progress = [](int64_t) { return CheckSignals(); };
  std::unique_ptr<Backend> backend = ValueOf(Open(connection, backend_name, plan.options));
  const py::gil_scoped_release unlocked;
  Result<RunReport> run = Verify(*backend, plan);
  backend.reset();
  if (!run) {
    const py::gil_scoped_acquire lock;
    Raise(run.error());
  }
  return std::move(*run);
}

py::bytes MinimizeOne(const TestVector& vector, const py::object& connection,
                      const std::string& backend_name, const py::dict& options, int64_t calls) {
  std::unique_ptr<Backend> backend =
      ValueOf(Open(connection, backend_name, BackendOptionsOf(options)));
  std::optional<Result<TestVector>> minimal;
  {
    const py::gil_scoped_release unlocked;
    minimal = Minimize(*backend, vector, calls);
    backend.reset();
  }
  return ToBytes(WriteTestVector(ValueOf(std::move(*minimal))));
}

std::vector<std::string> ListVectors(const std::vector<std::string>& paths) {
  const CaseList list = ValueOf(ListCases(paths, [](const std::string&) {}));
  std::vector<std::string> names;
  for (int64_t i = 0; i < list.size(); ++i) names.push_back(list.Name(i));
  return names;
}

bool IsBackendName(const std::string& text) { return static_cast<bool>(FindBackendKind(text)); }

}  // namespace

void DefineVectorFunctions(py::module_& module) {
  DefineVector(module);
  DefineResults(module);
  py::class_<Cases>(module, "Cases")
      .def(py::init([](const py::dict& options) { return Cases(OptionsOf(options)); }))
      .def("set_sizes", &Cases::SetSizes)
      .def("make", &Cases::Make, py::arg("number"))
      .def_property_readonly("targets", &Cases::targets);
  module.def("verify", &VerifyAll);
  module.def("minimize", &MinimizeOne);
  module.def("list_vectors", &ListVectors);
  module.def("is_backend_name", &IsBackendName);
  module.def("check_report_folder",
             [](const std::string& folder) { ValueOf(CheckReportFolder(folder)); });
  py::class_<Structure>(module, "Structure")
      .def(py::init([](const TestVector& vector) { return Structure(vector); }))
      .def_property_readonly("operators", &Structure::operators)
      .def_property_readonly("dimensions", &Structure::dimensions)
      .def_property_readonly("data", &Structure::data)
      .def("smaller", [](const Structure& structure, const std::vector<bool>& operators,
                         const std::vector<int32_t>& sizes, const std::vector<bool>& data) {
        std::vector<uint8_t> bytes;
        {
          const py::gil_scoped_release unlocked;
          bytes = WriteTestVector(structure.Smaller(operators, sizes, data));
        }
        return ToBytes(bytes);
      });
}

}  // namespace assay::python

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "folding_records.h"
#include "levels.h"
#include "packing.h"
#include "plan_records.h"
#include "profiles.h"
#include "quoted.h"
#include "state_rules.h"
#include "test_vector_generated.h"
#include "tvec_file.h"
#include "tvec_format.h"
#include "verified_bytes.h"
#include "wire_reading.h"
#include "wire_tensor.h"

namespace assay {
namespace {

// Reads one file.
class Reader : private WireReading {
 public:
  Reader(const SharedBytes& file, std::string_view name, const ReadLimits& limits,
         ReadBudget& budget)
      : WireReading(kTvecWords, budget, std::string(name) + ": "), file_(file), limits_(limits) {}

  Result<TestVector> Read(const wire::TestVector& from) {
    TestVector vector;
    if (!ReadHeader(from, vector) || !ReadGraphs(from, vector) || !ReadSteps(from, vector) ||
        !ReadFolds(from, vector) || !ReadPlans(from, vector)) {
      return error();
    }
    return vector;
  }

 private:
  bool ReadHeader(const wire::TestVector& from, TestVector& vector) {
    if (from.format() < kOldestTestVectorFormat || from.format() > kTestVectorFormat) {
      return Unsupported("is of format " + std::to_string(from.format()) + "; this build reads " +
                         std::to_string(kOldestTestVectorFormat) + " to " +
                         std::to_string(kTestVectorFormat));
    }
    if (!KnownFields(from, 14, "TestVector")) return false;
    if (const wire::SpecVersion* spec = from.spec()) {
      if (!KnownFields(*spec, 4, "SpecVersion")) return false;
      vector.spec = {spec->major(), spec->minor(), spec->patch(), spec->draft()};
    }
    if (const wire::Provenance* made = from.provenance()) {
      if (!KnownFields(*made, 6, "Provenance")) return false;
      Provenance& to = vector.provenance;
      to.campaign = made->campaign();
      to.index = made->index();
      to.generator_version = made->generator_version();
      if (!ReadText(made->kind(), to.kind) || !ReadText(made->note(), to.note) ||
          !ReadText(made->toolkit_version(), to.toolkit_version)) {
        return false;
      }
    }
    return ReadText(from.name(), vector.name) && ReadText(from.level(), vector.level) &&
           ReadTexts(from.requirements(), vector.requirements) &&
           ReadTexts(from.tags(), vector.tags) && ReadSemantics(from, vector) &&
           KnownTarget(vector);
  }

  bool ReadSemantics(const wire::TestVector& from, TestVector& vector) {
    if (from.semantics() == nullptr) return true;
    if (!ReadText(from.semantics(), vector.semantics)) return false;
    if (StateRulesByName(vector.semantics) != nullptr) return true;
    return Unsupported("semantics " + Quoted(vector.semantics) + " is not known to this build");
  }

  // Checks the target. A vector for a target that this build does not know cannot be judged.
  bool KnownTarget(const TestVector& vector) {
    if (!LevelByName(vector.level)) {
      return Unsupported("level " + Quoted(vector.level) + " is not known to this build");
    }
    for (const std::string& name : vector.requirements) {
      if (!FeatureByName(name)) {
        return Unsupported(Quoted(name) + " is no profile or extension known to this build");
      }
    }
    return true;
  }

  bool ReadGraphs(const wire::TestVector& from, TestVector& vector) {
    size_t total = 0;
    for (const wire::EmbeddedGraph* embedded : ElementsOf(from.graphs())) {
      place_ = "graph " + std::to_string(vector.graphs.size()) + ": ";
      if (!KnownFields(*embedded, 1, "EmbeddedGraph")) return false;
      const std::span<const uint8_t> bytes = View(embedded->tosa());
      total += bytes.size();
      if (total > file_.bytes.size()) return Fail("graphs overlap");
      if (!Charge(sizeof(Graph))) return false;
      std::string graph_name = prefix_ + place_;
      graph_name.resize(graph_name.size() - 2);
      Result<Graph> graph = ReadTosa(SharedBytes{file_.owner, bytes}, graph_name, nullptr, limits_);
      if (!graph) return PassOn(graph.error());
      vector.graphs.push_back(std::move(*graph));
    }
    return true;
  }

  bool ReadSteps(const wire::TestVector& from, TestVector& vector) {
    for (const wire::Step* step : ElementsOf(from.steps())) {
      place_ = "step " + std::to_string(vector.steps.size()) + ": ";
      if (!Charge(sizeof(Step))) return false;
      if (!ReadStep(*step, vector.graphs, vector.steps.emplace_back())) return false;
    }
    return true;
  }

  bool ReadFolds(const wire::TestVector& from, TestVector& vector) {
    place_ = "";
    const Result<Done> read = GetFolds(from, budget_, vector);
    return read || SetError(read.error().kind, read.error().message);
  }

  bool ReadPlans(const wire::TestVector& from, TestVector& vector) {
    for (const wire::PlanRecord* record : ElementsOf(from.plans())) {
      place_ = "plan " + std::to_string(vector.plans.size()) + ": ";
      Result<PlanRecord> plan = GetPlanRecord(*record, vector.graphs.size(), budget_);
      if (!plan) return SetError(plan.error().kind, plan.error().message);
      vector.plans.push_back(std::move(*plan));
    }
    return true;
  }

  bool ReadStep(const wire::Step& from, const std::vector<Graph>& graphs, Step& step) {
    if (!KnownFields(from, 8, "Step")) return false;
    if (from.context() > uint32_t{INT32_MAX}) return Fail("context is above 2^31 - 1");
    if (from.graph() >= graphs.size()) {
      return Fail("there is no graph " + std::to_string(from.graph()));
    }
    step.context = static_cast<int32_t>(from.context());
    step.graph = static_cast<int32_t>(from.graph());
    if (!ReadEnum(from.expected(), OutcomeKind::kUnpredictable, "outcome", step.expected) ||
        !ReadText(from.rule(), step.rule)) {
      return false;
    }
    for (const wire::Tensor* input : ElementsOf(from.inputs())) {
      const std::string where = "input " + std::to_string(step.inputs.size());
      if (!ReadTensor(input, where, step.inputs.emplace_back())) return false;
    }
    for (const wire::Expectation* output : ElementsOf(from.outputs())) {
      const std::string where = "output " + std::to_string(step.outputs.size());
      if (!ReadExpectation(output, where, step.outputs.emplace_back())) return false;
    }
    const Block* main = graphs[from.graph()].Main();
    const size_t outputs = main == nullptr ? 0 : main->outputs.size();
    if (step.outputs.size() > outputs) {
      return Fail("expects " + std::to_string(step.outputs.size()) + " outputs of graph " +
                  std::to_string(from.graph()) + ", which has " + std::to_string(outputs));
    }
    for (const wire::NamedExpectation* entry : ElementsOf(from.state_after())) {
      if (!KnownFields(*entry, 2, "NamedExpectation")) return false;
      const std::string where = "state after, " + Quoted(View(entry->name()));
      Expectation* expectation = AddState(entry->name(), step.state_after);
      if (expectation == nullptr) return false;
      if (!ReadExpectation(entry->expectation(), where, *expectation)) return false;
    }
    for (const wire::NamedTensor* entry : ElementsOf(from.state_before())) {
      if (!KnownFields(*entry, 2, "NamedTensor")) return false;
      const std::string where = "state before, " + Quoted(View(entry->name()));
      Tensor* tensor = AddState(entry->name(), step.state_before);
      if (tensor == nullptr || !ReadTensor(entry->tensor(), where, *tensor)) return false;
    }
    return true;
  }

  // Returns the new entry of a variable, or null if there already is one.
  template <class T>
  T* AddState(const flatbuffers::String* name, std::map<std::string, T>& state) {
    std::string text;
    if (!Charge(sizeof(T) + 64) || !ReadText(name, text)) return nullptr;
    const auto [entry, is_new] = state.try_emplace(std::move(text));
    if (is_new) return &entry->second;
    Fail("variable " + Quoted(entry->first) + " is there twice");
    return nullptr;
  }

  bool ReadTensor(const wire::Tensor* from, const std::string& where, Tensor& tensor) {
    if (from != nullptr) {
      if (!KnownFields(*from, 3, "Tensor")) return false;
      if (!Charge(sizeof(Tensor) + View(from->data()).size())) return false;
    }
    Result<Tensor> read = GetTensor(from);
    if (!read) return SetError(read.error().kind, where + ": " + read.error().message);
    tensor = std::move(*read);
    return true;
  }

  bool ReadExpectation(const wire::Expectation* from, const std::string& where, Expectation& to) {
    if (from == nullptr) return Fail(where + ": no expectation");
    if (!KnownFields(*from, 5, "Expectation") || !Charge(sizeof(Expectation))) return false;
    if (!ReadTensor(from->value(), where, to.value)) return false;
    if (!ReadNumbers(from->reference(), to.reference) || !ReadNumbers(from->error(), to.error)) {
      return false;
    }
    const auto elements = static_cast<size_t>(to.value.elements());
    const bool is_exact = to.reference.empty() && to.error.empty();
    if (!is_exact && (to.reference.size() != elements || to.error.size() != elements)) {
      return Fail(where + ": reference and error are not one number for each element");
    }
    if (std::any_of(to.error.begin(), to.error.end(), [](double error) { return error < 0; })) {
      return Fail(where + ": an error is below 0");
    }
    if (from->statistics() != nullptr && !ReadStatistics(*from->statistics(), where, to)) {
      return false;
    }
    return ReadText(from->rule(), to.rule);
  }

  bool ReadStatistics(const wire::DotStatistics& from, const std::string& where, Expectation& to) {
    if (!KnownFields(from, 4, "DotStatistics")) return false;
    DotStatistics& statistics = to.statistics.emplace();
    statistics.abs_bound = from.abs_bound();
    statistics.variance_bound = from.variance_bound();
    statistics.set = from.set();
    if (!ReadNumbers(from.unit(), statistics.unit)) return false;
    if (!IsFloat(to.value.type()) || statistics.unit.size() != to.error.size()) {
      return Fail(where + ": statistics without one unit for each floating-point element");
    }
    const auto is_measure = [](double x) { return x >= 0 && std::isfinite(x); };
    if (!std::all_of(statistics.unit.begin(), statistics.unit.end(), is_measure) ||
        !is_measure(statistics.abs_bound) || !is_measure(statistics.variance_bound)) {
      return Fail(where + ": a unit or bound of the statistics is no finite number from 0");
    }
    return true;
  }

  const SharedBytes file_;
  const ReadLimits limits_;
};

}  // namespace

Result<TestVector> ReadTestVector(std::span<const uint8_t> bytes, std::string_view name,
                                  const ReadLimits& limits) {
  return ReadTestVector(SharedBytes{nullptr, bytes}, name, limits);
}

Result<TestVector> ReadTestVector(const SharedBytes& shared, std::string_view name,
                                  const ReadLimits& limits) {
  const AlignedBytes aligned(shared.bytes);
  const std::span<const uint8_t> bytes = aligned.bytes();
  if (bytes.size() < 8 || !wire::TestVectorBufferHasIdentifier(bytes.data())) {
    return BadInput(std::string(name) + ": offset 4: not a .tvec file: no identifier TVEC");
  }
  flatbuffers::Verifier::Options options = VerifierOptions(bytes.size(), limits);
  options.check_nested_flatbuffers = false;  // ReadTosa() does
  if (std::ssize(bytes) > limits.file_max) {
    return BadInput(std::string(name) + ": " + LimitText("file_max", limits.file_max));
  }
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return BadInput(std::string(name) + ": is larger than a FlatBuffer may be");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), options);
  if (!wire::VerifyTestVectorBuffer(verifier)) {
    return BadInput(std::string(name) + ": the FlatBuffer is damaged, or not a test vector" +
                    TableLimitText(bytes.size(), limits));
  }
  ReadBudget budget(bytes.size(), limits.memory_max);
  const bool is_copy = bytes.data() != shared.bytes.data();
  const SharedBytes file = {is_copy ? nullptr : shared.owner, bytes};
  return Reader(file, name, limits, budget).Read(*wire::GetTestVector(bytes.data()));
}

}  // namespace assay

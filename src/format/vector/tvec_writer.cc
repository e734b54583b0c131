// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "check.h"
#include "folding_records.h"
#include "plan_records.h"
#include "test_vector_generated.h"
#include "tvec_file.h"
#include "tvec_format.h"
#include "wire_tensor.h"

namespace assay {
namespace {

using flatbuffers::Offset;

static_assert(static_cast<OutcomeKind>(wire::Outcome::UNPREDICTABLE) ==
              OutcomeKind::kUnpredictable);  // kValid and kError come before it

class Writer {
 public:
  std::vector<uint8_t> Write(const TestVector& vector) {
    std::vector<Offset<wire::EmbeddedGraph>> graphs;
    for (const Graph& graph : vector.graphs) {
      const std::vector<uint8_t> bytes = WriteTosa(graph);
      graphs.push_back(wire::CreateEmbeddedGraph(builder_, PutBytes(builder_, bytes)));
    }
    std::vector<Offset<wire::Step>> steps;
    for (const Step& step : vector.steps) steps.push_back(WriteStep(step));
    const SpecVersion& spec = vector.spec;
    const Provenance& from = vector.provenance;
    const auto kind = builder_.CreateString(from.kind);
    const auto toolkit_version = builder_.CreateString(from.toolkit_version);
    const auto note = builder_.CreateString(from.note);
    const auto provenance = wire::CreateProvenance(builder_, from.campaign, from.index, kind,
                                                   from.generator_version, toolkit_version, note);
    const auto name = builder_.CreateString(vector.name);
    const auto version =
        wire::CreateSpecVersion(builder_, spec.major, spec.minor, spec.patch, spec.draft);
    const auto requirements = builder_.CreateVectorOfStrings(vector.requirements);
    const auto level = builder_.CreateString(vector.level);
    const auto graph_list = builder_.CreateVector(graphs);
    const auto step_list = builder_.CreateVector(steps);
    // A default value is left out, because readers treat an absent field as the default.
    const auto semantics = vector.semantics == TestVector().semantics
                               ? Offset<flatbuffers::String>()
                               : builder_.CreateString(vector.semantics);
    const auto tags = builder_.CreateVectorOfStrings(vector.tags);
    const FoldFields folds = PutFolds(builder_, vector);
    Offset<flatbuffers::Vector<Offset<wire::PlanRecord>>> plan_list;
    if (!vector.plans.empty()) {
      std::vector<Offset<wire::PlanRecord>> plans;
      for (const PlanRecord& plan : vector.plans) plans.push_back(PutPlanRecord(builder_, plan));
      plan_list = builder_.CreateVector(plans);
    }
    wire::FinishTestVectorBuffer(
        builder_, wire::CreateTestVector(builder_, kTestVectorFormat, name, version, requirements,
                                         level, graph_list, step_list, tags, provenance, semantics,
                                         folds.constness, folds.folds, folds.pairs, plan_list));
    const uint8_t* bytes = builder_.GetBufferPointer();
    return {bytes, bytes + builder_.GetSize()};
  }

 private:
  // Returns a null offset for a tensor without a value.
  Offset<wire::Tensor> WriteTensor(const Tensor& tensor) {
    return tensor.has_value() ? PutTensor(builder_, tensor) : Offset<wire::Tensor>();
  }

  Offset<wire::Expectation> WriteExpectation(const Expectation& expectation) {
    Check(expectation.value.has_value(), "expectations have values");
    Offset<flatbuffers::Vector<double>> reference, error;
    if (!expectation.error.empty()) {
      reference = builder_.CreateVector(expectation.reference);
      error = builder_.CreateVector(expectation.error);
    }
    const auto value = WriteTensor(expectation.value);
    const auto rule = builder_.CreateString(expectation.rule);
    Offset<wire::DotStatistics> statistics;
    if (expectation.statistics) statistics = WriteStatistics(*expectation.statistics);
    return wire::CreateExpectation(builder_, value, reference, error, rule, statistics);
  }

  Offset<wire::DotStatistics> WriteStatistics(const DotStatistics& statistics) {
    const auto unit = builder_.CreateVector(statistics.unit);
    return wire::CreateDotStatistics(builder_, unit, statistics.abs_bound,
                                     statistics.variance_bound, statistics.set);
  }

  Offset<wire::Step> WriteStep(const Step& step) {
    Check(step.context >= 0 && step.graph >= 0, "contexts and graphs count from zero");
    Check(step.expected <= OutcomeKind::kUnpredictable,
          "a vector expects what an executor can decide");
    std::vector<Offset<wire::Tensor>> inputs;
    for (const Tensor& input : step.inputs) {
      Check(input.has_value(), "the inputs of a step have values");
      inputs.push_back(WriteTensor(input));
    }
    std::vector<Offset<wire::Expectation>> outputs;
    for (const Expectation& output : step.outputs) outputs.push_back(WriteExpectation(output));
    std::vector<Offset<wire::NamedExpectation>> after;
    for (const auto& [name, expectation] : step.state_after) {
      const auto wire_name = builder_.CreateString(name);
      after.push_back(
          wire::CreateNamedExpectation(builder_, wire_name, WriteExpectation(expectation)));
    }
    std::vector<Offset<wire::NamedTensor>> before;
    for (const auto& [name, tensor] : step.state_before) {
      const auto wire_name = builder_.CreateString(name);
      before.push_back(wire::CreateNamedTensor(builder_, wire_name, WriteTensor(tensor)));
    }
    const auto rule = builder_.CreateString(step.rule);
    const auto input_list = builder_.CreateVector(inputs);
    const auto output_list = builder_.CreateVector(outputs);
    const auto after_list = builder_.CreateVector(after);
    const auto before_list = builder_.CreateVector(before);
    return wire::CreateStep(builder_, static_cast<uint32_t>(step.context),
                            static_cast<uint32_t>(step.graph), input_list,
                            static_cast<wire::Outcome>(step.expected), rule, output_list,
                            after_list, before_list);
  }

  flatbuffers::FlatBufferBuilder builder_{8192};
};

}  // namespace

std::vector<uint8_t> WriteTestVector(const TestVector& vector) { return Writer().Write(vector); }

}  // namespace assay

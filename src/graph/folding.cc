// SPDX-License-Identifier: Apache-2.0
#include "folding.h"

#include "enum_names.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kConstness = {"varying", "runtime", "compile-time"};
constexpr std::array<std::string_view, 3> kStages = {"compile-time", "runtime", "entry"};
constexpr std::array<std::string_view, 2> kForms = {"split", "runtime"};
constexpr std::array<std::string_view, 3> kPolicies = {"ratio", "additive", "absolute"};
constexpr std::array<std::string_view, 7> kExpanders = {
    "tile", "broadcast", "pad", "concat", "gather", "resize-nearest", "widening-cast"};

bool IsIn(int32_t index, size_t count) { return index >= 0 && static_cast<size_t>(index) < count; }

// Returns the main block of a graph; null if there is no such graph, or if it has no main block.
const Block* MainOf(std::span<const Graph> graphs, int32_t graph) {
  return IsIn(graph, graphs.size()) ? graphs[static_cast<size_t>(graph)].Main() : nullptr;
}

// Returns what is wrong with a stage, or "".
std::string WrongStage(const FoldRecord& record, std::span<const Graph> graphs, FoldStage stage) {
  const FoldStageRecord& part = record.at(stage);
  const Block* main = MainOf(graphs, part.graph);
  const Block* original = MainOf(graphs, record.original);
  if (main == nullptr) return "there is no graph " + std::to_string(part.graph);
  if (part.inputs.size() != main->inputs.size()) return "has another number of inputs";
  for (const FoldSource& source : part.inputs) {
    const bool is_cached = source.kind == FoldSource::Kind::kCached;
    if (!IsIn(source.index, is_cached ? record.cached.size() : original->inputs.size())) {
      return std::string("there is no ") + (is_cached ? "cached tensor " : "argument ") +
             std::to_string(source.index);
    }
  }
  const bool is_entry = stage == FoldStage::kEntry;
  if (main->outputs.size() != (is_entry ? original->outputs.size() : part.outputs.size()) ||
      (is_entry && !part.outputs.empty())) {
    return "has another number of outputs";
  }
  for (const int32_t output : part.outputs) {
    if (!IsIn(output, record.cached.size())) {
      return "there is no cached tensor " + std::to_string(output);
    }
  }
  return "";
}

}  // namespace

FoldRecord::FoldRecord() = default;
FoldRecord::FoldRecord(const FoldRecord& other) = default;
FoldRecord& FoldRecord::operator=(const FoldRecord& other) = default;
FoldRecord::FoldRecord(FoldRecord&& other) noexcept = default;
FoldRecord& FoldRecord::operator=(FoldRecord&& other) noexcept = default;
FoldRecord::~FoldRecord() = default;

Result<Done> ValidateFoldRecord(const FoldRecord& record, std::span<const Graph> graphs) {
  for (const int32_t graph : {record.original, record.postponed}) {
    if (MainOf(graphs, graph) == nullptr) {
      return BadInput("there is no graph " + std::to_string(graph));
    }
  }
  for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry}) {
    const std::string wrong = WrongStage(record, graphs, stage);
    if (!wrong.empty()) return BadInput("stage " + std::string(NameOf(stage)) + ": " + wrong);
  }
  if (record.policy.limit < 0) return BadInput("the limit of the policy is negative");
  const size_t operators = MainOf(graphs, record.postponed)->operators.size();
  if (record.certificate.went.size() != operators) {
    return BadInput("places of " + std::to_string(record.certificate.went.size()) +
                    " operators, where there are " + std::to_string(operators));
  }
  return Done();
}

std::string_view NameOf(Constness constness) { return EntryOf(kConstness, constness); }
std::string_view NameOf(FoldStage stage) { return EntryOf(kStages, stage); }
std::string_view NameOf(FoldForm form) { return EntryOf(kForms, form); }
std::string_view NameOf(ExpanderKind kind) { return EntryOf(kExpanders, kind); }
std::string_view NameOf(SizePolicyKind kind) { return EntryOf(kPolicies, kind); }

std::optional<FoldForm> FoldFormNamed(std::string_view name) {
  return EnumNamed<FoldForm>(kForms, name);
}

std::optional<SizePolicyKind> SizePolicyKindNamed(std::string_view name) {
  return EnumNamed<SizePolicyKind>(kPolicies, name);
}

}  // namespace assay

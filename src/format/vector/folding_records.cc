// SPDX-License-Identifier: Apache-2.0
#include "folding_records.h"

#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "tvec_format.h"
#include "wire_reading.h"
#include "wire_tensor.h"

namespace assay {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Strings = flatbuffers::Vector<Offset<flatbuffers::String>>;

// Converts an enumerator. The enumerations of the file format have the same numbers as ours.
template <class Wire, class Enum>
Wire ToWire(Enum value) {
  return static_cast<Wire>(value);
}

uint32_t Position(int32_t index) {
  Check(index >= 0, "positions in a fold record count from zero");
  return static_cast<uint32_t>(index);
}

// Writes a list of tables. Returns a null offset if it is empty.
template <class Table, class From, class Put>
Offset<flatbuffers::Vector<Offset<Table>>> PutList(FlatBufferBuilder& builder, const From& from,
                                                   const Put& put) {
  if (from.empty()) return {};
  std::vector<Offset<Table>> tables;
  for (const auto& one : from) tables.push_back(put(builder, one));
  return builder.CreateVector(tables);
}

Offset<wire::ArgumentConstness> PutConstness(
    FlatBufferBuilder& builder, const std::pair<const int32_t, std::vector<Constness>>& arguments) {
  std::vector<wire::Constness> inputs;
  for (const Constness constness : arguments.second) {
    inputs.push_back(ToWire<wire::Constness>(constness));
  }
  const auto list = builder.CreateVector(inputs);
  return wire::CreateArgumentConstness(builder, Position(arguments.first), list);
}

Offset<wire::FoldSource> PutSource(FlatBufferBuilder& builder, const FoldSource& source) {
  return wire::CreateFoldSource(builder, ToWire<wire::FoldSourceKind>(source.kind),
                                Position(source.index));
}

Offset<wire::FoldStageRecord> PutStage(FlatBufferBuilder& builder, const FoldStageRecord& stage) {
  std::vector<uint32_t> outputs;
  for (const int32_t output : stage.outputs) outputs.push_back(Position(output));
  const auto inputs = PutList<wire::FoldSource>(builder, stage.inputs, PutSource);
  const auto output_list = builder.CreateVector(outputs);
  return wire::CreateFoldStageRecord(builder, Position(stage.graph), inputs, output_list);
}

Offset<wire::CachedTensor> PutCached(FlatBufferBuilder& builder, const CachedTensor& cached) {
  const auto dims = cached.type.shape.dims();
  const auto shape = builder.CreateVector(dims.data(), dims.size());
  const auto name = builder.CreateString(cached.name);
  return wire::CreateCachedTensor(builder, cached.global_index, name,
                                  ToWire<tosa::DType>(cached.type.type), shape,
                                  ToWire<wire::FoldStage>(cached.stage), cached.bytes);
}

Offset<wire::Postponement> PutPostponement(FlatBufferBuilder& builder, const Postponement& from) {
  const auto expanded = builder.CreateVectorOfStrings(from.expanded);
  const auto result = builder.CreateString(from.result);
  const auto inner = builder.CreateVectorOfStrings(from.inner);
  const auto constants = builder.CreateVectorOfStrings(from.constants);
  return wire::CreatePostponement(builder, ToWire<wire::ExpanderKind>(from.kind), expanded, result,
                                  inner, constants);
}

Offset<wire::FoldRecord> PutRecord(FlatBufferBuilder& builder, const FoldRecord& record) {
  const FoldCertificate& certificate = record.certificate;
  std::vector<uint8_t> went;
  for (const StageSet& stages : certificate.went) went.push_back(stages.bits());
  const auto stages = PutList<wire::FoldStageRecord>(builder, record.stages, PutStage);
  const auto cached = PutList<wire::CachedTensor>(builder, record.cached, PutCached);
  const auto postponements =
      PutList<wire::Postponement>(builder, certificate.postponements, PutPostponement);
  const auto went_list = builder.CreateVector(went);
  const auto baked = builder.CreateVectorOfStrings(certificate.baked);
  return wire::CreateFoldRecord(builder, ToWire<wire::FoldForm>(record.form),
                                ToWire<wire::SizePolicyKind>(record.policy.kind),
                                record.policy.limit, Position(record.original),
                                Position(record.postponed), stages, cached, postponements,
                                went_list, baked);
}

Offset<wire::FoldPair> PutPair(FlatBufferBuilder& builder, const FoldPair& pair) {
  const auto law = builder.CreateString(pair.law);
  const auto reason = builder.CreateString(pair.reason);
  return wire::CreateFoldPair(builder, Position(pair.before), Position(pair.after), law, pair.equal,
                              reason);
}

// Reads the records of one file.
class FoldReader : private WireReading {
 public:
  FoldReader(ReadBudget& budget, TestVector& vector)
      : WireReading(kTvecWords, budget), vector_(vector) {}

  Result<Done> Read(const wire::TestVector& from) {
    if (ReadConstness(from) && ReadRecords(from) && ReadPairs(from)) return Done();
    return error();
  }

 private:
  bool ReadConstness(const wire::TestVector& from) {
    place_ = "constness: ";
    for (const wire::ArgumentConstness* arguments : ElementsOf(from.constness())) {
      if (!KnownFields(*arguments, 2, "ArgumentConstness")) return false;
      int32_t graph = 0;
      if (!ReadGraph(arguments->graph(), graph)) return false;
      const auto [entry, is_new] = vector_.constness.try_emplace(graph);
      if (!is_new) return Fail("graph " + std::to_string(graph) + " is there twice");
      if (!Charge(sizeof(*entry) + SizeOf(arguments->inputs()))) return false;
      for (const wire::Constness constness : ElementsOf(arguments->inputs())) {
        if (!ReadEnum(constness, Constness::kCompileTime, "constness",
                      entry->second.emplace_back())) {
          return false;
        }
      }
      const Block* main = vector_.graphs[static_cast<size_t>(graph)].Main();
      if (entry->second.size() != (main == nullptr ? 0 : main->inputs.size())) {
        return Fail("graph " + std::to_string(graph) + " has another number of inputs");
      }
    }
    return true;
  }

  bool ReadRecords(const wire::TestVector& from) {
    for (const wire::FoldRecord* record : ElementsOf(from.folds())) {
      place_ = "fold " + std::to_string(vector_.folds.size()) + ": ";
      if (!Charge(sizeof(FoldRecord))) return false;
      FoldRecord& to = vector_.folds.emplace_back();
      if (!ReadRecord(*record, to)) return false;
      const Result<Done> valid = ValidateFoldRecord(to, vector_.graphs);
      if (!valid) return Fail(valid.error().message);
    }
    return true;
  }

  bool ReadPairs(const wire::TestVector& from) {
    for (const wire::FoldPair* pair : ElementsOf(from.fold_pairs())) {
      place_ = "fold pair " + std::to_string(vector_.fold_pairs.size()) + ": ";
      if (!Charge(sizeof(FoldPair)) || !KnownFields(*pair, 5, "FoldPair")) return false;
      FoldPair& to = vector_.fold_pairs.emplace_back();
      to.equal = pair->equal();
      if (!ReadGraph(pair->before(), to.before) || !ReadGraph(pair->after(), to.after) ||
          !ReadText(pair->law(), to.law) || !ReadText(pair->reason(), to.reason)) {
        return false;
      }
    }
    return true;
  }

  bool ReadRecord(const wire::FoldRecord& from, FoldRecord& to) {
    if (!KnownFields(from, 10, "FoldRecord")) return false;
    if (!ReadEnum(from.form(), FoldForm::kRuntime, "fold form", to.form) ||
        !ReadEnum(from.policy(), SizePolicyKind::kAbsolute, "size policy", to.policy.kind) ||
        !ReadGraph(from.original(), to.original) || !ReadGraph(from.postponed(), to.postponed)) {
      return false;
    }
    to.policy.limit = from.limit();
    if (SizeOf(from.stages()) != to.stages.size()) return Fail("does not have three stages");
    size_t stage = 0;
    for (const wire::FoldStageRecord* one : ElementsOf(from.stages())) {
      if (!ReadStage(*one, to.stages[stage++])) return false;
    }
    for (const wire::CachedTensor* one : ElementsOf(from.cached())) {
      if (!Charge(sizeof(CachedTensor)) || !ReadCached(*one, to.cached.emplace_back()))
        return false;
    }
    return ReadCertificate(from, to.certificate);
  }

  bool ReadStage(const wire::FoldStageRecord& from, FoldStageRecord& to) {
    if (!KnownFields(from, 3, "FoldStageRecord") || !ReadGraph(from.graph(), to.graph))
      return false;
    for (const wire::FoldSource* source : ElementsOf(from.inputs())) {
      if (!Charge(sizeof(FoldSource)) || !KnownFields(*source, 2, "FoldSource")) return false;
      FoldSource& input = to.inputs.emplace_back();
      if (!ReadEnum(source->kind(), FoldSource::Kind::kCached, "fold source", input.kind) ||
          !ReadPosition(source->index(), input.index)) {
        return false;
      }
    }
    for (const uint32_t output : ElementsOf(from.outputs())) {
      if (!Charge(sizeof(int32_t)) || !ReadPosition(output, to.outputs.emplace_back()))
        return false;
    }
    return true;
  }

  bool ReadCached(const wire::CachedTensor& from, CachedTensor& to) {
    if (!KnownFields(from, 6, "CachedTensor")) return false;
    to.global_index = from.global_index();
    to.bytes = from.bytes();
    const Result<DType> type = GetType(from.type());
    if (!type) return SetError(type.error().kind, type.error().message);
    to.type.type = *type;
    if (SizeOf(from.shape()) > Shape::kMaxRank) return Fail("rank above 32");
    for (const int32_t dim : ElementsOf(from.shape())) to.type.shape.PushBack(dim);
    return ReadEnum(from.stage(), FoldStage::kEntry, "fold stage", to.stage) &&
           ReadText(from.name(), to.name);
  }

  bool ReadCertificate(const wire::FoldRecord& from, FoldCertificate& to) {
    for (const wire::Postponement* one : ElementsOf(from.postponements())) {
      if (!Charge(sizeof(Postponement)) || !KnownFields(*one, 5, "Postponement")) return false;
      Postponement& postponement = to.postponements.emplace_back();
      if (!ReadEnum(one->kind(), ExpanderKind::kWideningCast, "expander", postponement.kind) ||
          !ReadTexts(one->expanded(), postponement.expanded) ||
          !ReadText(one->result(), postponement.result) ||
          !ReadTexts(one->inner(), postponement.inner) ||
          !ReadTexts(one->constants(), postponement.constants)) {
        return false;
      }
    }
    if (!Charge(SizeOf(from.went()))) return false;
    for (const uint8_t bits : View(from.went())) {
      if (bits >> kFoldStages != 0)
        return Unsupported("fold stages " + std::to_string(bits) + " are not known");
      to.went.push_back(StageSet::FromBits(bits));
    }
    return ReadTexts(from.baked(), to.baked);
  }

  bool ReadPosition(uint32_t from, int32_t& to) {
    if (from > uint32_t{INT32_MAX}) return Fail("there is no position " + std::to_string(from));
    to = static_cast<int32_t>(from);
    return true;
  }

  bool ReadGraph(uint32_t from, int32_t& to) {
    if (from >= vector_.graphs.size()) return Fail("there is no graph " + std::to_string(from));
    return ReadPosition(from, to);
  }

  TestVector& vector_;
};

}  // namespace

FoldFields PutFolds(FlatBufferBuilder& builder, const TestVector& vector) {
  return {PutList<wire::ArgumentConstness>(builder, vector.constness, PutConstness),
          PutList<wire::FoldRecord>(builder, vector.folds, PutRecord),
          PutList<wire::FoldPair>(builder, vector.fold_pairs, PutPair)};
}

Result<Done> GetFolds(const wire::TestVector& from, ReadBudget& budget, TestVector& vector) {
  return FoldReader(budget, vector).Read(from);
}

}  // namespace assay

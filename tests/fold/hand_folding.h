// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "block_builder.h"
#include "folding.h"

namespace assay {

// Folds a graph by hand: the caller decides the stage of each operator.
class HandFold {
 public:
  explicit HandFold(Graph graph, std::vector<Constness> arguments)
      : HandFold(graph, graph, std::move(arguments)) {}
  HandFold(Graph original, Graph postponed, std::vector<Constness> arguments) {
    folding.graphs = {std::move(original), std::move(postponed)};
    folding.arguments = std::move(arguments);
    folding.record.original = 0;
    folding.record.postponed = 1;
    folding.record.certificate.went.resize(folding.postponed().Main()->operators.size());
  }

  // Adds a stage: its inputs, the operators that make the tensors `made`, and its outputs. An input
  // is an argument, or else a cached tensor.
  HandFold& Stage(FoldStage stage, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& made, const std::vector<std::string>& outputs) {
    const Block& whole = *folding.postponed().Main();
    FoldStageRecord& record = folding.record.at(stage);
    Graph graph = folding.postponed();
    Block& block = *graph.Main();
    block.tensors.clear();
    block.operators.clear();
    block.inputs.clear();
    block.outputs.clear();
    for (const std::string& input : inputs) {
      block.inputs.push_back(IndexIn(block, whole, input));
      record.inputs.push_back(SourceOf(input));
    }
    for (size_t i = 0; i < whole.operators.size(); ++i) {
      const Operator& op = whole.operators[i];
      const bool goes = op.outputs.empty() ? stage == FoldStage::kEntry
                                           : std::ranges::count(made, NameIn(whole, op.outputs[0]));
      if (!goes) continue;
      folding.record.certificate.went[i].Add(stage);
      Operator moved = op;
      for (auto* tensors : {&moved.inputs, &moved.outputs}) {
        for (TensorIndex& tensor : *tensors) tensor = IndexIn(block, whole, NameIn(whole, tensor));
      }
      block.operators.push_back(std::move(moved));
    }
    for (const std::string& output : outputs) {
      block.outputs.push_back(IndexIn(block, whole, output));
      if (stage != FoldStage::kEntry) Cache(output, stage);
    }
    record.graph = static_cast<int32_t>(folding.graphs.size());
    folding.graphs.push_back(std::move(graph));
    return *this;
  }

  Folding folding;

 private:
  static const std::string& NameIn(const Block& block, TensorIndex tensor) {
    return block.tensors[static_cast<size_t>(tensor)].name;
  }

  // Returns the tensor of that name in a block. Copies it from the whole block if there is none.
  static TensorIndex IndexIn(Block& block, const Block& whole, const std::string& name) {
    if (const auto known = block.FindTensor(name)) return *known;
    block.tensors.push_back(whole.tensors[static_cast<size_t>(whole.FindTensor(name).value())]);
    return static_cast<TensorIndex>(block.tensors.size() - 1);
  }

  FoldSource SourceOf(const std::string& name) const {
    const Block& original = *folding.original().Main();
    for (size_t i = 0; i < original.inputs.size(); ++i) {
      if (NameIn(original, original.inputs[i]) == name) {
        return {FoldSource::Kind::kArgument, static_cast<int32_t>(i)};
      }
    }
    const auto cached = std::ranges::find(folding.record.cached, name, &CachedTensor::name);
    return {FoldSource::Kind::kCached,
            static_cast<int32_t>(cached - folding.record.cached.begin())};
  }

  void Cache(const std::string& name, FoldStage stage) {
    const Block& whole = *folding.postponed().Main();
    const TensorType& type = whole.TypeOf(whole.FindTensor(name).value());
    const auto index = static_cast<int32_t>(folding.record.cached.size());
    folding.record.cached.push_back(
        {index, name, type, stage, type.shape.Elements() * ElementBytes(type.type)});
    folding.record.at(stage).outputs.push_back(index);
  }
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "graph_builder.h"
#include "recurrent_cell.h"
#include "test_vector.h"

namespace assay {

// A model with state as it is deployed: one graph that is invoked again and again, and variables
// that carry over what it has seen.
struct RecurrentModel {
  std::string_view name;  // "lstm"
  // Adds the graph's operators and returns the outputs. Returns an empty list if the options leave
  // no type for it. Null for a cell, which `step` builds.
  std::vector<MaybeValue> (*build)(class RecurrentBuilder& builder) = nullptr;
  CellStep* step = nullptr;
  bool is_integer = false;  // of a cell: i8
};

// Returns the models: counter, accumulator, delay lines, ring buffer, LSTM and GRU, in floats and
// in integers.
std::span<const RecurrentModel> RecurrentModels();

// Returns the vector of a model that is invoked `invocations` times, each time in one of the
// contexts. Its steps have no expectations yet. Returns nullopt if the options do not allow its
// operators.
std::optional<TestVector> VectorOfRecurrent(Choices& choices, const GeneratorOptions& options,
                                            const RecurrentModel& model, int64_t invocations,
                                            int32_t contexts);

}  // namespace assay

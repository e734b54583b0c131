#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "graph_builder.h"
#include "test_vector.h"

namespace assay {

// Models with state as they are deployed: one graph that is invoked again and again, and variables
// that carry over what it has seen.
struct RecurrentModel {
  std::string_view name;  // "lstm"
  // Adds the graph's operators; the outputs. Empty where the options leave no type for it.
  std::vector<ValueIndex> (*build)(class RecurrentBuilder& builder);
};

// Counter, accumulator, delay lines, ring buffer, LSTM and GRU, in floats and in integers.
std::span<const RecurrentModel> RecurrentModels();

// The model, invoked that many times, each in one of the contexts. Its steps
// expect nothing yet. Nothing if the options do not allow its operators.
std::optional<TestVector> VectorOfRecurrent(Choices& choices, const GeneratorOptions& options,
                                            const RecurrentModel& model, int64_t invocations,
                                            int32_t contexts);

}  // namespace assay

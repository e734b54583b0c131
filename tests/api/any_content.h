// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "folding_subjects.h"
#include "tvec_file.h"

namespace assay {

// Values of assay/rapidcheck.h as the toolkit's own types.

inline TestVector ContentOf(const AnyVector& value) {
  Result<TestVector> read = ReadTestVector(value.Tvec(), "value");
  if (!read) throw std::runtime_error(read.error().message);
  return std::move(*read);
}

inline std::vector<assay_place> PlacesOf(const MemoryPlan& plan) {
  std::vector<assay_place> places;
  for (const auto& place : plan.allocations) places.push_back({place->pool, 0, place->offset});
  return places;
}

// Compares tensors bit by bit.
inline bool SameBytes(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) {
    return x.tensor_type() == y.tensor_type() && std::ranges::equal(x.bytes(), y.bytes());
  });
}

// Returns the graph before folding, with its inputs marked as `marks` say. Further inputs vary.
inline FoldSubject SubjectOf(const AnyFolding& folding, const std::vector<uint8_t>& marks) {
  const TestVector vector = ContentOf(folding);
  FoldSubject subject;
  subject.name = vector.name;
  subject.graph = vector.graphs[0];
  subject.sample = vector.steps[0].inputs;
  subject.execution.loop_iterations_max = 1000;
  for (size_t i = 0; i < subject.sample.size(); ++i) {
    subject.arguments.push_back(static_cast<Constness>(i < marks.size() ? marks[i] % 3 : 0));
  }
  return subject;
}

}  // namespace assay

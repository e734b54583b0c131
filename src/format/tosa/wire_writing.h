// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tosa_generated.h"
#include "types.h"

namespace assay {

// Finishes a `.tosa` file: writes the table of the graph with its regions.
inline void FinishTosa(flatbuffers::FlatBufferBuilder& builder, const SpecVersion& v,
                       const std::vector<flatbuffers::Offset<tosa::TosaRegion>>& regions) {
  const auto version = tosa::CreateVersion(builder, v.major, v.minor, v.patch, v.draft);
  const auto list = builder.CreateVector(regions);
  tosa::FinishTosaGraphBuffer(builder, tosa::CreateTosaGraph(builder, version, list));
}

}  // namespace assay

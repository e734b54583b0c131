// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "block_reader.h"
#include "tosa_file.h"
#include "tosa_generated.h"
#include "tosa_reading.h"
#include "tosa_version.h"
#include "verified_bytes.h"
#include "verify_tosa.h"
#include "wire_views.h"

namespace assay {
namespace {

bool ReadRegions(TosaReading& reading, const tosa::TosaGraph& wire, std::vector<Region>& regions) {
  BlockReader block_reader(reading);
  for (const tosa::TosaRegion* wire_region : ElementsOf(wire.regions())) {
    const size_t blocks = SizeOf(wire_region->blocks());
    if (!reading.KnownFields(*wire_region, 2, "TosaRegion")) return false;
    if (!reading.Charge(sizeof(Region) + blocks * sizeof(Block))) return false;
    Region& region = regions.emplace_back();
    if (!reading.ReadText(wire_region->name(), region.name)) return false;
    region.blocks.reserve(blocks);
    for (const tosa::TosaBasicBlock* wire_block : ElementsOf(wire_region->blocks())) {
      if (!reading.Charge(View(wire_block->name()).size())) return false;
      if (!block_reader.Read(*wire_block, region.blocks.emplace_back())) return false;
    }
    reading.SetPlace(nullptr, false);
  }
  return true;
}

}  // namespace

Result<Graph> ReadTosa(std::span<const uint8_t> bytes, std::string_view name,
                       std::vector<std::string>* notes, const ReadLimits& limits) {
  return ReadTosa(SharedBytes{nullptr, bytes}, name, notes, limits);
}

Result<Graph> ReadTosa(const SharedBytes& shared, std::string_view name,
                       std::vector<std::string>* notes, const ReadLimits& limits) {
  const AlignedBytes aligned(shared.bytes);
  const std::span<const uint8_t> bytes = aligned.bytes();
  const Result<Done> verified = VerifyTosa(bytes, name, limits);
  if (!verified) return verified.error();
  ReadBudget budget(bytes.size(), limits.memory_max);
  const bool is_copy = bytes.data() != shared.bytes.data();
  TosaReading reading({is_copy ? nullptr : shared.owner, bytes}, name, notes, budget);
  Graph graph;
  const tosa::TosaGraph& wire = *tosa::GetTosaGraph(bytes.data());
  if (!reading.ReadVersion(wire, graph.version)) return reading.error();
  if (graph.version.minor == 1 || graph.version.draft) {
    reading.Note("is of TOSA " + VersionText(graph.version) + "; read as 1.0");
  }
  if (!ReadRegions(reading, wire, graph.regions)) {
    Error error = reading.error();
    // A rule that is named says enough.
    if (graph.version.draft && error.rule.empty() &&
        (graph.version.minor == 0 || error.kind == Error::Kind::kBadInput)) {
      error.message += "; operators and tables of a draft of TOSA may differ";
    }
    return error;
  }
  return graph;
}

}  // namespace assay

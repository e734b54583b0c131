// SPDX-License-Identifier: Apache-2.0
#include "block_index.h"

#include <string>
#include <variant>

namespace assay {

BlockIndex::BlockIndex(const Graph& graph) {
  if (graph.regions.empty()) return;
  for (const Block& block : graph.regions[0].blocks) blocks_.emplace(block.name, &block);
  for (const Region& region : graph.regions) {
    if (!region.blocks.empty()) blocks_.emplace(region.name, &region.blocks[0]);
  }
}

const Block* BlockIndex::Find(std::string_view name) const {
  const auto found = blocks_.find(name);
  return found == blocks_.end() ? nullptr : found->second;
}

const Block* BlockIndex::Callee(const Operator& op, AttributeId attribute) const {
  const AttributeValue* value = op.attributes.Find(attribute);
  const auto* name = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return name == nullptr ? nullptr : Find(*name);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace assay {

// Chooses up to `count` candidates, each given by the items that it reaches. Takes in each step the
// candidate that adds most to `reached`, of several the first one. Every fourth step takes the
// first one that is left, because coverage does not show everything that a vector may find. Returns
// the positions in the order of the choice. `reached` gets the items of the chosen candidates.
std::vector<size_t> NewItemsFirst(const std::vector<std::vector<int32_t>>& candidates, size_t count,
                                  std::set<int32_t>& reached);

}  // namespace assay

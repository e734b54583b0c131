// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "arithmetic.h"

namespace assay {

// A family of networks. The size is the side of the image, the number of tokens, of steps or of
// frames. From `real_size` on, a network has the layers and channels of the literature; below, it
// has few of each.
struct Architecture {
  std::string_view name;
  int32_t size_min, size_step, size_max;
  int32_t real_size;
  int32_t small_sizes[2];  // the sizes by default
  // Adds the layers, and returns the outputs.
  std::vector<TensorIndex> (*build)(Arithmetic& a, int32_t size, bool real);

  bool Has(int32_t size) const {
    return size >= size_min && size <= size_max && size % size_step == 0;
  }
};

std::span<const Architecture> AllArchitectures();
// Returns null if there is none of that name.
const Architecture* ArchitectureByName(std::string_view name);

}  // namespace assay

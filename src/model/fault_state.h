// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay {

// Tells what is known of a fault of a model.
enum class FaultState : uint8_t {
  kOpen,          // nothing has shown it
  kShown,         // by values of the model
  kShownMade,     // only by operands that were made for the layer
  kShownLattice,  // only by values of the model with weights on a lattice
  kCannotShow,    // it changes nothing in this configuration, or no result can tell it
};

}  // namespace assay

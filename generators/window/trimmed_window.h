// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "windows.h"

namespace assay {

// Returns the bytes that a window takes in a file: of its constants and inputs, and of its outputs
// with the expectations that they get.
int64_t BytesOf(const Window& window);

// Leaves out the last output channels of a window of one operator that takes more than `bytes_max`,
// so that it takes no more: of convolutions with their weights, of MATMUL with its second operand,
// of GATHER with its table. Everything else about the operator stays. As many channels are left
// beyond a multiple of 64 as before, so that loops over vectors of channels end in the same way.
// Returns one line that says what was left out; "" if the window stays as it was, because it is
// small enough or because it cannot become so.
std::string TrimChannels(Window& window, int64_t bytes_max);

}  // namespace assay

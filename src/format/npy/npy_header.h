// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The header of a `.npy` file: a Python dictionary.
struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;  // not negative
};

// Parses a header. Returns nothing if the text is not a dictionary of exactly these three keys.
std::optional<NpyHeader> ParseNpyHeader(std::string_view text);

// Returns "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", as NumPy writes it.
std::string NpyHeaderText(const NpyHeader& header);

}  // namespace assay

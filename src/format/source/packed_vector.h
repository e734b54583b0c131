// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "vector_pack.h"

namespace assay {

// The place of a vector in a pack.
struct PackedVector {
  VectorPack pack;
  int64_t number = 0;  // in the pack
};

// Finds the vector of a path in a pack, even if there is a file at the path. In a packed suite, the
// path is that of the `.tvec` file in the same suite without packs:
// "suite/operator/operator-000017.tvec". In a pack, it is the vector's name behind the path of the
// pack: "x.tvecs/operator/operator-000017.tvec". Returns nothing if there is no such vector; an
// Error if a suite or a pack on the way is damaged.
Result<std::optional<PackedVector>> FindPackedVector(const std::string& path);

// Does the same. Tells only whether there is something at the path: the vector, or damage.
bool FindPacked(const std::string& path);

}  // namespace assay

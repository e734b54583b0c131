#pragma once

#include <cstdint>
#include <span>

namespace assay {

// Whether `bytes`, aligned for scalars and with the identifier, can be read as a tosa::TosaGraph:
// every offset inside, every string ended. Unlike the generated verifier this takes time in
// proportion to the file, also for files in which many operators share one long list of names.
bool VerifyTosa(std::span<const uint8_t> bytes);

}  // namespace assay

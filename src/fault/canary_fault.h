#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "operator.h"

namespace assay {

// Seeded faults: ways in which the executor can be made wrong on purpose, switched at run time.
// Canary backends and mutants read this table; the executor without a fault never consults more
// than `fault == Fault::kNone`.
enum class Fault : uint8_t {
  kNone,
  kRoundingOffByOne,  // apply_scale_32/16 truncate instead of rounding
  kSwappedOperands,   // SUB computes input2 - input1
  kStaleVariable,     // VARIABLE_WRITE is lost: the next read sees the old value
  kIgnoredZeroPoint,  // convolutions, MATMUL, AVG_POOL2D, NEGATE, RESCALE: input zero points are 0
  kWrongNanMode,      // PROPAGATE and IGNORE are exchanged
  kTruncatedBroadcast,  // a stretched dimension reads element 0 only up to index 0, then zero
  kDroppedLastElement,  // reductions and dot products miss their last tap
  kWrongSaturation,     // clipping to a type's range wraps instead
  kTiesAway,            // CAST from float rounds halves away from zero
  kFloorDivision,       // INTDIV rounds toward minus infinity
  kLastIndexWins,       // ARGMAX returns the last of equal maxima
  kPadWithZero,         // PAD ignores pad_const
  kRoundsUp,            // float sums and dot products round every addition toward +infinity
  kShortAccumulator,    // float sums and dot products keep three bits too few
  kMissingCheck,        // RESCALE ERROR_IF 7 (unsigned input and output) is not checked
};

struct FaultRow {
  Fault fault;
  std::string_view name;  // "off-by-one-rounding"; the backend is canary:NAME
  std::string_view what;
  // The operators that a report on this canary must blame (any of them), and the violation.
  std::span<const Op> operators;
  std::string_view violation;  // "value", "state", "statistics" or "outcome"
};

std::span<const FaultRow> AllFaults();
std::optional<Fault> FaultByName(std::string_view name);
const FaultRow& RowOf(Fault fault);

}  // namespace assay

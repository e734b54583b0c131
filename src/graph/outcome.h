// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor.h"

namespace assay {

// The result of executing one step of a test vector, reported by an executor or a backend.
enum class OutcomeKind : uint8_t {
  kValid,          // answered; `outputs` are there
  kError,          // refused: an ERROR_IF holds (executor), or it reported an error (backend)
  kUnpredictable,  // a REQUIRE or level check failed (executor only)
  kUnsupported,    // backends only: outside what it declares
  kCrashed,        // backends only
  kTimedOut,       // backends only
};
inline constexpr OutcomeKind kAllOutcomeKinds[] = {
    OutcomeKind::kValid,       OutcomeKind::kError,   OutcomeKind::kUnpredictable,
    OutcomeKind::kUnsupported, OutcomeKind::kCrashed, OutcomeKind::kTimedOut};

// Returns "valid", "error", "unpredictable", "unsupported", "crashed" or "timed-out".
std::string_view OutcomeName(OutcomeKind kind);

struct Outcome {
  OutcomeKind kind = OutcomeKind::kUnsupported;
  std::string rule;     // the rule that decided (`CONV2D/ERROR_IF/3`); executor only
  std::string message;  // one line: where, or what the backend said
  // The part of the backend that refused, crashed or hung, in the backend's words: a compiler pass,
  // and where in it ("canonicalize, ClampIsNoOp on tosa.clamp"). Empty if the backend does not say.
  std::string pass;
  // The changes that the backend made to the graph before it ran it, in the backend's words,
  // separated by "; ": "canonicalize: ClampIsNoOp".
  std::string rewrites;
  bool wrote_outside = false;           // crashed: it wrote beyond the tensors that it was given
  std::vector<Tensor> outputs;          // in the order of the graph's outputs; valid only
  std::map<std::string, Tensor> state;  // variables after the step, by name, where known
};

}  // namespace assay

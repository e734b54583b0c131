#include "verdict.h"

namespace assay {

std::string_view VerdictName(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kAgrees:
      return "agrees";
    case VerdictKind::kDisagrees:
      return "disagrees";
    case VerdictKind::kUndecided:
      return "undecided";
  }
  return "unknown";
}

namespace {

// A backend's words without what changes from case to case: numbers (shapes, addresses, lines).
std::string WithoutNumbers(std::string_view words) {
  std::string text;
  bool in_number = false;
  for (char c : words) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && !in_number) text += '#';
    in_number = digit;
  }
  return text;
}

}  // namespace

std::string Finding::Signature() const {
  // Where a backend refused, crashed or hung says more than what it was given: a control-flow
  // operator that is refused is refused for every type.
  if (violation == "crash" || violation == "outcome" || violation == "time-out") {
    return violation + "|" + rule + "|" + WithoutNumbers(message);
  }
  return violation + "|" + rule + "|" + std::string(OperatorName(op)) + "|" +
         std::string(TypeName(type));
}

}  // namespace assay

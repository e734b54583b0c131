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

std::string Finding::Signature() const {
  std::string text = violation + "|" + rule + "|" + std::string(OperatorName(op)) + "|" +
                     std::string(TypeName(type));
  if (violation == "crash" || violation == "outcome") text += "|" + message;
  return text;
}

}  // namespace assay

#include "backend.h"

namespace assay {

std::optional<Result<std::vector<Outcome>>> Backend::RunAfterReset(const TestVector&) {
  return std::nullopt;
}

}  // namespace assay

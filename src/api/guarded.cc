// SPDX-License-Identifier: Apache-2.0
#include "guarded.h"

#include <cstring>

namespace assay::api {

void SetError(assay_error* error, std::string_view text) noexcept {
  if (error == nullptr) return;
  const size_t length = std::min(text.size(), sizeof(error->text) - 1);
  std::memcpy(error->text, text.data(), length);
  error->text[length] = '\0';
}

assay_status StatusOf(const Error& error) noexcept {
  switch (error.kind) {
    case Error::Kind::kUsage:
      return ASSAY_BAD_ARGUMENT;
    case Error::Kind::kBadInput:
    case Error::Kind::kBadAnswer:
      return ASSAY_BAD_INPUT;
    case Error::Kind::kUnsupported:
      return ASSAY_UNSUPPORTED;
    case Error::Kind::kResource:
    case Error::Kind::kNoAnswer:
      break;
  }
  return ASSAY_LIMIT;
}

Error BeyondList(const char* what, size_t index, const char* owner, size_t count) {
  return BadArgument(std::string(what) + " " + std::to_string(index) + ": " + owner + " has " +
                     std::to_string(count));
}

}  // namespace assay::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

// Returns how often to try a property: `all`, or a quarter of that under AddressSanitizer, where a
// round takes ten to twenty times as long. What that sanitizer looks for shows in the first rounds.
consteval int Rounds(int all) {
#if defined(__SANITIZE_ADDRESS__)
  return all / 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return all / 4;
#endif
#endif
  return all;
}

}  // namespace assay

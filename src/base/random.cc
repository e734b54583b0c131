// SPDX-License-Identifier: Apache-2.0
#include "random.h"

namespace assay {

Random Random::For(uint64_t campaign, uint64_t index, std::string_view kind,
                   uint32_t generator_version) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over the kind's name
  for (char c : kind) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  }
  Random mix(campaign);
  mix.state_ ^= Random(index ^ 0x6a09e667f3bcc909u).Next();
  mix.state_ = mix.Next() ^ hash;
  mix.state_ = mix.Next() ^ generator_version;
  return Random(mix.Next());
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "pack_sink.h"

#include <cerrno>
#include <utility>

#include "descriptor.h"
#include "files.h"
#include "sha256.h"

namespace assay {

Result<Done> PackSink::Add(std::string_view name, std::span<const uint8_t> bytes) {
  writer_.Add(name, bytes);
  return writer_.IsFull() ? Write() : Done{};
}

Result<Done> PackSink::Finish() {
  if (writer_.count() > 0) {
    const Result<Done> written = Write();
    if (!written) return written;
  }
  return descriptor_ ? Write() : Done{};
}

Result<Done> PackSink::Write() {
  const int64_t count = writer_.count();
  const std::vector<uint8_t> bytes = writer_.Finish();
  if (descriptor_) {
    if (WriteAll(*descriptor_, bytes.data(), bytes.size())) return Done{};
    return SystemError(folder_, "write", errno);
  }
  const std::string file = PackFile(std::ssize(packs_));
  const Result<Done> written =
      writes_ ? WriteFileAtomically(JoinPath(folder_, file), bytes) : Done{};
  if (!written) return written;
  packs_.push_back({file, Sha256(bytes), count});
  return Done{};
}

}  // namespace assay

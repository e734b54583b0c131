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

WrittenPacks::WrittenPacks(const std::string& folder, const Suite::Incomplete& suite,
                           const SuiteFolder& content)
    : kinds_(suite.kinds), cases_(suite.cases) {
  for (const std::string& file : content.vectors) paths_.push_back(JoinPath(folder, file));
}

std::optional<int64_t> WrittenPacks::LastOf(const VectorPack& pack) const {
  if (pack.size() == 0) return std::nullopt;
  return CaseOf(kinds_, cases_, pack.NameOf(pack.size() - 1));
}

std::optional<std::vector<uint8_t>> WrittenPacks::Find(int64_t number, std::string_view name) {
  for (; at_ < paths_.size(); ++at_, pack_.reset()) {
    if (!pack_) {
      Result<VectorPack> pack = VectorPack::Open(paths_[at_]);
      if (!pack) break;
      pack_ = std::move(*pack);
    }
    if (number > LastOf(*pack_)) continue;
    const std::optional<int64_t> place = pack_->Find(name);
    if (!place) return std::nullopt;
    const Result<SharedBytes> bytes = pack_->BytesOf(*place);
    if (!bytes) return std::nullopt;
    return std::vector(bytes->bytes.begin(), bytes->bytes.end());
  }
  return std::nullopt;
}

}  // namespace assay

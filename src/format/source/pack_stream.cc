// SPDX-License-Identifier: Apache-2.0
#include "pack_stream.h"

#include "quoted.h"

namespace assay {

// Returns the words for errors about what is read next.
std::string PackStream::Place() const {
  if (streams_ == 0 || (inside_ && streams_ == 1)) return name_;
  return name_ + (inside_ ? ", stream " : ", behind the end of stream ") + std::to_string(streams_);
}

Result<std::optional<VectorPack>> PackStream::Next() {
  while (true) {
    const std::string place = Place();
    Result<std::optional<VectorPack>> pack = VectorPack::ReadNext(descriptor_, place, stopped_);
    if (!pack) return pack;
    if (!*pack) {
      if (stopped_() || (streams_ > 0 && !inside_)) return pack;
      return BadInput(place + ": ends before the last pack of vectors");
    }
    if (!inside_) {
      ++streams_;
      last_names_.clear();
    }
    inside_ = (*pack)->size() > 0;
    if (!inside_) continue;
    const Result<Done> checked = CheckNames(**pack);
    if (!checked) return checked.error();
    return pack;
  }
}

// A stream has the vectors of a kind in the order of their numbers. So the last name of each kind
// tells whether a name comes twice.
Result<Done> PackStream::CheckNames(const VectorPack& pack) {
  for (int64_t i = 0; i < pack.size(); ++i) {
    const std::string name = pack.NameOf(i);
    std::string& last = last_names_[name.substr(0, name.rfind('-'))];
    // "x-999999.tvec" comes before "x-1000000.tvec".
    if (std::pair(name.size(), name) <= std::pair(last.size(), last)) {
      return BadInput(Place() + ": has the vector " + Quoted(name) + " behind " + Quoted(last) +
                      "; a stream has each vector once, in the order of `assay gen`");
    }
    last = name;
  }
  return Done{};
}

}  // namespace assay

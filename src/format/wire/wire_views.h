// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <span>
#include <string_view>

namespace assay {

// Views of fields of verified FlatBuffers. The view of an absent field is empty.

inline std::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

inline std::span<const uint8_t> View(const flatbuffers::Vector<uint8_t>* bytes) {
  return bytes == nullptr ? std::span<const uint8_t>()
                          : std::span<const uint8_t>(bytes->data(), bytes->size());
}

template <class T>
size_t SizeOf(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

template <class T>
class ElementsOf {
 public:
  using Iterator = typename flatbuffers::Vector<T>::const_iterator;
  explicit ElementsOf(const flatbuffers::Vector<T>* vector)
      : begin_(vector == nullptr ? Iterator(nullptr, 0) : vector->begin()),
        end_(vector == nullptr ? Iterator(nullptr, 0) : vector->end()) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_, end_;
};

// Returns the slot of a field in a table's vtable.
constexpr flatbuffers::voffset_t Slot(size_t field) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

}  // namespace assay

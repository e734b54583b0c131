// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "read_budget.h"
#include "result.h"
#include "verified_bytes.h"
#include "wire_views.h"

namespace assay {

// The words with which the readers of a format refuse a file.
struct WireWords {
  const char* content;      // takes too much memory: "the content "
  const char* table;        // follows the name of a table: " table"
  const char* not_in_ours;  // follows an unknown field: ", which TOSA 1.0 does not have"
};

// The state of reading one verified FlatBuffer: its budget, the current place in it, and the error.
// Functions that return false have set the error. Their callers return false as well.
class WireReading {
 public:
  using Strings = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

  WireReading(const WireReading&) = delete;
  WireReading& operator=(const WireReading&) = delete;

  const Error& error() const { return error_; }

  bool Fail(const std::string& what) { return SetError(Error::Kind::kBadInput, what); }
  bool Unsupported(const std::string& what) { return SetError(Error::Kind::kUnsupported, what); }
  bool FailRule(const std::string& what, std::string rule) {
    return PassOn(BrokenRule(Place() + what, std::move(rule)));
  }
  bool SetError(Error::Kind kind, const std::string& what) {
    return PassOn({kind, Place() + what});
  }
  // Sets an error that already names its place. Returns false.
  bool PassOn(Error error) {
    error_ = std::move(error);
    return false;
  }

  // Accounts for memory that the content takes. Returns false if it is too much.
  bool Charge(size_t bytes) {
    return budget_.Charge(bytes) || Fail(words_.content + budget_.TooMuch());
  }

  // Refuses a field that the schema does not have. `fields` is the number of fields in the schema.
  template <class Table>
  bool KnownFields(const Table& table, size_t fields, const char* what) {
    const auto field = UnknownField(reinterpret_cast<const flatbuffers::Table&>(table), fields);
    return !field || Unsupported(std::string(what) + words_.table + " has field " +
                                 std::to_string(*field) + words_.not_in_ours);
  }

  bool ReadText(const flatbuffers::String* from, std::string& to) {
    if (!Charge(View(from).size())) return false;
    to = View(from);
    return true;
  }

  bool ReadTexts(const Strings* from, std::vector<std::string>& to) {
    to.reserve(SizeOf(from));
    for (const flatbuffers::String* text : ElementsOf(from)) {
      if (!Charge(sizeof(std::string)) || !ReadText(text, to.emplace_back())) return false;
    }
    return true;
  }

  // Reads an enumerator of an enumeration that has the same numbers in the file, up to `last`.
  template <class Wire, class Enum>
  bool ReadEnum(Wire from, Enum last, const std::string& what, Enum& to) {
    to = static_cast<Enum>(from);
    return from <= static_cast<Wire>(last) ||
           Unsupported(what + " " + std::to_string(static_cast<int>(from)) + " is not known");
  }

  // Reads numbers. Copies their bytes, because the verifier checks the alignment of the length, not
  // of the elements.
  template <class T>
  bool ReadNumbers(const flatbuffers::Vector<T>* from, std::vector<T>& to) {
    if (!Charge(SizeOf(from) * sizeof(T))) return false;
    to.resize(SizeOf(from));
    if (!to.empty()) std::memcpy(to.data(), from->Data(), to.size() * sizeof(T));
    return true;
  }

 protected:
  // `prefix` comes before the place in every error.
  WireReading(const WireWords& words, ReadBudget& budget, std::string prefix = "")
      : words_(words), budget_(budget), prefix_(std::move(prefix)) {}
  ~WireReading() = default;

  // Returns the start of a message: the name of the file, and the current place.
  virtual std::string Place() const { return prefix_ + place_; }

  const WireWords& words_;
  ReadBudget& budget_;
  const std::string prefix_;
  std::string place_;  // "step 3: "

 private:
  Error error_;
};

}  // namespace assay

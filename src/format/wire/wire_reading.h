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

// What the readers of a `.tvec` file and of its records share: what may be taken of memory, where
// they are, and what went wrong. Functions that return false have set the error.
class WireReader {
 protected:
  using Strings = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

  // `prefix` stands before every error, in front of the place.
  explicit WireReader(ReadBudget& budget, std::string prefix = "")
      : budget_(budget), prefix_(std::move(prefix)) {}

  bool ReadText(const flatbuffers::String* from, std::string& to) {
    if (!Charge(View(from).size())) return false;
    to = View(from);
    return true;
  }

  bool ReadTexts(const Strings* from, std::vector<std::string>& to) {
    for (const flatbuffers::String* text : ElementsOf(from)) {
      if (!Charge(sizeof(std::string)) || !ReadText(text, to.emplace_back())) return false;
    }
    return true;
  }

  // Numbers. Copied as bytes: the verifier checks the alignment of the length, not of the elements.
  template <class T>
  bool ReadNumbers(const flatbuffers::Vector<T>* from, std::vector<T>& to) {
    if (!Charge(SizeOf(from) * sizeof(T))) return false;
    to.resize(SizeOf(from));
    if (!to.empty()) std::memcpy(to.data(), from->Data(), to.size() * sizeof(T));
    return true;
  }

  template <class Table>
  bool KnownFields(const Table& table, size_t fields, const char* what) {
    const std::string unknown = UnknownFieldText(table, fields, what);
    return unknown.empty() || Unsupported(unknown);
  }

  bool Charge(size_t bytes) { return budget_.Charge(bytes) || Fail(budget_.TooMuch()); }
  bool Fail(const std::string& what) { return SetError(Error::Kind::kBadInput, what); }
  bool Unsupported(const std::string& what) { return SetError(Error::Kind::kUnsupported, what); }
  bool SetError(Error::Kind kind, const std::string& what) {
    error_ = {kind, prefix_ + place_ + what};
    return false;
  }

  ReadBudget& budget_;
  const std::string prefix_;
  std::string place_;  // "step 3: "
  Error error_;
};

}  // namespace assay

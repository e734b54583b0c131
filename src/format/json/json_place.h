// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json_fields.h"
#include "json_keys.h"
#include "result.h"

namespace assay {

// Returns an Error that names the file, the line and the place of a value in its text.
inline Error JsonProblem(std::string_view file, const JsonField& field, const std::string& what) {
  return BadInput(std::string(file) + ":" + std::to_string(field.line) + ": " + field.place + ": " +
                  what);
}

// Checks the text of a file that people write: no object has two fields of one name.
inline Result<Done> CheckNoDoubledField(std::string_view text, std::string_view file) {
  const std::optional<JsonField> doubled = FindDoubledField(text);
  if (!doubled) return Done{};
  return JsonProblem(file, *doubled, "is there twice; keep one of the two");
}

// Parses the content of such a file. Returns a discarded value if it is neither an object nor an
// array.
inline Result<Json> ParseWrittenJson(std::string_view text, std::string_view file) {
  const Result<Done> single = CheckNoDoubledField(text, file);
  if (!single) return single.error();
  return ParseJson(text);
}

// A value of a JSON document from outside, and its place. An Error names the place: `FILE:
// /buffers/3/size: what`. For .cc files only.
class JsonPlace {
 public:
  // Makes the place of the whole document. Both arguments outlive the place.
  JsonPlace(const Json& json, std::string_view file) : json_(&json), file_(file) {}

  Error Problem(const std::string& what) const {
    return BadInput(std::string(file_) + ": " + (pointer_.empty() ? "" : pointer_ + ": ") + what);
  }

  // Does the same with the line in the text of the document: `FILE:12: /buffers/3/size: what`.
  Error ProblemInLine(std::string_view text, const std::string& what) const {
    return JsonProblem(file_, {pointer_, LineOfJson(text, pointer_)}, what);
  }

  bool IsObject() const { return json_->is_object(); }
  bool IsArray() const { return json_->is_array(); }
  bool IsNumber() const { return json_->is_number_integer(); }
  size_t size() const { return json_->size(); }
  JsonPlace operator[](size_t i) const { return Below((*json_)[i], std::to_string(i)); }

  // Calls do(name, place) -> Result<Done> for each field, until one is an Error.
  template <class Do>
  Result<Done> ForEachField(Do&& handle) const {
    if (!IsObject()) return Problem("is not an object");
    for (const auto& [name, value] : json_->items()) {
      const Result<Done> done = handle(name, Below(value, JsonStep(name)));
      if (!done) return done.error();
    }
    return Done{};
  }

  // Calls do(place) -> Result<Done> for each element of a list, until one is an Error.
  template <class Do>
  Result<Done> ForEachElement(Do&& handle) const {
    if (!IsArray()) return Problem("is not a list");
    for (size_t i = 0; i < size(); ++i) {
      const Result<Done> done = handle((*this)[i]);
      if (!done) return done.error();
    }
    return Done{};
  }

  // Returns the first field that exists, of several names for one thing.
  std::optional<JsonPlace> Field(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const Json* field = json_->Find(name);
      if (field != nullptr && !field->is_null()) return Below(*field, name);
    }
    return std::nullopt;
  }

  // Checks that no field has another name.
  Result<Done> HasOnly(std::initializer_list<std::string_view> names) const {
    return ForEachField([&](const std::string& name, const JsonPlace& place) -> Result<Done> {
      for (std::string_view known : names) {
        if (name == known) return Done{};
      }
      return place.Problem("a field that is not known");
    });
  }

  Result<int64_t> Integer(int64_t least = std::numeric_limits<int64_t>::min()) const {
    if (!json_->is_integer<int64_t>()) return Problem("is not a whole number of 64 bits");
    const auto value = json_->get<int64_t>();
    if (value < least) {
      return Problem(std::to_string(value) + " is less than " + std::to_string(least));
    }
    return value;
  }

  Result<bool> Truth() const {
    if (!json_->is_boolean()) return Problem("is not true or false");
    return json_->get<bool>();
  }

  Result<std::string> Text() const {
    if (!json_->is_string()) return Problem("is not a text");
    return json_->get<std::string>();
  }

 private:
  JsonPlace Below(const Json& json, const std::string& step) const {
    JsonPlace place(json, file_);
    place.pointer_ = pointer_ + "/" + step;
    return place;
  }

  const Json* json_;
  std::string_view file_;
  std::string pointer_;
};

}  // namespace assay

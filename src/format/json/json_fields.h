// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json_text.h"

namespace assay {

// Functions that read fields of a JSON object from outside, without exceptions. They return the
// fallback if the field is absent, and nothing if it has another type.

inline std::optional<std::string> TextField(const Json& object, const char* key,
                                            std::string fallback = "") {
  const Json* field = object.Find(key);
  if (field == nullptr) return fallback;
  return field->is_string() ? std::optional(field->get<std::string>()) : std::nullopt;
}

inline std::optional<bool> BoolField(const Json& object, const char* key, bool fallback) {
  const Json* field = object.Find(key);
  if (field == nullptr) return fallback;
  return field->is_boolean() ? std::optional(field->get<bool>()) : std::nullopt;
}

inline std::optional<int64_t> IntegerField(const Json& object, const char* key, int64_t fallback) {
  const Json* field = object.Find(key);
  if (field == nullptr) return fallback;
  if (!field->is_integer<int64_t>()) return std::nullopt;
  return field->get<int64_t>();
}

inline std::optional<std::vector<std::string>> TextsField(const Json& object, const char* key) {
  const Json* field = object.Find(key);
  std::vector<std::string> texts;
  if (field == nullptr) return texts;
  if (!field->is_array()) return std::nullopt;
  for (const Json& text : *field) {
    if (!text.is_string()) return std::nullopt;
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "json_text.h"

namespace assay {

// A record is a struct whose JSON has one table, by which it is written (RecordToJson()), read
// (RecordFromJson()) and described (RecordSchema()):
//
//   template <>
//   struct JsonRecord<CaseTime> {
//     static constexpr char kName[] = "case_time";  // in schemas; left out: described in place
//     static constexpr char kAbout[] = "The time of one vector.";  // may be left out
//     static void Fields(auto& v, auto& time) {
//       v.Always("case", time.vector, "the path of the vector");
//       v.Maybe("seconds", time.seconds);
//     }
//   };
//
// The visitor `v` has these functions. Their last argument is for the schema.
// - Always(name, member): the record is none without the field.
// - Since(name, member): always written; records of older builds lack it.
// - Maybe(name, member): written if it is not the default value of its type.
// - If(condition, name, member): written if the condition holds.
// - Computed(name, value): always written, and not read.
// - Old(name): older builds have written it, and nothing reads it.
// A field that is not there leaves its member as it was. A record with kIsList is a list without
// names, as ["ADD","fp32"], which has all fields.
template <class T>
struct JsonRecord;

// The JSON of a type that is no record, such as the name of an enumerator. It has To(), From(),
// which throws JsonError, and Schema().
template <class T>
struct JsonForm;

// That of an enumeration with few values, all of which have names.
template <const auto& kAll, auto kNameOf>
struct JsonFormOfNames {
  using Enum = std::remove_cvref_t<decltype(kAll[0])>;
  static Json To(Enum value) { return kNameOf(value); }
  static Enum From(const Json& json) {
    for (const Enum value : kAll) {
      if (kNameOf(value) == json.Text()) return value;
    }
    throw JsonError("a name is unknown");
  }
  static Json Schema() {
    Json names = Json::array();
    for (const Enum value : kAll) names.push_back(kNameOf(value));
    return {{"enum", std::move(names)}};
  }
};

// The part of a field in a schema beside its type.
struct FieldAbout {
  FieldAbout(const char* about = "", const char* matches = "") : text(about), pattern(matches) {}
  std::string_view text, pattern;
};
inline constexpr char kSha256Pattern[] = "^[0-9a-f]{64}$";

namespace json_record {

template <class T>
concept IsRecord = requires {
  sizeof(JsonRecord<T>);
};
template <class T>
concept HasForm = requires {
  sizeof(JsonForm<T>);
};
template <class T>
concept IsListRecord = IsRecord<T> && requires {
  JsonRecord<T>::kIsList;
};
template <class T>
concept IsOptional = requires(T t) {
  t.has_value();
};
// Lists of pairs that begin with a text are objects in their order.
template <class T>
concept IsFieldList = JsonRangeLike<T> && JsonPairLike<typename T::value_type> && requires {
  requires JsonTextLike<decltype(T::value_type::first)>;
};

template <class T>
Json ToJson(const T& value);
template <class T>
void FromJson(const Json& json, T& value);

class Writer {
 public:
  explicit Writer(bool is_list)
      : json(is_list ? Json::array() : Json::object()), is_list_(is_list) {}

  template <class T>
  void Always(std::string_view name, const T& member, const FieldAbout& = {}) {
    if (is_list_) return json.push_back(ToJson(member));
    json[name] = ToJson(member);
  }
  template <class T>
  void Since(std::string_view name, const T& member, const FieldAbout& = {}) {
    Always(name, member);
  }
  template <class T>
  void Maybe(std::string_view name, const T& member, const FieldAbout& = {}) {
    if (!(member == T{})) Always(name, member);
  }
  template <class T>
  void If(bool condition, std::string_view name, const T& member, const FieldAbout& = {}) {
    if (condition) Always(name, member);
  }
  template <class T>
  void Computed(std::string_view name, const T& value, const FieldAbout& = {}) {
    Always(name, value);
  }
  void Old(std::string_view) {}

  Json json;

 private:
  bool is_list_;
};

class Reader {
 public:
  Reader(const Json& json, bool is_list) : json_(json), is_list_(is_list) {}

  template <class T>
  void Always(std::string_view name, T& member, const FieldAbout& = {}) {
    FromJson(is_list_ ? json_.at(next_++) : json_.at(name), member);
  }
  template <class T>
  void Since(std::string_view name, T& member, const FieldAbout& = {}) {
    if (const Json* field = json_.Find(name)) FromJson(*field, member);
  }
  template <class T>
  void Maybe(std::string_view name, T& member, const FieldAbout& = {}) {
    Since(name, member);
  }
  template <class T>
  void If(bool, std::string_view name, T& member, const FieldAbout& = {}) {
    Since(name, member);
  }
  template <class T>
  void Computed(std::string_view, const T&, const FieldAbout& = {}) {}
  void Old(std::string_view) {}

 private:
  const Json& json_;
  bool is_list_;
  size_t next_ = 0;
};

// Describes types. Records with a name go into `definitions`.
class Describer {
 public:
  Describer(Json& definitions, bool is_list) : definitions_(definitions), is_list_(is_list) {}

  template <class T>
  static Json SchemaOf(Json& definitions);

  template <class T>
  void Always(std::string_view name, const T& member, const FieldAbout& about = {}) {
    Add(name, member, about);
    required_.push_back(name);
  }
  template <class T>
  void Since(std::string_view name, const T& member, const FieldAbout& about = {}) {
    Add(name, member, about);
  }
  template <class T>
  void Maybe(std::string_view name, const T& member, const FieldAbout& about = {}) {
    Add(name, member, about);
    // A truth value is there only if it is true.
    if constexpr (std::same_as<T, bool>) {
      properties_[name].erase("type");
      properties_[name]["const"] = true;
    }
  }
  template <class T>
  void If(bool, std::string_view name, const T& member, const FieldAbout& about = {}) {
    Add(name, member, about);
  }
  template <class T>
  void Computed(std::string_view name, const T& value, const FieldAbout& about = {}) {
    Always(name, value, about);
  }
  void Old(std::string_view name) { properties_[name] = {{"deprecated", true}}; }

  // Returns the schema of the record.
  Json Schema(std::string_view about) const {
    Json schema = {{"type", is_list_ ? "array" : "object"}};
    if (!about.empty()) schema["description"] = about;
    if (is_list_) {
      Json items = Json::array();
      for (const Json& item : properties_) items.push_back(item);
      schema.update({{"minItems", items.size()}, {"maxItems", items.size()}});
      schema["prefixItems"] = std::move(items);
      return schema;
    }
    schema["properties"] = properties_;
    if (!required_.empty()) schema["required"] = required_;
    schema["additionalProperties"] = false;
    return schema;
  }

 private:
  template <class T>
  void Add(std::string_view name, const T&, const FieldAbout& about) {
    Json schema = SchemaOf<T>(definitions_);
    if (!about.pattern.empty()) schema["pattern"] = about.pattern;
    if (!about.text.empty()) schema["description"] = about.text;
    properties_[name] = std::move(schema);
  }

  Json& definitions_;
  bool is_list_;
  Json properties_ = Json::object(), required_ = Json::array();
};

template <class T>
Json ToJson(const T& value) {
  if constexpr (HasForm<T>) {
    return JsonForm<T>::To(value);
  } else if constexpr (IsRecord<T>) {
    Writer writer(IsListRecord<T>);
    JsonRecord<T>::Fields(writer, value);
    return std::move(writer.json);
  } else if constexpr (std::floating_point<T>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (IsOptional<T>) {
    return value ? ToJson(*value) : Json(nullptr);
  } else if constexpr (IsFieldList<T>) {
    Json object = Json::object();
    for (const auto& [name, field] : value) object[name] = ToJson(field);
    return object;
  } else if constexpr (JsonRangeLike<T> && !JsonTextLike<T>) {
    Json list = Json::array();
    for (const auto& element : value) list.push_back(ToJson(element));
    return list;
  } else {
    return Json(value);
  }
}

template <class T>
void FromJson(const Json& json, T& value) {
  if constexpr (HasForm<T>) {
    value = JsonForm<T>::From(json);
  } else if constexpr (IsRecord<T>) {
    Reader reader(json, IsListRecord<T>);
    JsonRecord<T>::Fields(reader, value);
  } else if constexpr (IsOptional<T>) {
    value.reset();
    if (!json.is_null()) FromJson(json, value.emplace());
  } else if constexpr (JsonObjectLike<T>) {
    if (!json.is_object()) throw JsonError("an object is expected");
    value.clear();
    for (const auto& [name, field] : json.items()) FromJson(field, value[name]);
  } else if constexpr (IsFieldList<T>) {
    if (!json.is_object()) throw JsonError("an object is expected");
    value.clear();
    for (const auto& [name, field] : json.items()) {
      FromJson(field, value.emplace_back(name, typename T::value_type::second_type{}).second);
    }
  } else if constexpr (requires { value.emplace_back(); } && !JsonTextLike<T>) {
    if (!json.is_array()) throw JsonError("a list is expected");
    value.clear();
    for (const Json& element : json) {
      typename T::value_type read{};
      FromJson(element, read);
      value.push_back(std::move(read));
    }
  } else {
    json.get_to(value);
  }
}

template <class T>
Json Describer::SchemaOf(Json& definitions) {
  if constexpr (HasForm<T>) {
    return JsonForm<T>::Schema();
  } else if constexpr (IsRecord<T>) {
    std::string_view about;
    if constexpr (requires { JsonRecord<T>::kAbout; }) about = JsonRecord<T>::kAbout;
    const auto describe = [&] {
      Describer describer(definitions, IsListRecord<T>);
      const T none{};
      JsonRecord<T>::Fields(describer, none);
      return describer.Schema(about);
    };
    if constexpr (requires { JsonRecord<T>::kName; }) {
      const std::string name = JsonRecord<T>::kName;
      if (!definitions.contains(name)) {
        definitions[name] = nullptr;
        definitions[name] = describe();
      }
      return {{"$ref", "#/$defs/" + name}};
    } else {
      return describe();
    }
  } else if constexpr (std::same_as<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::integral<T>) {
    return {{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::floating_point<T>) {
    return {{"type", Json::array({"number", "null"})}};
  } else if constexpr (JsonTextLike<T>) {
    return {{"type", "string"}};
  } else if constexpr (IsOptional<T>) {
    return SchemaOf<typename T::value_type>(definitions);
  } else if constexpr (JsonObjectLike<T>) {
    return {{"type", "object"},
            {"additionalProperties", SchemaOf<typename T::mapped_type>(definitions)}};
  } else if constexpr (IsFieldList<T>) {
    return {{"type", "object"},
            {"additionalProperties", SchemaOf<typename T::value_type::second_type>(definitions)}};
  } else {
    return {{"type", "array"}, {"items", SchemaOf<typename T::value_type>(definitions)}};
  }
}

}  // namespace json_record

// Returns the JSON of a record.
template <class T>
Json RecordToJson(const T& record) {
  return json_record::ToJson(record);
}

// Reads a record over the default values of its members. Throws a JsonError if a field is missing
// or has another type.
template <class T>
T RecordFromJson(const Json& json) {
  T record{};
  json_record::FromJson(json, record);
  return record;
}

// Returns the JSON schema (2020-12) of a record. Named records below it are added to
// `definitions`, which SchemaText() needs as well.
template <class T>
Json RecordSchema(Json& definitions) {
  return json_record::Describer::SchemaOf<T>(definitions);
}

// Returns a schema as the text of a file. `rest` has what is beside title and definitions.
inline std::string SchemaText(const std::string& title, const Json& rest, const Json& definitions) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(rest);
  if (!definitions.empty()) schema["$defs"] = definitions;
  return JsonInLines(schema) + "\n";
}

}  // namespace assay

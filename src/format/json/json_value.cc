// SPDX-License-Identifier: Apache-2.0
#include "json_value.h"

#include <algorithm>

namespace assay {

// The values lie side by side, so that they are iterated over as those of a list.
struct Json::Object {
  std::vector<std::string> names;
  std::vector<Json> values;
};

Json::Json(std::initializer_list<Part> parts) {
  const bool is_object = std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    const Json& pair = part.value_;
    return pair.is_array() && pair.size() == 2 && pair[0].is_string();
  });
  if (!is_object) {
    *this = array(parts);
    return;
  }
  *this = object();
  content_.object->names.reserve(parts.size());
  content_.object->values.reserve(parts.size());
  for (const Part& part : parts) {
    (*this)[part.value_[0].Text()] = std::move(part.value_[1]);
  }
}

Json::Json(const Json& other) : kind_(other.kind_), content_(other.content_) {
  if (kind_ == Kind::kText) content_.text = new std::string(*other.content_.text);
  if (kind_ == Kind::kList) content_.list = new std::vector<Json>(*other.content_.list);
  if (kind_ == Kind::kObject) content_.object = new Object(*other.content_.object);
}

void Json::Free() {
  if (kind_ == Kind::kText) delete content_.text;
  if (kind_ == Kind::kList) delete content_.list;
  if (kind_ == Kind::kObject) delete content_.object;
}

Json Json::array(std::initializer_list<Part> parts) {
  Json list;
  list.content_.list = new std::vector<Json>;
  list.kind_ = Kind::kList;
  list.content_.list->reserve(parts.size());
  for (const Part& part : parts) list.content_.list->push_back(std::move(part.value_));
  return list;
}

Json Json::object() {
  Json json;
  json.content_.object = new Object;
  json.kind_ = Kind::kObject;
  return json;
}

Json Json::discarded() {
  Json json;
  json.kind_ = Kind::kDiscarded;
  return json;
}

size_t Json::size() const {
  if (kind_ == Kind::kList) return content_.list->size();
  if (kind_ == Kind::kObject) return content_.object->values.size();
  return kind_ == Kind::kNull ? 0 : 1;
}

const Json* Json::begin() const {
  if (kind_ == Kind::kList) return content_.list->data();
  return kind_ == Kind::kObject ? content_.object->values.data() : nullptr;
}

const Json& Json::at(size_t i) const {
  RequireList();
  if (i >= content_.list->size()) {
    throw JsonError("array index " + std::to_string(i) + " is out of range");
  }
  return (*content_.list)[i];
}

void Json::push_back(Json element) {
  if (kind_ == Kind::kNull) *this = array();
  RequireList();
  content_.list->push_back(std::move(element));
}

const Json* Json::Find(std::string_view name) const {
  if (kind_ != Kind::kObject) return nullptr;
  const auto& [names, values] = *content_.object;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return nullptr;
  return &values[static_cast<size_t>(found - names.begin())];
}

const Json& Json::at(std::string_view name) const {
  if (kind_ != Kind::kObject) Mismatch("object");
  const Json* found = Find(name);
  if (found == nullptr) throw JsonError("key '" + std::string(name) + "' not found");
  return *found;
}

Json& Json::operator[](std::string_view name) {
  if (kind_ == Kind::kNull) *this = object();
  if (kind_ != Kind::kObject) Mismatch("object");
  if (const Json* found = Find(name)) return const_cast<Json&>(*found);
  content_.object->names.emplace_back(name);
  return content_.object->values.emplace_back();
}

void Json::erase(std::string_view name) {
  const Json* found = Find(name);
  if (found == nullptr) return;
  const auto place = found - begin();
  content_.object->names.erase(content_.object->names.begin() + place);
  content_.object->values.erase(content_.object->values.begin() + place);
}

void Json::update(const Json& object) {
  for (const auto& [name, value] : object.items()) (*this)[name] = value;
}

const std::string& Json::Text() const {
  if (kind_ != Kind::kText) Mismatch("string");
  return *content_.text;
}

void Json::SetBool(bool value) {
  kind_ = Kind::kBool;
  content_.truth = value;
}

void Json::SetInteger(int64_t value) {
  kind_ = Kind::kInteger;
  content_.integer = value;
}

void Json::SetUnsigned(uint64_t value) {
  kind_ = Kind::kUnsigned;
  content_.integer = static_cast<int64_t>(value);
}

void Json::SetDouble(double value) {
  kind_ = Kind::kDouble;
  content_.real = value;
}

void Json::SetText(std::string value) {
  content_.text = new std::string(std::move(value));
  kind_ = Kind::kText;
}

bool Json::Bool() const {
  if (kind_ != Kind::kBool) Mismatch("boolean");
  return content_.truth;
}

bool Json::IsWithin(int64_t min, uint64_t max) const {
  if (!is_number_integer()) return false;
  const bool is_negative = kind_ == Kind::kInteger && content_.integer < 0;
  return is_negative ? content_.integer >= min : static_cast<uint64_t>(content_.integer) <= max;
}

int64_t Json::Integer(int64_t min, uint64_t max) const {
  if (!is_number_integer()) Mismatch("integer");
  if (!IsWithin(min, max)) throw JsonError("number " + IntegerText() + " is out of range");
  return content_.integer;
}

std::string Json::IntegerText() const {
  return kind_ == Kind::kUnsigned ? std::to_string(static_cast<uint64_t>(content_.integer))
                                  : std::to_string(content_.integer);
}

double Json::Number() const {
  if (kind_ == Kind::kInteger) return static_cast<double>(content_.integer);
  if (kind_ == Kind::kUnsigned) return static_cast<double>(static_cast<uint64_t>(content_.integer));
  if (kind_ != Kind::kDouble) Mismatch("number");
  return content_.real;
}

void Json::RequireList() const {
  if (kind_ != Kind::kList) Mismatch("array");
}

void Json::ForEachMember(const Json* object, void* to,
                         void (*each)(void* to, const std::string& name, const Json& member)) {
  if (!object->is_object()) object->Mismatch("object");
  for (const auto& [name, member] : object->items()) each(to, name, member);
}

bool Json::IsEqual(const Json& other) const {
  if (is_number() && other.is_number()) {
    if (is_number_float() || other.is_number_float()) return Number() == other.Number();
    const bool same_sign = (kind_ == Kind::kInteger && content_.integer < 0) ==
                           (other.kind_ == Kind::kInteger && other.content_.integer < 0);
    return same_sign && content_.integer == other.content_.integer;
  }
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kBool:
      return content_.truth == other.content_.truth;
    case Kind::kText:
      return *content_.text == *other.content_.text;
    case Kind::kList:
      return *content_.list == *other.content_.list;
    case Kind::kObject:
      for (const auto& [name, value] : items()) {
        const Json* found = other.Find(name);
        if (found == nullptr || !(*found == value)) return false;
      }
      return size() == other.size();
    default:
      return true;
  }
}

void Json::Mismatch(const char* wanted) const {
  constexpr const char* kNames[] = {"null",   "discarded", "boolean", "number", "number",
                                    "number", "string",    "array",   "object"};
  throw JsonError(std::string("type must be ") + wanted + ", but is " +
                  kNames[static_cast<size_t>(kind_)]);
}

Json::Member Json::Members::Iterator::operator*() const {
  static const std::string kNone;
  return {json_->is_object() ? json_->content_.object->names[i_] : kNone, json_->begin()[i_]};
}

}  // namespace assay

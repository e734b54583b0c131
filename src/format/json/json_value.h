// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

// Says what a JSON value is not, or what it lacks: "key 'name' not found".
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
concept JsonTextLike = std::convertible_to<const T&, std::string_view>;
template <class T>
concept JsonRangeLike = !JsonTextLike<T> && requires(const T& range) {
  range.begin();
  range.end();
};
template <class T>
concept JsonPairLike = requires(const T& pair) {
  pair.first;
  pair.second;
};
// A map whose keys are texts is an object; one with other keys is a list of pairs.
template <class T>
concept JsonObjectLike = JsonRangeLike<T> && requires {
  typename T::mapped_type;
  requires JsonTextLike<typename T::key_type>;
};
template <class T>
concept JsonConvertible = std::is_arithmetic_v<T> || std::is_enum_v<T> || JsonTextLike<T> ||
    JsonRangeLike<T> || JsonPairLike<T>;

// A value of JSON: null, a truth value, a number, a text, a list, or an object, whose members keep
// their order. Braces make one, {{"name", 1}, {"list", {1, 2}}}: an object if each element is a
// list of two that begins with a text, else a list. The functions have the names of those of
// nlohmann::json, which would be compiled again for each file; only a few conversions are templates
// here. Those that read throw JsonError.
class Json {
 public:
  class Part;
  struct Member;
  class Members;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  template <class T>
  requires(JsonConvertible<std::remove_cvref_t<T>> && !std::same_as<std::remove_cvref_t<T>, Json>)
      Json(T&& value) {
    using Value = std::remove_cvref_t<T>;
    if constexpr (std::same_as<Value, bool>) {
      SetBool(value);
    } else if constexpr (std::is_enum_v<Value>) {
      SetInteger(static_cast<int64_t>(value));
    } else if constexpr (std::signed_integral<Value>) {
      SetInteger(value);
    } else if constexpr (std::unsigned_integral<Value>) {
      SetUnsigned(value);
    } else if constexpr (std::floating_point<Value>) {
      SetDouble(value);
    } else if constexpr (std::same_as<Value, std::string>) {
      SetText(std::forward<T>(value));
    } else if constexpr (JsonTextLike<Value>) {
      SetText(std::string(std::string_view(value)));
    } else if constexpr (JsonObjectLike<Value>) {
      *this = object();
      for (const auto& [name, member] : value) (*this)[name] = member;
    } else if constexpr (JsonRangeLike<Value>) {
      *this = array();
      for (auto&& element : value) push_back(Json(std::forward<decltype(element)>(element)));
    } else {
      *this = array();
      push_back(Json(value.first));
      push_back(Json(value.second));
    }
  }
  Json(std::initializer_list<Part> parts);
  Json(const Json& other);
  Json(Json&& other) noexcept
      : kind_(std::exchange(other.kind_, Kind::kNull)), content_(other.content_) {}
  Json& operator=(Json other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(content_, other.content_);
    return *this;
  }
  ~Json() {
    if (kind_ >= Kind::kText) Free();
  }

  static Json array(std::initializer_list<Part> parts = {});
  static Json object();
  // Returns what stands for a text that is not JSON.
  static Json discarded();

  bool is_discarded() const { return kind_ == Kind::kDiscarded; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_boolean() const { return kind_ == Kind::kBool; }
  bool is_number() const { return is_number_integer() || is_number_float(); }
  bool is_number_integer() const { return kind_ == Kind::kInteger || is_number_unsigned(); }
  // Returns true for an integer that fits an integral type.
  template <std::integral T>
  bool is_integer() const {
    return IsWithin(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
  bool is_number_unsigned() const { return kind_ == Kind::kUnsigned; }
  bool is_number_float() const { return kind_ == Kind::kDouble; }
  bool is_string() const { return kind_ == Kind::kText; }
  bool is_array() const { return kind_ == Kind::kList; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_structured() const { return is_array() || is_object(); }

  // The number of elements or members; 0 for null, and 1 for all else.
  size_t size() const;
  bool empty() const { return size() == 0; }

  // Lists, and the values of objects.
  const Json* begin() const;
  const Json* end() const { return begin() + (is_structured() ? size() : 0); }
  Json* begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
  Json* end() { return const_cast<Json*>(std::as_const(*this).end()); }
  const Json& at(size_t i) const;
  template <std::integral Index>
  const Json& operator[](Index i) const {
    return at(static_cast<size_t>(i));
  }
  template <std::integral Index>
  Json& operator[](Index i) {
    return const_cast<Json&>(at(static_cast<size_t>(i)));
  }
  const Json& back() const { return at(size() - 1); }
  Json& back() { return const_cast<Json&>(std::as_const(*this).back()); }
  void push_back(Json element);  // null becomes a list

  // Objects.
  const Json* Find(std::string_view name) const;  // null also if it is no object
  bool contains(std::string_view name) const { return Find(name) != nullptr; }
  const Json& at(std::string_view name) const;
  const Json& operator[](std::string_view name) const { return at(name); }
  Json& operator[](std::string_view name);  // a new member is null; null becomes an object
  void erase(std::string_view name);
  void update(const Json& object);  // takes all its members
  Members items() const;
  template <class T>
  T value(std::string_view name, T fallback) const {
    const Json* found = Find(name);
    return found == nullptr ? std::move(fallback) : found->get<T>();
  }
  std::string value(std::string_view name, const char* fallback) const {
    return value(name, std::string(fallback));
  }

  // Reads into a number (an integer that does not fit is an error), bool, enumeration, text, or
  // into a range, map or pair of them.
  template <class T>
  void get_to(T& value) const {
    if constexpr (std::same_as<T, Json>) {
      value = *this;
    } else if constexpr (std::same_as<T, bool>) {
      value = Bool();
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(get<std::underlying_type_t<T>>());
    } else if constexpr (std::integral<T>) {
      value = static_cast<T>(Integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else if constexpr (std::floating_point<T>) {
      value = static_cast<T>(Number());
    } else if constexpr (std::same_as<T, std::string>) {
      value = Text();
    } else if constexpr (JsonObjectLike<T>) {
      value.clear();
      ForEachMember(this, &value, [](void* map, const std::string& name, const Json& member) {
        member.get_to((*static_cast<T*>(map))[name]);
      });
    } else if constexpr (JsonPairLike<T>) {
      value = {at(0).get<std::remove_const_t<typename T::first_type>>(),
               at(1).get<typename T::second_type>()};
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      for (size_t i = 0; i < value.size(); ++i) at(i).get_to(value[i]);
    } else {
      RequireList();
      value.clear();
      for (const Json& element : *this) {
        value.insert(value.end(), element.get<typename T::value_type>());
      }
    }
  }
  template <class T>
  T get() const {
    T value{};
    get_to(value);
    return value;
  }
  const std::string& Text() const;  // of a text
  std::string IntegerText() const;  // of an integer, in decimal
  double Number() const;            // of a number
  bool Bool() const;

  // Numbers are equal if their values are.
  friend bool operator==(const Json& a, const Json& b) { return a.IsEqual(b); }

 private:
  enum class Kind : uint8_t {
    kNull,
    kDiscarded,
    kBool,
    kInteger,
    kUnsigned,  // a number that was not negative when it was read, or an unsigned type
    kDouble,
    kText,
    kList,
    kObject,
  };
  struct Object;
  union Content {
    bool truth;
    int64_t integer;  // a kUnsigned number modulo 2^64
    double real;
    std::string* text;
    std::vector<Json>* list;
    Object* object;
  };

  void SetBool(bool value);
  void SetInteger(int64_t value);
  void SetUnsigned(uint64_t value);
  void SetDouble(double value);
  void SetText(std::string value);
  bool IsWithin(int64_t min, uint64_t max) const;
  int64_t Integer(int64_t min, uint64_t max) const;  // modulo 2^64
  void RequireList() const;
  static void ForEachMember(const Json* object, void* to,
                            void (*each)(void* to, const std::string& name, const Json& member));
  bool IsEqual(const Json& other) const;
  [[noreturn]] void Mismatch(const char* wanted) const;
  void Free();

  Kind kind_ = Kind::kNull;
  Content content_ = {};
};

// An element of braces. It may be moved out of them.
class Json::Part {
 public:
  template <class T>
  requires std::constructible_from<Json, T> Part(T&& value) : value_(std::forward<T>(value)) {}
  Part(std::initializer_list<Part> parts) : value_(parts) {}

 private:
  friend class Json;
  mutable Json value_;
};

struct Json::Member {
  const std::string& name;
  const Json& value;
};

// The members of an object, to iterate over; the elements of a list have no names.
class Json::Members {
 public:
  class Iterator {
   public:
    Iterator(const Json* json, size_t i) : json_(json), i_(i) {}
    Member operator*() const;
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    const Json* json_;
    size_t i_;
  };
  explicit Members(const Json& json) : json_(&json) {}
  Iterator begin() const { return {json_, 0}; }
  Iterator end() const { return {json_, json_->is_structured() ? json_->size() : 0}; }

 private:
  const Json* json_;
};

inline Json::Members Json::items() const { return Members(*this); }

}  // namespace assay

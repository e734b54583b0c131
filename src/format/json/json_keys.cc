// SPDX-License-Identifier: Apache-2.0
#include "json_keys.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "quoted.h"

namespace assay {
namespace {

// Reads a text, and tells where it is.
class ToldIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  ToldIterator(const char* at, const char*& told) : at_(at), told_(&told) {}
  reference operator*() const { return *at_; }
  ToldIterator& operator++() {
    *told_ = ++at_;
    return *this;
  }
  bool operator==(const ToldIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** told_;
};

// Walks over the fields of objects and the elements of lists.
class FieldWalk : public nlohmann::json_sax<nlohmann::json> {
 public:
  // Gets the place of a field or an element, and whether its object has had such a field. Returns
  // false to end the walk.
  using See = std::function<bool(const std::string& place, bool is_double)>;

  // Returns the line at which `see` has ended the walk; 0 if it has not.
  static int64_t Walk(std::string_view text, See see) {
    FieldWalk walk(std::move(see));
    const char* at = text.data();
    const char* unused = nullptr;
    nlohmann::json::sax_parse(ToldIterator(text.data(), at),
                              ToldIterator(text.data() + text.size(), unused), &walk);
    return walk.ended_ ? std::count(text.data(), at, '\n') + 1 : 0;
  }

  bool null() override { return Value(); }
  bool boolean(bool) override { return Value(); }
  bool number_integer(number_integer_t) override { return Value(); }
  bool number_unsigned(number_unsigned_t) override { return Value(); }
  bool number_float(number_float_t, const string_t&) override { return Value(); }
  bool string(string_t&) override { return Value(); }
  bool binary(binary_t&) override { return Value(); }
  bool start_object(size_t) override { return Open(true); }
  bool start_array(size_t) override { return Open(false); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  bool key(string_t& name) override {
    return Step(JsonStep(name), !open_.back().names.insert(name).second);
  }

 private:
  struct Level {
    bool is_object = false;
    size_t place_bytes = 0;  // of the place of the object or list
    size_t elements = 0;     // of a list, so far
    std::set<std::string> names = {};
  };

  explicit FieldWalk(See see) : see_(std::move(see)) {}

  bool Step(const std::string& step, bool is_double) {
    place_.resize(open_.back().place_bytes);
    place_ += "/" + step;
    ended_ = !see_(place_, is_double);
    return !ended_;
  }

  // A value of a field has been seen with its name.
  bool Value() {
    if (open_.empty() || open_.back().is_object) return true;
    return Step(std::to_string(open_.back().elements++), false);
  }

  bool Open(bool is_object) {
    if (!Value()) return false;
    open_.push_back({is_object, place_.size()});
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  See see_;
  std::string place_;
  std::vector<Level> open_;
  bool ended_ = false;
};

}  // namespace

std::string JsonStep(const std::string& name) {
  const std::string quoted = Quoted(name);
  return quoted.size() == name.size() + 2 ? name : quoted;
}

std::optional<JsonField> FindDoubledField(std::string_view text) {
  JsonField field;
  field.line = FieldWalk::Walk(text, [&](const std::string& place, bool is_double) {
    if (is_double) field.place = place;
    return !is_double;
  });
  return field.line == 0 ? std::nullopt : std::optional(std::move(field));
}

int64_t LineOfJson(std::string_view text, std::string_view wanted) {
  const int64_t line =
      FieldWalk::Walk(text, [&](const std::string& place, bool) { return place != wanted; });
  return std::max<int64_t>(line, 1);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

// Escapes the C1 controls (U+0080 to U+009F) in a text in UTF-8, as nlohmann does for C0 only.
std::string WithEscapedControls(std::string text) {
  constexpr char kLead = '\xc2', kDigits[] = "0123456789abcdef";
  size_t at = text.find(kLead);
  if (at == std::string::npos) return text;
  std::string escaped;
  size_t done = 0;
  for (; at != std::string::npos; at = text.find(kLead, at + 1)) {
    const auto byte = static_cast<unsigned char>(text[at + 1]);
    if (byte > 0x9f) continue;
    escaped.append(text, done, at - done).append("\\u00");
    escaped += {kDigits[byte >> 4], kDigits[byte & 15]};
    done = at + 2;
  }
  return escaped.append(text, done);
}

class Writer {
 public:
  Writer(int indent, bool ascii) : indent_(indent), ascii_(ascii) {}

  void Write(const Json& json, size_t depth) {
    if (json.is_structured()) return WriteElements(json, depth);
    if (json.is_string()) return WriteText(json.Text());
    if (json.is_number_integer()) {
      text_ += json.IntegerText();
    } else if (json.is_number_float()) {
      text_ += nlohmann::json(json.Number()).dump();
    } else if (json.is_boolean()) {
      text_ += json.Bool() ? "true" : "false";
    } else {
      text_ += json.is_null() ? "null" : "<discarded>";
    }
  }
  std::string Take() { return std::move(text_); }

 private:
  void WriteElements(const Json& json, size_t depth) {
    text_ += json.is_object() ? '{' : '[';
    bool is_first = true;
    for (const auto& [name, value] : json.items()) {
      if (!std::exchange(is_first, false)) text_ += ',';
      NewLine(depth + 1);
      if (json.is_object()) {
        WriteText(name);
        text_ += indent_ < 0 ? ":" : ": ";
      }
      Write(value, depth + 1);
    }
    if (!is_first) NewLine(depth);
    text_ += json.is_object() ? '}' : ']';
  }
  void NewLine(size_t depth) {
    if (indent_ >= 0) text_.append("\n").append(depth * static_cast<size_t>(indent_), ' ');
  }
  void WriteText(const std::string& text) {
    const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
    if (std::all_of(text.begin(), text.end(), is_plain)) {
      text_.append("\"").append(text).append("\"");
    } else {
      text_ += WithEscapedControls(
          nlohmann::json(text).dump(-1, ' ', ascii_, nlohmann::json::error_handler_t::replace));
    }
  }

  int indent_;
  bool ascii_;
  std::string text_;
};

// Makes a value of what nlohmann's parser meets.
class Maker : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add(Json()); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool string(string_t& text) override { return Add(std::move(text)); }
  bool binary(binary_t&) override { return false; }  // not in texts
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    name_ = std::move(name);
    return true;
  }
  bool parse_error(size_t place, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::string_view what = error.what();  // [json.exception.NAME.NUMBER] what
    const size_t end = what.find("] ");
    error_.emplace(std::string(what.substr(end == what.npos ? 0 : end + 2)), place,
                   dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr);
    return false;
  }

  Json& made() { return made_; }
  const std::optional<JsonSyntaxError>& error() const { return error_; }

 private:
  bool Add(Json value) {
    Place() = std::move(value);
    return true;
  }
  bool Open(Json value) {
    if (open_.size() == kJsonDepthMax) {
      error_.emplace("nested deeper than " + std::to_string(kJsonDepthMax), 1, false);
      return false;
    }
    Json& place = Place();
    place = std::move(value);
    open_.push_back(&place);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }
  // Returns where the next value goes. What encloses an open value does not change, so it stays.
  Json& Place() {
    if (open_.empty()) return made_;
    Json& in = *open_.back();
    if (in.is_object()) return in[name_];
    in.push_back(Json());
    return in.back();
  }

  Json made_;
  std::vector<Json*> open_;
  std::string name_;
  std::optional<JsonSyntaxError> error_;
};

constexpr size_t kLineMax = 100;

// Returns a value on one line, with a blank after each comma and colon.
std::string OnOneLine(const Json& json) {
  if (!json.is_structured()) return JsonText(json);
  std::string text;
  for (const auto& [name, value] : json.items()) {
    if (!text.empty()) text += ", ";
    if (json.is_object()) text += JsonText(Json(name)) + ": ";
    text += OnOneLine(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

void Write(const Json& json, size_t indent, std::string& text) {
  const std::string line = OnOneLine(json);
  if (indent > 0 && (!json.is_structured() || indent + line.size() <= kLineMax)) {
    text += line;
    return;
  }
  const std::string margin(indent + 2, ' ');
  text += json.is_object() ? "{\n" : "[\n";
  size_t rest = json.size();
  for (const auto& [name, value] : json.items()) {
    text += margin;
    if (json.is_object()) text += JsonText(Json(name)) + ": ";
    Write(value, indent + 2, text);
    text += --rest > 0 ? ",\n" : "\n";
  }
  text += std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

}  // namespace

std::string JsonText(const Json& json, int indent, bool ascii) {
  Writer writer(indent, ascii);
  writer.Write(json, 0);
  return writer.Take();
}

// nlohmann takes a zero byte for the end of a text.
Json JsonFrom(std::string_view text) {
  if (const size_t zero = text.find('\0'); zero != text.npos) {
    throw JsonSyntaxError("there is a zero byte", zero + 1, false);
  }
  Maker maker;
  if (!nlohmann::json::sax_parse(text, &maker)) throw *maker.error();
  return std::move(maker.made());
}

Json ParseJson(std::string_view text) {
  if (text.find('\0') != text.npos) return Json::discarded();
  Maker maker;
  const bool parsed = nlohmann::json::sax_parse(text, &maker);
  return parsed && maker.made().is_structured() ? std::move(maker.made()) : Json::discarded();
}

std::string JsonInLines(const Json& json) {
  std::string text;
  Write(json, 0, text);
  return text;
}

}  // namespace assay

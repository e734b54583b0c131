// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

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

}  // namespace

template <class Json>
std::string JsonText(const Json& json, int indent, bool ascii) {
  return WithEscapedControls(json.dump(indent, ' ', ascii, Json::error_handler_t::replace));
}

template <class Json>
Json JsonFrom(std::string_view text, bool throws) {
  return Json::parse(text, nullptr, throws);
}

template std::string JsonText(const nlohmann::json&, int, bool);
template std::string JsonText(const nlohmann::ordered_json&, int, bool);
template nlohmann::json JsonFrom(std::string_view, bool);
template nlohmann::ordered_json JsonFrom(std::string_view, bool);

}  // namespace assay

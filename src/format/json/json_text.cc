// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

namespace assay {

template <class Json>
std::string JsonText(const Json& json, int indent, bool ascii) {
  return json.dump(indent, ' ', ascii, Json::error_handler_t::replace);
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

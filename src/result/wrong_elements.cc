// SPDX-License-Identifier: Apache-2.0
#include "wrong_elements.h"

#include "json_fields.h"
#include "json_text.h"

namespace assay {
namespace {

constexpr const char* kStates[] = {"right", "wrong", "undecided"};

WrongElement ElementFrom(const Json& json) {
  WrongElement element;
  json.at(0).get_to(element.expected);
  json.at(1).get_to(element.got);
  const std::string state = json.at(2).get<std::string>();
  for (size_t i = 0; i < std::size(kStates); ++i) {
    if (state == kStates[i]) element.state = static_cast<WrongElement::State>(i);
  }
  element.units.reset();
  if (!json.at(3).is_null()) element.units = json.at(3).get<int64_t>();
  return element;
}

}  // namespace

std::string WrongElementsToJson(const std::optional<WrongElements>& wrong) {
  if (!wrong) return "null";
  Json elements = Json::array();
  for (const WrongElement& element : wrong->elements) {
    Json units = element.units ? Json(*element.units) : Json(nullptr);
    elements.push_back(
        Json::array({element.expected, element.got, kStates[static_cast<size_t>(element.state)],
                     std::move(units)}));
  }
  const Json json = {{"tensor", wrong->tensor},         {"rows", wrong->rows},
                     {"columns", wrong->columns},       {"row", wrong->row},
                     {"column", wrong->column},         {"width", wrong->width},
                     {"elements", std::move(elements)}, {"histogram", wrong->histogram}};
  return JsonText(json);
}

std::optional<WrongElements> WrongElementsFromJson(const std::string& line) {
  try {
    const Json json = JsonFrom(line);
    if (json.is_null()) return std::nullopt;
    WrongElements wrong;
    json.at("tensor").get_to(wrong.tensor);
    json.at("rows").get_to(wrong.rows);
    json.at("columns").get_to(wrong.columns);
    json.at("row").get_to(wrong.row);
    json.at("column").get_to(wrong.column);
    json.at("width").get_to(wrong.width);
    json.at("histogram").get_to(wrong.histogram);
    for (const Json& element : json.at("elements")) wrong.elements.push_back(ElementFrom(element));
    if (wrong.width < 1) return std::nullopt;
    return wrong;
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

}  // namespace assay

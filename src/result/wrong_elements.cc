// SPDX-License-Identifier: Apache-2.0
#include "wrong_elements.h"

#include "json_record.h"

namespace assay {
namespace {

constexpr WrongElement::State kAllStates[] = {
    WrongElement::State::kRight, WrongElement::State::kWrong, WrongElement::State::kUndecided};

const char* NameOf(WrongElement::State state) {
  constexpr const char* kNames[] = {"right", "wrong", "undecided"};
  return kNames[static_cast<size_t>(state)];
}

}  // namespace

template <>
struct JsonForm<WrongElement::State> : JsonFormOfNames<kAllStates, NameOf> {};

template <>
struct JsonRecord<WrongElement> {
  static constexpr bool kIsList = true;
  static void Fields(auto& v, auto& element) {
    v.Always("expected", element.expected);
    v.Always("got", element.got);
    v.Always("state", element.state);
    v.Always("units", element.units);
  }
};

template <>
struct JsonRecord<WrongElements> {
  static void Fields(auto& v, auto& wrong) {
    v.Always("tensor", wrong.tensor);
    v.Always("rows", wrong.rows);
    v.Always("columns", wrong.columns);
    v.Always("row", wrong.row);
    v.Always("column", wrong.column);
    v.Always("width", wrong.width);
    v.Always("elements", wrong.elements);
    v.Always("histogram", wrong.histogram);
  }
};

std::string WrongElementsToJson(const std::optional<WrongElements>& wrong) {
  return JsonText(RecordToJson(wrong));
}

std::optional<WrongElements> WrongElementsFromJson(const std::string& line) {
  try {
    auto wrong = RecordFromJson<std::optional<WrongElements>>(JsonFrom(line));
    if (wrong && wrong->width < 1) return std::nullopt;
    return wrong;
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// Tests what the writer and the reader of JSON add to those of nlohmann.
#include <gtest/gtest.h>

#include "json_keys.h"
#include "json_text.h"

namespace assay::json_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(Json, EscapesTheControlsOfBothRanges) {
  const Json json = {{"k\u0085", "\u001ba\u0080\u009f\u00a0\u00e9\u4e85"}};
  const std::string text = JsonText(json);
  EXPECT_EQ(text, "{\"k\\u0085\":\"\\u001ba\\u0080\\u009f\u00a0\u00e9\u4e85\"}");
  EXPECT_EQ(JsonFrom<Json>(text), json);
  // Every other character is written as it was.
  std::string others;
  for (int c = 0x20; c < 0x80; ++c) others += static_cast<char>(c);
  for (int c = 0xa0; c < 0xc0; ++c) others += std::string("\xc2") + static_cast<char>(c);
  for (const int indent : {-1, 2}) {
    EXPECT_EQ(JsonText(Json(others), indent), Json(others).dump(indent));
  }
}

TEST(Json, FindsTheLineOfAPlace) {
  const char text[] = R"({"a": [1,
    {"b c": true,
     "d": {}}],
  "e": "\n"
})";
  EXPECT_EQ(LineOfJson(text, "/a"), 1);
  EXPECT_EQ(LineOfJson(text, "/a/0"), 1);
  EXPECT_EQ(LineOfJson(text, "/a/1"), 2);
  EXPECT_EQ(LineOfJson(text, "/a/1/b c"), 2);
  EXPECT_EQ(LineOfJson(text, "/a/1/d"), 3);
  EXPECT_EQ(LineOfJson(text, "/e"), 4);
  EXPECT_EQ(LineOfJson(text, "/f"), 1);
}

TEST(Json, FindsADoubledField) {
  const auto found = [](std::string_view text) {
    const auto field = FindDoubledField(text);
    return field ? std::to_string(field->line) + " " + field->place : "";
  };
  EXPECT_EQ(found(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]})"), "");
  EXPECT_EQ(found("{\"a\": 1,\n\"a\": 1}"), "2 /a");
  EXPECT_EQ(found("[{}, {\"a\": {\n\"b\": [], \"c\": 1,\n\n\"b\": 2}}]"), "4 /1/a/b");
  EXPECT_EQ(found(R"({"a\n": 1, "a\u000a": 1})"), R"(1 /"a\x0a")");
  EXPECT_EQ(found(R"({"a": 1, "a)"), "") << "no JSON";
  EXPECT_EQ(found(""), "");
}

}  // namespace
}  // namespace assay::json_test

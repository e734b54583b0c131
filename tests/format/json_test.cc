// SPDX-License-Identifier: Apache-2.0
// Tests values of JSON, and what the writer and the reader add to those of nlohmann.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "json_keys.h"
#include "json_text.h"

namespace assay::json_test {
namespace {

TEST(Json, EscapesTheControlsOfBothRanges) {
  const Json json = {{"k\u0085", "\u001ba\u0080\u009f\u00a0\u00e9\u4e85"}};
  const std::string text = JsonText(json);
  EXPECT_EQ(text, "{\"k\\u0085\":\"\\u001ba\\u0080\\u009f\u00a0\u00e9\u4e85\"}");
  EXPECT_EQ(JsonFrom(text), json);
  // Every other character is written as it was.
  std::string others;
  for (int c = 0x20; c < 0x80; ++c) others += static_cast<char>(c);
  for (int c = 0xa0; c < 0xc0; ++c) others += std::string("\xc2") + static_cast<char>(c);
  for (const int indent : {-1, 2}) {
    EXPECT_EQ(JsonText(Json(others), indent), nlohmann::json(others).dump(indent));
  }
}

// Nlohmann writes the same text for the same value.
TEST(Json, WritesAsNlohmannDoes) {
  const Json json = {{"none", nullptr},
                     {"truths", {true, false}},
                     {"numbers", {-1, 18446744073709551615u, 0.1, 1e300, 2.0, std::nan("")}},
                     {"texts", {"", "\"", "\\", "\x7f", "a\"\\\n", "\xff\xc3"}},
                     {"empty", {{"list", Json::array()}, {"object", Json::object()}}},
                     {"pairs", std::map<int, bool>{{1, true}}},
                     {"named", std::map<std::string, double>{{"z", 1}, {"a", 0.5}}}};
  for (const int indent : {-1, 0, 2}) {
    const std::string text = JsonText(json, indent);
    EXPECT_EQ(text, nlohmann::ordered_json::parse(text).dump(indent));
    EXPECT_EQ(JsonFrom(text), JsonFrom(JsonText(json)));
  }
  EXPECT_EQ(JsonText(json),
            R"({"none":null,"truths":[true,false],"numbers":[-1,18446744073709551615,)"
            R"(0.1,1e+300,2.0,null],"texts":["","\"","\\",")"
            "\x7f"
            R"(","a\"\\\n",")"
            "\ufffd\ufffd"
            R"("],)"
            R"("empty":{"list":[],"object":{}},"pairs":[[1,true]],"named":{"a":0.5,"z":1.0}})");
}

template <class T>
std::string Complaint(const char* text) {
  try {
    (void)JsonFrom(text).at("n").get<T>();
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

// A number that does not fit is not cut to one that does. Converting 1e30 would be undefined.
TEST(Json, ReadsNumbersThatFit) {
  EXPECT_EQ(JsonFrom(R"({"n": 127})").at("n").get<int8_t>(), 127);
  EXPECT_EQ(JsonFrom(R"({"n": 18446744073709551615})").at("n").get<uint64_t>(),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(JsonFrom(R"({"n": 3})").at("n").get<double>(), 3.0);
  EXPECT_TRUE(JsonFrom("[-128]")[0].is_integer<int8_t>());
  EXPECT_FALSE(JsonFrom("[-129]")[0].is_integer<int8_t>());
  EXPECT_TRUE(JsonFrom("[18446744073709551615]")[0].is_integer<uint64_t>());
  EXPECT_FALSE(JsonFrom("[18446744073709551615]")[0].is_integer<int64_t>());
  EXPECT_FALSE(JsonFrom("[-1]")[0].is_integer<uint64_t>());
  EXPECT_FALSE(JsonFrom("[1e30]")[0].is_integer<int64_t>());
  EXPECT_EQ(Complaint<int8_t>(R"({"n": 128})"), "number 128 is out of range");
  EXPECT_EQ(Complaint<int64_t>(R"({"n": 9223372036854775808})"),
            "number 9223372036854775808 is out of range");
  EXPECT_EQ(Complaint<uint64_t>(R"({"n": -1})"), "number -1 is out of range");
  EXPECT_EQ(Complaint<int64_t>(R"({"n": 1e30})"), "type must be integer, but is number");
  EXPECT_EQ(Complaint<bool>(R"({"n": 1})"), "type must be boolean, but is number");
  EXPECT_EQ(Complaint<std::vector<int>>(R"({"n": {"a": 1}})"), "type must be array, but is object");
  EXPECT_EQ(Complaint<std::string>(R"({"m": ""})"), "key 'n' not found");
}

TEST(Json, MembersKeepTheirOrderAndTheirPlace) {
  Json json = {{"b", 1}, {"a", {2, "x"}}};
  json["c"]["d"].push_back(3);
  json["b"] = "new";
  json.update({{"a", 4}, {"e", 5}});
  EXPECT_EQ(JsonText(json), R"({"b":"new","a":4,"c":{"d":[3]},"e":5})");
  json.erase("a");
  json.erase("none");
  EXPECT_EQ(JsonText(json), R"({"b":"new","c":{"d":[3]},"e":5})");
  EXPECT_EQ(json, JsonFrom(R"({"e": 5.0, "c": {"d": [3]}, "b": "new"})"));
  EXPECT_NE(json, JsonFrom(R"({"e": 5, "c": {"d": [3, 3]}, "b": "new"})"));
  EXPECT_EQ(json.value("e", 0), 5);
  EXPECT_EQ(json.value("f", "none"), "none");
  const Json copy = json;
  json = json["c"];  // part of itself
  EXPECT_EQ(JsonText(json), R"({"d":[3]})");
  EXPECT_EQ(copy["c"], json);
  EXPECT_THROW((void)copy["f"], JsonError);
  EXPECT_THROW((void)copy["c"]["d"][1], JsonError);
}

TEST(Json, RefusesTextsThatAreNone) {
  EXPECT_TRUE(ParseJson("1").is_discarded());
  EXPECT_TRUE(ParseJson("[1").is_discarded());
  const std::string behind_zero("[1]\0[2", 6);
  EXPECT_TRUE(ParseJson(behind_zero).is_discarded());
  EXPECT_THROW(JsonFrom(behind_zero), JsonSyntaxError);
  const std::string deep(kJsonDepthMax, '['), end(kJsonDepthMax, ']');
  EXPECT_FALSE(ParseJson(deep + end).is_discarded());
  EXPECT_TRUE(ParseJson("[" + deep + end + "]").is_discarded());
  try {
    JsonFrom("[1, 1e999]");
    ADD_FAILURE();
  } catch (const JsonSyntaxError& error) {
    EXPECT_TRUE(error.is_vast_number);
  }
  try {
    JsonFrom("[1, }");
    ADD_FAILURE();
  } catch (const JsonSyntaxError& error) {
    EXPECT_FALSE(error.is_vast_number);
    EXPECT_EQ(error.byte, 5u);
    EXPECT_TRUE(std::string(error.what()).starts_with("parse error at line 1, column 5: "));
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

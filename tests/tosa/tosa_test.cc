// SPDX-License-Identifier: Apache-2.0
// Compares the operator set in src/tosa with corpus/spec/tosa_1_0_2.json, read independently of
// src/tosa/generate_operators. Tests the laws that hold for all rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "levels.h"
#include "operator_table.h"
#include "operator_versions.h"
#include "readings.h"
#include "rules.h"

namespace assay::tosa_test {
namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path kSource = ASSAY_SOURCE_DIR;

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

const Json& Specification() {
  static const Json json = Json::parse(ReadText(kSource / "corpus/spec/tosa_1_0_2.json"));
  return json;
}

std::string Text(const Json& object, const char* key) { return object.value(key, ""); }

// Returns the name of a type in the JSON file, like "i8_t".
std::string WrittenType(DType type) {
  if (type == DType::kShape) return "tensor_size_t";
  return std::string(TypeName(type)) + "_t";
}

// Returns a version like the JSON file: "1.0".
std::string WrittenVersion(const SpecVersion& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

int CountRules(const OperatorRow& row, RuleKind kind) {
  int count = 0;
  for (const RuleRow& rule : row.rules) count += rule.kind == kind && rule.number > 0 ? 1 : 0;
  return count;
}

// Returns the element types of the operands of one direction in a type row. A list has
// `list_length` tensors.
std::vector<DType> OperandTypes(const OperatorRow& row, const TypeRow& types, Direction direction,
                                int list_length) {
  std::vector<DType> operands;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction != direction) continue;
    DType type = TypeIn(types, argument);
    if (argument.element == "mul_t") type = DType::kInt16;
    if (type == DType::kUnknown) type = DType::kBf16;  // anything goes
    for (int i = 0; i < (argument.list ? list_length : 1); ++i) operands.push_back(type);
  }
  return operands;
}

DType AttributeType(const OperatorRow& row, int type_row) {
  if (row.op == Op::kVariable) return TypeOf(row.op, type_row, "in_t");
  const bool named = FindAttribute(row.op, AttributeId::kAccType) != nullptr;
  return named ? TypeOf(row.op, type_row, "acc_t") : DType::kUnknown;
}

// Counted by hand in TOSA 1.0: the only place in the tests that knows these numbers.
TEST(OperatorTable, HasTheSizesOfTheSpecification) {
  const SpecVersion first = {1, 0};
  int operators = 0;
  std::ptrdiff_t type_rows = 0;
  std::map<RuleKind, int> rules;
  for (const OperatorRow& row : AllOperators()) {
    if (VersionsOf(row.op).since != first) continue;
    ++operators;
    type_rows += std::ranges::count(VersionsOf(row.op).type_rows, first);
    for (RuleKind kind : {RuleKind::kErrorIf, RuleKind::kRequire, RuleKind::kLevelCheck}) {
      rules[kind] += CountRules(row, kind);
    }
  }
  EXPECT_EQ(operators, 75);
  EXPECT_EQ(type_rows, 389);
  EXPECT_EQ(rules[RuleKind::kErrorIf], 153);
  EXPECT_EQ(rules[RuleKind::kRequire], 27);
  EXPECT_EQ(rules[RuleKind::kLevelCheck], 118);
}

// Files and vectors declare this version, whichever operators they have.
TEST(OperatorTable, HasNothingNewerThanTheDeclaredVersion) {
  const SpecVersion declared;
  const auto is_newer = [&](const SpecVersion& since) {
    return std::pair(since.major, since.minor) > std::pair(declared.major, declared.minor);
  };
  for (const OperatorRow& row : AllOperators()) {
    EXPECT_FALSE(is_newer(VersionsOf(row.op).since)) << row.name << ": see SpecVersion in types.h";
    EXPECT_TRUE(std::ranges::none_of(VersionsOf(row.op).type_rows, is_newer)) << row.name;
  }
}

TEST(OperatorTable, NamesOperatorsAsTheWireFormatNumbersThem) {
  for (const OperatorRow& row : AllOperators()) {
    EXPECT_EQ(row.name, OperatorName(row.op));
    EXPECT_EQ(&RowOf(row.op), &row);
  }
}

TEST(OperatorTable, HasTheArgumentsOfTheFile) {
  const Json& operators = Specification()["operators"];
  ASSERT_EQ(operators.size(), AllOperators().size());
  for (size_t i = 0; i < operators.size(); ++i) {
    const OperatorRow& row = AllOperators()[i];
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.name, Text(operators[i], "name"));
    EXPECT_EQ(row.category, Text(operators[i], "category"));
    EXPECT_EQ(row.precision, Text(operators[i], "precision"));
    EXPECT_FALSE(row.precision.empty());
    const Json& arguments = operators[i]["arguments"];
    ASSERT_EQ(row.arguments.size(), arguments.size());
    for (size_t j = 0; j < arguments.size(); ++j) {
      const ArgumentRow& argument = row.arguments[j];
      const Json& expected = arguments[j];
      SCOPED_TRACE(argument.name);
      EXPECT_EQ(argument.name, Text(expected, "name"));
      EXPECT_EQ(argument.type, Text(expected, "type"));
      EXPECT_EQ(argument.shape, Text(expected, "shape"));
      EXPECT_EQ(argument.optional, expected.value("optional", false));
      EXPECT_EQ(argument.list, Text(expected, "type") == "tensor_list_t");
      EXPECT_EQ(argument.compile_time_constant, expected.contains("ctc"));
      const std::string direction = Text(expected, "direction");
      EXPECT_EQ(argument.direction, direction == "input"    ? Direction::kInput
                                    : direction == "output" ? Direction::kOutput
                                                            : Direction::kAttribute);
      ASSERT_EQ(argument.attribute.has_value(), direction == "attribute");
      if (argument.attribute) {
        EXPECT_EQ(AttributeName(*argument.attribute), argument.name);
      }
    }
  }
}

TEST(OperatorTable, HasTheElementTypesOfTheFile) {
  for (const Json& expected : Specification()["operators"]) {
    const OperatorRow& row = RowOf(*OperatorByName(Text(expected, "name")));
    for (size_t j = 0; j < row.arguments.size(); ++j) {
      const ArgumentRow& argument = row.arguments[j];
      SCOPED_TRACE(std::string(row.name) + " " + std::string(argument.name));
      std::string written = Text(expected["arguments"][j], "element");
      // The bounds of CLAMP are single elements, and a shape_t has elements of its own type.
      if (written.empty() && argument.type == "in_out_t") written = argument.type;
      if (written.empty() && argument.type == "shape_t") written = "tensor_size_t";
      EXPECT_EQ(argument.element, written);
      if (argument.type_variable) {
        EXPECT_EQ(row.type_variables[*argument.type_variable], written);
        EXPECT_EQ(argument.fixed, DType::kUnknown);
      } else if (argument.fixed != DType::kUnknown) {
        EXPECT_EQ(WrittenType(argument.fixed), written);
      } else {
        EXPECT_TRUE(written.empty() || written == "mul_t");
      }
    }
  }
}

TEST(OperatorTable, HasTheRanksOfTheFileAtEveryLevel) {
  for (const Json& expected : Specification()["operators"]) {
    const OperatorRow& row = RowOf(*OperatorByName(Text(expected, "name")));
    for (size_t j = 0; j < row.arguments.size(); ++j) {
      const ArgumentRow& argument = row.arguments[j];
      SCOPED_TRACE(std::string(row.name) + " " + std::string(argument.name));
      ASSERT_EQ(argument.rank.has_value(), expected["arguments"][j].contains("rank"));
      if (!argument.rank) continue;
      const Json& rank = expected["arguments"][j]["rank"];
      EXPECT_EQ(argument.rank->min, rank[0].get<int>());
      for (const Level& level : AllLevels()) {
        const int maximum = rank[1].is_number()     ? rank[1].get<int>()
                            : rank[1] == "MAX_RANK" ? level.max_rank
                                                    : level.max_rank - 1;
        EXPECT_EQ(RankMax(argument.rank->max, level.max_rank), maximum);
      }
    }
  }
}

TEST(OperatorTable, HasTheTypeRowsOfTheFile) {
  for (const Json& expected : Specification()["operators"]) {
    const OperatorRow& row = RowOf(*OperatorByName(Text(expected, "name")));
    SCOPED_TRACE(row.name);
    const OperatorVersions& versions = VersionsOf(row.op);
    EXPECT_EQ(WrittenVersion(versions.since), Text(expected, "since"));
    ASSERT_EQ(versions.type_rows.size(), expected["type_rows"].size());
    ASSERT_EQ(row.type_variables.size(), expected["type_variables"].size());
    for (size_t v = 0; v < row.type_variables.size(); ++v) {
      EXPECT_EQ(row.type_variables[v], expected["type_variables"][v].get<std::string>());
    }
    ASSERT_EQ(row.type_rows.size(), expected["type_rows"].size());
    for (size_t r = 0; r < row.type_rows.size(); ++r) {
      const TypeRow& types = row.type_rows[r];
      const Json& expected_row = expected["type_rows"][r];
      EXPECT_EQ(types.mode, Text(expected_row, "mode"));
      EXPECT_EQ(WrittenVersion(versions.type_rows[r]), Text(expected_row, "since"));
      for (size_t v = 0; v < types.types.size(); ++v) {
        const bool used = v < row.type_variables.size();
        EXPECT_EQ(types.types[v] == DType::kUnknown, !used);
        if (!used) continue;
        EXPECT_EQ(WrittenType(types.types[v]), expected_row["types"][v].get<std::string>());
      }
      ASSERT_EQ(types.any_of.size(), expected_row["requires_any_of"].size());
      for (size_t a = 0; a < types.any_of.size(); ++a) {
        Requirements requirements;
        for (const Json& name : expected_row["requires_any_of"][a]) {
          requirements = requirements | Requirements{*FeatureByName(name.get<std::string>())};
        }
        EXPECT_EQ(types.any_of[a], requirements);
      }
    }
  }
}

TEST(OperatorTable, FindsEveryTypeRow) {
  for (const OperatorRow& row : AllOperators()) {
    for (int i = 0; i < static_cast<int>(row.type_rows.size()); ++i) {
      const TypeRow& types = row.type_rows[static_cast<size_t>(i)];
      for (int list_length : {1, 3}) {
        const auto inputs = OperandTypes(row, types, Direction::kInput, list_length);
        const auto outputs = OperandTypes(row, types, Direction::kOutput, list_length);
        EXPECT_EQ(FindTypeRow(row.op, inputs, outputs, AttributeType(row, i)), i)
            << row.name << " " << types.mode;
      }
    }
  }
}

// If any single operand type is changed, the answer is nothing or a row that has the changed types.
TEST(OperatorTable, FindsNoTypeRowThatDiffers) {
  int refused = 0;
  for (const OperatorRow& row : AllOperators()) {
    for (int i = 0; i < static_cast<int>(row.type_rows.size()); ++i) {
      const TypeRow& types = row.type_rows[static_cast<size_t>(i)];
      const auto inputs = OperandTypes(row, types, Direction::kInput, 2);
      const auto outputs = OperandTypes(row, types, Direction::kOutput, 2);
      for (size_t operand = 0; operand < inputs.size() + outputs.size(); ++operand) {
        for (DType type : kAllTypes) {
          auto changed_inputs = inputs;
          auto changed_outputs = outputs;
          (operand < inputs.size() ? changed_inputs[operand]
                                   : changed_outputs[operand - inputs.size()]) = type;
          const auto answer =
              FindTypeRow(row.op, changed_inputs, changed_outputs, AttributeType(row, i));
          if (!answer) {
            ++refused;
            continue;
          }
          const TypeRow& other = row.type_rows[static_cast<size_t>(*answer)];
          bool any_type_goes = row.op == Op::kCustom || row.op == Op::kCondIf ||
                               row.op == Op::kWhileLoop || row.op == Op::kRescale;
          if (any_type_goes) continue;
          EXPECT_EQ(OperandTypes(row, other, Direction::kInput, 2), changed_inputs) << row.name;
          EXPECT_EQ(OperandTypes(row, other, Direction::kOutput, 2), changed_outputs) << row.name;
        }
      }
    }
  }
  EXPECT_GT(refused, 10000);
}

TEST(OperatorTable, RefusesWrongTypes) {
  using enum DType;
  const DType one_i8[] = {kInt8};
  const DType one_i32[] = {kInt32};
  const DType one_bool[] = {kBool};
  const DType conv[] = {kInt8, kInt8, kInt32, kInt8, kInt8};
  EXPECT_EQ(FindTypeRow(Op::kConv2d, conv, one_i32, kInt32), 0);
  EXPECT_EQ(FindTypeRow(Op::kConv2d, conv, one_i32, kInt48), std::nullopt);
  EXPECT_EQ(FindTypeRow(Op::kConv2d, conv, one_i32), std::nullopt);
  EXPECT_EQ(FindTypeRow(Op::kConv2d, conv, one_i8, kInt32), std::nullopt);
  const DType conv_without_zero_points[] = {kInt8, kInt8, kInt32};
  EXPECT_EQ(FindTypeRow(Op::kConv2d, conv_without_zero_points, one_i32, kInt32), std::nullopt);
  const DType conv_weight_zero_point[] = {kInt8, kInt4, kInt32, kInt8, kInt8};
  EXPECT_EQ(FindTypeRow(Op::kConv2d, conv_weight_zero_point, one_i32, kInt32), std::nullopt);
  const DType two_i8[] = {kInt8, kInt8};
  EXPECT_EQ(FindTypeRow(Op::kAdd, two_i8, one_i8), std::nullopt);
  EXPECT_EQ(FindTypeRow(Op::kAdd, one_i32, one_i32), std::nullopt);
  const DType mul[] = {kInt8, kInt8, kInt32};
  EXPECT_EQ(FindTypeRow(Op::kMul, mul, one_i32), std::nullopt);
  EXPECT_EQ(FindTypeRow(Op::kCast, one_i8, one_i8), std::nullopt);
  EXPECT_EQ(FindTypeRow(Op::kCast, one_i8, one_bool), 3);
  const DType mixed_list[] = {kInt8, kInt8, kInt32};
  EXPECT_EQ(FindTypeRow(Op::kConcat, mixed_list, one_i8), std::nullopt);
  EXPECT_EQ(FindTypeRow(Op::kVariable, {}, {}, kInt16), std::nullopt);
  EXPECT_EQ(FindTypeRow(Op::kVariable, {}, {}, kFp32), 2);
}

TEST(OperatorTable, ImplicitTypesOfFoundRows) {
  using enum DType;
  EXPECT_EQ(TypeOf(Op::kReduceSum, 2, "acc_t"), kFp32);
  EXPECT_EQ(TypeOf(Op::kReduceSum, 2, "in_out_t"), kBf16);
  EXPECT_EQ(TypeOf(Op::kNegate, 0, "acc_t"), kInt32);
  EXPECT_EQ(TypeOf(Op::kAdd, 0, "acc_t"), kUnknown);
  EXPECT_EQ(ResizeModeOf(0), ResizeMode::kBilinear);
  EXPECT_EQ(ResizeModeOf(1), ResizeMode::kNearest);
  EXPECT_EQ(ResizeModeOf(6), ResizeMode::kUnknown);
}

TEST(OperatorTable, SupportFollowsRequirements) {
  const Requirements integer = {Feature::kProInt};
  const Requirements floating = {Feature::kProFp};
  const TypeRow& add_i32 = RowOf(Op::kAdd).type_rows[0];
  EXPECT_TRUE(IsSupported(add_i32, integer));
  EXPECT_TRUE(IsSupported(add_i32, floating));
  EXPECT_FALSE(IsSupported(add_i32, {}));
  const TypeRow& variable_i8 = RowOf(Op::kVariable).type_rows[0];
  EXPECT_FALSE(IsSupported(variable_i8, integer));
  EXPECT_TRUE(IsSupported(variable_i8, integer | Requirements{Feature::kExtVariable}));
  EXPECT_FALSE(IsSupported(variable_i8, floating | Requirements{Feature::kExtVariable}));
}

TEST(Profiles, AreThoseOfTheFile) {
  const Json& profiles = Specification()["profiles"];
  const Json& extensions = Specification()["extensions"];
  ASSERT_EQ(AllFeatures().size(), profiles.size() + extensions.size());
  for (size_t i = 0; i < AllFeatures().size(); ++i) {
    const FeatureRow& row = AllFeatures()[i];
    const Json& expected = i < profiles.size() ? profiles[i] : extensions[i - profiles.size()];
    EXPECT_EQ(row.name, Text(expected, "name"));
    EXPECT_EQ(row.feature, FeatureByName(Text(expected, "name")));
    EXPECT_EQ(FeatureName(row.feature), row.name);
    EXPECT_EQ(row.experimental, Text(expected, "status") == "Experimental");
    Requirements needs;
    for (const Json& name : expected.value("needs_one_of", Json::array())) {
      needs = needs | Requirements{*FeatureByName(name.get<std::string>())};
    }
    EXPECT_EQ(row.needs_one_of, needs);
  }
}

TEST(Levels, AreThoseOfTheFile) {
  ASSERT_EQ(AllLevels().size(), Specification()["levels"].size());
  for (const Json& expected : Specification()["levels"]) {
    const auto level = LevelByName(Text(expected, "name"));
    ASSERT_TRUE(level);
    for (const auto& [key, value] : expected.items()) {
      if (key == "name") continue;
      std::string limit = key;
      for (char& c : limit) c = static_cast<char>(std::toupper(c));
      EXPECT_EQ(LimitByName(*level, limit), value.get<int64_t>()) << limit;
    }
  }
  EXPECT_EQ(kLevel8K.MaxTensorSize(), 2147483647);
  EXPECT_EQ(kLevelNone.MaxTensorSize(), INT64_MAX);
}

TEST(Rules, AreThoseOfTheFile) {
  for (const Json& expected : Specification()["operators"]) {
    const Op op = *OperatorByName(Text(expected, "name"));
    SCOPED_TRACE(OperatorName(op));
    int number = 0;
    for (const Json& text : expected["error_if"]) {
      EXPECT_EQ(RuleText(RuleId(op, RuleKind::kErrorIf, ++number)), text.get<std::string>());
    }
    EXPECT_FALSE(IsKnownRule(RuleId(op, RuleKind::kErrorIf, number + 1)));
    number = 0;
    for (const Json& text : expected["require"]) {
      EXPECT_EQ(RuleText(RuleId(op, RuleKind::kRequire, ++number)), text.get<std::string>());
    }
    EXPECT_FALSE(IsKnownRule(RuleId(op, RuleKind::kRequire, number + 1)));
    number = 0;
    for (const Json& check : expected["level_checks"]) {
      const std::string_view text = RuleText(RuleId(op, RuleKind::kLevelCheck, ++number));
      EXPECT_EQ(text, Text(check, "value") + " <= " + Text(check, "limit"));
      EXPECT_TRUE(LimitByName(kLevel8K, Text(check, "limit"))) << text;
    }
    EXPECT_FALSE(IsKnownRule(RuleId(op, RuleKind::kLevelCheck, number + 1)));
    for (const Json& helper : expected["helpers"]) {
      const Json& conditions = Specification()["helpers"][helper.get<std::string>()];
      for (auto [kind, key] :
           {std::pair(RuleKind::kErrorIf, "error_if"), std::pair(RuleKind::kRequire, "require")}) {
        const Rule* rule = FindRule(RuleId(op, kind, helper.get<std::string>()));
        ASSERT_EQ(rule != nullptr, !conditions[key].empty()) << helper;
        if (rule == nullptr) continue;
        EXPECT_NE(rule->text.find(conditions[key][0].get<std::string>()), std::string_view::npos);
        EXPECT_EQ(
            rule->unreachable,
            expected.value("unreachable", Json::object()).value(helper.get<std::string>(), ""));
      }
    }
  }
}

// Every argument in the file belongs to a rule, and no other rule of an operator has one.
TEST(Rules, HaveTheArgumentsOfTheFile) {
  size_t expected = 0;
  for (const Json& row : Specification()["operators"]) {
    const Op op = *OperatorByName(Text(row, "name"));
    const Json arguments = row.value("unreachable", Json::object());
    expected += arguments.size();
    for (const auto& [name, argument] : arguments.items()) {
      const bool numbered = name.find('/') != std::string::npos;
      const Rule* rule = numbered ? FindRule(std::string(OperatorName(op)) + "/" + name)
                                  : FindRule(RuleId(op, RuleKind::kErrorIf, name));
      if (rule == nullptr) rule = FindRule(RuleId(op, RuleKind::kRequire, name));
      ASSERT_NE(rule, nullptr) << OperatorName(op) << " " << name;
      EXPECT_EQ(rule->unreachable, argument.get<std::string>()) << rule->id;
    }
  }
  size_t found = 0;
  for (const Rule& rule : AllRules()) found += rule.op != Op::kUnknown && !rule.unreachable.empty();
  EXPECT_EQ(found, expected);
}

TEST(Rules, ResolveByIdAndAreUnique) {
  std::set<std::string> ids;
  for (const Rule& rule : AllRules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(FindRule(rule.id), &rule);
    EXPECT_FALSE(rule.text.empty()) << rule.id;
    EXPECT_EQ(rule.op == Op::kUnknown, rule.id.starts_with("graph/")) << rule.id;
  }
  EXPECT_TRUE(IsKnownRule("CONV2D/ERROR_IF/3"));
  EXPECT_TRUE(IsKnownRule("INTDIV/REQUIRE/apply_intdiv_s"));
  EXPECT_TRUE(IsKnownRule("ADD/ERROR_IF/types"));
  EXPECT_TRUE(IsKnownRule("graph/ERROR_IF/captured-tensor"));
  EXPECT_FALSE(IsKnownRule("INTDIV/REQUIRE/apply_add_s"));
  EXPECT_FALSE(IsKnownRule("ADD"));
  EXPECT_FALSE(IsKnownRule(""));
}

// An error that the text states is an ERROR_IF with a number, of a helper, of every operator, or of
// the execution of a graph. Such an error must not count as implied.
TEST(Rules, ImplyOnlyErrorsThatNoErrorIfStates) {
  std::set<std::string> stated, implied;
  for (const Rule& rule : AllRules()) {
    if (rule.kind == RuleKind::kErrorIf) (rule.implied ? implied : stated).insert(rule.id);
    EXPECT_FALSE(rule.implied && rule.kind != RuleKind::kErrorIf) << rule.id;
  }
  for (const std::string& id : stated) {
    if (!id.starts_with("graph/")) continue;
    EXPECT_TRUE(id == "graph/ERROR_IF/input-list" || id == "graph/ERROR_IF/output-list") << id;
  }
  for (const OperatorRow& row : AllOperators()) {
    for (const RuleRow& rule : row.rules) {
      const std::string id = rule.number > 0 ? RuleId(row.op, rule.kind, rule.number)
                                             : RuleId(row.op, rule.kind, rule.name);
      EXPECT_FALSE(implied.contains(id)) << id;
    }
  }
  EXPECT_TRUE(IsImpliedError("graph/ERROR_IF/list-types"));
  EXPECT_TRUE(IsImpliedError("RESIZE/ERROR_IF/mode-types"));
  EXPECT_FALSE(IsImpliedError("COND_IF/ERROR_IF/2"));
  EXPECT_FALSE(IsImpliedError("graph/ERROR_IF/nothing"));
}

TEST(Readings, NameOperatorsAndRulesThatExist) {
  std::set<std::string_view> ids;
  for (const Reading& reading : AllReadings()) {
    EXPECT_TRUE(ids.insert(reading.id).second) << reading.id;
    EXPECT_EQ(FindReading(reading.id), &reading);
    std::istringstream words{std::string(reading.operators)};
    for (std::string word; words >> word;) EXPECT_TRUE(OperatorByName(word)) << word;
    for (std::string_view text :
         {reading.where, reading.says, reading.taken, reading.why, reading.model}) {
      EXPECT_FALSE(text.empty()) << reading.id;
      std::istringstream sentence{std::string(text)};
      for (std::string word; sentence >> word;) {
        const size_t slash = word.find('/');
        const std::string first = word.substr(0, slash);
        if (slash == std::string::npos || (first != "graph" && !OperatorByName(first))) continue;
        while (word.ends_with('.') || word.ends_with(',')) word.pop_back();
        EXPECT_TRUE(IsKnownRule(word)) << reading.id << ": " << word;
      }
    }
  }
  EXPECT_GE(ids.size(), 30u);
  EXPECT_EQ(ReadingsOf(Op::kTable).size(), 2u);
}

// The pattern finds a comment that names a reading, with or without backticks or a line break.
TEST(Readings, ThatCommentsNameExist) {
  const std::regex mention("\\b[Rr]eading(?:\\s|//)+`?([a-z0-9]+(?:-[a-z0-9]+)+)");
  size_t mentions = 0;
  for (const char* folder : {"src", "generators", "oracles", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / folder)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cc") continue;
      const std::string text = ReadText(path);
      for (std::sregex_iterator match(text.begin(), text.end(), mention), end; match != end;
           ++match) {
        EXPECT_NE(FindReading((*match)[1].str()), nullptr) << path << ": " << (*match)[1];
        ++mentions;
      }
    }
  }
  EXPECT_GE(mentions, 30u);
}

TEST(Readings, ThatExplainArmsTestsExist) {
  const Json explanations = Json::parse(ReadText(kSource / "corpus/arm/explanations.json"));
  size_t named = 0;
  for (const auto& [test, explanation] : explanations["tests"].items()) {
    if (!explanation.contains("reading")) continue;
    EXPECT_NE(FindReading(Text(explanation, "reading")), nullptr) << test;
    ++named;
  }
  EXPECT_GE(named, 5u);
}

TEST(Readings, AreWrittenDownInTheRepository) {
  EXPECT_EQ(ReadText(kSource / "src/tosa/READINGS.md"), ReadingsAsMarkdown())
      << "refresh with: assay spec --readings > src/tosa/READINGS.md";
}

// A second restatement of the specification, made by another hand, where there is one.
TEST(OperatorTable, AgreesWithTheSecondRestatement) {
  const auto path = kSource.parent_path() / "shared/tosa/ops.json";
  if (!std::filesystem::exists(path)) {
    std::cout << "not compared: there is no second restatement at " << path << "\n";
    GTEST_SKIP();
  }
  const Json second = Json::parse(ReadText(path));
  size_t operators = 0;
  for (const Json& expected : second["ops"]) {
    if (Text(expected, "since") != "1.0") continue;
    const OperatorRow& row = RowOf(*OperatorByName(Text(expected, "name")));
    SCOPED_TRACE(row.name);
    EXPECT_EQ(WrittenVersion(VersionsOf(row.op).since), Text(expected, "since"));
    ++operators;
    size_t type_rows = 0;
    for (const Json& types : expected["typesupport"]) {
      type_rows += Text(types, "since") == "1.0" ? 1 : 0;
    }
    EXPECT_EQ(row.type_rows.size(), type_rows);
    EXPECT_EQ(CountRules(row, RuleKind::kErrorIf),
              static_cast<int>(expected["error_if_1_0_2"].size()));
    EXPECT_EQ(CountRules(row, RuleKind::kRequire),
              static_cast<int>(expected["require_1_0_2"].size()));
    EXPECT_EQ(CountRules(row, RuleKind::kLevelCheck),
              static_cast<int>(expected["level_checks"].size()));
    size_t arguments = 0;
    for (const Json& argument : expected["args"]) {
      const bool later = row.op == Op::kCast && Text(argument, "name") == "input_unsigned";
      if (later) continue;  // new in 1.1
      ASSERT_LT(arguments, row.arguments.size());
      EXPECT_EQ(row.arguments[arguments].name, Text(argument, "name"));
      EXPECT_EQ(row.arguments[arguments].compile_time_constant, argument.contains("ctc"));
      ++arguments;
    }
    EXPECT_EQ(row.arguments.size(), arguments);
  }
  EXPECT_EQ(operators, 75u);
}

}  // namespace
}  // namespace assay::tosa_test

// SPDX-License-Identifier: Apache-2.0
// Tests the file of known failures.
#include "known_failures.h"

#include <gtest/gtest.h>

#include "finding_groups.h"

namespace assay::known_failures_test {
namespace {

std::string FileOf(const std::string& entries) {
  return R"({"format": "assay known failures", "version": 1, "known": [)" + entries + "]}";
}

KnownFailures Known(const std::string& entries, const std::string& today = "2026-11-26") {
  Result<KnownFailures> known = KnownFailures::Parse(FileOf(entries), "k.json", today, "mlir:O0");
  EXPECT_TRUE(known) << known.error().message;
  return known ? *known : KnownFailures();
}

std::string ErrorOf(const std::string& text) {
  const auto known = KnownFailures::Parse(text, "k.json", "2026-11-26", "mlir");
  return known ? "no error" : known.error().message;
}

Finding Wrong(Op op, DType type) {
  Finding finding;
  finding.op = op;
  finding.type = type;
  finding.rule = "ARGMAX";
  finding.message = "a long message";
  return finding;
}

TEST(KnownFailures, AnEntryMatchesWhatHasAllThatItNames) {
  const Finding finding = Wrong(Op::kArgmax, DType::kFp16);
  const auto matches = [&](const std::string& fields, const char* path = "s/op/argmax-7.tvec") {
    return Known("{" + fields + R"(, "reason": "r"})").Match(finding, {"g-1"}, path).has_value();
  };
  EXPECT_TRUE(matches(R"("group": "g-1")"));
  EXPECT_FALSE(matches(R"("group": "g-2")"));
  EXPECT_TRUE(matches(R"("operator": "ARGMAX", "type": "fp16")"));
  EXPECT_FALSE(matches(R"("operator": "ARGMAX", "type": "fp32")"));
  EXPECT_FALSE(matches(R"("operator": "ADD")"));
  EXPECT_TRUE(matches(R"("rule": "ARGMAX", "violation": "value", "message": "long")"));
  EXPECT_FALSE(matches(R"("rule": "ADD")"));
  EXPECT_FALSE(matches(R"("violation": "crash")"));
  EXPECT_FALSE(matches(R"("message": "short")"));
  EXPECT_TRUE(matches(R"("vector": "argmax-*.tvec")"));
  EXPECT_TRUE(matches(R"("vector": "s/op/argmax-7.tvec")"));
  EXPECT_FALSE(matches(R"("vector": "gmax-7.tvec")"));
  EXPECT_FALSE(matches(R"("vector": "*", "operator": "ADD")"));
  EXPECT_TRUE(matches(R"("operator": "ARGMAX", "backend": "mlir")"));
  EXPECT_FALSE(matches(R"("operator": "ARGMAX", "backend": "worker")"));
}

TEST(KnownFailures, AnEntryEndsAfterItsLastDay) {
  const std::string entry =
      R"({"operator": "ARGMAX", "reason": "r", "since": "2026-01-01", "until": "2026-11-26"})";
  const Finding finding = Wrong(Op::kArgmax, DType::kFp16);
  EXPECT_EQ(Known(entry, "2026-11-26").Match(finding, {}, ""), 0u);
  const KnownFailures ended = Known(entry, "2026-11-27");
  EXPECT_FALSE(ended.Match(finding, {}, ""));
  EXPECT_TRUE(ended.IsExpired(0));
  EXPECT_EQ(Known(R"({"operator": "ADD", "reason": "a"},)" + entry).Match(finding, {}, ""), 1u);
}

TEST(KnownFailures, BadFilesAreNamedByPlace) {
  EXPECT_EQ(ErrorOf("{"), "k.json: is not JSON");
  EXPECT_EQ(ErrorOf("{}"),
            "k.json: is no file of known failures: it lacks \"format\", \"version\" or \"known\"");
  EXPECT_EQ(ErrorOf(R"({"format": "x", "version": 1, "known": []})"),
            "k.json: /format: is not \"assay known failures\"");
  EXPECT_EQ(ErrorOf(R"({"format": "assay known failures", "version": 3, "known": []})"),
            "k.json: /version: is newer than 2, which this build reads");
  EXPECT_EQ(ErrorOf(R"({"format": "assay known failures", "version": 1, "known": {}})"),
            "k.json: /known: is not a list");
  const auto entry = [](const std::string& fields) { return ErrorOf(FileOf("{" + fields + "}")); };
  EXPECT_EQ(entry(R"("operator": "ADD")"), "k.json: /known/0: gives no reason");
  EXPECT_EQ(entry(R"("operator": "ADD", "reason": "")"), "k.json: /known/0/reason: is empty");
  EXPECT_EQ(entry(R"("reason": "r", "backend": "mlir")").find("k.json:1: /known/0: matches every"),
            0u);
  EXPECT_EQ(entry(R"("operator": "AD", "reason": "r")").find("k.json: /known/0/operator: "), 0u);
  EXPECT_EQ(entry(R"("type": "f16", "reason": "r")").find("k.json: /known/0/type: "), 0u);
  EXPECT_EQ(entry(R"("violation": "bad", "reason": "r")"),
            "k.json: /known/0/violation: no violation is named \"bad\"");
  EXPECT_EQ(entry(R"("operator": "ADD", "reason": "r", "until": "2026-02-30")"),
            "k.json: /known/0/until: is not a date like \"2026-11-26\"");
  EXPECT_EQ(entry(R"("operator": "ADD", "reason": "r", "since": "2026-02-03", "until":
            "2026-02-02")"),
            "k.json: /known/0: ends before it begins");
  EXPECT_EQ(entry(R"("operator": "ADD", "reason": "r", "unit": "x")"),
            "k.json: /known/0/unit: a field that is not known");
  EXPECT_EQ(entry(R"("operator": 3, "reason": "r")"), "k.json: /known/0/operator: is not a text");
  EXPECT_EQ(entry(R"("operators": [], "reason": "r")"), "k.json: /known/0/operators: is empty");
  EXPECT_EQ(entry(R"("operators": ["ADD", "AD i8"], "reason": "r")")
                .find("k.json: /known/0/operators/1: no operator is named"),
            0u);
  EXPECT_EQ(entry(R"("operators": ["ADD  i8"], "reason": "r")")
                .find("k.json: /known/0/operators/0: no type is named"),
            0u);
}

TEST(KnownFailures, AnEntryThatMatchesEverythingIsRefusedWithItsLine) {
  const auto entry = [](const std::string& fields) {
    return ErrorOf(FileOf("\n{\"reason\": \"r\",\n" + fields + "}"));
  };
  const auto refused = [](const std::string& field) {
    return "k.json:3: /known/0/" + field +
           ": matches everything; name a group, operator, type, rule, violation, message or vector";
  };
  for (const char* pattern : {"*", "**", "*/*", "?*", "*.tvec", "*.t*", "*?.tvec", "[!/]*",
                              "*[0-9]*", "*-*", "*e*", "*-??????.tvec"}) {
    EXPECT_EQ(entry("\"vector\": \"" + std::string(pattern) + "\""), refused("vector"));
    EXPECT_EQ(entry("\"operator\": \"ADD\", \"vector\": \"" + std::string(pattern) + "\""),
              "no error");
  }
  for (const char* message : {" ", "  ", ": ", "-", "\\n"}) {
    EXPECT_EQ(entry("\"message\": \"" + std::string(message) + "\""), refused("message"));
  }
  EXPECT_EQ(entry(R"("message": " ", "vector": "*")"), refused("vector"));
  for (const char* narrow : {R"("vector": "operator/*")", R"("vector": "*-000007.tvec")",
                             R"("vector": "a?.tvec")", R"("message": "NaN")"}) {
    EXPECT_EQ(entry(narrow), "no error");
  }
}

TEST(KnownFailures, ADoubledKeyIsRefusedWithItsLine) {
  const std::string operators = R"({"operator": "ADD", "reason": "r",
      "operator": "SUB"})";
  EXPECT_EQ(ErrorOf(FileOf(operators)),
            "k.json:2: /known/0/operator: is there twice; keep one of the two");
  // "\u0061" is "a".
  EXPECT_EQ(ErrorOf(FileOf(R"({"reason": "r", "re\u0061son": "s", "operator": "ADD"})")),
            "k.json:1: /known/0/reason: is there twice; keep one of the two");
  EXPECT_EQ(ErrorOf(R"({"known": [],
"format": "assay known failures", "version": 1,

"known": []})"),
            "k.json:4: /known: is there twice; keep one of the two");
}

TEST(KnownFailures, NewGroupsAreAddedAndWhatIsThereStays) {
  std::vector<ReportedFinding> findings(2);
  findings[0].finding = Wrong(Op::kArgmax, DType::kFp16);
  findings[1].finding = Wrong(Op::kAdd, DType::kFp16);
  findings[1].known = "known already";
  const std::string text = FileOf(R"({"operator": "ADD", "reason": "known already"})");
  const KnownFailures known = Known(R"({"operator": "ADD", "reason": "known already"})");
  const Result<std::string> updated = WithGroupsKnown(text, "k.json", known, "mlir", findings);
  ASSERT_TRUE(updated) << updated.error().message;
  const auto parsed = KnownFailures::Parse(*updated, "k.json", "2026-11-26", "mlir");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->entries().size(), 2u);
  EXPECT_EQ(parsed->entries()[0].reason, "known already");
  EXPECT_EQ(parsed->entries()[1].group, GroupByCause(findings)[0].name);
  EXPECT_EQ(parsed->entries()[1].since, "2026-11-26");
  EXPECT_EQ(parsed->Match(findings[0].finding, PlacesInGroups(findings)[0], ""), 1u);
}

// Returns a finding of the group of a canary that several operators look like.
ReportedFinding WrongMode(Op op, DType type) {
  ReportedFinding reported;
  reported.finding = Wrong(op, type);
  reported.finding.expected = "nan";
  reported.finding.got = "1";
  reported.cause.looks_like = {"wrong-nan-mode"};
  return reported;
}

TEST(KnownFailures, AnEntryTakesNoOperatorOfItsGroupThatItDoesNotName) {
  const std::vector<ReportedFinding> findings = {WrongMode(Op::kMaximum, DType::kFp16),
                                                 WrongMode(Op::kMinimum, DType::kFp16),
                                                 WrongMode(Op::kMinimum, DType::kFp32)};
  const std::vector<GroupPlace> places = PlacesInGroups(findings);
  EXPECT_EQ(places[0].group, places[2].group);
  const auto taken = [&](const std::string& fields) {
    const KnownFailures known =
        Known(R"({"group": ")" + places[0].group + R"(", "reason": "r")" + fields + "}");
    std::string numbers;
    for (size_t i = 0; i < findings.size(); ++i) {
      if (known.Match(findings[i].finding, places[i], "")) numbers += std::to_string(i);
    }
    return numbers;
  };
  EXPECT_EQ(taken(""), "012");
  EXPECT_EQ(taken(R"(, "operators": ["MINIMUM fp16"])"), "1");
  EXPECT_EQ(taken(R"(, "operators": ["MINIMUM"])"), "12");
  EXPECT_EQ(taken(R"(, "operators": ["MAXIMUM fp16", "MINIMUM fp32"])"), "02");
}

TEST(KnownFailures, AnEntryOfAWholeGraphNamesAllOfItsOperators) {
  ReportedFinding reported;
  reported.finding.graph = "PAD, ABS and 2 others";
  reported.finding.type = DType::kFp16;
  const GroupPlace place = PlacesInGroups({reported})[0];
  const auto taken = [&](const char* operators) {
    return Known(std::string(R"({"reason": "r", "operators": )") + operators + "}")
        .Match(reported.finding, place, "")
        .has_value();
  };
  EXPECT_TRUE(taken(R"(["PAD", "ABS", "ADD"])"));
  EXPECT_FALSE(taken(R"(["PAD"])"));
  EXPECT_FALSE(taken(R"(["PAD fp16", "ABS fp16"])"));
}

TEST(KnownFailures, AnUpdateNamesTheOperatorsThatAreNew) {
  std::vector<ReportedFinding> findings = {WrongMode(Op::kMinimum, DType::kFp32),
                                           WrongMode(Op::kMaximum, DType::kFp16)};
  const Result<std::string> first = WithGroupsKnown(FileOf(""), "k.json", Known(""), "m", findings);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_NE(first->find("\"version\": 2"), std::string::npos) << *first;
  for (ReportedFinding& reported : findings) reported.known = "r";
  findings.push_back(WrongMode(Op::kMinimum, DType::kFp16));
  const Result<std::string> second = WithGroupsKnown(*first, "k.json", Known(""), "mlir", findings);
  ASSERT_TRUE(second) << second.error().message;
  const auto parsed = KnownFailures::Parse(*second, "k.json", "2026-11-26", "mlir");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->entries().size(), 2u);
  EXPECT_EQ(parsed->entries()[0].OperatorsText(), "MAXIMUM fp16, MINIMUM fp32");
  EXPECT_EQ(parsed->entries()[1].OperatorsText(), "MINIMUM fp16");
  EXPECT_EQ(parsed->entries()[0].group, parsed->entries()[1].group);
}

TEST(KnownFailures, DatesAreThoseOfTheCalendar) {
  for (const char* date : {"2026-11-26", "2024-02-29", "0001-01-01"}) EXPECT_TRUE(IsDate(date));
  for (const char* date :
       {"2026-11-31", "2025-02-29", "2026-1-01", "2026-11-2x", "", "26-11-2026"}) {
    EXPECT_FALSE(IsDate(date)) << date;
  }
}

}  // namespace
}  // namespace assay::known_failures_test

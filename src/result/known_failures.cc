// SPDX-License-Identifier: Apache-2.0
#include "known_failures.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <set>

#include "formats.h"
#include "joined.h"
#include "json_place.h"
#include "json_text.h"
#include "name_search.h"
#include "operator_table.h"
#include "quoted.h"
#include "types.h"

namespace assay {
namespace {

// Finds a name from the file among known names. The Error lists the nearest ones.
Result<size_t> Find(const JsonPlace& place, std::string_view what, std::string_view name,
                    const std::vector<std::string_view>& known) {
  const auto found = std::ranges::find(known, name);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  return place.Problem(UnknownName(what, name, known).message);
}

Result<Done> ReadOperator(const JsonPlace& place, std::string_view name, Op& op) {
  const Result<size_t> found =
      Find(place, "operator", name, NamesOfRows(AllOperators(), &OperatorRow::name));
  if (!found) return found.error();
  op = AllOperators()[*found].op;
  return Done{};
}

Result<Done> ReadType(const JsonPlace& place, std::string_view name, DType& type) {
  const Result<size_t> found = Find(place, "type", name, NamesOfRows(kAllTypes, TypeName));
  if (!found) return found.error();
  type = kAllTypes[*found];
  return Done{};
}

// Reads a list of "ARGMAX fp16", or "ARGMAX" for any type.
Result<Done> ReadUses(const JsonPlace& list, std::vector<OperatorUse>& uses) {
  const Result<Done> read = list.ForEachElement([&](const JsonPlace& place) -> Result<Done> {
    const Result<std::string> text = place.Text();
    if (!text) return text.error();
    const std::string_view name = *text;
    const size_t blank = name.find(' ');
    OperatorUse& use = uses.emplace_back();
    const Result<Done> op = ReadOperator(place, name.substr(0, blank), use.op);
    if (!op || blank == name.npos) return op;
    return ReadType(place, name.substr(blank + 1), use.type);
  });
  return read && uses.empty() ? list.Problem("is empty") : read;
}

std::string UseText(const OperatorUse& use) {
  return std::string(OperatorName(use.op)) +
         (use.type == DType::kUnknown ? "" : " " + std::string(TypeName(use.type)));
}

Result<Done> ReadViolation(const JsonPlace& place, std::optional<Violation>& violation) {
  const Result<std::string> name = place.Text();
  if (!name) return name.error();
  violation = ViolationNamed(*name);
  if (!violation) return place.Problem("no violation is named " + Quoted(*name));
  return Done{};
}

Result<Done> ReadText(const JsonPlace& place, std::string& text) {
  Result<std::string> read = place.Text();
  if (!read) return read.error();
  if (read->empty()) return place.Problem("is empty");
  text = std::move(*read);
  return Done{};
}

Result<Done> ReadDate(const JsonPlace& place, std::string& date) {
  const Result<Done> read = ReadText(place, date);
  if (!read) return read;
  if (!IsDate(date)) return place.Problem("is not a date like \"2026-11-26\"");
  return Done{};
}

// Returns true if a pattern of paths excludes vectors: it does not match two vectors that have
// nothing in common but the form of their paths.
bool Narrows(const std::string& pattern) {
  return !pattern.empty() && !(HasPattern("qqqqqqqqqqqq/wwwwwwwwwwww-000000.tvec", pattern) &&
                               HasPattern("xxxxxxxxxxxx/zzzzzzzzzzzz-314159.tvec", pattern));
}

// Returns true if a part of a message has a word or a number.
bool HasWord(std::string_view message) {
  return std::ranges::any_of(message, [](unsigned char c) { return c >= 0x80 || std::isalnum(c); });
}

bool MatchesEverything(const KnownFailure& entry) {
  return entry.group.empty() && entry.operators.empty() && entry.op == Op::kUnknown &&
         entry.type == DType::kUnknown && entry.rule.empty() && !entry.violation &&
         !HasWord(entry.message) && !Narrows(entry.vector);
}

// Reads an entry of a file with this content.
Result<KnownFailure> ReadEntry(const JsonPlace& place, std::string_view content) {
  KnownFailure entry;
  const Result<Done> read =
      place.ForEachField([&](const std::string& name, const JsonPlace& value) -> Result<Done> {
        if (name == "operator" || name == "type") {
          const Result<std::string> text = value.Text();
          if (!text) return text.error();
          return name == "type" ? ReadType(value, *text, entry.type)
                                : ReadOperator(value, *text, entry.op);
        }
        if (name == "operators") return ReadUses(value, entry.operators);
        if (name == "violation") return ReadViolation(value, entry.violation);
        if (name == "since") return ReadDate(value, entry.since);
        if (name == "until") return ReadDate(value, entry.until);
        const std::pair<std::string_view, std::string*> texts[] = {
            {"group", &entry.group},   {"rule", &entry.rule},       {"message", &entry.message},
            {"vector", &entry.vector}, {"backend", &entry.backend}, {"reason", &entry.reason},
            {"link", &entry.link}};
        for (const auto& [field, text] : texts) {
          if (name == field) return ReadText(value, *text);
        }
        return value.Problem("a field that is not known");
      });
  if (!read) return read.error();
  if (entry.reason.empty()) return place.Problem("gives no reason");
  if (MatchesEverything(entry)) {
    return place.Field({"vector", "message"})
        .value_or(place)
        .ProblemInLine(content,
                       "matches everything; name a group, operator, type, rule, violation, message "
                       "or vector");
  }
  if (!entry.until.empty() && entry.until < entry.since) {
    return place.Problem("ends before it begins");
  }
  return entry;
}

bool Matches(const KnownFailure& entry, const Finding& finding, const GroupPlace& place,
             std::string_view path) {
  const auto is = [](const auto& wanted, const auto& found) { return wanted == found; };
  return (entry.group.empty() || is(entry.group, place.group)) &&
         std::ranges::all_of(place.operators,
                             [&](const OperatorUse& use) { return entry.Takes(use); }) &&
         (entry.op == Op::kUnknown || is(entry.op, finding.op)) &&
         (entry.type == DType::kUnknown || is(entry.type, finding.type)) &&
         (entry.rule.empty() || is(entry.rule, finding.rule)) &&
         (!entry.violation || is(*entry.violation, finding.violation)) &&
         finding.message.find(entry.message) != std::string::npos &&
         (entry.vector.empty() || HasPattern(path, entry.vector));
}

}  // namespace

bool HasPattern(std::string_view path, const std::string& pattern) {
  for (;;) {
    if (fnmatch(pattern.c_str(), std::string(path).c_str(), 0) == 0) return true;
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  std::array<int, 3> parts{};
  const size_t starts[] = {0, 5, 8}, sizes[] = {4, 2, 2};
  for (size_t i = 0; i < parts.size(); ++i) {
    for (const char c : text.substr(starts[i], sizes[i])) {
      if (c < '0' || c > '9') return false;
      parts[i] = parts[i] * 10 + (c - '0');
    }
  }
  return std::chrono::year_month_day(std::chrono::year(parts[0]),
                                     std::chrono::month(static_cast<unsigned>(parts[1])),
                                     std::chrono::day(static_cast<unsigned>(parts[2])))
      .ok();
}

bool KnownFailure::Takes(const OperatorUse& use) const {
  return operators.empty() || std::ranges::any_of(operators, [&use](const OperatorUse& known) {
           return known.op == use.op && (known.type == DType::kUnknown || known.type == use.type);
         });
}

std::string KnownFailure::OperatorsText() const { return Joined(operators, ", ", UseText); }

std::string KnownFailure::Title() const {
  std::string title;
  const auto add = [&title](std::string_view what, std::string_view value) {
    if (value.empty()) return;
    if (!title.empty()) title += " ";
    title += std::string(what) + (what.empty() ? "" : " ") + std::string(value);
  };
  add("group", group);
  add("", op == Op::kUnknown ? "" : OperatorName(op));
  add("", type == DType::kUnknown ? "" : TypeName(type));
  add("rule", rule);
  add("", violation ? ViolationName(*violation) : "");
  add("message", message);
  add("vector", vector);
  add("operators", group.empty() ? OperatorsText() : "");
  return title;
}

std::string KnownFailure::Why() const { return reason + (link.empty() ? "" : " (" + link + ")"); }

Result<KnownFailures> KnownFailures::Parse(std::string_view text, std::string_view file,
                                           std::string today, std::string_view backend) {
  const Result<Json> json = ParseWrittenJson(text, file);
  if (!json) return json.error();
  if (json->is_discarded()) return BadInput(std::string(file) + ": is not JSON");
  const JsonPlace whole(*json, file);
  if (const Result<Done> fields = whole.HasOnly({"format", "version", "known"}); !fields) {
    return fields.error();
  }
  const auto format = whole.Field({"format"});
  const auto version = whole.Field({"version"});
  const auto known = whole.Field({"known"});
  if (!format || !version || !known) {
    return whole.Problem(
        "is no file of known failures: it lacks \"format\", \"version\" or "
        "\"known\"");
  }
  const Result<std::string> format_name = format->Text();
  if (!format_name) return format_name.error();
  if (*format_name != formats::kKnownFailures.name) {
    return format->Problem("is not \"" + std::string(formats::kKnownFailures.name) + "\"");
  }
  const Result<int64_t> number = version->Integer(1);
  if (!number) return number.error();
  if (*number > formats::kKnownFailures.version) {
    return Unsupported(version
                           ->Problem("is newer than " +
                                     std::to_string(formats::kKnownFailures.version) +
                                     ", which this build reads")
                           .message);
  }
  KnownFailures failures;
  failures.file_ = file;
  failures.today_ = std::move(today);
  failures.backend_ = backend;
  const Result<Done> read = known->ForEachElement([&](const JsonPlace& place) -> Result<Done> {
    Result<KnownFailure> entry = ReadEntry(place, text);
    if (!entry) return entry.error();
    failures.entries_.push_back(std::move(*entry));
    return Done{};
  });
  if (!read) return read.error();
  return failures;
}

bool KnownFailures::IsExpired(size_t entry) const {
  const std::string& until = entries_[entry].until;
  return !until.empty() && until < today_;
}

bool KnownFailures::IsForBackend(size_t entry) const {
  return backend_.starts_with(entries_[entry].backend);
}

bool KnownFailures::IsInForce(size_t entry) const {
  return !IsExpired(entry) && IsForBackend(entry);
}

std::optional<size_t> KnownFailures::Match(const Finding& finding, const GroupPlace& place,
                                           std::string_view path) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (IsInForce(i) && Matches(entries_[i], finding, place, path)) return i;
  }
  return std::nullopt;
}

const KnownFailure* KnownFailures::Naming(std::string_view group) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (IsInForce(i) && entries_[i].group == group) return &entries_[i];
  }
  return nullptr;
}

Result<std::string> WithGroupsKnown(std::string_view text, std::string_view file,
                                    const KnownFailures& known, std::string_view backend,
                                    const std::vector<ReportedFinding>& findings) {
  Json json = ParseJson(text);
  if (json.is_discarded() || !json.contains("known") || !json["known"].is_array()) {
    return BadInput(std::string(file) + ": is no file of known failures");
  }
  for (const FindingGroup& group : GroupByCause(findings)) {
    if (IsKnown(group, findings)) continue;
    std::set<OperatorUse> operators;
    for (const size_t i : group.findings) {
      if (!findings[i].known.empty()) continue;
      for (const OperatorUse& use : LikelyWrong(findings[i])) operators.insert(use);
    }
    Json entry = {{"group", group.name}};
    for (const OperatorUse& use : operators) entry["operators"].push_back(UseText(use));
    entry.update({{"backend", backend},
                  {"reason", "not looked into yet: " + group.title},
                  {"since", known.today()}});
    json["known"].push_back(std::move(entry));
    json["version"] = formats::kKnownFailures.version;
  }
  return JsonText(json, 2) + "\n";
}

}  // namespace assay

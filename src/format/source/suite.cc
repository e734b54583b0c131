#include "suite.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "files.h"
#include "json_fields.h"
#include "path_kind.h"
#include "quoted.h"
#include "sha256.h"

namespace assay {
namespace {

constexpr int64_t kFormat = 1;

// Returns true if a path stays in the folder to which it is relative.
bool StaysInside(std::string_view path) {
  if (path.empty() || path.starts_with('/')) return false;
  return path != ".." && !path.starts_with("../") && !path.ends_with("/..") &&
         path.find("/../") == std::string_view::npos;
}

template <class Integer>
bool ReadFigures(const Json& json, const char* key, std::map<std::string, Integer>& figures) {
  const Json* field = FieldOf(json, key);
  if (field == nullptr) return true;
  if (!field->is_object()) return false;
  for (const auto& [name, value] : field->items()) {
    if (!value.is_number_integer()) return false;
    figures[name] = value.template get<Integer>();
  }
  return true;
}

bool ReadOptions(const Json& json, std::map<std::string, std::string>& options) {
  const Json* field = FieldOf(json, "options");
  if (field == nullptr) return true;
  if (!field->is_object()) return false;
  for (const auto& [name, value] : field->items()) {
    if (!value.is_string()) return false;
    options[name] = value.get<std::string>();
  }
  return true;
}

bool ReadSpec(const Json& json, SpecVersion& spec) {
  const Json* field = FieldOf(json, "spec");
  if (field == nullptr || !field->is_array() || field->size() != 3) return false;
  int* const parts[] = {&spec.major, &spec.minor, &spec.patch};
  for (size_t i = 0; i < 3; ++i) {
    if (!(*field)[i].is_number_integer()) return false;
    *parts[i] = (*field)[i].get<int>();
  }
  return true;
}

bool ReadVectors(const Json& json, std::vector<Suite::Entry>& vectors) {
  const Json* field = FieldOf(json, "vectors");
  if (field == nullptr || !field->is_array()) return false;
  for (const Json& entry : *field) {
    if (!entry.is_object()) return false;
    const auto file = TextField(entry, "file");
    const auto sha256 = TextField(entry, "sha256");
    if (!file || !sha256 || !StaysInside(*file)) return false;
    vectors.push_back({*file, *sha256});
  }
  return true;
}

bool ReadIncomplete(const Json& json, std::optional<Suite::Incomplete>& incomplete) {
  const Json* field = FieldOf(json, "incomplete");
  if (field == nullptr) return true;
  if (!field->is_object()) return false;
  const auto command = TextField(*field, "command");
  const auto kinds = TextsField(*field, "kinds");
  const auto cases = IntegerField(*field, "cases", -1);
  const auto lost = TextsField(*field, "lost");
  if (!command || !kinds || kinds->empty() || !cases || *cases < 0 || !lost) return false;
  incomplete = {*command, *kinds, *cases, *lost};
  return true;
}

// Returns the case to which a file belongs; nothing if there is none.
std::optional<int64_t> CaseOf(const Suite::Incomplete& suite, std::string_view file) {
  const std::string_view kind = file.substr(0, file.find('/'));
  const auto place = std::find(suite.kinds.begin(), suite.kinds.end(), kind);
  if (place == suite.kinds.end()) return std::nullopt;
  const size_t digits = file.find_last_of('-') + 1;  // 0 if there is none
  uint64_t index = 0;
  std::from_chars(file.data() + digits, file.data() + file.size(), index);
  const auto kinds = static_cast<uint64_t>(suite.kinds.size());
  const auto cases = static_cast<uint64_t>(suite.cases);
  if (file != CaseFile(kind, index) || index > cases / kinds) return std::nullopt;
  const uint64_t number = index * kinds + static_cast<uint64_t>(place - suite.kinds.begin());
  return number < cases ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

}  // namespace

std::string CaseName(std::string_view kind, uint64_t index) {
  const std::string digits = std::to_string(index);
  const std::string zeros(digits.size() < 6 ? 6 - digits.size() : 0, '0');
  return std::string(kind) + "-" + zeros + digits;
}

std::string CaseFile(std::string_view kind, uint64_t index) {
  return std::string(kind) + "/" + CaseName(kind, index) + ".tvec";
}

std::string SuiteFile(std::string_view folder) { return JoinPath(folder, "suite.json"); }

std::string SuiteText(const Suite& suite) {
  Json json;
  json["format"] = kFormat;
  json["toolkit_version"] = suite.toolkit_version;
  json["spec"] = {suite.spec.major, suite.spec.minor, suite.spec.patch};
  json["seed"] = suite.seed;
  json["requirements"] = suite.requirements;
  json["level"] = suite.level;
  json["options"] = suite.options;
  json["generators"] = suite.generators;
  json["counts"] = suite.counts;
  json["coverage"] = suite.coverage;
  Json& vectors = json["vectors"] = Json::array();
  for (const Suite::Entry& entry : suite.vectors) {
    vectors.push_back({{"file", entry.file}, {"sha256", entry.sha256}});
  }
  if (const auto& incomplete = suite.incomplete) {
    json["incomplete"] = {{"command", incomplete->command},
                          {"kinds", incomplete->kinds},
                          {"cases", incomplete->cases},
                          {"lost", incomplete->lost}};
  }
  // Names that are not UTF-8 must not throw.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Suite> ParseSuite(std::string_view text, std::string_view name) {
  const std::string prefix = std::string(name) + ": ";
  const Json json = ParseJson(text);
  if (!json.is_object()) return BadInput(prefix + "is no JSON object");
  const auto format = IntegerField(json, "format", 0);
  if (!format || *format < 1) return BadInput(prefix + "is no suite: no field format");
  if (*format != kFormat) {
    return Error{Error::Kind::kUnsupported, prefix + "is of format " + std::to_string(*format) +
                                                "; this build reads " + std::to_string(kFormat)};
  }
  Suite suite;
  const auto toolkit_version = TextField(json, "toolkit_version");
  const auto level = TextField(json, "level");
  const auto requirements = TextsField(json, "requirements");
  const Json* seed = FieldOf(json, "seed");
  if (!toolkit_version || !level || !requirements || !ReadSpec(json, suite.spec) ||
      seed == nullptr || !seed->is_number_integer() || !ReadOptions(json, suite.options) ||
      !ReadFigures(json, "generators", suite.generators) ||
      !ReadFigures(json, "counts", suite.counts) ||
      !ReadFigures(json, "coverage", suite.coverage) || !ReadIncomplete(json, suite.incomplete)) {
    return BadInput(prefix + "a field is missing or of the wrong type");
  }
  if (!ReadVectors(json, suite.vectors)) {
    return BadInput(prefix + "vectors is no list of files in the folder with their SHA-256");
  }
  suite.seed = seed->get<uint64_t>();
  suite.toolkit_version = *toolkit_version;
  suite.level = *level;
  suite.requirements = *requirements;
  return suite;
}

Result<Suite> ReadSuite(const std::string& folder) {
  const Result<std::string> text = ReadRegularTextFile(SuiteFile(folder));
  if (!text) return text.error();
  return ParseSuite(*text, SuiteFile(folder));
}

Result<Done> WriteSuite(const std::string& folder, const Suite& suite) {
  return WriteFileAtomically(SuiteFile(folder), SuiteText(suite));
}

Result<SuiteFolder> ListSuite(const std::string& folder, const Suite& suite) {
  const Result<std::vector<std::string>> files = ListFilesBelow(folder);
  if (!files) return files.error();
  std::set<std::string, std::less<>> listed;
  for (const Suite::Entry& entry : suite.vectors) {
    listed.insert(std::filesystem::path(entry.file).lexically_normal().string());
  }
  const auto is_own = [&](std::string_view file) {
    return file == SuiteFile("") || listed.contains(file) ||
           (suite.incomplete && CaseOf(*suite.incomplete, file));
  };
  SuiteFolder content;
  std::map<int64_t, std::string> cases;
  for (const std::string& file : *files) {
    const std::string_view final_name = FinalNameOf(file);
    if (!final_name.empty() && is_own(final_name)) {
      content.leftovers.push_back(file);
    } else if (!is_own(file)) {
      if (KindOfFile(file) == PathKind::kVector) content.unlisted.push_back(file);
      content.foreign.push_back(file);
    } else if (suite.incomplete && file != SuiteFile("")) {
      cases[CaseOf(*suite.incomplete, file).value_or(-1)] = file;
    }
  }
  for (auto& [number, file] : cases) content.vectors.push_back(std::move(file));
  if (!suite.incomplete) {
    for (const Suite::Entry& entry : suite.vectors) content.vectors.push_back(entry.file);
  }
  return content;
}

std::string WhatIsMissing(const std::string& folder, const Suite& suite,
                          const SuiteFolder& content) {
  if (!suite.incomplete) return "";
  const Suite::Incomplete& incomplete = *suite.incomplete;
  std::string text = folder + ": the suite is incomplete: ";
  if (!incomplete.lost.empty()) {
    const size_t lost = incomplete.lost.size();
    text += std::to_string(lost) + (lost == 1 ? " vector is" : " vectors are") +
            " lost, the first is " + incomplete.lost[0];
  } else {
    text += std::to_string(content.vectors.size()) + " vectors of " +
            std::to_string(incomplete.cases) + " cases are there";
    int64_t number = 0;  // the first case without a vector
    for (const std::string& file : content.vectors) {
      if (CaseOf(incomplete, file) != number) break;
      ++number;
    }
    if (number < incomplete.cases) {
      const auto kinds = static_cast<int64_t>(incomplete.kinds.size());
      text += ", the first without one is " +
              CaseFile(incomplete.kinds[static_cast<size_t>(number % kinds)],
                       static_cast<uint64_t>(number / kinds));
    }
  }
  return text + "; `" + incomplete.command + " --out " + folder + " --resume` completes it";
}

Result<Done> VerifySuite(const std::string& folder, const Suite& suite) {
  for (const Suite::Entry& entry : suite.vectors) {
    const std::string path = JoinPath(folder, entry.file);
    const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path);
    if (!bytes) return bytes.error();
    if (Sha256(*bytes) != entry.sha256) {
      return BadInput(path + ": is not the file that " + SuiteFile(folder) +
                      " lists: its SHA-256 differs");
    }
  }
  return Done{};
}

}  // namespace assay

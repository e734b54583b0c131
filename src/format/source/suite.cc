// SPDX-License-Identifier: Apache-2.0
#include "suite.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <type_traits>
#include <utility>

#include "files.h"
#include "formats.h"
#include "json_fields.h"
#include "json_place.h"
#include "json_text.h"
#include "mapped_file.h"
#include "path_kind.h"
#include "quoted.h"
#include "sha256.h"

namespace assay {
namespace {

// Returns true if a path stays in the folder to which it is relative.
bool StaysInside(std::string_view path) {
  if (path.empty() || path.starts_with('/')) return false;
  return path != ".." && !path.starts_with("../") && !path.ends_with("/..") &&
         path.find("/../") == std::string_view::npos;
}

// Reads an object of numbers or texts; an absent one is empty.
template <class Value>
bool ReadMap(const Json& json, const char* key, std::map<std::string, Value>& values) {
  const Json* field = json.Find(key);
  if (field == nullptr) return true;
  if (!field->is_object()) return false;
  for (const auto& [name, value] : field->items()) {
    if constexpr (std::is_integral_v<Value>) {
      if (!value.template is_integer<Value>()) return false;
    } else {
      if (!value.is_string()) return false;
    }
    values[name] = value.template get<Value>();
  }
  return true;
}

bool ReadSpec(const Json& json, SpecVersion& spec) {
  const Json* field = json.Find("spec");
  if (field == nullptr || !field->is_array() || field->size() != 3) return false;
  int* const parts[] = {&spec.major, &spec.minor, &spec.patch};
  for (size_t i = 0; i < 3; ++i) {
    if (!(*field)[i].is_integer<int>() || (*field)[i].get<int>() < 0) return false;
    *parts[i] = (*field)[i].get<int>();
  }
  return true;
}

// Reads a list of files. Only packs say how many vectors they have.
bool ReadFiles(const Json& list, bool are_packs, std::vector<Suite::Entry>& files) {
  if (!list.is_array()) return false;
  for (const Json& entry : list) {
    if (!entry.is_object()) return false;
    const auto file = TextField(entry, "file");
    const auto sha256 = TextField(entry, "sha256");
    const auto vectors = are_packs ? IntegerField(entry, "vectors", -1) : 1;
    if (!file || !sha256 || !StaysInside(*file) || !vectors || *vectors < 0) return false;
    if (are_packs && file->find('/') != std::string::npos) return false;
    files.push_back({*file, *sha256, *vectors});
  }
  return true;
}

// Returns the first file that is in a list twice, or under a name that is not its shortest; "" if
// there is none.
std::string FirstDoubled(const std::vector<Suite::Entry>& files) {
  std::set<std::string_view> seen;
  for (const Suite::Entry& entry : files) {
    const std::string shortest = std::filesystem::path(entry.file).lexically_normal().string();
    if (shortest != entry.file || !seen.insert(entry.file).second) return entry.file;
  }
  return "";
}

bool ReadIncomplete(const Json& json, std::optional<Suite::Incomplete>& incomplete) {
  const Json* field = json.Find("incomplete");
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

bool ReadShard(const Json& json, std::optional<Suite::Shard>& shard) {
  const Json* field = json.Find("shard");
  if (field == nullptr) return true;
  if (!field->is_object()) return false;
  const auto index = IntegerField(*field, "index", -1);
  const auto count = IntegerField(*field, "count", -1);
  const auto kinds = TextsField(*field, "kinds");
  const auto cases = IntegerField(*field, "cases", -1);
  if (!index || !count || !kinds || kinds->empty() || !cases || *index < 0 || *index >= *count ||
      *cases < 0) {
    return false;
  }
  shard = {*index, *count, *kinds, *cases};
  return true;
}

std::optional<int64_t> CaseIn(const Suite::Incomplete& suite, std::string_view file) {
  return CaseOf(suite.kinds, suite.cases, file);
}

// Returns the number of a pack by its file; nothing for any other file.
std::optional<int64_t> PackOf(std::string_view file) {
  const size_t digits = file.find_last_of('-') + 1;  // 0 if there is none
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(file.data() + digits, file.data() + file.size(), number);
  return error == std::errc() && file == PackFile(number) ? std::optional(number) : std::nullopt;
}

// Returns the place of a file in an incomplete suite; nothing if it is none of its files.
std::optional<int64_t> PlaceOf(const Suite& suite, std::string_view file) {
  return suite.packs ? PackOf(file) : CaseIn(*suite.incomplete, file);
}

// Checks that a file of a suite is the one that the suite lists.
Result<Done> VerifyFile(const std::string& folder, const std::string& file,
                        const std::string& sha256) {
  const std::string path = JoinPath(folder, file);
  const Result<SharedBytes> bytes = MapRegularFile(path);
  if (!bytes) return bytes.error();
  if (Sha256(bytes->bytes) == sha256) return Done{};
  return BadInput(path + ": is not the file that " + SuiteFile(folder) +
                  " lists: its SHA-256 differs");
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

std::optional<int64_t> CaseOf(const std::vector<std::string>& names, int64_t cases,
                              std::string_view file) {
  const std::string_view kind = file.substr(0, file.find('/'));
  const auto place = std::find(names.begin(), names.end(), kind);
  if (place == names.end()) return std::nullopt;
  const size_t digits = file.find_last_of('-') + 1;  // 0 if there is none
  uint64_t index = 0;
  std::from_chars(file.data() + digits, file.data() + file.size(), index);
  const auto kinds = static_cast<uint64_t>(names.size());
  if (file != CaseFile(kind, index) || index > static_cast<uint64_t>(cases) / kinds) {
    return std::nullopt;
  }
  const uint64_t number = index * kinds + static_cast<uint64_t>(place - names.begin());
  if (number >= static_cast<uint64_t>(cases)) return std::nullopt;
  return static_cast<int64_t>(number);
}

std::string IdentityOfShards(const Suite& suite) {
  const Suite::Shard shard = suite.shard.value_or(Suite::Shard());
  const std::string text =
      JsonText(Json{suite.toolkit_version, suite.seed, suite.level, suite.requirements,
                    suite.options, suite.generators, shard.count, shard.kinds, shard.cases},
               -1, true);
  return Sha256(text);
}

std::string PackFile(int64_t number) {
  return CaseName("pack", static_cast<uint64_t>(number)) + ".tvecs";
}

int64_t Suite::VectorCount() const {
  if (!packs) return std::ssize(vectors);
  int64_t count = 0;
  for (const Entry& pack : *packs) count += pack.vectors;
  return count;
}

std::string SuiteFile(std::string_view folder) { return JoinPath(folder, "suite.json"); }

bool HasSuite(std::string_view folder) { return IsThere(SuiteFile(folder)); }

std::string SuiteText(const Suite& suite) {
  Json json;
  json["format"] = formats::kSuite.version;
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
  if (suite.packs) {
    Json& packs = json["packs"] = Json::array();
    for (const Suite::Entry& pack : *suite.packs) {
      packs.push_back({{"file", pack.file}, {"sha256", pack.sha256}, {"vectors", pack.vectors}});
    }
  }
  if (const auto& shard = suite.shard) {
    json["shard"] = {{"index", shard->index},
                     {"count", shard->count},
                     {"kinds", shard->kinds},
                     {"cases", shard->cases}};
  }
  if (const auto& incomplete = suite.incomplete) {
    json["incomplete"] = {{"command", incomplete->command},
                          {"kinds", incomplete->kinds},
                          {"cases", incomplete->cases},
                          {"lost", incomplete->lost}};
  }
  // Names that are not UTF-8 must not throw.
  return JsonText(json, 1) + "\n";
}

Result<Suite> ParseSuite(std::string_view text, std::string_view name) {
  const std::string prefix = std::string(name) + ": ";
  const Result<Json> parsed = ParseWrittenJson(text, name);
  if (!parsed) return parsed.error();
  const Json& json = *parsed;
  if (!json.is_object()) return BadInput(prefix + "is no JSON object");
  const auto format = IntegerField(json, "format", 0);
  if (!format || *format < 1) return BadInput(prefix + "is no suite: no field format");
  if (*format != formats::kSuite.version) {
    return Error{Error::Kind::kUnsupported, prefix + "is of format " + std::to_string(*format) +
                                                "; this build reads " +
                                                std::to_string(formats::kSuite.version)};
  }
  Suite suite;
  const auto toolkit_version = TextField(json, "toolkit_version");
  const auto level = TextField(json, "level");
  const auto requirements = TextsField(json, "requirements");
  const Json* seed = json.Find("seed");
  if (!toolkit_version || !level || !requirements || !ReadSpec(json, suite.spec) ||
      seed == nullptr || !seed->is_integer<uint64_t>() ||
      !ReadMap(json, "options", suite.options) || !ReadMap(json, "generators", suite.generators) ||
      !ReadMap(json, "counts", suite.counts) || !ReadMap(json, "coverage", suite.coverage) ||
      !ReadIncomplete(json, suite.incomplete)) {
    return BadInput(prefix + "a field is missing or of the wrong type");
  }
  const Json* packs = json.Find("packs");
  if (packs != nullptr && !ReadFiles(*packs, true, suite.packs.emplace())) {
    return BadInput(prefix +
                    "packs is no list of files in the folder, not below it, with their SHA-256");
  }
  if (!ReadShard(json, suite.shard)) {
    return BadInput(prefix + "shard is not one of the shards of a suite");
  }
  const Json* vectors = json.Find("vectors");
  if (vectors == nullptr || !ReadFiles(*vectors, false, suite.vectors)) {
    return BadInput(prefix + "vectors is no list of files in the folder with their SHA-256");
  }
  for (const auto& files : {suite.vectors, suite.packs.value_or(std::vector<Suite::Entry>())}) {
    const std::string doubled = FirstDoubled(files);
    if (doubled.empty()) continue;
    return BadInput(prefix + "lists " + doubled + " twice, or not by its shortest name");
  }
  suite.seed = seed->get<uint64_t>();
  suite.toolkit_version = *toolkit_version;
  suite.level = *level;
  suite.requirements = *requirements;
  return suite;
}

Result<Suite> ReadSuite(const std::string& folder) {
  const Result<std::string> text = ReadOwnTextFile(SuiteFile(folder));
  if (!text) return text.error();
  return ParseSuite(*text, SuiteFile(folder));
}

std::map<std::string, std::string> SuiteHashes(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> hashes;
  for (const std::string& path : paths) {
    const Result<std::vector<uint8_t>> bytes = ReadOwnFile(SuiteFile(path));
    if (bytes) hashes[path] = Sha256(*bytes);
  }
  return hashes;
}

Result<Done> WriteSuite(const std::string& folder, const Suite& suite) {
  return WriteFileAtomically(SuiteFile(folder), SuiteText(suite));
}

Result<SuiteFolder> ListSuite(const std::string& folder, const Suite& suite) {
  const Result<std::vector<std::string>> files = ListFilesBelow(folder);
  if (!files) return files.error();
  std::set<std::string, std::less<>> listed;
  for (const Suite::Entry& entry : suite.vectors) listed.insert(entry.file);
  for (const Suite::Entry& pack : suite.packs.value_or(std::vector<Suite::Entry>())) {
    listed.insert(pack.file);
  }
  const auto is_own = [&](std::string_view file) {
    return file == SuiteFile("") || listed.contains(file) ||
           (suite.incomplete && PlaceOf(suite, file));
  };
  SuiteFolder content;
  std::map<std::optional<int64_t>, std::string> cases;
  for (const std::string& file : *files) {
    const std::string_view final_name = FinalNameOf(file);
    if (!final_name.empty() && is_own(final_name)) {
      content.leftovers.push_back(file);
    } else if (!is_own(file)) {
      const PathKind kind = KindOfFile(file);
      if (kind == PathKind::kVector || kind == PathKind::kPack) content.unlisted.push_back(file);
      content.foreign.push_back(file);
    } else if (suite.incomplete && file != SuiteFile("")) {
      cases[PlaceOf(suite, file)] = file;
    }
  }
  for (auto& [number, file] : cases) content.vectors.push_back(std::move(file));
  if (!suite.incomplete) {
    for (const Suite::Entry& entry : suite.vectors) content.vectors.push_back(entry.file);
    for (const Suite::Entry& pack : suite.packs.value_or(std::vector<Suite::Entry>())) {
      content.vectors.push_back(pack.file);
    }
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
  } else if (suite.packs) {
    const size_t packs = content.vectors.size();
    text += std::to_string(packs) + (packs == 1 ? " pack is there" : " packs are there");
  } else {
    const int64_t first = suite.shard ? suite.shard->index : 0;
    const int64_t step = suite.shard ? suite.shard->count : 1;
    const int64_t cases = (incomplete.cases - first + step - 1) / step;
    text += std::to_string(content.vectors.size()) + " vectors of " + std::to_string(cases) +
            " cases are there";
    int64_t number = first;  // the first case without a vector
    for (const std::string& file : content.vectors) {
      if (CaseIn(incomplete, file) != number) break;
      number += step;
    }
    if (number < incomplete.cases) {
      const auto kinds = static_cast<int64_t>(incomplete.kinds.size());
      text += ", the first without one is " +
              CaseFile(incomplete.kinds[static_cast<size_t>(number % kinds)],
                       static_cast<uint64_t>(number / kinds));
    }
  }
  // The vectors of a conformance package are in a folder of their own.
  const bool is_package = incomplete.command.find(" --conformance ") != std::string::npos;
  std::string out = is_package ? FolderOf(folder) : folder;
  if (out.empty()) out = ".";
  return text + "; `" + incomplete.command + " --out " + out + " --resume` completes it";
}

Result<Done> VerifySuite(const std::string& folder, const Suite& suite) {
  for (const Suite::Entry& entry : suite.vectors) {
    const Result<Done> same = VerifyFile(folder, entry.file, entry.sha256);
    if (!same) return same;
  }
  for (const Suite::Entry& pack : suite.packs.value_or(std::vector<Suite::Entry>())) {
    const Result<Done> same = VerifyFile(folder, pack.file, pack.sha256);
    if (!same) return same;
  }
  return Done{};
}

}  // namespace assay

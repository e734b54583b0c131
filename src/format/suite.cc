#include "suite.h"

#include <utility>

#include "files.h"
#include "json_fields.h"
#include "quoted.h"
#include "sha256.h"

namespace assay {
namespace {

constexpr int64_t kFormat = 1;

// Whether a path stays in the folder it is relative to.
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

}  // namespace

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
      !ReadFigures(json, "coverage", suite.coverage)) {
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

// SPDX-License-Identifier: Apache-2.0
#include "kept_answer.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "cut_text.h"
#include "files.h"
#include "formats.h"
#include "json_place.h"
#include "json_text.h"
#include "npy_file.h"
#include "program_output.h"

namespace assay {
namespace {

constexpr int64_t kJsonBytesMax = int64_t{64} << 20;
constexpr int64_t kBackendBytesMax = int64_t{1} << 18;  // of backend.json

// Returns the JSON of a tensor in a file, and adds the file.
Json Stored(std::string file, const Tensor& tensor, std::vector<FolderFile>& files) {
  Json json = {{"file", file}, {"type", TypeName(tensor.type())}, {"shape", Json::array()}};
  for (const int64_t dim : tensor.shape().dims()) json["shape"].push_back(dim);
  files.push_back({std::move(file), WriteNpy(tensor)});
  return json;
}

Json OutcomeJson(size_t step, const Outcome& outcome, std::vector<FolderFile>& files) {
  Json json = {{"outcome", OutcomeName(outcome.kind)}};
  if (!outcome.rule.empty()) json["rule"] = outcome.rule;
  if (!outcome.message.empty()) json["message"] = outcome.message;
  if (!outcome.pass.empty()) json["pass"] = outcome.pass;
  if (!outcome.rewrites.empty()) json["rewrites"] = outcome.rewrites;
  if (outcome.wrote_outside) json["wrote_outside"] = true;
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    json["outputs"].push_back(Stored(TensorFile(step, "output", i), outcome.outputs[i], files));
  }
  size_t number = 0;
  for (const auto& [name, value] : outcome.state) {
    Json stored = Stored(TensorFile(step, "state", number++), value, files);
    stored["name"] = name;
    json["state"].push_back(std::move(stored));
  }
  return json;
}

// Reads the tensors of one answer.
class AnswerReader {
 public:
  explicit AnswerReader(const std::string& folder) : folder_(folder) {}

  Result<KeptAnswer> Read() const {
    const std::string path = JoinPath(folder_, kKeptAnswerFile);
    const Result<std::vector<uint8_t>> bytes = ReadOwnFile(path, kJsonBytesMax);
    if (!bytes) return bytes.error();
    const Json json = ParseJson({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    KeptAnswer answer;
    if (!ReadJson(json, answer)) return BadInput(path + ": no answer that Assay has kept");
    if (const Json* steps = json.Find("steps"); steps != nullptr) {
      if (!steps->is_array()) return BadInput(path + ": steps: no array");
      for (const Json& step : *steps) {
        const Result<Done> read = ReadStep(step, answer);
        if (!read) return read.error();
      }
    }
    return answer;
  }

 private:
  static bool ReadJson(const Json& json, KeptAnswer& answer) {
    if (!json.is_object() || TextField(json, "format") != formats::kAnswer.name) return false;
    if (IntegerField(json, "version", 0) != formats::kAnswer.version) return false;
    const auto errors = TextField(json, "errors");
    if (!errors) return false;
    answer.errors = *errors;
    if (json.Find("unsupported") == nullptr) return true;
    answer.unsupported = TextField(json, "unsupported");
    return answer.unsupported.has_value();
  }

  Error Bad(const std::string& what) const {
    return BadInput(JoinPath(folder_, kKeptAnswerFile) + ": " + what);
  }

  Result<Tensor> ReadTensor(const Json& json) const {
    const auto file = json.is_object() ? TextField(json, "file") : std::nullopt;
    const auto type = file ? TextField(json, "type") : std::nullopt;
    const auto dtype = type ? TypeByName(*type) : std::nullopt;
    const Json* shape = dtype ? json.Find("shape") : nullptr;
    if (shape == nullptr || !shape->is_array() || file->find('/') != std::string::npos) {
      return Bad("no tensor with file, type and shape");
    }
    std::vector<int32_t> dims;
    for (const Json& dim : *shape) {
      const auto size = dim.is_integer<int64_t>() ? dim.get<int64_t>() : -1;
      if (size < 0 || size > INT32_MAX || dims.size() == Shape::kMaxRank) {
        return Bad(*file + ": bad shape");
      }
      dims.push_back(static_cast<int32_t>(size));
    }
    const TensorType declared{*dtype, Shape(dims)};
    const std::string path = JoinPath(folder_, *file);
    const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path, AnswerBytesMax(declared));
    if (!bytes) return bytes.error();
    const Result<Done> stored = CheckAnswerStart(*bytes, bytes->size(), path, declared);
    if (!stored) return stored.error();
    return ReadNpyTensor(*bytes, path, declared);
  }

  // Calls `take` with each tensor of a list.
  template <class Take>
  Result<Done> ReadTensors(const Json& step, const char* key, const Take& take) const {
    const Json* list = step.Find(key);
    if (list == nullptr) return Done{};
    if (!list->is_array()) return Bad(std::string(key) + ": no array");
    for (const Json& json : *list) {
      Result<Tensor> tensor = ReadTensor(json);
      if (!tensor) return tensor.error();
      if (!take(json, std::move(*tensor))) return Bad(std::string(key) + ": no name");
    }
    return Done{};
  }

  Result<Done> ReadStep(const Json& step, KeptAnswer& answer) const {
    if (!step.is_object()) return Bad("steps: no object");
    Outcome& outcome = answer.outcomes.emplace_back();
    const auto kind = TextField(step, "outcome");
    const auto* const known = std::ranges::find(kAllOutcomeKinds, kind.value_or(""), OutcomeName);
    const auto rule = TextField(step, "rule"), message = TextField(step, "message"),
               pass = TextField(step, "pass"), rewrites = TextField(step, "rewrites");
    const auto outside = BoolField(step, "wrote_outside", false);
    if (known == std::end(kAllOutcomeKinds) || !rule || !message || !pass || !rewrites ||
        !outside) {
      return Bad("a step without an outcome");
    }
    outcome.kind = *known;
    outcome.rule = *rule;
    outcome.message = *message;
    outcome.pass = *pass;
    outcome.rewrites = *rewrites;
    outcome.wrote_outside = *outside;
    const Result<Done> outputs = ReadTensors(step, "outputs", [&](const Json&, Tensor tensor) {
      outcome.outputs.push_back(std::move(tensor));
      return true;
    });
    if (!outputs) return outputs;
    const Result<Done> state = ReadTensors(step, "state", [&](const Json& json, Tensor tensor) {
      const auto name = TextField(json, "name");
      if (name) outcome.state[*name] = std::move(tensor);
      return name.has_value();
    });
    if (!state || step.Find("taps") == nullptr) return state;
    answer.taps.resize(answer.outcomes.size());
    return ReadTensors(step, "taps", [&](const Json& json, Tensor tensor) {
      const auto index = IntegerField(json, "tensor", -1);
      const bool sound = index && *index >= 0 && *index <= INT32_MAX;
      if (sound) answer.taps.back()[static_cast<TensorIndex>(*index)] = std::move(tensor);
      return sound;
    });
  }

  const std::string& folder_;
};

}  // namespace

std::vector<FolderFile> KeptAnswerFiles(const KeptAnswer& answer) {
  std::vector<FolderFile> files;
  Json json = {{"format", formats::kAnswer.name}, {"version", formats::kAnswer.version}};
  if (answer.unsupported) json["unsupported"] = *answer.unsupported;
  if (!answer.errors.empty()) json["errors"] = answer.errors;
  for (size_t i = 0; i < answer.outcomes.size(); ++i) {
    Json step = OutcomeJson(i, answer.outcomes[i], files);
    if (i < answer.taps.size()) {
      step["taps"] = Json::array();
      for (const auto& [tensor, value] : answer.taps[i]) {
        const std::string file = TensorFile(i, "tap", static_cast<size_t>(tensor));
        Json stored = Stored(file, value, files);
        stored["tensor"] = tensor;
        step["taps"].push_back(std::move(stored));
      }
    }
    json["steps"].push_back(std::move(step));
  }
  // Errors of programs need not be text.
  const std::string text = JsonText(json, 1) + "\n";
  files.push_back({kKeptAnswerFile, {text.begin(), text.end()}});
  return files;
}

Result<KeptAnswer> ReadKeptAnswer(const std::string& folder) { return AnswerReader(folder).Read(); }

std::string TextOf(const AnsweringBackend& backend) {
  Json json = {{"format", formats::kBackend.name}, {"version", formats::kBackend.version}};
  if (!backend.specification.empty()) json["specification"] = backend.specification;
  json["description"] = backend.description;
  json["declarations"] = backend.declarations;
  if (backend.offers_taps) json["taps"] = true;
  if (backend.checks_plans) json["checks_plans"] = true;
  return JsonText(json, 1) + "\n";
}

Result<std::optional<AnsweringBackend>> ReadAnsweringBackend(const std::string& folder) {
  const std::string path = JoinPath(folder, kBackendFile);
  if (!IsThere(path)) return std::optional<AnsweringBackend>();
  const Result<std::vector<uint8_t>> bytes = ReadOwnFile(path, kBackendBytesMax);
  if (!bytes) return bytes.error();
  const Result<Json> written =
      ParseWrittenJson({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path);
  if (!written) return written.error();
  const Json& json = *written;
  if (!json.is_object() || TextField(json, "format") != formats::kBackend.name) {
    return BadInput(path + ": does not say \"format\": \"" + std::string(formats::kBackend.name) +
                    "\"");
  }
  if (IntegerField(json, "version", 0) != formats::kBackend.version) {
    return Unsupported(path + ": another version than " +
                       std::to_string(formats::kBackend.version));
  }
  const auto specification = TextField(json, "specification"),
             description = TextField(json, "description");
  const auto declarations = TextsField(json, "declarations");
  const auto taps = BoolField(json, "taps", false), plans = BoolField(json, "checks_plans", false);
  if (!specification || !description || !declarations || !taps || !plans) {
    return BadInput(path + ": a field has the wrong type");
  }
  return std::optional(
      AnsweringBackend{*specification, CutText(*description), *declarations, *taps, *plans});
}

}  // namespace assay

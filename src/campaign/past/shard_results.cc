// SPDX-License-Identifier: Apache-2.0
#include "shard_results.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "atomic_file.h"
#include "files.h"
#include "formats.h"
#include "json_record.h"
#include "mapped_file.h"
#include "quoted.h"
#include "reported_findings.h"
#include "sha256.h"
#include "version.h"

namespace assay {

// Fields are sorted by name.
template <>
struct JsonRecord<TargetOptions> {
  static void Fields(auto& v, auto& target) {
    v.Always("elements_max", target.elements_max);
    v.Always("file", target.file);
    v.Always("operators", target.operators);
    v.Always("rank_max", target.rank_max);
    v.Always("types", target.types);
  }
};

template <>
struct JsonRecord<VerifyRun> {
  static void Fields(auto& v, auto& run) {
    v.Always("backend", run.backend);
    v.Always("cpu_seconds", run.limits.cpu_seconds);
    v.Always("declarations", run.limits.declarations);
    v.Always("environment", run.limits.environment);
    v.Always("graphs", run.model_words);
    v.Always("implied_errors", run.implied_errors);
    v.Always("inputs", run.inputs);
    v.Always("match", run.match);
    v.Always("repeats", run.repeats);
    v.Always("suites", run.suites);
    v.Always("target", run.target);
    v.Always("title", run.title);
    v.Always("wall_seconds", run.limits.wall_seconds);
  }
};

// The content of shard.json.
struct ShardHead {
  std::string assay{kToolkitVersion};
  std::string format{formats::kShard.name};
  int version = formats::kShard.version;
  ShardResults results;
  std::string sum;  // the SHA-256 of the text without this field's value
};

template <>
struct JsonRecord<ShardHead> {
  static void Fields(auto& v, auto& head) {
    auto& results = head.results;
    v.Always("assay", head.assay);
    v.Always("cases", results.cases);
    v.Always("coverage", results.coverage);
    v.Always("format", head.format);
    v.Always("gaps", results.gaps);
    v.Always("not_chosen", results.not_chosen);
    v.Always("outside_target", results.outside);
    v.Always("packages", results.suite_hashes);
    v.Always("results", results.replies_sha256);
    v.Always("run", results.run);
    v.Always("shard", results.shard.index);
    v.Always("shards", results.shard.count);
    v.Always("sum", head.sum);
    v.Always("vectors", results.vectors_sha256);
    v.Always("version", head.version);
  }
};

namespace {

// Returns the text of shard.json, with its sum.
std::string TextOf(ShardHead head) {
  const auto text = [&head] { return JsonText(RecordToJson(head), -1, true) + "\n"; };
  head.sum.clear();
  head.sum = Sha256(text());
  return text();
}

std::string ShardName(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

}  // namespace

std::string VerifyRun::Command(const std::string& shard, const std::string& reported) const {
  std::string line = "assay verify";
  for (const std::string& suite : suites) line += " " + ShellWord(suite);
  line += model_words + " " + BackendWords(backend, limits) + shard;
  if (!match.empty()) line += " --match " + ShellWord(match);
  line += TargetWords(target) + reported;
  if (implied_errors) line += " --implied-errors";
  if (repeats != 1) line += " --repeat " + std::to_string(repeats);
  return line;
}

Result<Done> WriteShard(const std::string& folder, ShardResults results,
                        const std::function<Result<Done>(const ReplySink&)>& replies,
                        const KeptVectors& kept, const std::function<int64_t(int64_t)>& position) {
  Result<AtomicFile> file = AtomicFile::Open(JoinPath(folder, ShardResults::kRepliesFile));
  if (!file) return file.error();
  results.cases = 0;
  Result<Done> written = replies([&](int64_t index, std::string_view reply) {
    ++results.cases;
    return file->Write(ReplyLine(position(index), reply));
  });
  if (written) written = file->Finish();
  if (written) {
    written = kept.WriteByIndex(JoinPath(folder, ShardResults::kVectorsFile), position);
  }
  if (!written) return written;
  const Result<std::string> vectors = SumOf(folder, ShardResults::kVectorsFile);
  if (!vectors) return vectors.error();
  const Result<std::string> sum = SumOf(folder, ShardResults::kRepliesFile);
  if (!sum) return sum.error();
  results.vectors_sha256 = *vectors;
  results.replies_sha256 = *sum;
  return WriteFileAtomically(JoinPath(folder, ShardResults::kHeadFile),
                             TextOf({.results = std::move(results), .sum = ""}));
}

Result<std::string> SumOf(const std::string& folder, const char* file) {
  const Result<SharedBytes> bytes =
      MapRegularFile(JoinPath(folder, file), std::numeric_limits<int64_t>::max());
  if (!bytes) return bytes.error();
  return Sha256(bytes->bytes);
}

Result<ShardResults> ReadShard(const std::string& folder) {
  const std::string path = JoinPath(folder, ShardResults::kHeadFile);
  if (!FileExists(path)) {
    return BadInput(folder + ": holds no finished shard; `assay verify --shard I/N --report " +
                    ShellWord(folder) + "` makes one");
  }
  const Result<std::string> text = ReadOwnTextFile(path);
  if (!text) return text.error();
  try {
    const Json json = JsonFrom(*text);
    if (json.at("format") != formats::kShard.name ||
        json.at("version") != formats::kShard.version || json.at("assay") != kToolkitVersion ||
        !json.contains("sum")) {
      return BadInput(path + ": is of another version of Assay");
    }
    const auto head = RecordFromJson<ShardHead>(json);
    if (TextOf(head) != *text) return BadInput(path + ": is damaged or was edited");
    ShardResults results = head.results;
    const Shard& shard = results.shard;
    const std::array counts = {results.cases, results.not_chosen, results.outside};
    const auto can_be = [](int64_t count) { return count >= 0 && count <= int64_t{1} << 42; };
    if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count ||
        !std::ranges::all_of(counts, can_be)) {
      return BadInput(path + ": has a number that cannot be");
    }
    return results;
  } catch (const JsonError&) {
    return BadInput(path + ": is damaged or was edited");
  }
}

Result<std::vector<ShardInFolder>> ReadShards(const std::vector<std::string>& folders) {
  std::vector<ShardInFolder> shards;
  for (const std::string& folder : folders) {
    Result<ShardResults> results = ReadShard(folder);
    if (!results) return results.error();
    const std::string path = JoinPath(folder, ShardResults::kRepliesFile);
    const Result<Descriptor> replies = OpenOwnFile(path);
    if (!replies) return replies.error();
    struct stat status;
    if (fstat(*replies, &status) != 0) return SystemError(path, "read", errno);
    shards.push_back({folder, std::move(*results), {path, 0, status.st_size}});
  }
  const ShardResults first = shards[0].results;
  for (const ShardInFolder& shard : shards) {
    const ShardResults& results = shard.results;
    if (RecordToJson(results.run) != RecordToJson(first.run) ||
        results.shard.count != first.shard.count) {
      return BadInput(shard.folder + ": is no shard of the run in " + shards[0].folder + ": " +
                      results.run.Command(" --shard " + ShardName(results.shard), ""));
    }
  }
  std::ranges::stable_sort(shards, {},
                           [](const ShardInFolder& s) { return s.results.shard.index; });
  for (size_t i = 0; i + 1 < shards.size(); ++i) {
    if (shards[i].results.shard.index != shards[i + 1].results.shard.index) continue;
    return BadInput(shards[i + 1].folder + ": is shard " + ShardName(shards[i].results.shard) +
                    ", and so is " + shards[i].folder);
  }
  for (int64_t i = 0; i < first.shard.count; ++i) {
    const bool is_there =
        i < std::ssize(shards) && shards[static_cast<size_t>(i)].results.shard.index == i;
    if (!is_there) {
      return BadInput("shard " + ShardName({i, first.shard.count}) + " is missing");
    }
  }
  return shards;
}

}  // namespace assay

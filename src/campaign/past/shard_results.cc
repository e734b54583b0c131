// SPDX-License-Identifier: Apache-2.0
#include "shard_results.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "atomic_file.h"
#include "files.h"
#include "formats.h"
#include "json_text.h"
#include "quoted.h"
#include "reported_findings.h"
#include "version.h"

namespace assay {
namespace {

// Members are sorted by name.
Json ToJson(const TargetOptions& target) {
  return {{"elements_max", target.elements_max},
          {"file", target.file},
          {"operators", target.operators},
          {"rank_max", target.rank_max},
          {"types", target.types}};
}

Json ToJson(const VerifyRun& run) {
  return {{"backend", run.backend},
          {"cpu_seconds", run.limits.cpu_seconds},
          {"declarations", run.limits.declarations},
          {"environment", run.limits.environment},
          {"graphs", run.model_words},
          {"implied_errors", run.implied_errors},
          {"inputs", run.inputs},
          {"match", run.match},
          {"repeats", run.repeats},
          {"suites", run.suites},
          {"target", ToJson(run.target)},
          {"title", run.title},
          {"wall_seconds", run.limits.wall_seconds}};
}

VerifyRun RunFrom(const Json& json) {
  VerifyRun run;
  json.at("suites").get_to(run.suites);
  json.at("graphs").get_to(run.model_words);
  json.at("backend").get_to(run.backend);
  json.at("cpu_seconds").get_to(run.limits.cpu_seconds);
  json.at("wall_seconds").get_to(run.limits.wall_seconds);
  json.at("environment").get_to(run.limits.environment);
  json.at("declarations").get_to(run.limits.declarations);
  json.at("match").get_to(run.match);
  const Json& target = json.at("target");
  target.at("file").get_to(run.target.file);
  target.at("operators").get_to(run.target.operators);
  target.at("types").get_to(run.target.types);
  target.at("rank_max").get_to(run.target.rank_max);
  target.at("elements_max").get_to(run.target.elements_max);
  json.at("implied_errors").get_to(run.implied_errors);
  json.at("repeats").get_to(run.repeats);
  json.at("title").get_to(run.title);
  json.at("inputs").get_to(run.inputs);
  return run;
}

ShardResults ResultsFrom(const Json& json) {
  ShardResults results;
  results.run = RunFrom(json.at("run"));
  json.at("shard").get_to(results.shard.index);
  json.at("shards").get_to(results.shard.count);
  json.at("cases").get_to(results.cases);
  json.at("not_chosen").get_to(results.not_chosen);
  json.at("outside_target").get_to(results.outside);
  json.at("gaps").get_to(results.gaps);
  json.at("coverage").get_to(results.coverage);
  json.at("packages").get_to(results.suite_hashes);
  return results;
}

std::string ShardName(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

std::string Dumped(const Json& json) { return JsonText(json, -1, true); }

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
  const Json head = {{"assay", kToolkitVersion},
                     {"cases", results.cases},
                     {"coverage", results.coverage},
                     {"format", formats::kShard.name},
                     {"gaps", results.gaps},
                     {"not_chosen", results.not_chosen},
                     {"outside_target", results.outside},
                     {"packages", results.suite_hashes},
                     {"run", ToJson(results.run)},
                     {"shard", results.shard.index},
                     {"shards", results.shard.count},
                     {"version", formats::kShard.version}};
  return WriteFileAtomically(JoinPath(folder, ShardResults::kHeadFile), Dumped(head) + "\n");
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
        json.at("version") != formats::kShard.version || json.at("assay") != kToolkitVersion) {
      return BadInput(path + ": is of another version of Assay");
    }
    ShardResults results = ResultsFrom(json);
    const Shard& shard = results.shard;
    if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count || results.cases < 0) {
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
    if (ToJson(results.run) != ToJson(first.run) || results.shard.count != first.shard.count) {
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

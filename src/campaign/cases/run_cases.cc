// SPDX-License-Identifier: Apache-2.0
#include "run_cases.h"

#include <algorithm>
#include <utility>

#include "executor.h"
#include "files.h"
#include "model_limits.h"
#include "path_kind.h"
#include "quoted.h"
#include "sha256.h"
#include "time_limit.h"

namespace assay {
namespace {

// Returns true for a path that names one graph. The `.json` files of suites and Arm test
// directories stand for their folders.
bool NamesGraph(const std::string& path) {
  const std::string_view name = FileNameOf(path);
  return !IsDirectory(path) && IsGraphAlone(KindOfFile(path)) && name != "desc.json" &&
         name != "suite.json";
}

}  // namespace

Result<RunCases> RunCases::List(const std::vector<std::string>& paths, const ModelOptions& options,
                                const BackendOptions& limits,
                                const std::function<void(const std::string&)>& note) {
  RunCases all;
  all.options_ = options;
  all.limits_ = limits;
  const std::string given = options.Given();
  if (!given.empty() && std::ranges::none_of(paths, NamesGraph)) {
    return UsageError(given + ": is for graphs, and no graph is named");
  }
  bool several = false;
  for (const std::string& path : paths) {
    if (NamesGraph(path)) {
      Result<ModelSource> source = ModelSource::Load(path, options);
      if (!source) return source.error();
      all.parts_.push_back({all.total_, path, {}});
      all.total_ += source->samples();
      const BackendOptions needed = LimitsOfModel(source->vector(), limits);
      all.limits_.cpu_seconds = std::max(all.limits_.cpu_seconds, needed.cpu_seconds);
      all.limits_.wall_seconds = std::max(all.limits_.wall_seconds, needed.wall_seconds);
      all.graphs_.insert_or_assign(path, std::move(*source));
      continue;
    }
    Result<CaseList> listed = ListCases({path}, note);
    if (!listed) return listed.error();
    all.gaps_.insert(all.gaps_.end(), listed->gaps.begin(), listed->gaps.end());
    if (!listed->shards.empty()) all.suite_shard_ = listed->shards[0];
    const int64_t first = std::exchange(all.total_, all.total_ + listed->size());
    if (listed->shards.size() > 1) several = true;
    all.parts_.push_back({first, "", std::move(*listed)});
  }
  // Several suites, of which some are shards, are no shard together.
  if (several || paths.size() > 1) all.suite_shard_.reset();
  return all;
}

RunCases RunCases::OfPack(VectorPack pack, std::string folder, const BackendOptions& limits) {
  RunCases all;
  all.limits_ = limits;
  all.total_ = pack.size();
  CaseList vectors;
  vectors.Add(std::move(pack), std::move(folder));
  all.parts_.push_back({0, "", std::move(vectors)});
  return all;
}

std::pair<const RunCases::Part*, int64_t> RunCases::Find(int64_t index) const {
  const int64_t number = shard_.At(index);
  const auto after = std::ranges::upper_bound(parts_, number, {}, &Part::first);
  const Part& part = *(after - 1);
  return {&part, number - part.first};
}

std::string RunCases::Name(int64_t index) const {
  const auto [part, number] = Find(index);
  if (part->graph.empty()) return part->vectors.Name(number);
  if (graphs_.at(part->graph).samples() == 1) return part->graph;
  return part->graph + ", sample " + std::to_string(number);
}

std::optional<int64_t> RunCases::IndexOf(const std::string& name) const {
  for (int64_t i = 0; i < size(); ++i) {
    if (Name(i) == name) return i;
  }
  return std::nullopt;
}

std::string RunCases::Words(int64_t index) const {
  const auto [part, sample] = Find(index);
  if (part->graph.empty()) return ShellWord(part->vectors.Name(sample));
  ModelOptions options = options_;
  // The samples before it come again as well. One is the default, unless files hold more.
  const bool is_all = options.samples == 0 || (sample == 0 && options.inputs.empty());
  options.samples = is_all ? 0 : static_cast<int>(sample) + 1;
  return ShellWord(part->graph) + ModelWords(options);
}

Result<LoadedCase> RunCases::Load(int64_t index) const {
  const auto [part, number] = Find(index);
  if (part->graph.empty()) return part->vectors.Load(number);
  // Inputs are drawn by several executions.
  constexpr double kExecutions = 20;
  const TimeLimit limit(limits_.cpu_seconds * kExecutions, limits_.wall_seconds * kExecutions);
  Result<ModelSource::Sample> sample = graphs_.at(part->graph).At(number);
  if (!sample) return sample.error();
  std::string reason;
  if (!Expect(sample->vector, {}, &reason)) {
    return Unsupported(part->graph + ": nothing can be expected of it: " + reason);
  }
  return LoadedCase{std::move(sample->vector), std::nullopt};
}

std::string RunCases::ContentHash() const {
  std::string all;
  for (const Part& part : parts_) {
    std::vector<std::string> files = part.vectors.Files();
    if (!part.graph.empty()) files.push_back(part.graph);
    for (const std::string& file : files) {
      all += std::to_string(part.first) + " " + file + " " + HashOfSource(file) + "\n";
    }
  }
  // The words of --input are `NAME=FILE.npy` or `FILE.npz`.
  for (const std::string& input : options_.inputs) {
    all +=
        input + " " + HashOfSource(FileExists(input) ? input : input.substr(input.find('=') + 1));
  }
  return Sha256(all);
}

Result<Done> RunCases::Keep(const Shard& shard) {
  for (const Part& part : parts_) {
    if (part.vectors.shards.empty()) continue;
    return UsageError(part.vectors.shards[0].folder +
                      ": is a shard itself; verify it without --shard");
  }
  shard_ = shard;
  is_shard_ = true;
  return Done{};
}

std::optional<Shard> RunCases::OwnShard() const {
  if (is_shard_) return shard_;
  if (!suite_shard_) return std::nullopt;
  return Shard{suite_shard_->shard.index, suite_shard_->shard.count};
}

int64_t RunCases::Position(int64_t index) const {
  if (!suite_shard_) return shard_.At(index);
  const Suite::Shard& shard = suite_shard_->shard;
  const std::string prefix = JoinPath(suite_shard_->folder, "");
  const std::string name = Name(index);
  const std::string file = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  return CaseOf(shard.kinds, shard.cases, file).value_or(shard_.At(index));
}

}  // namespace assay

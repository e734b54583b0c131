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

std::string HashOf(std::string_view text) {
  return Sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Returns a SHA-256 of a file or of all files in a folder; "" for what cannot be read.
std::string HashOfFile(const std::string& path) {
  if (!IsDirectory(path)) {
    const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path);
    return bytes ? Sha256(*bytes) : "";
  }
  const Result<std::vector<std::string>> files = ListFilesBelow(path);
  if (!files) return "";
  std::string all;
  for (const std::string& file : *files)
    all += file + " " + HashOfFile(JoinPath(path, file)) + "\n";
  return HashOf(all);
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
    return Error{Error::Kind::kUsage, given + ": is for graphs, and no graph is named"};
  }
  for (const std::string& path : paths) {
    if (NamesGraph(path)) {
      Result<ModelSource> source = ModelSource::Load(path, options);
      if (!source) return source.error();
      for (int64_t i = 0; i < source->samples(); ++i) all.cases_.push_back({path, i});
      const BackendOptions needed = LimitsOfModel(source->vector(), limits);
      all.limits_.cpu_seconds = std::max(all.limits_.cpu_seconds, needed.cpu_seconds);
      all.limits_.wall_seconds = std::max(all.limits_.wall_seconds, needed.wall_seconds);
      all.graphs_.insert_or_assign(path, std::move(*source));
      continue;
    }
    const Result<CaseList> listed = ListCases({path}, note);
    if (!listed) return listed.error();
    for (const std::string& vector : listed->paths) all.cases_.push_back({vector});
    all.gaps_.insert(all.gaps_.end(), listed->gaps.begin(), listed->gaps.end());
  }
  return all;
}

std::string RunCases::Name(int64_t index) const {
  const Case& one = cases_[static_cast<size_t>(index)];
  const auto graph = graphs_.find(one.path);
  if (graph == graphs_.end() || graph->second.samples() == 1) return one.path;
  return one.path + ", sample " + std::to_string(one.sample);
}

std::string RunCases::Words(int64_t index) const {
  const Case& one = cases_[static_cast<size_t>(index)];
  if (!graphs_.contains(one.path)) return ShellWord(one.path);
  ModelOptions options = options_;
  // The samples before it come again as well. One is the default, unless files hold more.
  const bool is_all = options.samples == 0 || (one.sample == 0 && options.inputs.empty());
  options.samples = is_all ? 0 : static_cast<int>(one.sample) + 1;
  return ShellWord(one.path) + ModelWords(options);
}

Result<LoadedCase> RunCases::Load(int64_t index) const {
  const Case& one = cases_[static_cast<size_t>(index)];
  const auto graph = graphs_.find(one.path);
  if (graph == graphs_.end()) return LoadCase(one.path);
  // Inputs are drawn by several executions.
  constexpr double kExecutions = 20;
  const TimeLimit limit(limits_.cpu_seconds * kExecutions, limits_.wall_seconds * kExecutions);
  Result<ModelSource::Sample> sample = graph->second.At(one.sample);
  if (!sample) return sample.error();
  std::string reason;
  if (!Expect(sample->vector, {}, &reason)) {
    return Error{Error::Kind::kUnsupported,
                 one.path + ": nothing can be expected of it: " + reason};
  }
  return LoadedCase{std::move(sample->vector), std::nullopt};
}

std::string RunCases::ContentHash() const {
  std::string all, last;
  for (int64_t i = 0; i < size(); ++i) {
    const std::string& path = cases_[static_cast<size_t>(i)].path;
    all += Name(i) + " " + (path == last ? "" : HashOfFile(path)) + "\n";
    last = path;
  }
  // The words of --input are `NAME=FILE.npy` or `FILE.npz`.
  for (const std::string& input : options_.inputs) {
    all += input + " " + HashOfFile(FileExists(input) ? input : input.substr(input.find('=') + 1));
  }
  return HashOf(all);
}

void RunCases::Keep(const std::function<bool(int64_t)>& keeps) {
  std::vector<Case> kept;
  for (int64_t i = 0; i < size(); ++i) {
    if (keeps(i)) kept.push_back(cases_[static_cast<size_t>(i)]);
  }
  cases_ = std::move(kept);
}

}  // namespace assay

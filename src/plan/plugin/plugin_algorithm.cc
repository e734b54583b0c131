// SPDX-License-Identifier: Apache-2.0
#include "plugin_algorithm.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "assay_plan_algorithm.h"
#include "descriptor.h"
#include "files.h"
#include "formats.h"
#include "placement.h"
#include "planning_task.h"
#include "pools.h"
#include "quoted.h"
#include "worker_pool.h"

namespace assay {
namespace {

static_assert(formats::kPlanAlgorithm.version == ASSAY_PLAN_ALGORITHM_VERSION);

constexpr char kEntry[] = "assay_plan_algorithm";

Result<const assay_plan_algorithm_v1*> Load(const std::string& file) {
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return BadInput(dlerror());
  const auto entry = reinterpret_cast<decltype(&assay_plan_algorithm)>(dlsym(library, kEntry));
  if (entry == nullptr) return BadInput("exports no function " + std::string(kEntry));
  const assay_plan_algorithm_v1* plugin = entry();
  if (plugin == nullptr) return BadInput("assay_plan_algorithm() gives nothing");
  // The size and the version come first, because all versions start with them.
  if (plugin->size < offsetof(assay_plan_algorithm_v1, name)) {
    return BadInput("its assay_plan_algorithm_v1 has " + std::to_string(plugin->size) + " bytes");
  }
  if (plugin->version != ASSAY_PLAN_ALGORITHM_VERSION) {
    return Unsupported("is of version " + std::to_string(plugin->version) +
                       " of assay_plan_algorithm.h; this build loads " +
                       std::to_string(int{ASSAY_PLAN_ALGORITHM_VERSION}));
  }
  if (plugin->size < sizeof(*plugin) || plugin->plan == nullptr) {
    return BadInput("its assay_plan_algorithm_v1 has no function plan");
  }
  return plugin;
}

// A problem in the form of the plugin interface.
class PluginProblem {
 public:
  PluginProblem(const MemoryProblem& problem, int64_t steps) {
    const size_t count = problem.buffers.size();
    ranges_.resize(count);
    pools_of_.resize(count);
    for (size_t i = 0; i < count; ++i) Add(problem, problem.buffers[i], i);
    for (const PoolInfo& pool : problem.pools) {
      pools_.push_back({pool.name.c_str(), pool.size_bytes.value_or(-1), pool.offset});
    }
    view_ = {buffers_.data(), buffers_.size(), pools_.data(), pools_.size(), steps};
  }
  PluginProblem(const PluginProblem&) = delete;
  PluginProblem& operator=(const PluginProblem&) = delete;

  const assay_plan_problem& view() const { return view_; }

 private:
  void Add(const MemoryProblem& problem, const BufferInfo& buffer, size_t i) {
    for (const LiveRange& range : buffer.live) {
      const int64_t end = range.window_upper.value_or(buffer.size_bytes);
      ranges_[i].push_back({range.lower, range.upper, range.window_lower, end});
    }
    ForEachCandidate(problem, buffer, [&](int32_t pool) { pools_of_[i].push_back(pool); });
    buffers_.push_back({buffer.name_hint.c_str(), buffer.size_bytes, buffer.alignment,
                        buffer.fixed_offset.value_or(-1), ranges_[i].data(), ranges_[i].size(),
                        buffer.conflicts.data(), buffer.conflicts.size(), pools_of_[i].data(),
                        pools_of_[i].size()});
  }

  std::vector<std::vector<assay_plan_range>> ranges_;
  std::vector<std::vector<int32_t>> pools_of_;
  std::vector<assay_plan_buffer> buffers_;
  std::vector<assay_plan_pool> pools_;
  assay_plan_problem view_ = {};
};

std::string ReasonText(const char* reason) {
  const std::string text(reason, strnlen(reason, ASSAY_PLAN_REASON_SIZE));
  return text.empty() ? "" : ": " + Quoted(text);
}

// Calls the plugin, in the child. Returns the places as bytes, or the reason why there are none.
Result<std::string> CallPlugin(const MemoryProblem& problem, const std::string& file,
                               int64_t steps) {
  const Result<const assay_plan_algorithm_v1*> plugin = Load(file);
  if (!plugin) return plugin.error();
  const PluginProblem own(problem, steps);
  std::vector<assay_plan_place> places(problem.buffers.size(), {-1, -1});
  std::vector<char> reason(ASSAY_PLAN_REASON_SIZE, '\0');
  assay_plan_status status = ASSAY_PLAN_FAILED;
  try {
    status = (*plugin)->plan(&own.view(), places.data(), reason.data());
  } catch (...) {
    return BadInput("threw an exception");
  }
  std::fflush(stdout);  // the process does not exit normally
  if (status == ASSAY_PLAN_DOES_NOT_FIT) {
    return Error{Error::Kind::kResource, "no plan found" + ReasonText(reason.data())};
  }
  if (status != ASSAY_PLAN_OK) {
    return BadInput("failed with status " + std::to_string(status) + ReasonText(reason.data()));
  }
  return std::string(reinterpret_cast<const char*>(places.data()),
                     places.size() * sizeof(places[0]));
}

// A file in memory for the output of a library. It has a limited size and refuses what exceeds it.
class PrintedText {
 public:
  PrintedText() : file_(memfd_create("assay", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    const bool bounded = file_ >= 0 && ftruncate(file_, kPluginPrintedMax) == 0 &&
                         fcntl(file_, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) == 0;
    if (!bounded) file_ = Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
  }

  // Redirects the output of the process, the child, to this file.
  void Take() const {
    dup2(file_, STDOUT_FILENO);
    dup2(file_, STDERR_FILENO);
  }

  std::string Read() const {
    // The parent and the child share one position in the file.
    const off_t length = lseek(file_, 0, SEEK_CUR);
    std::string text(
        length > 0 ? std::min<size_t>(static_cast<size_t>(length), kPluginPrintedMax) : 0, '\0');
    const ssize_t got = pread(file_, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
  }

 private:
  Descriptor file_;
};

// Calls the plugin in a child. Returns the bytes, or an Error that says how the child ended.
Result<std::string> CallInChild(const MemoryProblem& problem, const std::string& file,
                                int64_t steps, double seconds, std::string* printed) {
  const PrintedText text;
  std::string bytes, lost;
  bool answered = false;
  WorkPlan plan;
  plan.last = 1;
  plan.index_seconds_max = seconds;
  plan.tries = 1;
  plan.start = [&]() -> Result<Work> {
    text.Take();
    return Work([&](int64_t) { return CallPlugin(problem, file, steps); });
  };
  plan.merge = [&](int64_t, std::string result, const Loss& loss) -> Result<Done> {
    bytes = std::move(result);
    lost = loss.how;
    answered = true;
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (printed != nullptr) *printed = text.Read();
  if (!done) return done.error();
  if (lost == "no answer") {
    return BadInput("gives no plan within " + std::to_string(static_cast<int64_t>(seconds)) + " s");
  }
  if (!answered || !lost.empty()) return BadInput("ended with " + lost);
  return bytes;
}

Result<MemoryPlan> PlanOf(const MemoryProblem& problem, const std::string& bytes) {
  const size_t count = problem.buffers.size();
  std::vector<assay_plan_place> places(count);
  if (bytes.size() != count * sizeof(places[0])) return BadInput("gives not one place a buffer");
  if (count > 0) std::memcpy(places.data(), bytes.data(), bytes.size());
  MemoryPlan plan;
  for (size_t i = 0; i < count; ++i) {
    const auto& [pool, offset] = places[i];
    const std::string what = "places " + Quoted(problem.buffers[i].name_hint) + " ";
    if (pool < 0 || static_cast<size_t>(pool) >= problem.pools.size()) {
      return BadInput(what + "in pool " + std::to_string(pool) + ", which there is none of");
    }
    if (offset < 0 || offset >= kPlannedBytesMax) {
      return BadInput(what + "at offset " + std::to_string(offset));
    }
    plan.allocations.push_back(PoolAllocation{pool, offset});
  }
  return plan;
}

}  // namespace

Result<PlanningResult> PlanWithPlugin(const MemoryProblem& problem, const std::string& file,
                                      std::optional<int64_t> steps_max, double seconds,
                                      std::string* printed) {
  const auto named = [&](const Error& error) {
    return Error{error.kind, std::string(kPluginPrefix) + file + ": " + error.message};
  };
  if (!FileExists(file)) return named(UsageError("no such file"));
  const Result<Done> valid = ValidateProblem(problem);
  if (!valid) return valid.error();
  const Result<Done> live = CheckLiveSetsFit(problem);
  if (!live) return live.error();
  const Conflicts conflicts(problem);
  const Result<Done> fits = CheckFits(problem, conflicts);
  if (!fits) return fits.error();
  const Result<std::string> bytes =
      CallInChild(problem, file, steps_max.value_or(-1), seconds, printed);
  if (!bytes) return named(bytes.error());
  Result<MemoryPlan> plan = PlanOf(problem, *bytes);
  if (!plan) return named(plan.error());
  const std::vector<bool> all(problem.buffers.size(), true);
  const int64_t total = TotalBytes(problem, *plan);
  return PlanningResult{std::move(*plan), total, HeavyClique(problem, conflicts, all).bytes};
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// Prints the peaks of `auto` and of other planners' heuristics, and the time of `auto`:
//   cmake --build build --target bench_plan_peers && bench_plan_peers FILE...
// The files are memory problems of any format, with one pool and one live range for each buffer.
#include <sys/resource.h>

#include <cstdio>

#include "algorithm.h"
#include "files.h"
#include "peer_planners.h"
#include "planner.h"
#include "planner_tables.h"

namespace assay {
namespace {

double CpuMilliseconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1e3 * static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-3 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int Compare(const char* path) {
  const Result<std::string> text = ReadTextFile(path);
  const Result<PlannedProblem> planned = text ? ReadPlan(*text, path) : text.error();
  if (!planned) {
    std::printf("%s\n", planned.error().message.c_str());
    return 2;
  }
  const double before = CpuMilliseconds();
  const Result<PlanningResult> ours = PlanMemory(planned->problem, *AlgorithmByName("auto"));
  const double spent = CpuMilliseconds() - before;
  if (!ours) return 2;
  std::printf("%s: auto %lld, at least %lld, %.1f ms\n", path,
              static_cast<long long>(ours->total_bytes), static_cast<long long>(ours->bound_bytes),
              spent);
  int status = 0;
  for (const auto& [name, peak] : PeaksOfPeers(planned->problem)) {
    const bool better = peak < ours->total_bytes;
    status = better ? 1 : status;
    std::printf("  %-30.*s %10lld  %.4f%s\n", static_cast<int>(name.size()), name.data(),
                static_cast<long long>(peak),
                static_cast<double>(peak) / static_cast<double>(ours->total_bytes),
                better ? "  BETTER" : "");
  }
  return status;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  int status = 0;
  for (int i = 1; i < argc; ++i) status = std::max(status, assay::Compare(argv[i]));
  return status;
}

// SPDX-License-Identifier: Apache-2.0
// Plans the hard packings at their known smallest height, and measures the time of `exact`:
//   cmake --build build --target bench_hard_plans && bench_hard_plans [FIRST LAST]
// Writes them as MiniMalloc's tables, too: bench_hard_plans FIRST LAST FOLDER. Exit status 1 if one
// is not planned.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "algorithm.h"
#include "hard_packings.h"
#include "pairwise_plan.h"
#include "planner.h"

namespace assay {
namespace {

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void WriteTable(const HardPacking& hard, const std::string& folder) {
  std::ofstream table(folder + "/" + hard.name + "." + std::to_string(hard.height) + ".csv");
  table << "id,lower,upper,size\n";
  for (const BufferInfo& buffer : hard.problem.buffers) {
    table << buffer.name_hint << "," << buffer.live[0].lower << "," << buffer.live[0].upper << ","
          << buffer.size_bytes << "\n";
  }
}

int Run(uint64_t first, uint64_t last, const char* folder) {
  int lost = 0;
  double total = 0, longest = 0;
  for (uint64_t index = first; index < last; ++index) {
    const HardPacking hard = HardPackingOf(index);
    if (folder != nullptr) {
      WriteTable(hard, folder);
      continue;
    }
    const double before = CpuSeconds();
    const Result<PlanningResult> result = PlanMemory(hard.problem, *AlgorithmByName("exact"));
    const double seconds = CpuSeconds() - before;
    const bool good = result && WrongInPlan(hard.problem, result->plan).empty() &&
                      result->total_bytes == hard.height;
    std::printf("%-14s %3zu buffers %8.3f s%s\n", hard.name.c_str(), hard.problem.buffers.size(),
                seconds, good ? "" : "  NOT PLANNED");
    std::fflush(stdout);
    total += seconds;
    longest = std::max(longest, seconds);
    if (!good) ++lost;
  }
  std::printf("%.3f s, the longest %.3f s; %d not planned\n", total, longest, lost);
  return lost == 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const uint64_t last = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : assay::kHardPackings;
  return assay::Run(first, last, argc > 3 ? argv[3] : nullptr);
}

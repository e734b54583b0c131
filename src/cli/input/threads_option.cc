// SPDX-License-Identifier: Apache-2.0
#include "threads_option.h"

#include <algorithm>
#include <thread>

namespace assay {
namespace {

constexpr unsigned kThreadsDefaultMax = 8;
constexpr int kThreadsMax = 256;

}  // namespace

void AddThreadsOption(CommandLine& line, int& threads) {
  threads =
      static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kThreadsDefaultMax));
  line.Add("--threads", threads,
           "number of threads that compute one graph; it does not change the result. The processor "
           "time of all of them counts for --cpu-seconds")
      .Between(1, kThreadsMax)
      .ShowDefault();
}

}  // namespace assay

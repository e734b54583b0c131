// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "command_line.h"
#include "result.h"

namespace assay {

// Options that several commands have, and the parsers of their values.

// A shard of a run: every N-th index, starting with I (`--shard I/N`).
struct Shard {
  int64_t index = 0, count = 1;
  bool Holds(int64_t number) const { return number % count == index; }
  // Returns how many of so many indices the shard has, and the index that is its n-th.
  int64_t SizeOf(int64_t indices) const {
    return indices <= index ? 0 : (indices - index + count - 1) / count;
  }
  int64_t At(int64_t n) const { return index + n * count; }
};
Result<Shard> ParseShard(std::string_view text);

// The limit of a run: "10m", "30s", "2h" of time, or "500" cases.
struct Budget {
  int64_t cases = 0;   // 0: no limit
  double seconds = 0;  // 0: no limit
};
Result<Budget> ParseBudget(std::string_view text);

// Returns the default number of processes: the number of processors, but at most 64.
int DefaultJobs();

// Declares SUITE..., the paths for ListCases().
CommandOption AddSuitesOption(CommandLine& line, std::vector<std::string>& suites);
// Declares `--repeat`: how often a vector that fails is run again.
void AddRepeatOption(CommandLine& line, int& repeats);
// Declares `--jobs`, 1 to 1024.
void AddJobsOption(CommandLine& line, int& jobs);
// Declares `--threads`, the number of threads of one computation (parallel.h). The default is the
// number of processors, at most 8.
void AddThreadsOption(CommandLine& line, int& threads);
// Declares `--backend`, which is required. The footer of the command lists all kinds of backends.
void AddBackendOptions(CommandLine& line, std::string& backend, BackendOptions& options);
// Declares the same backend as an argument, BACKEND, that may also be given as `--backend`.
void AddBackendArgument(CommandLine& line, std::string& backend, BackendOptions& options);
// Does the same as AddBackendOptions() for a command that takes several backends.
void AddBackendOptions(CommandLine& line, std::vector<std::string>& backends,
                       BackendOptions& options);
// Declares `--cpu-seconds` and `--wall-seconds` alone, for commands that execute graphs themselves.
void AddTimeOptions(CommandLine& line, BackendOptions& options);
// Declares the limits, the environment and the declarations of a backend alone, and the same
// footer.
void AddLimitOptions(CommandLine& line, BackendOptions& options);
// Declares `--declare` alone, and a footer that lists the declarations.
void AddDeclareOption(CommandLine& line, BackendOptions& options);

}  // namespace assay

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

// Returns the default number of processes: the number of processors, but at most 64.
int DefaultJobs();

// Declares SUITE..., the paths for ListCases().
CommandOption AddSuitesOption(CommandLine& line, std::vector<std::string>& suites);
// Declares `--repeat`: how often a vector that fails is run again.
void AddRepeatOption(CommandLine& line, int& repeats);
// Declares `--jobs`, 1 to 1024.
void AddJobsOption(CommandLine& line, int& jobs);
// Declares `--power`, in percent of the faults `of` what an agreement would have noticed.
void AddPowerOption(CommandLine& line, int& percent, const std::string& of);
// Declares `--threads`, the number of threads of one computation (parallel.h). The default is the
// number of processors, at most 8.
void AddThreadsOption(CommandLine& line, int& threads);
// Declares `--backend`, which is required. The footer of the command says what lists them.
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
// Declares `--declare` alone, and a footer that says what lists the declarations.
void AddDeclareOption(CommandLine& line, BackendOptions& options);

}  // namespace assay

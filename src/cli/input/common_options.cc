// SPDX-License-Identifier: Apache-2.0
#include "common_options.h"

#include <algorithm>
#include <thread>

namespace assay {
namespace {

constexpr int kJobsMax = 1024;
constexpr unsigned kThreadsDefaultMax = 8;
constexpr int kThreadsMax = 256;
constexpr int kRepeatsMax = 1000;

// Checks NAME=VALUE. Returns "" if it is correct.
std::string IsVariable(const std::string& text) {
  const size_t sign = text.find('=');
  return sign != std::string::npos && sign > 0 ? "" : text + ": not NAME=VALUE";
}

}  // namespace

int DefaultJobs() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
}

CommandOption AddSuitesOption(CommandLine& line, std::vector<std::string>& suites) {
  return line.Add("SUITE", suites, "suites, .tvec files, Arm test directories, or folders of them");
}

void AddJobsOption(CommandLine& line, int& jobs) {
  jobs = DefaultJobs();
  line.Add("--jobs,-j", jobs,
           "number of worker processes; it changes no result, unless vectors damage the backend's "
           "process")
      .Between(1, kJobsMax)
      .ShowDefault();
}

void AddPowerOption(CommandLine& line, int& percent, const std::string& of) {
  line.Add("--power", percent,
           "exit with status 3 if a verdict that agrees would have noticed less than this share of "
           "the faults of " +
               of + ", in percent")
      .Between(0, 100);
}

void AddThreadsOption(CommandLine& line, int& threads) {
  threads =
      static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kThreadsDefaultMax));
  line.Add("--threads", threads,
           "number of threads that compute one graph; it does not change the result. The processor "
           "time of all of them counts for --cpu-seconds")
      .Between(1, kThreadsMax)
      .ShowDefault();
}

void AddRepeatOption(CommandLine& line, int& repeats) {
  line.Add("--repeat", repeats,
           "number of times to rerun a vector that fails, to check that it fails again")
      .Between(0, kRepeatsMax)
      .ShowDefault();
}

void AddBackendOptions(CommandLine& line, std::string& backend, BackendOptions& options) {
  line.Add("--backend,-b", backend, "backend that runs the vectors").Required();
  AddLimitOptions(line, options);
}

void AddBackendArgument(CommandLine& line, std::string& backend, BackendOptions& options) {
  line.Add("BACKEND,--backend,-b", backend, "backend").Required();
  AddLimitOptions(line, options);
}

void AddBackendOptions(CommandLine& line, std::vector<std::string>& backends,
                       BackendOptions& options) {
  line.Add("--backend,-b", backends,
           "backend that runs the vectors. With several, each runs all vectors and has "
           "a report in a folder of its own below --report, and where they part is printed "
           "(`assay compare`)")
      .Required()
      .TakeAll()
      .ShowValueAs("BACKEND");
  AddLimitOptions(line, options);
}

void AddTimeOptions(CommandLine& line, BackendOptions& options) {
  line.Add("--cpu-seconds", options.cpu_seconds, "processor time limit for a graph or vector")
      .Positive()
      .ShowDefault();
  line.Add("--wall-seconds", options.wall_seconds, "elapsed time limit for a graph or vector")
      .Positive()
      .ShowDefault();
}

void AddLimitOptions(CommandLine& line, BackendOptions& options) {
  AddTimeOptions(line, options);
  line.Add("--backend-env", options.environment,
           "environment variable for the programs of the backend (exec, worker, plugin, "
           "arm); the replay line repeats it")
      .TakeAll()
      .ShowValueAs("NAME=VALUE")
      .Check(IsVariable);
  AddDeclareOption(line, options);
  line.SetFooter("`assay help backends` lists backends, `assay help options` declarations.");
}

void AddDeclareOption(CommandLine& line, BackendOptions& options) {
  line.Add("--declare", options.declarations,
           "facts about the backend that its program does not say itself, separated by commas; see "
           "`assay help options`")
      .TakeAll()
      .ShowValueAs("NAME[,NAME]")
      .SplitAtCommas();
  line.SetFooter("`assay help options` lists declarations.");
}

}  // namespace assay

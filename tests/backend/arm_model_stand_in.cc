// SPDX-License-Identifier: Apache-2.0
// Stands in for Arm's tosa_reference_model: the same command line, files and exit statuses, with
// the reference executor inside. The environment variable STAND_IN makes it misbehave:
//   abort, fpe, segv   die of that signal
//   hang               run for ever
//   status=N           end with that status, without an answer
//   unvalidated        say that the graph is not valid, and end with 0
//   silent             end with 0, without an answer
//   garbage            write outputs that are no .npy files
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "arm_directory.h"
#include "executor.h"
#include "files.h"
#include "json_text.h"
#include "npy_file.h"

namespace {

using namespace assay;

constexpr int kUnpredictable = 1;  // also a bad command line
constexpr int kError = 2;

struct Arguments {
  std::string description, results;
  std::string level = "EIGHTK";
  bool initialize = false;
};

bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "--test_desc") {
      arguments.description = value;
    } else if (name == "--output_dir") {
      arguments.results = value;
    } else if (name == "--tosa_level") {
      arguments.level = value;
    } else if (name == "--initialize_variable_tensor_from_numpy") {
      arguments.initialize = value == "1";
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      return false;
    }
  }
  return !arguments.description.empty();
}

// Ends this process with a signal, which sanitizers would turn into an exit status.
void DieOf(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Does what STAND_IN asks for. Returns its value if the process goes on.
std::string Misbehave() {
  const char* given = std::getenv("STAND_IN");
  const std::string mode = given == nullptr ? "" : given;
  if (mode == "abort") DieOf(SIGABRT);
  if (mode == "fpe") DieOf(SIGFPE);
  if (mode == "segv") DieOf(SIGSEGV);
  while (mode == "hang") sleep(1);
  if (mode.starts_with("status=")) {
    std::fprintf(stderr, "as told\n");
    std::exit(std::atoi(mode.c_str() + 7));
  }
  if (mode == "unvalidated") std::fprintf(stderr, "Failed to validate graph.\n");
  if (mode == "unvalidated" || mode == "silent") std::exit(0);
  return mode;
}

bool Write(const std::string& folder, const std::string& file, const Tensor& tensor, bool garbage) {
  const std::string path = JoinPath(folder, file);
  const Result<Done> written = garbage ? WriteFileAtomically(path, std::string_view("no array"))
                                       : WriteFileAtomically(path, WriteNpy(tensor));
  return static_cast<bool>(written);
}

int Run(const Arguments& arguments) {
  const std::string mode = Misbehave();
  const std::string folder = FolderOf(arguments.description);
  ArmOptions options;
  options.initialize_variables = arguments.initialize;
  Result<ArmTest> test = ReadArmDirectory(folder, options, nullptr);
  if (!test) {
    std::fprintf(stderr, "%s\n", test.error().message.c_str());
    std::abort();  // as the model does for what it cannot read
  }
  test->vector.level = arguments.level == "NONE" ? "none" : "8K";
  const Outcome outcome = ExecuteVector(test->vector, {})[0];
  if (outcome.kind == OutcomeKind::kUnpredictable) {
    std::fprintf(stderr, "Graph result: UNPREDICTABLE. %s\n", outcome.rule.c_str());
    return kUnpredictable;
  }
  if (outcome.kind != OutcomeKind::kValid) {
    std::fprintf(stderr, "Graph result: ERROR. %s\n", outcome.rule.c_str());
    return kError;
  }
  const auto text = ReadTextFile(arguments.description);
  const auto json = JsonFrom(*text);
  const std::string results = arguments.results.empty() ? folder : arguments.results;
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    if (!Write(results, json["ofm_file"][i].Text(), outcome.outputs[i], mode == "garbage"))
      return 1;
  }
  if (!json.contains("variable_name")) return 0;
  for (size_t i = 0; i < json["variable_name"].size(); ++i) {
    const auto known = outcome.state.find(json["variable_name"][i].get<std::string>());
    if (known != outcome.state.end()) {
      Write(results, json["variable_file"][i].Text(), known->second, false);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) return kUnpredictable;
  return Run(arguments);
}

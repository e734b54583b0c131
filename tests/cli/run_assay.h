// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "child_process.h"
#include "files.h"

namespace assay {

namespace fs = std::filesystem;

inline const std::string kAssay = ASSAY_BINARY_DIR "/assay";

struct Ran {
  int status = -1;
  std::string output, errors;
};

// A test with a new folder, in which `assay` runs.
class Cli : public testing::Test {
 protected:
  Ran Run(const std::string& arguments) {
    ChildCommand command{{kAssay}, folder_->path(), {{"ASSAY_MLIR_HELPER", "/no/helper"}}, 0};
    std::istringstream words(arguments);
    for (std::string word; words >> word;) command.argv.push_back(word);
    return Run(command);
  }

  Ran RunShell(const std::string& line) {
    return Run({{"sh", "-c", line}, folder_->path(), {{"ASSAY", kAssay}}, 0});
  }

  static Ran Run(const ChildCommand& command) {
    const Result<ChildReport> report = RunChild(command, "", {300, size_t{64} << 20});
    EXPECT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->end, ChildReport::End::kExited) << report->Describe();
    return {report->status, report->output, report->errors};
  }

  // Runs assay, and expects the exit status and the words in its output. With a status of 2 or
  // more, an error must be one line.
  Ran ExpectStatus(int status, const std::string& arguments, const std::string& words) {
    Ran ran = Run(arguments);
    EXPECT_EQ(ran.status, status) << arguments << "\n" << ran.output << ran.errors;
    EXPECT_NE((ran.output + ran.errors).find(words), std::string::npos) << arguments << "\n"
                                                                        << ran.output << ran.errors;
    if (status >= 2 && (ran.output.empty() || !ran.errors.empty())) {
      EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    }
    return ran;
  }

  // Returns the arguments of the first replay line of a printed report; "" if there is none.
  static std::string ReplayIn(const std::string& output) {
    const std::string start = "replay: " + kAssay + " ";
    const size_t at = output.find(start);
    if (at == std::string::npos) return "";
    return output.substr(at + start.size(), output.find('\n', at) - at - start.size());
  }

  // Starts `assay ARGUMENTS` in the test's folder and does not wait for it.
  pid_t Start(const std::string& arguments) {
    const std::string line = "exec " + kAssay + " " + arguments + " >out.txt 2>err.txt";
    const pid_t pid = fork();
    if (pid == 0) {
      setpgid(0, 0);
      if (chdir(Path("").c_str()) != 0) _exit(127);
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    return pid;
  }

  static int Status(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }

  // Waits until `holds` returns true, up to a minute. Returns its last result.
  template <class Holds>
  static bool WaitFor(Holds holds) {
    for (int i = 0; i < 6000 && !holds(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return holds();
  }

  void WriteScript(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(Path(name), fs::perms::owner_all);
  }

  std::string Path(const std::string& name) const { return folder_->path() + "/" + name; }

  // Returns the content of every file below a folder, by name.
  std::map<std::string, std::string> Content(const std::string& name) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(Path(name))) {
      if (!entry.is_regular_file()) continue;
      files[fs::relative(entry.path(), Path(name)).string()] = *ReadTextFile(entry.path());
    }
    return files;
  }

  static void ExpectSame(const std::map<std::string, std::string>& a,
                         const std::map<std::string, std::string>& b) {
    EXPECT_EQ(a.size(), b.size());
    for (const auto& [name, text] : a) {
      const std::string other = b.contains(name) ? b.at(name) : "";
      if (other == text) continue;
      const auto at = static_cast<size_t>(std::ranges::mismatch(text, other).in1 - text.begin());
      const size_t begin = at - std::min<size_t>(at, 60);
      ADD_FAILURE() << name << " differs at byte " << at << ": " << text.substr(begin, 200)
                    << "\ninstead of " << (other.empty() ? "nothing" : other.substr(begin, 200));
    }
  }

  std::string AnyFile(const std::string& folder, const std::string& ending) const {
    for (const auto& [name, text] : Content(folder)) {
      if (name.ends_with(ending)) return folder + "/" + name;
    }
    ADD_FAILURE() << "no " << ending << " in " << folder;
    return "";
  }

 private:
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

}  // namespace assay

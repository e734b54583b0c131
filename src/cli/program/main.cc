// SPDX-License-Identifier: Apache-2.0
// assay <command> [options]: the table of commands, and the parts that all commands share.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "command_table.h"
#include "mapped_file.h"
#include "memory.h"
#include "name_search.h"
#include "terminal.h"
#include "time_limit.h"
#include "version_text.h"

namespace assay {

namespace {

constexpr char kExitStatusHelp[] =
    "Exit status (the first that applies):\n"
    "  4  a defect in Assay itself\n"
    "  2  bad usage or bad input\n"
    "  1  a finding: the backend is wrong (check: a broken rule; run: an outcome "
    "other than valid)\n"
    "  3  undecided: suspect, unsupported, a limit reached, nothing ran, not reproduced\n"
    "  0  success";

// Opens /dev/null for each standard stream that is closed. Otherwise, the next file that we open
// would take its descriptor.
void OpenStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(kExitDefect);
  }
}

void Declare(CommandLine line) {
  line.RequireSubcommand();
  for (const Command* command : AllCommands()) {
    CommandLine sub = line.AddCommand(*command);
    // A command may say more at its end. The exit statuses come last.
    const std::string own = sub.Footer();
    sub.SetFooter(own.empty() ? kExitStatusHelp : own + "\n\n" + kExitStatusHelp);
  }
  line.SetFooter(kExitStatusHelp);  // last: subcommands inherit what is there when they are added
}

int Run(const Program& program) {
  const int status = program.Run();
  const Result<Done> flushed = FlushOutput();
  if (const std::optional<Error> changed = ChangedFile()) return Fail(*changed);
  if (!flushed && status != kExitDefect) return Fail(flushed.error());
  return status;
}

int Main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // write() says EFBIG
  OpenStandardStreams();
  Program program("assay",
                  "Assay tests whether a TOSA backend follows the specification.\n"
                  "`gen` writes test vectors, `run` executes them, `verify` judges a backend; "
                  "`fuzz` does all three.",
                  VersionText());
  Declare(program.line());
  if (argc > 1 && argv[1][0] != '-') {
    const Result<size_t> found =
        FindName("command", argv[1], NamesOfRows(AllCommands(), &Command::name));
    if (!found) return Fail(found.error());
  }
  const Result<bool> parsed = program.Parse(argc, argv);
  if (!parsed) return Fail(parsed.error());
  if (!*parsed) {
    const Result<Done> flushed = FlushOutput();
    return flushed ? kExitClean : Fail(flushed.error());
  }
  return Run(program);
}

}  // namespace
}  // namespace assay

namespace {

std::string CommandText(int argc, char** argv) {
  std::string command = "assay";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  assay::KeepFreedMemory();
  try {
    return assay::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    return assay::Fail(assay::ResourceError(CommandText(argc, argv) + ": not enough memory"));
  } catch (const assay::OutOfTime& limit) {
    return assay::Fail(assay::ResourceError(CommandText(argc, argv) + ": " + limit.what()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: defect in Assay itself: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "assay: defect in Assay itself: unknown exception\n");
  }
  return assay::kExitDefect;
}

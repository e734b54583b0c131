// assay <command> [options]: the table of commands, and what they have in common.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "cli_files.h"
#include "command.h"
#include "memory.h"
#include "terminal.h"
#include "version.h"

namespace assay {

std::span<const Command* const> AllCommands() { return cli::kFiles; }

namespace {

constexpr char kExitStatusHelp[] =
    "Exit status (the first that applies):\n"
    "  4  a defect in Assay itself\n"
    "  2  bad usage or bad input\n"
    "  1  a finding: the backend is wrong (check: a broken rule; run: an outcome other than "
    "valid)\n"
    "  3  nothing decided: unsupported, a limit reached, nothing ran, not reproduced\n"
    "  0  all as it should be";

// A descriptor that is closed would be taken by the next file we open.
void OpenStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(kExitDefect);
  }
}

void Declare(CLI::App& app) {
  app.description(
      "Assay finds out whether a TOSA backend does what the specification says.\n"
      "gen -> vectors -> run -> outcomes -> verify -> verdicts; fuzz does all of it.");
  app.set_version_flag("--version", "assay " + std::string(kToolkitVersion) + " (TOSA 1.0)");
  app.require_subcommand(1);
  for (const Command* command : AllCommands()) {
    CLI::App* sub = app.add_subcommand(std::string(command->name), std::string(command->summary));
    command->declare(*sub);
    // A command may say more at its end; the statuses come last.
    const std::string own = sub->get_footer();
    sub->footer(own.empty() ? kExitStatusHelp : own + "\n\n" + kExitStatusHelp);
  }
  app.footer(kExitStatusHelp);  // last: subcommands inherit what is there when they are added
}

bool HasCommand(std::string_view name) {
  const auto commands = AllCommands();
  return std::any_of(commands.begin(), commands.end(),
                     [name](const Command* command) { return command->name == name; });
}

int Run(const CLI::App& app) {
  for (const Command* command : AllCommands()) {
    if (!app.got_subcommand(std::string(command->name))) continue;
    const int status = command->run();
    const Result<Done> flushed = FlushOutput();
    if (!flushed && status != kExitDefect) return Fail(flushed.error());
    return status;
  }
  return kExitUsage;
}

int Main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  OpenStandardStreams();
  CLI::App app("", "assay");
  Declare(app);
  if (argc > 1 && argv[1][0] != '-' && !HasCommand(argv[1])) {
    return Fail({Error::Kind::kUsage,
                 "no command is named '" + std::string(argv[1]) + "'; `assay --help` lists them"});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      const Result<Done> flushed = FlushOutput();
      return flushed ? kExitClean : Fail(flushed.error());
    }
    std::string message = error.what();
    for (char& c : message) c = c == '\n' ? ' ' : c;
    const auto chosen = app.get_subcommands();
    const std::string name = chosen.empty() ? "" : chosen[0]->get_name() + ": ";
    return Fail({Error::Kind::kUsage, name + message});
  }
  return Run(app);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::KeepFreedMemory();
  try {
    return assay::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: defect in Assay itself: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "assay: defect in Assay itself: unknown exception\n");
  }
  return assay::kExitDefect;
}

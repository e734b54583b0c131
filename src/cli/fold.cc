// assay fold: constant folding.
#include <CLI/CLI.hpp>
#include <string>

#include "command.h"

namespace assay::cli {

extern const Command fold_check_command, fold_verify_command;

namespace {

constexpr const Command* kVerbs[] = {&fold_check_command, &fold_verify_command};

const CLI::App* chosen = nullptr;

void Declare(CLI::App& app) {
  chosen = &app;
  for (const Command* verb : kVerbs) {
    verb->declare(*app.add_subcommand(std::string(verb->name), std::string(verb->summary)));
  }
  app.require_subcommand(1);
}

int Run() {
  for (const Command* verb : kVerbs) {
    if (chosen->got_subcommand(std::string(verb->name))) return verb->run();
  }
  return kExitUsage;
}

}  // namespace

extern const Command fold_command = {
    .name = "fold",
    .summary =
        "`fold check` compares a graph before and after folding, `fold verify` all graphs of a "
        "suite",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli

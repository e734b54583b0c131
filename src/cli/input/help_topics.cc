// SPDX-License-Identifier: Apache-2.0
#include "help_topics.h"

#include <algorithm>

#include "backend_kind.h"
#include "folding_fault.h"
#include "generator_table.h"

namespace assay {
namespace {

// Returns the lines of an entry: its name, and its text indented below.
std::string Entry(std::string_view name, std::string_view text) {
  std::string entry = "  " + std::string(name) + "\n      ";
  for (const char c : text) {
    entry += c;
    if (c == '\n') entry += "      ";
  }
  return entry + "\n";
}

std::string BackendsText() {
  std::string text = "Backends (--backend):\n";
  for (const BackendKind* kind : AllBackendKinds()) {
    std::string name(kind->name);
    const std::string_view argument = kind->argument;
    if (argument.starts_with("[")) {
      name += "[:" + std::string(argument.substr(1));
    } else if (!argument.empty()) {
      name += ":" + std::string(argument);
    }
    text += Entry(name, kind->help);
  }
  return text;
}

std::string OptionsText() {
  std::string text = "Kinds (--kind):\n";
  for (const Generator* generator : AllGenerators()) {
    text += Entry(generator->kind, generator->help);
  }
  text += "\nDeclarations (--declare): the backend\n";
  for (const DeclarationRow& row : AllDeclarations()) text += Entry(row.name, row.what);
  return text;
}

std::string FaultsText() {
  std::string text = "Faults (fold run --fault):\n";
  for (const FoldFaultRow& row : AllFoldFaults()) {
    const std::string name(row.name);
    text += "  " + name + std::string(26 - std::min<size_t>(name.size(), 25), ' ') +
            std::string(row.what) + "\n";
  }
  return text;
}

constexpr HelpTopic kTopics[] = {
    {"backends", BackendsText}, {"faults", FaultsText}, {"options", OptionsText}};

}  // namespace

std::span<const HelpTopic> AllHelpTopics() { return kTopics; }

}  // namespace assay

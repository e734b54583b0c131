// SPDX-License-Identifier: Apache-2.0
#include "package_readme.h"

#include <map>

#include "joined.h"

namespace assay {
namespace {

std::string Lists(const ConformancePackage& package) {
  std::map<std::string, int64_t> lists;
  int64_t informative = 0;
  for (const PackageVector& vector : package.vectors) {
    ++(vector.informative.empty() ? lists[ListOf(vector)] : informative);
  }
  std::string text = "| an implementation of | must pass |\n|---|---:|\n";
  for (const auto& [name, count] : lists) {
    text += "| " + name + " | " + std::to_string(count) + " |\n";
  }
  return text + "| (informative, in no list) | " + std::to_string(informative) + " |\n";
}

std::string Reached(std::span<const CoverageGroup> coverage) {
  std::string text =
      "| of the specification | reached | not reached | outside of the package |\n"
      "|---|---:|---:|---:|\n";
  for (const CoverageGroup& group : coverage) {
    text += "| " + group.name + " | " + std::to_string(group.reached) + " | " +
            std::to_string(group.total - group.reached) + " | " +
            std::to_string(group.unreachable.size()) + " |\n";
  }
  return text;
}

constexpr char kArmFiles[] =
    "| `arm/` | the same vectors as test directories of Arm's reference model, one for each step "
    "|\n| `arm/left-out.txt` | steps that such a directory cannot hold, with the reason |\n";

constexpr char kArmUse[] =
    "## Use without Assay\n\n"
    "Each folder below `arm/` is one test:\n\n"
    "| file | has |\n|---|---|\n"
    "| `test.tosa` | the graph, as FlatBuffers of the TOSA serialization library |\n"
    "| `desc.json` | the file names of inputs and outputs, `expected_failure`, and the mode of "
    "compliance of each output |\n"
    "| other `.npy` | the inputs, and the variables before the step |\n"
    "| `expected/` | the expected outputs |\n"
    "| `expected_fp64/` | references and error bounds of outputs that are not determined |\n\n"
    "Run `test.tosa` on the inputs. Compare each output with `expected/`, by its mode of "
    "compliance "
    "in `desc.json` (`EXACT`: every element is equal). If `expected_failure` is true, the "
    "implementation must refuse the graph.\n\n";

}  // namespace

std::string PackageReadme(const ConformancePackage& package,
                          std::span<const CoverageGroup> coverage, bool arm) {
  const SpecVersion& spec = package.spec;
  return "# TOSA conformance package\n\n"
         "Test vectors for implementations of TOSA " +
         std::to_string(spec.major) + "." + std::to_string(spec.minor) + ", level " +
         package.level + ". They need at most " + Joined(package.features) + ".\n" +
         (package.target.empty()
              ? ""
              : "They are also inside a target, whose SHA-256 is " + package.target + ".\n") +
         "The package was made by Assay " + package.assay + " with `" + package.command +
         " --out DIR`.\nThe same version makes the same bytes from this command.\n\n"
         "| file | has |\n|---|---|\n"
         "| `vectors/` | the vectors (`.tvec`), as a suite of Assay |\n" +
         (arm ? kArmFiles : "") +
         "| `must-pass.txt`, `must-pass.json` | the vectors that an implementation must pass, by "
         "profile and extension |\n"
         "| `coverage.txt`, `coverage.json` | what the vectors reach of the specification, and "
         "what they do not |\n"
         "| `READINGS.md` | places where the text of the specification is ambiguous, and how it is "
         "read here. `must-pass.json` names the readings that a vector rests on |\n"
         "| `package.json` | versions, seed and options |\n"
         "| `manifest.sha256` | the SHA-256 of every other file |\n\n"
         "## What must pass\n\n"
         "An implementation must pass each list whose profiles and extensions it has. It must "
         "refuse\nthe graphs that break a rule.\n\n" +
         Lists(package) +
         "\nInformative vectors reach what no vector of a list does. The result of each is not "
         "determined\nby the specification, or cannot be judged. `must-pass.txt` has the "
         "reason.\n\n"
         "## Check the files\n\n```\nsha256sum --quiet -c manifest.sha256\n```\n\n" +
         (arm ? kArmUse : "") +
         "## Use with Assay\n\n```\n"
         "assay verify vectors --backend BACKEND --report ../report\n"
         "assay submit ../report --package . --out ../statement.txt\n```\n\n" +
         (arm ? "`assay verify arm` runs the test directories in their place.\n\n" : "") +
         "`assay verify --help` lists the kinds of backends. `--known FILE` names failures that "
         "are known, with\nreasons. `assay submit` checks the files of this package, and states "
         "which lists the backend passes,\nwhat failed, and what was not judged.\n\n"
         "## What the vectors reach\n\n" +
         Reached(coverage) +
         "\n`coverage.json` names every item. Items outside of the package need other profiles or "
         "extensions,\nor no vector can reach them; it has the reason.\n";
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// Finds which relations notice which fault of folding: fold_faults [OPTION]...
//   --alarms N     no fault, N random graphs: every relation that is broken is a false alarm
//   --dynamic K    ...and of every K-th graph the relations of executions as well (default 8)
//   --random N     random graphs for each fault, beside the directed ones (default 40)
//   --only NAME    one fault
//   --seed S, --first INDEX
// Prints JSON lines. scripts/check_fold_faults adds them up.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>

#include "certified_folding.h"
#include "folding_fault.h"
#include "folding_subjects.h"
#include "json_text.h"

namespace assay {
namespace {

struct Options {
  int64_t alarms = 0, dynamic = 8, random = 40;
  uint64_t seed = 1, first = 0;
  std::string only;
};

void Print(const Json& json) { std::cout << JsonText(json) << "\n" << std::flush; }

int CountAlarms(const Options& options) {
  int64_t graphs = 0, executed = 0, folded = 0, postponed = 0, alarms = 0;
  for (int64_t i = 0; i < options.alarms; ++i) {
    const uint64_t index = options.first + static_cast<uint64_t>(i);
    const std::optional<FoldSubject> subject = RandomSubject(options.seed, index);
    if (!subject) continue;
    ++graphs;
    const Folder folder = FolderOf(*subject, FoldFault::kNone);
    const auto alarm = [&](const std::string& text) {
      ++alarms;
      Print({{"index", index}, {"alarm", text}});
    };
    for (const FoldForm form : {FoldForm::kSplit, FoldForm::kRuntime}) {
      const Result<Folding> folding = folder(subject->graph, subject->arguments, form);
      if (!folding) {
        if (form == FoldForm::kSplit)
          Print({{"index", index}, {"refused", folding.error().message}});
        break;
      }
      folded += folding->record.cached.empty() ? 0 : 1;
      postponed += folding->record.certificate.postponements.empty() ? 0 : 1;
      for (const FoldFlaw& flaw : FlawsOf(*folding)) alarm(flaw.rule + " " + flaw.where);
    }
    if (options.dynamic == 0 || i % options.dynamic != 0) continue;
    ++executed;
    for (const BrokenRelation& broken :
         BrokenRelationsOf(*subject, folder, {.seed = static_cast<int>(index % 97), .all = true})) {
      alarm(broken.relation + " " + broken.witness);
    }
  }
  Print({{"graphs", graphs},
         {"cached", folded},
         {"postponed", postponed},
         {"executed", executed},
         {"alarms", alarms}});
  return alarms == 0 ? 0 : 1;
}

// Returns the counts in order, the highest first.
Json Sorted(const std::map<std::string, int>& counts) {
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, int>::second);
  Json json = Json::object();
  for (const auto& [name, count] : sorted) json[name] = count;
  return json;
}

// Returns which relations notice a fault, and in how many of the graphs.
Json KillsOf(const FoldFaultRow& row, bool statically, const std::vector<FoldSubject>& subjects) {
  std::map<std::string, int> first, all;
  int killed_by = 0;
  Json example;
  for (const FoldSubject& subject : subjects) {
    const Folder folder = FolderOf(subject, row.fault);
    const std::vector<BrokenRelation> broken = BrokenRelationsOf(
        subject, folder, {.fault = row.fault, .statically = statically, .all = true});
    if (broken.empty()) continue;
    ++killed_by;
    for (const BrokenRelation& one : broken) ++all[one.relation];
    ++first[broken[0].relation];
    if (example.empty())
      example = subject.name + ": " + broken[0].relation + " " + broken[0].witness;
  }
  return {{"fault", row.name},      {"static", statically}, {"graphs", killed_by},
          {"first", Sorted(first)}, {"relations", all},     {"example", example}};
}

// Mistakes that other folders make, and the reason why they cannot be made here.
constexpr std::pair<std::string_view, std::string_view> kUnmade[] = {
    // A block reads a tensor of the block that runs it, and nobody looks.
    {"captures-ignored", "blocks read nothing but their inputs (graph/ERROR_IF/captured-tensor)"},
    // TILE moves past a cast to a block-scaled type.
    {"block-scaled-moved", "TOSA 1.0 has no block-scaled types"},
    // Offsets of cached tensors in one piece of memory count elements.
    {"offsets-in-elements", "every cached tensor has memory of its own"},
    // Folds and entry disagree about the order of bytes.
    {"byte-order", "both run in one process, on tensors of one layout"},
};

int CountKills(const Options& options) {
  std::vector<FoldSubject> subjects = DirectedSubjects();
  for (int64_t i = 0; i < options.random; ++i) {
    std::optional<FoldSubject> subject =
        RandomSubject(options.seed, options.first + static_cast<uint64_t>(i));
    if (subject) subjects.push_back(std::move(*subject));
  }
  for (const FoldSubject& subject : subjects) {
    for (const BrokenRelation& broken :
         BrokenRelationsOf(subject, FolderOf(subject, FoldFault::kNone), {.all = true})) {
      Print({{"alarm", subject.name + ": " + broken.relation + " " + broken.witness}});
    }
  }
  for (const FoldFaultRow& row : AllFoldFaults()) {
    if (!options.only.empty() && row.name != options.only) continue;
    for (const bool statically : {true, false}) Print(KillsOf(row, statically, subjects));
  }
  for (const auto& [name, why] : kUnmade) Print({{"unmade", name}, {"why", why}});
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::Options options;
  const std::map<std::string, std::function<void(const char*)>> set = {
      {"--alarms", [&](const char* text) { options.alarms = std::atoll(text); }},
      {"--dynamic", [&](const char* text) { options.dynamic = std::atoll(text); }},
      {"--random", [&](const char* text) { options.random = std::atoll(text); }},
      {"--seed", [&](const char* text) { options.seed = std::strtoull(text, nullptr, 10); }},
      {"--first", [&](const char* text) { options.first = std::strtoull(text, nullptr, 10); }},
      {"--only", [&](const char* text) { options.only = text; }}};
  for (int i = 1; i < argc; i += 2) {
    const auto option = set.find(argv[i]);
    if (option == set.end() || i + 1 == argc) {
      std::cerr << argv[i] << ": no such option, or no value for it\n";
      return 2;
    }
    option->second(argv[i + 1]);
  }
  return options.alarms > 0 ? assay::CountAlarms(options) : assay::CountKills(options);
}

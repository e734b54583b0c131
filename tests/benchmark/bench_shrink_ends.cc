// SPDX-License-Identifier: Apache-2.0
// Measures whether shrinking ends at the same vector wherever it starts. For each canary and for
// some mutants, takes vectors that fail with the same signature, and shrinks each of them. Counts
// the signatures of the smallest vectors, the different smallest vectors (ends), and the signatures
// that have one end (same). Prints a line for each fault and the totals.
//   bench_shrink_ends [vectors per signature] [every n-th mutant]
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend_kind.h"
#include "canaries.h"
#include "finding_to_keep.h"
#include "generator_table.h"
#include "graph_text.h"
#include "judge_case.h"
#include "mutants.h"
#include "reduce.h"
#include "vector_size.h"

namespace assay {
namespace {

constexpr int64_t kCallsMax = 1000;  // as in fuzz

struct Count {
  int64_t signatures = 0, starts = 0, ends = 0, same = 0, calls = 0, incomplete = 0;

  void Add(const Count& other) {
    signatures += other.signatures;
    starts += other.starts;
    ends += other.ends;
    same += other.same;
    calls += other.calls;
    incomplete += other.incomplete;
  }

  void Print(const std::string& name) const {
    std::printf("%-44s %10ld %7ld %6ld %6ld %9ld %6ld\n", name.c_str(),
                static_cast<long>(signatures), static_cast<long>(starts), static_cast<long>(ends),
                static_cast<long>(same), static_cast<long>(starts > 0 ? calls / starts : 0),
                static_cast<long>(incomplete));
    std::fflush(stdout);
  }
};

std::vector<TestVector> Vectors() {
  struct Part {
    const char* kind;
    uint64_t count;
  };
  constexpr Part kParts[] = {
      {"operator", 3000}, {"graph", 500}, {"control-flow", 200}, {"stateful", 200}};
  GeneratorOptions options;
  options.seed = 7;
  options.level = kLevel8K;
  std::vector<TestVector> vectors;
  for (const Part& part : kParts) {
    const Generator* generator = GeneratorByKind(part.kind);
    for (uint64_t i = 0; i < part.count; ++i) {
      std::optional<TestVector> vector = generator->make(options, i);
      if (vector) vectors.push_back(std::move(*vector));
    }
  }
  return vectors;
}

std::string TextOf(const TestVector& vector) {
  std::string text;
  for (const Graph& graph : vector.graphs) text += GraphText(graph);
  for (const Step& step : vector.steps) {
    text += "step";
    for (const Tensor& input : step.inputs) text += " " + TensorText(input);
    text += "\n";
  }
  return text;
}

Count Measure(const std::string& name, const Mutant& fault, const std::vector<TestVector>& vectors,
              int64_t starts_max) {
  Count count;
  const auto backend = OpenBackend(name, {});
  if (!backend) return count;
  std::map<std::string, int64_t> starts;  // by the signature as first seen
  struct Ends {
    int64_t starts = 0;
    std::map<uint64_t, std::string> ends;
  };
  std::map<std::string, Ends> by_signature;  // of the smallest vector
  for (const TestVector& vector : vectors) {
    const auto uses = OperatorsOf(vector);
    if (std::none_of(uses.begin(), uses.end(),
                     [&](const OperatorUse& use) { return fault.HoldsFor(use.op); })) {
      continue;
    }
    const CaseResult result = JudgeOnce(**backend, vector, "");
    if (result.state != CaseState::kDisagrees) continue;
    const Finding& seen = result.verdict.findings[0];
    if (starts[seen.Signature()]++ >= starts_max) continue;
    const FindingToKeep finding(vector, seen);
    const Reduction reduction = Reduce(
        vector,
        [&](const TestVector& candidate) {
          const CaseResult judged = JudgeOnce(**backend, candidate, "");
          return judged.state == CaseState::kDisagrees && finding.In(judged.verdict.findings);
        },
        {.calls_max = kCallsMax});
    count.calls += reduction.calls;
    count.incomplete += reduction.complete ? 0 : 1;
    const CaseResult last = JudgeOnce(**backend, reduction.vector, "");
    Ends& ends = by_signature[last.verdict.findings[0].Signature()];
    ++ends.starts;
    ends.ends.emplace(CanonicalHash(reduction.vector), TextOf(reduction.vector));
  }
  for (const auto& [signature, ends] : by_signature) {
    ++count.signatures;
    count.starts += ends.starts;
    count.ends += std::ssize(ends.ends);
    count.same += ends.ends.size() == 1 ? 1 : 0;
    if (std::getenv("SHOW") == nullptr || ends.ends.size() < 2) continue;
    std::printf("## %s: %s\n", name.c_str(), signature.c_str());
    for (const auto& [hash, text] : ends.ends) std::printf("%s--\n", text.c_str());
  }
  return count;
}

int Run(int64_t starts_max, size_t stride) {
  const std::vector<TestVector> vectors = Vectors();
  std::printf("%-44s %10s %7s %6s %6s %9s %6s\n", "fault", "signatures", "starts", "ends", "same",
              "runs", "cut");
  Count canaries, mutants;
  for (const Mutant& canary : AllCanaries()) {
    const std::string name = "canary:" + std::string(canary.id);
    const Count count = Measure(name, canary, vectors, starts_max);
    count.Print(name);
    canaries.Add(count);
  }
  for (size_t i = 0; i < AllMutants().size(); i += stride) {
    const std::string name = "mutant:" + std::string(AllMutants()[i].id);
    const Count count = Measure(name, AllMutants()[i], vectors, starts_max);
    count.Print(name);
    mutants.Add(count);
  }
  canaries.Print("canaries");
  mutants.Print("mutants");
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  return assay::Run(argc > 1 ? std::atoll(argv[1]) : 10,
                    static_cast<size_t>(argc > 2 ? std::atoll(argv[2]) : 12));
}

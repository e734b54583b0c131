// SPDX-License-Identifier: Apache-2.0
// Plants faults, and lets RapidCheck find and shrink them with the generators of
// assay/rapidcheck.h. ASSAY_PLANTED_FAULTS=all tries all faults of the table and prints for each:
// how many cases pass before one fails, the size of that case, of what RapidCheck shrinks it to,
// and of what Reduce()
// (`assay reduce`) makes of it.
#include <assay/rapidcheck.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "any_content.h"
#include "arena.h"
#include "backend_kind.h"
#include "fold_graph.h"
#include "folded_module.h"
#include "folding_fault.h"
#include "judge_case.h"
#include "liveness_fault.h"
#include "paired_runs.h"
#include "pairwise_plan.h"
#include "planner.h"
#include "reduce.h"
#include "vector_size.h"

namespace assay::planted_faults_test {
namespace {

// --- Faults. Each returns true if it shows in a vector.

using Shows = std::function<bool(const TestVector&)>;

// A backend with a mutant, such as "conv2d/strides-exchanged".
Shows Mutated(std::string_view id) {
  const std::string name = "mutant:" + std::string(id);
  return [name](const TestVector& vector) {
    const auto backend = OpenBackend(name, {});
    Check(static_cast<bool>(backend), "the mutant exists");
    return JudgeOnce(**backend, vector, "").state == CaseState::kDisagrees;
  };
}

// A graph is executed in the places of a plan, whose problem has a mistake.
Shows Planned(std::string_view fault, bool share_operands) {
  return [fault, share_operands](const TestVector& vector) {
    MemoryTarget target;
    target.workspace_io = true;
    target.share_operands = share_operands;
    Result<GraphMemory> memory = MemoryOf(vector.graphs[0], target);
    if (!memory) return false;
    std::ranges::find(AllLivenessFaults(), fault, &LivenessFault::name)
        ->change(vector.graphs[0], *memory);
    const Result<PlanningResult> planned =
        PlanMemory(memory->problem, *AlgorithmByName("best_fit_decreasing"));
    if (!planned) return false;
    Result<Arena> arena = Arena::Make(vector.graphs[0], *memory, planned->plan);
    if (!arena) return false;
    arena->Run(vector.steps[0].inputs);
    return arena->fault().has_value();
  };
}

// Every second input is a constant of compile time when the graph is folded.
Shows Folded(FoldFault fault) {
  return [fault](const TestVector& vector) {
    const Graph& graph = vector.graphs[0];
    const std::vector<Tensor>& inputs = vector.steps[0].inputs;
    std::vector<Constness> marks(inputs.size(), Constness::kVarying);
    for (size_t i = 1; i < marks.size(); i += 2) marks[i] = Constness::kCompileTime;
    FoldOptions options;
    options.fault = fault;
    Result<Folding> folding = FoldGraph(graph, marks, options);
    if (!folding) return false;
    const std::vector<TensorView> views = ViewsOf(inputs);
    const auto module = FoldedModule::Load(std::move(*folding), views,
                                           std::make_shared<ConstantCache>(), {}, fault);
    if (!module) return false;
    FoldContext context;
    const Outcome after = OutcomeOf((*module)->Run(context, views));
    Context plain;
    const Outcome before = Execute(plain, graph, inputs, {});
    return CompareOutcomes(graph, before, after).kind == FoldRunKind::kDiffer;
  };
}

// A planner solves a problem that lacks something, and its plan breaks the real one.
Shows Forgets(const std::function<void(BufferInfo&)>& forget) {
  return [forget](const TestVector& vector) {
    const MemoryProblem& problem = vector.plans[0].planned.problem;
    MemoryProblem wrong = problem;
    for (BufferInfo& buffer : wrong.buffers) forget(buffer);
    if (!ValidateProblem(wrong)) return false;
    const Result<PlanningResult> planned =
        PlanMemory(wrong, *AlgorithmByName("best_fit_decreasing"));
    return planned && WrongInPlan(problem, planned->plan) != "";
  };
}

// --- The search

// The result of a search by RapidCheck.
struct Found {
  int cases = 0;    // before the first that fails
  int shrinks = 0;  // runs after it
  double seconds = 0;
  std::optional<TestVector> first, smallest;
  rc::detail::FailureResult failure;
};

rc::detail::TestParams Params(uint64_t seed) {
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = 5000;
  return params;
}

rc::detail::TestMetadata Named(std::string_view name) { return {std::string(name), "planted"}; }

// RapidCheck prints nothing about properties that fail on purpose.
class Silent : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

template <class Value>
Found Search(std::string_view name, const Shows& shows) {
  Found found;
  int runs = 0, first_run = 0;
  Silent silent;
  const auto start = std::chrono::steady_clock::now();
  const auto result = rc::detail::checkTestable(
      [&](const Value& value) {
        ++runs;
        TestVector vector = ContentOf(value);
        if (!shows(vector)) return;
        if (!found.first) {
          found.first = vector;
          first_run = runs;
        }
        found.smallest = std::move(vector);
        RC_FAIL("the fault shows");
      },
      Named(name), Params(1), silent);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  found.seconds = taken.count();
  found.cases = first_run - 1;
  found.shrinks = runs - first_run;
  if (result.template is<rc::detail::FailureResult>()) {
    found.failure = result.template get<rc::detail::FailureResult>();
  }
  return found;
}

enum class Kind { kGraph, kSequence, kFolding, kMemory };

struct Fault {
  std::string name;
  Kind kind;
  Shows shows;
  bool quick = false;  // tried in every run of the tests
};

std::vector<Fault> Faults() {
  using enum Kind;
  const auto mutant = [](Kind kind, std::string_view id, bool quick = false) {
    return Fault{std::string(id), kind, Mutated(id), quick};
  };
  const auto folded = [](FoldFault fault, bool quick = false) {
    const auto rows = AllFoldFaults();
    return Fault{
        "folding: " + std::string(std::ranges::find(rows, fault, &FoldFaultRow::fault)->name),
        kFolding, Folded(fault), quick};
  };
  return {
      mutant(kGraph, "argmax/last-wins"),
      mutant(kGraph, "concat/operands-exchanged", true),
      mutant(kGraph, "conv2d/pad-ignored"),
      mutant(kGraph, "matmul/batch-repeated"),
      mutant(kGraph, "mul/shift-ignored"),
      mutant(kGraph, "transpose/perms-inverted"),
      mutant(kSequence, "variable_write/lost", true),
      mutant(kSequence, "variable/contexts-shared"),
      mutant(kSequence, "variable_read/initial"),
      mutant(kSequence, "variable/of-graph"),
      {"liveness: ends-early", kGraph, Planned("ends-early", false), true},
      {"liveness: views-forgotten", kGraph, Planned("views-forgotten", true)},
      {"liveness: scratch-forgotten", kGraph, Planned("scratch-forgotten", false)},
      folded(FoldFault::kAttributesLost, true),
      folded(FoldFault::kResultsExchanged),
      folded(FoldFault::kTimesZeroIsZero),
      folded(FoldFault::kReturnedNotBound),
      {"planner: forgets listed conflicts", kMemory,
       Forgets([](BufferInfo& buffer) { buffer.conflicts.clear(); }), true},
      {"planner: last tick is free", kMemory, Forgets([](BufferInfo& buffer) {
         for (LiveRange& range : buffer.live) range.upper -= range.upper > range.lower ? 1 : 0;
       })},
      {"planner: forgets alignment", kMemory,
       Forgets([](BufferInfo& buffer) { buffer.alignment = 1; })},
  };
}

Found SearchFor(const Fault& fault) {
  switch (fault.kind) {
    case Kind::kGraph:
      return Search<AnyGraph>(fault.name, fault.shows);
    case Kind::kSequence:
      return Search<AnySequence>(fault.name, fault.shows);
    case Kind::kFolding:
      return Search<AnyFolding>(fault.name, fault.shows);
    case Kind::kMemory:
      return Search<AnyMemoryProblem>(fault.name, fault.shows);
  }
  return {};
}

// --- Sizes

// Keeps the graph before folding alone.
TestVector BeforeFolding(TestVector vector) {
  if (vector.fold_pairs.empty()) return vector;
  vector.fold_pairs.clear();
  vector.graphs.resize(1);
  std::erase_if(vector.steps, [](const Step& step) { return step.graph != 0; });
  return vector;
}

// The operators and the elements of all tensors; of a memory problem, the buffers and their bytes.
struct Size {
  int64_t parts = 0, elements = 0;
};

Size SizeOf(const TestVector& given) {
  const TestVector vector = BeforeFolding(given);
  Size size;
  for (const PlanRecord& record : vector.plans) {
    for (const BufferInfo& buffer : record.planned.problem.buffers) {
      ++size.parts;
      size.elements += buffer.size_bytes;
    }
  }
  size.parts += vector.graphs.empty() ? 0 : WorkingOperators(vector);
  for (const Graph& graph : vector.graphs) {
    for (const Block& block : graph.Blocks()) {
      for (const TensorInfo& info : block.tensors) size.elements += info.type.shape.Elements();
    }
  }
  return size;
}

// Returns what Reduce() makes of the first case that failed; nullopt for memory problems.
std::optional<Reduction> Reduced(const Fault& fault, const Found& found) {
  if (fault.kind == Kind::kMemory) return std::nullopt;
  return Reduce(BeforeFolding(*found.first), fault.shows);
}

std::string TextOf(const Size& size) {
  return std::to_string(size.parts) + " / " + std::to_string(size.elements);
}

class PlantedFaults : public testing::TestWithParam<size_t> {};

TEST_P(PlantedFaults, AreFoundAndShrunk) {
  const Fault fault = Faults()[GetParam()];
  const char* const all = std::getenv("ASSAY_PLANTED_FAULTS");
  if (!fault.quick && all == nullptr) GTEST_SKIP() << "ASSAY_PLANTED_FAULTS=all tries it";
  const Found found = SearchFor(fault);
  ASSERT_TRUE(found.first) << fault.name;
  EXPECT_FALSE(found.failure.counterExample.empty());
  const Size size = SizeOf(*found.smallest);
  const std::optional<Reduction> reduced = Reduced(fault, found);
  EXPECT_LE(size.parts, reduced ? SizeOf(reduced->vector).parts + 1 : 3);
  std::printf("| %s | %d | %s | %s | %s | %d | %s | %.1f |\n", fault.name.c_str(), found.cases,
              TextOf(SizeOf(*found.first)).c_str(), TextOf(size).c_str(),
              reduced ? TextOf(SizeOf(reduced->vector)).c_str() : "-", found.shrinks,
              reduced ? std::to_string(reduced->calls).c_str() : "-", found.seconds);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFaults, testing::Range(size_t{0}, Faults().size()),
                         [](const auto& row) {
                           std::string name = Faults()[row.param].name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

// RapidCheck's own line, RC_PARAMS="reproduce=...", leads to the same counterexample in one run.
TEST(PlantedFaults, ComeBackByRapidChecksLine) {
  const Fault fault = Faults()[1];
  const Found found = SearchFor(fault);
  ASSERT_TRUE(found.first);
  EXPECT_FALSE(found.failure.reproduce.shrinkPath.empty());
  int runs = 0;
  Silent silent;
  const auto result = rc::detail::checkTestable(
      [&](const AnyGraph& graph) {
        ++runs;
        RC_ASSERT(!fault.shows(ContentOf(graph)));
      },
      Named(fault.name), Params(99), silent,
      std::unordered_map<std::string, rc::detail::Reproduce>{
          {fault.name, found.failure.reproduce}});
  ASSERT_TRUE(result.is<rc::detail::FailureResult>());
  EXPECT_EQ(result.get<rc::detail::FailureResult>().counterExample, found.failure.counterExample);
  EXPECT_LE(runs, 1 + std::ssize(found.failure.reproduce.shrinkPath));
}

}  // namespace
}  // namespace assay::planted_faults_test

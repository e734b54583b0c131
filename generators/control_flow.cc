// SPDX-License-Identifier: Apache-2.0
// COND_IF and WHILE_LOOP in every mix up to the level's limit. Right after each such vector come
// its siblings: the same graph written in other ways. All of them must give the same results.
#include <algorithm>
#include <utility>

#include "check.h"
#include "executor.h"
#include "grow_nest.h"
#include "rewritings.h"
#include "vector_facts.h"
#include "windows.h"

namespace assay::generators {

extern const Generator control_flow_generator;

namespace {

constexpr int kAttempts = 32;
constexpr int kTameAfter = 8;
constexpr int64_t kRoundsMax = 100;  // of any loop; more would be a loop that does not end

// A vector of the suite: a row of the table, and how the row is written.
struct Target {
  const ControlFlowShape* shape = nullptr;
  std::optional<Rewriting> rewriting;  // none: the vector as it was grown, which comes first
  uint64_t offset = 0;                 // from the index of the vector as it was grown
};

struct Table {
  GeneratorOptions options;
  std::vector<ControlFlowShape> shapes;
  std::vector<Target> targets;
};

// Returns the rewritings that a shape always allows.
std::vector<Rewriting> RewritingsOf(const ControlFlowShape& shape, const Level& level) {
  std::vector<Rewriting> all = {Rewriting::kInlined};
  if (shape.nest.find('C') != std::string::npos) all.push_back(Rewriting::kIfConverted);
  if (shape.nest.find('W') == std::string::npos) return all;
  all.push_back(Rewriting::kPeeled);
  const bool room = static_cast<int>(shape.nest.size()) < level.max_nesting;
  if (room || shape.nest[0] == 'W') all.push_back(Rewriting::kUnrolled);
  return all;
}

// Returns the table for the options. Keeps the last table, so that repeated calls are cheap.
const Table& TableOf(const GeneratorOptions& options) {
  static thread_local std::optional<Table> last;
  if (last && last->options == options) return *last;
  last.emplace();
  last->options = options;
  last->shapes = ControlFlowShapes(options);
  for (const ControlFlowShape& shape : last->shapes) {
    uint64_t offset = 0;
    last->targets.push_back({&shape, std::nullopt, offset});
    for (const Rewriting rewriting : RewritingsOf(shape, options.level)) {
      last->targets.push_back({&shape, rewriting, ++offset});
    }
  }
  return *last;
}

int64_t Targets(const GeneratorOptions& options) { return std::ssize(TableOf(options).targets); }

// Returns true if the executor runs every step to its end and every element is determined. Fills in
// the expectations of the vector.
bool IsDetermined(TestVector& vector) {
  if (!Expect(vector, {.loop_iterations_max = kRoundsMax})) return false;
  return IsFullyDecided(vector) && std::ranges::all_of(vector.steps, [](const Step& step) {
           return step.expected == OutcomeKind::kValid;
         });
}

// Returns true if two vectors expect the same of every output, bit for bit. Ignores the texts of
// the rules, because they name the operators that made the outputs.
bool ExpectTheSame(const TestVector& a, const TestVector& b) {
  const auto same = [](const Expectation& x, const Expectation& y) {
    return x.value == y.value && x.reference == y.reference && x.error == y.error;
  };
  const auto same_steps = [&](const Step& x, const Step& y) {
    return std::equal(x.outputs.begin(), x.outputs.end(), y.outputs.begin(), y.outputs.end(), same);
  };
  return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), same_steps);
}

// A vector and all its siblings, in the order of the targets.
using Family = std::vector<TestVector>;

std::optional<Family> Attempt(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                              const ControlFlowShape& shape, bool tame) {
  std::optional<TestVector> vector = GrowControlFlow(choices, options, menu, shape, tame);
  if (!vector || !IsDetermined(*vector)) return std::nullopt;
  Family family;
  family.push_back(std::move(*vector));
  for (const Rewriting rewriting : RewritingsOf(shape, options.level)) {
    std::optional<TestVector> sibling = Rewrite(family[0], rewriting, options);
    if (!sibling || !IsDetermined(*sibling)) return std::nullopt;
    Check(ExpectTheSame(*sibling, family[0]), "a rewriting changes no result");
    family.push_back(std::move(*sibling));
  }
  return family;
}

std::optional<Family> MakeFamily(const GeneratorOptions& options, const ControlFlowShape& shape,
                                 uint64_t index) {
  const Generator& generator = control_flow_generator;
  Choices choices(Random::For(options.seed, index, generator.kind, generator.version));
  const Menu menu(options);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto family = Attempt(choices, options, menu, shape, attempt >= kTameAfter);
    if (family) return family;
  }
  return std::nullopt;
}

// Returns the vector at an offset in the family whose first vector has this index; nullopt if no
// family was found. Keeps the rest of the last family, because callers mostly ask for its siblings
// one after the other, each once.
std::optional<TestVector> Take(const GeneratorOptions& options, const ControlFlowShape& shape,
                               uint64_t index, uint64_t offset) {
  struct Last {
    GeneratorOptions options;
    uint64_t index;
    std::optional<Family> family;
  };
  static thread_local std::optional<Last> last;
  const bool is_it = last && last->index == index && last->options == options;
  const bool taken = is_it && last->family && (*last->family)[offset].graphs.empty();
  if (!is_it || taken) {
    last = Last{options, index, MakeFamily(options, shape, index)};
  }
  if (!last->family) return std::nullopt;
  return std::exchange((*last->family)[offset], TestVector());
}

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  const std::vector<Target>& targets = TableOf(options).targets;
  if (targets.empty()) return std::nullopt;
  const Target& target = targets[index % targets.size()];
  const uint64_t first = index - target.offset;
  std::optional<TestVector> vector = Take(options, *target.shape, first, target.offset);
  if (!vector) return std::nullopt;
  const Generator& generator = control_flow_generator;
  const std::string& nest = target.shape->nest;
  const std::string title = nest.size() > 8 ? nest.substr(0, 8) + "..." : nest;
  if (!target.rewriting) {
    Describe(*vector, options, generator, index, title);
    return vector;
  }
  const std::string how(RewritingName(*target.rewriting));
  Describe(*vector, options, generator, index, title + "-" + how);
  vector->tags.push_back(how);
  vector->tags.push_back("sibling-of:" + NameOf(generator, first, title));
  return vector;
}

}  // namespace

const Generator control_flow_generator = {
    .kind = "control-flow",
    .help =
        "nested COND_IF and WHILE_LOOP; each vector is followed by equivalent ones: inlined,\n"
        "peeled, unrolled, if-converted",
    .version = 6,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators

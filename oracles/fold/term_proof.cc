// SPDX-License-Identifier: Apache-2.0
#include "term_proof.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "float_format.h"
#include "graph_terms.h"
#include "random.h"
#include "term_classes.h"
#include "term_program.h"
#include "term_question.h"

namespace assay {
namespace {

constexpr size_t kStepsMax = size_t{1} << 16;       // of the terms of one class
constexpr uint64_t kValuesMax = uint64_t{1} << 16;  // of the inputs of one class, to try all
constexpr uint64_t kSamples = 1024;
constexpr int64_t kAskedMax = 400;   // terms of one question
constexpr size_t kWitnessesMax = 8;  // of one class, to replay

// The limits of a proof.
struct ProofLimits {
  size_t terms;
  int64_t work;  // terms to compute
  int64_t questions;
  uint32_t effort;  // of one question, as a part of FoldCheckOptions::effort_max
};
constexpr ProofLimits kLong = {size_t{1} << 22, int64_t{1} << 28, 16, 1};
constexpr ProofLimits kShort = {size_t{1} << 16, int64_t{1} << 22, 4, 10};

// The values of inputs for which two terms differ.
using Witness = std::vector<std::pair<TermId, Scalar>>;

enum class ClassFate : uint8_t { kOpen, kEqual, kAsked, kDifferent };

// A class under decision: its pair and conditions as a program.
class ClassTrial {
 public:
  ClassTrial(const TermArena& arena, const TermPair& pair)
      : arena_(arena), program_(arena, RootsOf(pair), kStepsMax) {}

  bool complete() const { return program_.complete(); }
  int64_t size() const { return static_cast<int64_t>(program_.size() + program_.inputs().size()); }

  // Returns the number of combined values of all inputs; kValuesMax + 1 if there are more than
  // that.
  uint64_t Count() const {
    uint64_t count = 1;
    for (const TermId input : program_.inputs()) {
      const uint64_t values = CountOf(input);
      if (values == 0 || values > kValuesMax / count) return kValuesMax + 1;
      count *= values;
    }
    return count;
  }

  // Tries `count` assignments, whose values assign(i, input) returns. Collects those for which the
  // conditions hold and the terms differ.
  template <class Assign>
  void Try(uint64_t count, Assign assign) {
    for (uint64_t from = 0; from < count && witnesses.size() < kWitnessesMax;
         from += FoldProgram::kLanes) {
      const auto lanes = static_cast<size_t>(std::min<uint64_t>(count - from, FoldProgram::kLanes));
      for (size_t lane = 0; lane < lanes; ++lane) {
        for (size_t i = 0; i < program_.inputs().size(); ++i) {
          program_.Input(i, lane) = assign(from + lane, i);
        }
      }
      program_.Run(lanes);
      for (size_t lane = 0; lane < lanes; ++lane) Judge(lane);
    }
  }

  void TryAll() {
    Try(Count(), [&](uint64_t number, size_t input) {
      for (size_t i = 0; i < input; ++i) number /= CountOf(program_.inputs()[i]);
      const TermId term = program_.inputs()[input];
      return ValueOf(term, number % CountOf(term));
    });
  }

  // Tries special values of each type: first all pairs of them, then any, mixed with random bits.
  void TrySpecials(const FoldInputs& specials) {
    Random random = Random::For(0, program_.inputs().size(), "fold-samples", 1);
    Try(kSamples, [&](uint64_t number, size_t input) {
      const DType type = arena_[program_.inputs()[input]].type;
      const std::vector<int64_t>& all = specials.Specials(type);
      if (number >= kSamples / 2 || input > 1) {
        const bool special = random.OneIn(2);
        return At(type, special ? random.Pick(all) : ElementOfBits(type, random.Next()));
      }
      const uint64_t row = input == 0 ? number : number / all.size();
      return At(type, all[row % all.size()]);
    });
  }

  const std::vector<TermId>& inputs() const { return program_.inputs(); }
  std::vector<Witness> witnesses;

 private:
  static std::vector<TermId> RootsOf(const TermPair& pair) {
    std::vector<TermId> roots = {pair.before, pair.after};
    roots.insert(roots.end(), pair.conditions.begin(), pair.conditions.end());
    return roots;
  }
  uint64_t CountOf(TermId input) const {
    const TermNode& node = arena_[input];
    if (node.is_float) return uint64_t{1} << (8 * ElementBytes(node.type));
    return static_cast<uint64_t>(node.high) - static_cast<uint64_t>(node.low) + 1;
  }
  Scalar ValueOf(TermId input, uint64_t number) const {
    const TermNode& node = arena_[input];
    return node.is_float ? At(node.type, static_cast<int64_t>(number))
                         : Scalar::OfInteger(node.low + static_cast<int64_t>(number));
  }
  // Converts an element as stored in files: an integer, or the bits of a float.
  static Scalar At(DType type, int64_t element) {
    return IsFloat(type) ? Scalar::OfFloat(DecodeFloat(type, static_cast<uint32_t>(element)))
                         : Scalar::OfInteger(element);
  }

  void Judge(size_t lane) {
    // The value domain has only one NaN, so the bits decide.
    if (program_.Result(0, lane).integer() == program_.Result(1, lane).integer()) return;
    if (IsNan(0, lane) && IsNan(1, lane)) return;
    for (size_t i = 2; i < program_.results(); ++i) {
      if (program_.Result(i, lane).integer() == 0) return;
    }
    if (witnesses.size() >= kWitnessesMax) return;
    Witness witness;
    for (size_t i = 0; i < program_.inputs().size(); ++i) {
      witness.emplace_back(program_.inputs()[i], program_.Input(i, lane));
    }
    witnesses.push_back(std::move(witness));
  }
  bool IsNan(size_t result, size_t lane) const {
    return program_.IsFloat(result) && std::isnan(program_.Result(result, lane).real());
  }

  const TermArena& arena_;
  FoldProgram program_;
};

class Proof {
 public:
  Proof(const Graph& before, const Graph& after, const FoldCheckOptions& options,
        const FoldInputs& inputs, const std::vector<FoldInvocation>& valid, FoldVerdict& verdict)
      : before_(before),
        after_(after),
        options_(options),
        inputs_(inputs),
        valid_(valid),
        verdict_(verdict),
        limits_(options.prove ? kLong : kShort),
        arena_(limits_.terms) {}

  void Run() {
    FoldTermReader reader(arena_, options_.execution);
    FoldTerms first = reader.Read(before_, TermDomain::Requirements::kFacts);
    if (!first.obstacle.empty()) return Open("no terms of BEFORE: " + first.obstacle);
    for (const TermDomain::Condition& fact : first.conditions) facts_.push_back(fact.holds);
    // Reads BEFORE once more, because all conditions are known now. So both graphs are read alike.
    if (!facts_.empty()) first = reader.Read(before_, TermDomain::Requirements::kClaims);
    const FoldTerms second = reader.Read(after_, TermDomain::Requirements::kClaims);
    if (!first.obstacle.empty()) return Open("no terms of BEFORE: " + first.obstacle);
    if (!second.obstacle.empty()) return Open("no terms of AFTER: " + second.obstacle);
    if (Pair(first, second)) DecideAll();
  }

 private:
  void Open(std::string reason) {
    verdict_.reason = std::move(reason);
    if (verdict_.runs > 0) {
      verdict_.reason += "; they agree on " + std::to_string(verdict_.runs) + " inputs";
    }
  }

  // Leaves open what FoldCheckOptions::prove may decide.
  void OpenToProve(std::string reason) {
    verdict_.cut_short = !options_.prove;
    Open(std::move(reason));
  }

  void Equal(FoldArgument argument) {
    verdict_.kind = FoldVerdictKind::kEqual;
    verdict_.argument = argument;
    verdict_.reason.clear();
  }

  bool Pair(const FoldTerms::Elements& a, const FoldTerms::Elements& b) {
    if (a.type != b.type) return false;
    for (int64_t i = 0; i < a.size(); ++i) Pair(a[i], b[i]);
    verdict_.elements += a.size();
    return true;
  }
  // In bounded mode the signs of zeros do not count: x + 0 is never -0.
  bool PairOutputs(const FoldTerms::Elements& a, const FoldTerms::Elements& b) {
    if (a.type != b.type) return false;
    if (options_.mode == FoldMode::kExact || !IsFloat(a.type.type)) return Pair(a, b);
    const TermId zero = arena_.Real(0);
    for (int64_t i = 0; i < a.size(); ++i) {
      Pair(arena_.FloatAdd(a[i], zero), arena_.FloatAdd(b[i], zero));
    }
    verdict_.elements += a.size();
    return true;
  }
  void Pair(TermId a, TermId b) {
    if (a != b && seen_.insert({a, b}).second) pairs_.emplace_back(a, b);
  }

  bool Pair(const FoldTerms& a, const FoldTerms& b) {
    for (size_t i = 0; i < a.outputs.size(); ++i) {
      if (!PairOutputs(a.outputs[i], b.outputs[i])) return Open("outputs of other types"), false;
    }
    if (a.state.size() != b.state.size()) return Open("other variables"), false;
    for (const auto& [name, variable] : a.state) {
      const auto other = b.state.find(name);
      if (other == b.state.end() || other->second.declaration != variable.declaration) {
        return Open("other variables"), false;
      }
      Pair(variable.value, other->second.value);
      Pair(variable.written, other->second.written);
    }
    // The conditions of AFTER must hold wherever BEFORE is valid.
    for (const TermDomain::Condition& claim : b.conditions) Pair(arena_.Integer(1), claim.holds);
    return true;
  }

  void DecideAll() {
    if (arena_.exhausted()) return OpenToProve("more terms than there is room for");
    if (pairs_.empty()) return Equal(FoldArgument::kTerms);
    FoldClasses classes(arena_, facts_);
    for (const auto& [a, b] : pairs_) {
      if (!classes.Add(a, b)) return Open("terms that are too large to be compared");
    }
    verdict_.classes = static_cast<int64_t>(classes.pairs().size());
    int64_t open = 0;
    bool asked = false;
    for (const TermPair& pair : classes.pairs()) {
      switch (Decide(pair)) {
        case ClassFate::kDifferent:
          return;
        case ClassFate::kOpen:
          ++open;
          break;
        case ClassFate::kAsked:
          asked = true;
          break;
        case ClassFate::kEqual:
          break;
      }
    }
    if (open == 0) return Equal(asked ? FoldArgument::kSolver : FoldArgument::kEnumeration);
    OpenToProve(std::to_string(open) + " of " + std::to_string(verdict_.classes) +
                " kinds of terms that are not the same are open");
  }

  ClassFate Decide(const TermPair& pair) {
    ClassTrial trial(arena_, pair);
    if (!trial.complete()) return ClassFate::kOpen;
    const uint64_t count = trial.Count();
    const bool few = count <= kValuesMax && Spend(trial, count);
    if (few) {
      trial.TryAll();
      if (trial.witnesses.empty()) return ClassFate::kEqual;
    } else if (Spend(trial, kSamples)) {
      trial.TrySpecials(inputs_);
    }
    if (Replays(trial)) return ClassFate::kDifferent;
    if (!trial.witnesses.empty()) return ClassFate::kOpen;
    return Ask(pair, trial);
  }

  // Returns true if there is time to compute a class's terms `count` times, and takes that time
  // from the budget.
  bool Spend(const ClassTrial& trial, uint64_t count) {
    const int64_t work = (trial.size() + 1) * static_cast<int64_t>(count);
    if (work > work_) return false;
    work_ -= work;
    return true;
  }

  ClassFate Ask(const TermPair& pair, ClassTrial& trial) {
    if (verdict_.questions >= limits_.questions || trial.size() > kAskedMax)
      return ClassFate::kOpen;
    ++verdict_.questions;
    const FoldAnswer answer = AskWhetherTheyDiffer(arena_, pair.before, pair.after, pair.conditions,
                                                   options_.effort_max / limits_.effort);
    if (answer.answer == SolverAnswer::kUnsatisfiable) return ClassFate::kAsked;
    if (answer.answer == SolverAnswer::kUndecided) return ClassFate::kOpen;
    // Inputs that Z3's model lacks may have any value; they become zero.
    const std::map<TermId, Scalar> model(answer.inputs.begin(), answer.inputs.end());
    trial.Try(1, [&](uint64_t, size_t input) {
      const auto value = model.find(trial.inputs()[input]);
      return value == model.end() ? Scalar() : value->second;
    });
    return Replays(trial) ? ClassFate::kDifferent : ClassFate::kOpen;
  }

  bool Replays(const ClassTrial& trial) {
    return std::ranges::any_of(trial.witnesses, [&](const Witness& w) { return Replays(w); });
  }

  // Returns true if the graphs differ on the witness, put into inputs on which BEFORE is valid.
  bool Replays(const Witness& witness) {
    for (const FoldInvocation& base : valid_) {
      std::map<uint32_t, std::vector<std::pair<size_t, int64_t>>> changes;
      for (const auto& [term, value] : witness) {
        const auto position = static_cast<uint32_t>(arena_.Number(term, 0));
        if (position >= FoldTermReader::kVariables) return false;  // whether it can come to that?
        const DType type = arena_[term].type;
        const int64_t element = IsFloat(type) ? EncodeFloat(type, value.real()) : value.integer();
        changes[position].emplace_back(static_cast<size_t>(arena_.Number(term, 1)), element);
      }
      FoldInvocation inputs = base;
      for (const auto& [position, elements] : changes) {
        inputs[position] = Changed(inputs[position], elements);
      }
      FoldRun run = RunBoth(before_, after_, {inputs}, options_);
      if (run.kind != FoldRunKind::kDiffer) continue;
      verdict_.kind = FoldVerdictKind::kDifferent;
      verdict_.reason = std::move(run.text);
      verdict_.counterexample =
          CounterexampleOf(before_, after_, {inputs}, verdict_.reason, options_);
      return true;
    }
    return false;
  }

  static Tensor Changed(const Tensor& tensor,
                        const std::vector<std::pair<size_t, int64_t>>& changes) {
    const bool is_float = IsFloat(tensor.type());
    std::vector<int64_t> elements;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      elements.push_back(is_float ? int64_t{tensor.FloatBits(i)} : tensor.Integer(i));
    }
    for (const auto& [at, element] : changes) elements[at] = element;
    return Tensor::FromIntegers(tensor.type(), tensor.shape(), elements);
  }

  const Graph& before_;
  const Graph& after_;
  const FoldCheckOptions& options_;
  const FoldInputs& inputs_;
  const std::vector<FoldInvocation>& valid_;
  FoldVerdict& verdict_;
  const ProofLimits limits_;
  TermArena arena_;
  std::vector<TermId> facts_;
  std::set<std::pair<TermId, TermId>> seen_;
  std::vector<std::pair<TermId, TermId>> pairs_;
  int64_t work_ = limits_.work;
};

}  // namespace

void ProveFold(const Graph& before, const Graph& after, const FoldCheckOptions& options,
               const FoldInputs& inputs, const std::vector<FoldInvocation>& valid,
               FoldVerdict& verdict) {
  Proof(before, after, options, inputs, valid, verdict).Run();
}

}  // namespace assay

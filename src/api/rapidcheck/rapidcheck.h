// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generators for RapidCheck of valid graphs, sequences of invocations over variables, memory
// problems, and graphs before and after constant folding. Values shrink by structural moves:
//
//   RC_GTEST_PROP(MyCompiler, KeepsMeaning, (const assay::AnyGraph& graph)) {
//     const std::string wrong = graph.Judge([&](assay::Invocation& invocation) {
//       MyCompiler(graph.Tosa(0)).Run(invocation.inputs, invocation.outputs);
//     });
//     RC_ASSERT(wrong == "");
//   }
//
// Link with the library `assay` and with `rapidcheck`. A value that RapidCheck shows is text, and
// ends with the line that makes the original again. RapidCheck's own seed gives the same values on
// every machine.
#include <assay/assay.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay {

namespace rapidcheck {

// Throws the error of a function of the library.
inline void Demand(assay_status status, const assay_error& error) {
  if (status != ASSAY_OK) throw std::runtime_error(std::string("assay: ") + error.text);
}

// Calls a function of the library that makes a handle, and returns the handle; null if it makes
// none (ASSAY_NOTHING).
template <class Handle, class Call>
std::shared_ptr<Handle> Made(void (*free)(Handle*), Call call) {
  Handle* handle = nullptr;
  assay_error error;
  const assay_status status = call(&handle, &error);
  if (status == ASSAY_NOTHING) return nullptr;
  Demand(status, error);
  return std::shared_ptr<Handle>(handle, free);
}

inline std::string TextOf(const assay_lines* lines) {
  std::string text;
  for (size_t i = 0; i < assay_lines_count(lines); ++i) {
    text += (i > 0 ? "\n" : "") + std::string(assay_lines_line(lines, i));
  }
  return text;
}

}  // namespace rapidcheck

// Memory for an output of a step, which the backend fills.
struct OutputBuffer {
  void* data;
  size_t size;  // in bytes
  assay_tensor_view declared;
};

// One step of a vector, for a backend to run. Tensors are valid until the backend returns.
struct Invocation {
  size_t step;
  int32_t graph, context;
  std::vector<assay_tensor_view> inputs;
  std::vector<OutputBuffer> outputs;
  // ASSAY_OUTCOME_REFUSED or ASSAY_OUTCOME_UNSUPPORTED if the backend does not run the step, and
  // why.
  assay_outcome outcome = ASSAY_OUTCOME_ANSWERED;
  std::string message = {};
};

// A value of any of the types below. Copies share what it holds.
class AnyVector {
 public:
  // `origin` is the line that makes the original value again.
  AnyVector(std::shared_ptr<assay_shrinkable> shrinkable, std::string origin, int moves = 0)
      : shrinkable_(std::move(shrinkable)), origin_(std::move(origin)), moves_(moves) {}

  // Returns the vector for the functions of assay.h. It belongs to this object.
  const assay_vector* vector() const { return assay_shrinkable_vector(shrinkable_.get()); }

  // Returns a graph as the bytes of a `.tosa` file.
  std::span<const uint8_t> Tosa(size_t graph) const {
    const void* bytes = nullptr;
    size_t size = 0;
    assay_error error;
    rapidcheck::Demand(assay_vector_graph_bytes(vector(), graph, &bytes, &size, &error), error);
    return {static_cast<const uint8_t*>(bytes), size};
  }

  // Returns the vector as the bytes of a `.tvec` file.
  std::span<const uint8_t> Tvec() const {
    const void* bytes = nullptr;
    size_t size = 0;
    assay_error error;
    rapidcheck::Demand(assay_vector_bytes(vector(), &bytes, &size, &error), error);
    return {static_cast<const uint8_t*>(bytes), size};
  }

  // Runs the steps on a backend, in order. Returns "" if the results are right, otherwise the
  // findings as text. Discards the case if nothing can be judged: the backend supports no step, or
  // no rule reaches the results. Exceptions of the backend pass.
  std::string Judge(const std::function<void(Invocation&)>& run) const {
    const auto outcomes = rapidcheck::Made<assay_outcomes>(
        assay_outcomes_free,
        [&](auto** made, assay_error* error) { return assay_outcomes_new(vector(), made, error); });
    for (size_t step = 0; step < assay_vector_step_count(vector()); ++step) {
      RunStep(step, outcomes.get(), run);
    }
    const auto judgement = rapidcheck::Made<assay_judgement>(
        assay_judgement_free, [&](auto** made, assay_error* error) {
          return assay_judge(vector(), outcomes.get(), made, error);
        });
    const assay_verdict verdict = assay_judgement_verdict(judgement.get());
    if (verdict == ASSAY_VERDICT_UNDECIDED || verdict == ASSAY_VERDICT_UNSUPPORTED) {
      RC_DISCARD(assay_judgement_note(judgement.get()));
    }
    std::string text;
    if (verdict != ASSAY_VERDICT_DISAGREES) return text;
    for (size_t i = 0; i < assay_judgement_finding_count(judgement.get()); ++i) {
      for (const assay_finding_field field : {ASSAY_FINDING_HEADLINE, ASSAY_FINDING_TEXT}) {
        text += std::string(assay_finding_text(judgement.get(), i, field)) + "\n";
      }
    }
    return text;
  }

  // Returns the value as text for people, which ends with the line that makes the original.
  std::string Text() const {
    const auto lines = rapidcheck::Made<assay_lines>(
        assay_lines_free,
        [&](auto** made, assay_error* error) { return assay_vector_show(vector(), made, error); });
    std::string text = rapidcheck::TextOf(lines.get()) + "\nreplay: " + origin_;
    if (moves_ > 0) text += " gives the value before " + std::to_string(moves_) + " shrink moves";
    return text;
  }

 protected:
  std::shared_ptr<assay_shrinkable> SmallerHandle(size_t number) const {
    return rapidcheck::Made<assay_shrinkable>(
        assay_shrinkable_free, [&](auto** made, assay_error* error) {
          return assay_shrinkable_smaller(shrinkable_.get(), number, made, error);
        });
  }

  const std::string& origin() const { return origin_; }
  int moves() const { return moves_; }

 private:
  void RunStep(size_t step, assay_outcomes* outcomes,
               const std::function<void(Invocation&)>& run) const {
    assay_error error;
    Invocation invocation{step, assay_vector_step_graph(vector(), step),
                          assay_vector_step_context(vector(), step),
                          std::vector<assay_tensor_view>(assay_vector_input_count(vector(), step)),
                          std::vector<OutputBuffer>(assay_vector_output_count(vector(), step))};
    for (size_t i = 0; i < invocation.inputs.size(); ++i) {
      rapidcheck::Demand(assay_vector_input(vector(), step, i, &invocation.inputs[i], &error),
                         error);
    }
    for (size_t i = 0; i < invocation.outputs.size(); ++i) {
      OutputBuffer& output = invocation.outputs[i];
      rapidcheck::Demand(assay_vector_output(vector(), step, i, &output.declared, &error), error);
      rapidcheck::Demand(
          assay_outcomes_buffer(outcomes, step, i, &output.data, &output.size, &error), error);
    }
    run(invocation);
    if (invocation.outcome == ASSAY_OUTCOME_ANSWERED) return;
    rapidcheck::Demand(
        assay_outcomes_set(outcomes, step, invocation.outcome, invocation.message.c_str(), &error),
        error);
  }

  std::shared_ptr<assay_shrinkable> shrinkable_;
  std::string origin_;
  int moves_;
};

inline void showValue(const AnyVector& value, std::ostream& out) { out << "\n" << value.Text(); }

// A valid graph with the inputs of one invocation.
class AnyGraph : public AnyVector {
 public:
  using AnyVector::AnyVector;
};

// Some graphs over the same variables, and a sequence of their invocations in some contexts.
class AnySequence : public AnyVector {
 public:
  using AnyVector::AnyVector;
};

// Graph 0 and the same graph after constant folding, which is graph 1. Step 0 runs the first and
// step 1 the second, on the same inputs.
class AnyFolding : public AnyVector {
 public:
  using AnyVector::AnyVector;
};

// Buffers, memory pools, and a sound plan.
class AnyMemoryProblem : public AnyVector {
 public:
  using AnyVector::AnyVector;

  // Return the buffers, each with its place in the plan, and the pools. They refer to this object.
  std::vector<assay_memory_buffer> Buffers() const {
    return List<assay_memory_buffer>(Plan().buffer_count, assay_vector_plan_buffer);
  }
  std::vector<assay_memory_pool> Pools() const {
    return List<assay_memory_pool>(Plan().pool_count, assay_vector_plan_pool);
  }

  // Returns "" if the places of the buffers are sound, otherwise a line for each rule that they
  // break.
  std::string WrongIn(std::span<const assay_place> places) const {
    const auto broken =
        rapidcheck::Made<assay_lines>(assay_lines_free, [&](auto** made, assay_error* error) {
          return assay_check_places(vector(), 0, places.data(), places.size(), made, error);
        });
    return rapidcheck::TextOf(broken.get());
  }

 private:
  assay_plan Plan() const {
    assay_plan plan;
    assay_error error;
    rapidcheck::Demand(assay_vector_plan(vector(), 0, &plan, &error), error);
    return plan;
  }
  template <class Item, class Get>
  std::vector<Item> List(size_t count, Get get) const {
    std::vector<Item> items(count);
    assay_error error;
    for (size_t i = 0; i < count; ++i) {
      rapidcheck::Demand(get(vector(), 0, i, &items[i], &error), error);
    }
    return items;
  }
};

namespace rapidcheck {

// A value that can be made smaller.
template <class Value>
class Shrinking : public Value {
 public:
  using Value::Value;
  explicit Shrinking(const Value& value) : Value(value) {}

  rc::Shrinkable<Value> ToShrinkable() const {
    const Shrinking self = *this;
    return rc::shrinkable::lambda([self]() -> Value { return self; },
                                  [self] { return rc::makeSeq<Smaller>(self); });
  }

 private:
  // The sequence of the values that one move makes smaller.
  class Smaller {
   public:
    explicit Smaller(const Shrinking& value) : value_(value) {}
    rc::Maybe<rc::Shrinkable<Value>> operator()() {
      auto handle = value_.SmallerHandle(number_++);
      if (handle == nullptr) return rc::Nothing;
      return Shrinking(std::move(handle), value_.origin(), value_.moves() + 1).ToShrinkable();
    }

   private:
    Shrinking value_;
    size_t number_ = 0;
  };
};

template <class Value>
rc::Shrinkable<Value> ShrinkableOf(const std::shared_ptr<assay_vector>& vector,
                                   std::string origin) {
  auto handle = Made<assay_shrinkable>(assay_shrinkable_free, [&](auto** made, assay_error* error) {
    return assay_shrinkable_new(vector.get(), made, error);
  });
  return Shrinking<Value>(std::move(handle), std::move(origin)).ToShrinkable();
}

// The cases of `assay gen` of a kind, by number.
class Cases {
 public:
  static constexpr uint64_t kCount = 1'000'000;

  // `options` are "NAME=VALUE" of assay_generator_new().
  Cases(std::string kind, const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    words_ = "assay gen --kind " + kind + " --seed 1";
    for (const std::string& option : options) {
      texts.push_back(option.c_str());
      const size_t end = option.find('=');
      words_ += " --" + option.substr(0, end);
      if (end != std::string::npos) words_ += " '" + option.substr(end + 1) + "'";
    }
    generator_ = Made<assay_generator>(assay_generator_free, [&](auto** made, assay_error* error) {
      return assay_generator_new(kind.c_str(), 1, texts.data(), texts.size(), made, error);
    });
  }

  // Takes a case of a random number, or else the next one for which take(vector) returns a vector.
  // `more` is what the replay line says about take().
  template <class Value, class Take>
  rc::Shrinkable<Value> Any(rc::Random random, Take take, const std::string& more = "") const {
    constexpr int kTries = 100;
    uint64_t number = random.next() % kCount;
    for (int tries = 0; tries < kTries; ++tries, number = (number + 1) % kCount) {
      auto vector = Made<assay_vector>(assay_vector_free, [&](auto** made, assay_error* error) {
        return assay_generate(generator_.get(), number, made, error);
      });
      if (vector != nullptr) vector = take(std::move(vector));
      if (vector == nullptr) continue;
      const std::string count = std::to_string(kCount);
      return ShrinkableOf<Value>(vector, words_ + " --shard " + std::to_string(number) + "/" +
                                             count + " --count " + count + " --out DIR" + more);
    }
    throw rc::GenerationFailure("assay: " + std::to_string(kTries) +
                                " numbers have no vector: " + words_);
  }

 private:
  std::shared_ptr<assay_generator> generator_;
  std::string words_;
};

}  // namespace rapidcheck

// Return generators. `options` restrict the graphs, as in "op=ADD,MUL", "type=fp32" or
// "max-elements=64" (assay_generator_new() has the list). An exception says which one is wrong.
inline rc::Gen<AnyGraph> Graphs(const std::vector<std::string>& options = {}) {
  return [cases = rapidcheck::Cases("graph", options)](const rc::Random& random, int) {
    return cases.Any<AnyGraph>(random, [](auto vector) { return vector; });
  };
}

inline rc::Gen<AnySequence> Sequences(const std::vector<std::string>& options = {}) {
  return [cases = rapidcheck::Cases("stateful", options)](const rc::Random& random, int) {
    return cases.Any<AnySequence>(random, [](auto vector) { return vector; });
  };
}

// Graphs are those of `assay gen --kind fold` before folding, with some inputs made constants.
inline rc::Gen<AnyFolding> Foldings(const std::vector<std::string>& options = {}) {
  return [cases = rapidcheck::Cases("fold", options)](rc::Random random, int) {
    const uint64_t inputs = random.split().next();
    const auto fold = [inputs](const auto& vector) {
      // A graph that cannot be folded so gives no value.
      return rapidcheck::Made<assay_vector>(assay_vector_free, [&](auto** made,
                                                                   assay_error* error) {
        assay_vector* frozen = nullptr;
        assay_status status = assay_freeze_inputs(vector.get(), inputs, &frozen, error);
        if (status == ASSAY_OK) status = assay_fold(frozen, 0, made, error);
        assay_vector_free(frozen);
        return status == ASSAY_UNSUPPORTED || status == ASSAY_BAD_INPUT ? ASSAY_NOTHING : status;
      });
    };
    return cases.Any<AnyFolding>(
        random, fold,
        ", assay_freeze_inputs(..., " + std::to_string(inputs) + "u, ...), assay_fold()");
  };
}

inline rc::Gen<AnyMemoryProblem> MemoryProblems() {
  return [](rc::Random random, int) {
    const uint64_t seed = random.next();
    const auto vector = rapidcheck::Made<assay_vector>(
        assay_vector_free,
        [&](auto** made, assay_error* error) { return assay_memory_problem(seed, made, error); });
    return rapidcheck::ShrinkableOf<AnyMemoryProblem>(
        vector, "assay_memory_problem(" + std::to_string(seed) + "u, ...)");
  };
}

}  // namespace assay

namespace rc {

template <>
struct Arbitrary<assay::AnyGraph> {
  static Gen<assay::AnyGraph> arbitrary() { return assay::Graphs(); }
};
template <>
struct Arbitrary<assay::AnySequence> {
  static Gen<assay::AnySequence> arbitrary() { return assay::Sequences(); }
};
template <>
struct Arbitrary<assay::AnyFolding> {
  static Gen<assay::AnyFolding> arbitrary() { return assay::Foldings(); }
};
template <>
struct Arbitrary<assay::AnyMemoryProblem> {
  static Gen<assay::AnyMemoryProblem> arbitrary() { return assay::MemoryProblems(); }
};

}  // namespace rc

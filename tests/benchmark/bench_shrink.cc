// SPDX-License-Identifier: Apache-2.0
// Measures how far shrinking takes graphs of 100 operators with a planted pattern whose smallest
// form is known, and how often it calls the predicate. Prints a table; exit status 1 if a target is
// missed.
//   bench_shrink [cases per pattern] [operators]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "grow_graph.h"
#include "random.h"
#include "reduce.h"
#include "vector_size.h"

namespace assay {
namespace {

const Block& MainOf(const TestVector& vector) { return *vector.graphs[0].Main(); }

const Operator* ProducerOf(const Block& block, TensorIndex tensor) {
  for (const Operator& op : block.operators) {
    if (std::find(op.outputs.begin(), op.outputs.end(), tensor) != op.outputs.end()) return &op;
  }
  return nullptr;
}

bool HasOp(const Block& block, Op wanted) {
  return std::any_of(block.operators.begin(), block.operators.end(),
                     [&](const Operator& op) { return op.op == wanted; });
}

// Finds i8 RESHAPE -> TRANSPOSE that permutes something.
bool ReshapeTranspose(const TestVector& vector) {
  const Block& main = MainOf(vector);
  for (const Operator& op : main.operators) {
    if (op.op != Op::kTranspose || main.TypeOf(op.outputs[0]).type != DType::kInt8) continue;
    const auto& perms = op.attributes.Ints(AttributeId::kPerms);
    if (std::is_sorted(perms.begin(), perms.end())) continue;
    const Operator* producer = ProducerOf(main, op.inputs[0]);
    if (producer != nullptr && producer->op == Op::kReshape) return true;
  }
  return false;
}

// Finds REDUCE_SUM of anything that depends on a MATMUL.
bool MatmulReachesSum(const TestVector& vector) {
  const Block& main = MainOf(vector);
  std::vector<char> marked(main.tensors.size(), 0);
  for (const Operator& op : main.operators) {
    const bool reached = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorIndex t) {
      return marked[static_cast<size_t>(t)] != 0;
    });
    if (reached && op.op == Op::kReduceSum) return true;
    for (const TensorIndex output : op.outputs) {
      marked[static_cast<size_t>(output)] = reached || op.op == Op::kMatmul;
    }
  }
  return false;
}

// Finds CONCAT along the last of several axes to at least 5.
bool WideConcat(const TestVector& vector) {
  const Block& main = MainOf(vector);
  for (const Operator& op : main.operators) {
    if (op.op != Op::kConcat) continue;
    const Shape& shape = main.TypeOf(op.outputs[0]).shape;
    const int32_t axis = op.attributes.Int(AttributeId::kAxis);
    if (shape.rank() >= 2 && axis == shape.rank() - 1 && shape[axis] >= 5) return true;
  }
  return false;
}

bool ArgmaxAndPad(const TestVector& vector) {
  return HasOp(MainOf(vector), Op::kArgmax) && HasOp(MainOf(vector), Op::kPad);
}

// Finds SLICE that does not start at the front -> MUL that broadcasts.
bool SliceBroadcastMul(const TestVector& vector) {
  const Block& main = MainOf(vector);
  for (const Operator& op : main.operators) {
    if (op.op != Op::kMul) continue;
    if (main.TypeOf(op.inputs[0]).shape == main.TypeOf(op.inputs[1]).shape) continue;
    for (const size_t k : {size_t{0}, size_t{1}}) {
      const Operator* slice = ProducerOf(main, op.inputs[k]);
      if (slice == nullptr || slice->op != Op::kSlice) continue;
      const Operator* start = ProducerOf(main, slice->inputs[1]);
      const Tensor& values = start->attributes.Value(AttributeId::kValues);
      for (int64_t i = 0; i < values.elements(); ++i) {
        if (values.Integer(i) > 0) return true;
      }
    }
  }
  return false;
}

struct Pattern {
  const char* name;
  bool (*has)(const TestVector&);
  int64_t optimum;
};

constexpr Pattern kPatterns[] = {
    {"i8 RESHAPE -> TRANSPOSE", ReshapeTranspose, 2},
    {"MATMUL ... REDUCE_SUM", MatmulReachesSum, 2},
    {"CONCAT, last axis >= 5", WideConcat, 1},
    {"ARGMAX and PAD", ArgmaxAndPad, 2},
    {"SLICE(start > 0) -> MUL", SliceBroadcastMul, 2},
};

int64_t ElementsOf(const TestVector& vector) {
  int64_t elements = 0;
  for (const TensorInfo& info : MainOf(vector).tensors) {
    if (info.type.type != DType::kShape) elements += info.type.shape.Elements();
  }
  return elements;
}

template <class T>
T Quantile(std::vector<T> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

int Run(int cases, int64_t operators) {
  GeneratorOptions options;
  options.level = kLevel8K;
  const Menu menu(options);
  std::printf("%-26s %5s %11s %9s %8s %8s %8s %8s %12s\n", "pattern", "cases", "operators",
              "optimum", "median", "95 %", "edits", "ms", "elements");
  bool met = true;
  for (const Pattern& pattern : kPatterns) {
    std::vector<int64_t> calls;
    int64_t optimal = 0, before = 0, after = 0, edits = 0, elements_before = 0, elements_after = 0;
    double seconds = 0;
    for (uint64_t seed = 0; std::ssize(calls) < cases && seed < 20'000; ++seed) {
      Choices choices(Random::For(1, seed, "bench_shrink", 1));
      const TestVector vector =
          GrowGraph(choices, options, menu, operators, ValueMode::kFinite, false);
      if (vector.steps.empty() || !pattern.has(vector)) continue;
      const std::clock_t start = std::clock();
      const Reduction reduction = Reduce(vector, pattern.has);
      seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      calls.push_back(reduction.calls);
      edits += reduction.candidates;
      const int64_t size = WorkingOperators(reduction.vector);
      optimal += size == pattern.optimum ? 1 : 0;
      before += WorkingOperators(vector);
      after += size;
      elements_before += ElementsOf(vector);
      elements_after += ElementsOf(reduction.vector);
      if (std::getenv("SHOW") != nullptr && size != pattern.optimum) {
        std::printf("  seed %lu:", static_cast<unsigned long>(seed));
        for (const Operator& op : MainOf(reduction.vector).operators) {
          std::printf(" %s", std::string(OperatorName(op.op)).c_str());
        }
        std::printf("\n");
      }
    }
    const auto n = static_cast<double>(calls.size());
    const auto mean = [n](int64_t sum) { return static_cast<double>(sum) / n; };
    const int64_t median = Quantile(calls, 0.5);
    const int64_t high = Quantile(calls, 0.95);
    std::printf("%-26s %5zu %5.1f->%4.2f %7.1f %% %8ld %8ld %8.0f %8.1f %6.0f->%4.1f\n",
                pattern.name, calls.size(), mean(before), mean(after), 100 * mean(optimal),
                static_cast<long>(median), static_cast<long>(high), mean(edits), 1000 * seconds / n,
                mean(elements_before), mean(elements_after));
    met = met && median <= 150 && high <= 400 && mean(optimal) >= 0.9;
  }
  return met ? 0 : 1;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 40;
  const int64_t operators = argc > 2 ? std::atoll(argv[2]) : 100;
  return assay::Run(cases, operators);
}

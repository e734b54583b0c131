// SPDX-License-Identifier: Apache-2.0
#include "model_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "check_graph.h"
#include "executor.h"
#include "index_ranges.h"
#include "model_values.h"
#include "random.h"
#include "tensor_numbers.h"
#include "types.h"

namespace assay {
namespace {

// The ranges that are tried together. Integers are drawn from -reach to reach, or from 0 to reach
// if they may be indices.
struct Ranges {
  double deviation;         // of floats
  int shift;                // of i8, i16 and i48: the number of high bits that are not used
  int64_t least, greatest;  // of i32, which are often indices or counts
};
constexpr std::array kRanges = {Ranges{1, 0, 0, 1},           Ranges{0.25, 1, 0, 1},
                                Ranges{4, 2, 0, 1},           Ranges{0.0625, 0, -100, 100},
                                Ranges{16, 0, -30000, 30000}, Ranges{64, 0, -30000, 30000}};
constexpr size_t kCalmRanges = 5;  // the first ones; the others serve the ends of functions

// Returns a number that is nearly normal, with deviation 1: the sum of four uniform ones.
double NearlyNormal(Random& random) {
  constexpr int64_t kOne = int64_t{1} << 24;
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += random.Between(-kOne, kOne);
  constexpr double kDeviation = 1.1547005383792515;  // of the sum: sqrt(4 / 3)
  return static_cast<double>(sum) / static_cast<double>(kOne) / kDeviation;
}

// Draws an input. `indices` is null unless the graph reads it as indices.
Tensor DrawInput(Random& random, const TensorType& type, const Ranges& ranges,
                 const IndexRange* indices) {
  if (indices != nullptr) return DrawIndices(random, type, *indices);
  const auto count = static_cast<size_t>(type.shape.Elements());
  if (IsFloat(type.type)) {
    std::vector<double> numbers(count);
    std::ranges::generate(numbers, [&] { return ranges.deviation * NearlyNormal(random); });
    return Tensor::FromFloats(type.type, type.shape, numbers);
  }
  int64_t least = 0, greatest = 1;
  if (type.type == DType::kInt32) {
    least = ranges.least;
    greatest = ranges.greatest;
  } else if (type.type != DType::kBool) {
    least = MinimumInteger(type.type) >> ranges.shift;
    greatest = MaximumInteger(type.type) >> ranges.shift;
  }
  std::vector<int64_t> numbers(count);
  std::ranges::generate(numbers, [&] { return random.Between(least, greatest); });
  return Tensor::FromIntegers(type.type, type.shape, numbers);
}

std::string RangeText(const Ranges& ranges, const Block& main,
                      const std::map<TensorIndex, IndexRange>& indices) {
  std::string text;
  const auto add = [&text](const std::string& words) {
    text += (text.empty() ? "" : ", ") + words;
  };
  const auto has = [&](auto accepts) {
    return std::ranges::any_of(main.inputs, [&](TensorIndex input) {
      return !indices.contains(input) && accepts(main.TypeOf(input).type);
    });
  };
  if (has([](DType type) { return IsFloat(type); })) {
    const auto deviation = std::to_string(ranges.deviation);
    add("nearly normal floats of deviation " +
        deviation.substr(0, deviation.find_last_not_of(".0") + 1));
  }
  if (has([](DType type) { return type == DType::kInt32; })) {
    add("i32 from " + std::to_string(ranges.least) + " to " + std::to_string(ranges.greatest));
  }
  const auto is_narrow = [](DType type) {
    return !IsFloat(type) && type != DType::kInt32 && type != DType::kBool;
  };
  if (has(is_narrow)) {
    add(ranges.shift == 0 ? "integers of the whole range of their type"
                          : "integers of a " + std::to_string(1 << ranges.shift) +
                                (ranges.shift == 1 ? "nd" : "th") + " of the range of their type");
  }
  if (std::ranges::any_of(main.inputs, [&](TensorIndex x) { return indices.contains(x); })) {
    add("indices of whole tables");
  }
  return text;
}

// Returns the mean share of informative elements of the tensors inside the model.
double InformativeShare(const ModelValues& values) {
  double sum = 0;
  for (const auto& [index, tensor] : values.values) sum += InformativeShare(tensor);
  return values.values.empty() ? 0 : sum / static_cast<double>(values.values.size());
}

// Returns why a model is not valid with inputs that were drawn. No inputs help against a static
// rule.
Error WhyInvalid(const TestVector& model, const Outcome& failure) {
  if (failure.kind == OutcomeKind::kUnsupported) {
    return Unsupported("with inputs that were drawn: " + failure.message);
  }
  for (const Breach& breach :
       CheckGraph(model.graphs[0], LevelByName(model.level).value_or(kLevel8K), {})) {
    if (breach.rule != failure.rule) continue;
    return BadInput("breaks " + breach.rule + ", whatever the inputs, in " + breach.where + ": " +
                    std::string(RuleText(breach.rule)) + "; `assay check` lists all that is wrong");
  }
  return BadInput("the model is not valid with any inputs that were drawn (" + failure.rule +
                  (failure.message.empty() ? "" : ": ") + failure.message +
                  "); give inputs with --input");
}

}  // namespace

double InformativeShare(const Tensor& tensor) {
  const int64_t count = tensor.elements();
  if (count == 0) return 0;
  double least = HUGE_VAL, greatest = -HUGE_VAL;
  ForEachNumber(tensor, [&](double x) {
    if (x < least) least = x;
    if (x > greatest) greatest = x;
  });
  int64_t informative = 0;
  ForEachNumber(tensor, [&](double x) {
    informative += std::isfinite(x) && x != 0 && x != least && x != greatest ? 1 : 0;
  });
  return static_cast<double>(informative) / static_cast<double>(count);
}

Result<DrawnInputs> DrawModelInputs(const TestVector& model, const NeededPart& part, uint64_t seed,
                                    int64_t sample) {
  const Block& main = MainOf(model);
  const int64_t most = ExecutionOptions().elements_max;
  for (const TensorIndex input : main.inputs) {
    const TensorType& type = main.TypeOf(input);
    if (type.shape.Elements() <= most) continue;
    return Unsupported("the input of type " + type.ToString() + " has more than " +
                       std::to_string(most) + " elements");
  }
  const std::map<TensorIndex, IndexRange> indices = IndexRangesOf(main);
  std::optional<DrawnInputs> best;
  std::optional<Outcome> failure;
  // The first sample is the most informative. Those that follow take the ranges in turn, the widest
  // first.
  const size_t count = sample == 0 ? kCalmRanges : kRanges.size();
  const size_t turn = static_cast<size_t>(sample) % count;
  for (size_t i = 0; i < count; ++i) {
    const Ranges& ranges = kRanges[sample == 0 ? i : (2 * count - turn - i) % count];
    Random random = Random::For(seed, static_cast<uint64_t>(sample), "model", 1);
    TestVector trial = model;
    trial.steps[0].inputs.clear();
    for (const TensorIndex input : main.inputs) {
      const auto found = indices.find(input);
      trial.steps[0].inputs.push_back(DrawInput(random, main.TypeOf(input), ranges,
                                                found == indices.end() ? nullptr : &found->second));
    }
    const ModelValues values = ValuesOf(trial, part);
    if (values.outcome.kind != OutcomeKind::kValid) {
      if (!failure) failure = values.outcome;
    } else if (const double share = InformativeShare(values); !best || share > best->informative) {
      best = DrawnInputs{std::move(trial.steps[0].inputs), RangeText(ranges, main, indices), share};
    }
    if (main.inputs.empty()) break;  // another range changes nothing
    if (sample > 0 && best) break;
  }
  if (best) return std::move(*best);
  return WhyInvalid(model, *failure);
}

}  // namespace assay

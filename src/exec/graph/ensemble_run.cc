// SPDX-License-Identifier: Apache-2.0
#include "ensemble_run.h"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <limits>

#include "parallel.h"
#include "random.h"

namespace assay {
namespace {

// Any vector is worth a thread, because fifteen members run it.
constexpr double kNanosecondsOfMember = 1e6;

int64_t Elements(const Block& block, TensorIndex tensor) {
  return std::max<int64_t>(block.TypeOf(tensor).shape.Elements(), 0);
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// Returns the product of two numbers that are not negative, or the largest number.
int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

// Returns the product of some dimensions of a tensor.
int64_t Product(const Shape& shape, std::initializer_list<int> dimensions) {
  int64_t product = 1;
  for (const int i : dimensions) {
    product = Times(product, i < shape.rank() ? std::max(shape[i], 0) : 1);
  }
  return product;
}

}  // namespace

std::vector<std::vector<Outcome>> ExecuteEnsemble(const TestVector& vector,
                                                  const ExecutionOptions& options, uint64_t seed) {
  Random random(seed);
  const std::span<const Member> members = Ensemble();
  std::vector<uint64_t> seeds(members.size());
  for (uint64_t& member_seed : seeds) member_seed = random.Next();
  std::vector<std::vector<Outcome>> outcomes(members.size());
  std::atomic<size_t> capped = members.size();  // the least index of a member that is capped
  ForEachPart(std::ssize(members), kNanosecondsOfMember, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end) && i < capped; ++i) {
      ExecutionOptions of_member = options;
      of_member.member = &members[i];
      of_member.member_seed = seeds[i];
      outcomes[i] = ExecuteVector(vector, of_member);
      const auto is_capped = [](const Outcome& outcome) {
        return outcome.kind == OutcomeKind::kUnsupported;
      };
      if (std::ranges::none_of(outcomes[i], is_capped)) continue;
      size_t least = capped;
      while (i < least && !capped.compare_exchange_weak(least, i)) {
      }
    }
  });
  outcomes.resize(capped);
  return outcomes;
}

int64_t MultiplyAccumulates(const Block& block, const Operator& op) {
  if (op.outputs.empty() || op.inputs.empty()) return 0;
  const int64_t results = Elements(block, op.outputs[0]);
  const Shape& data = block.TypeOf(op.inputs[0]).shape;
  // The graph may break rules: an operand may be missing, and an attribute may be empty.
  const Shape weight = op.inputs.size() > 1 ? block.TypeOf(op.inputs[1]).shape : Shape();
  switch (op.op) {
    case Op::kConv2d:
      return Times(results, Product(weight, {1, 2, 3}));
    case Op::kConv3d:
      return Times(results, Product(weight, {1, 2, 3, 4}));
    case Op::kTransposeConv2d:
      return Times(Elements(block, op.inputs[0]), Product(weight, {0, 1, 2}));
    case Op::kDepthwiseConv2d:
      return Times(results, Product(weight, {0, 1}));
    case Op::kMatmul:
      return Times(results, Product(data, {2}));
    case Op::kAvgPool2d: {
      int64_t terms = results;
      for (const int32_t side : op.attributes.Ints(AttributeId::kKernel)) {
        terms = Times(terms, std::max(side, 0));
      }
      return terms;
    }
    case Op::kFft2d:
    case Op::kRfft2d:
      return Times(Times(4, results), Product(data, {1, 2}));
    case Op::kReduceSum:
    case Op::kReduceProduct:
      return Elements(block, op.inputs[0]);
    default:
      return 0;
  }
}

int64_t MultiplyAccumulates(const TestVector& vector) {
  int64_t terms = 0;
  for (const Step& step : vector.steps) {
    for (const auto& [block, op] : vector.GraphOf(step).Operators()) {
      if (__builtin_add_overflow(terms, MultiplyAccumulates(block, op), &terms)) return kMost;
    }
  }
  return terms;
}

}  // namespace assay

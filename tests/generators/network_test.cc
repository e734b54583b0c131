// SPDX-License-Identifier: Apache-2.0
// Tests networks: each is valid, lattices are exact in any order of summation and pass on changes
// of one unit, and the networks of corpus/network_hashes are made again with the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "exact_sums.h"
#include "executor.h"
#include "float_format.h"
#include "generated.h"
#include "generator_table.h"
#include "lattice_arithmetic.h"
#include "network_request.h"
#include "sha256.h"
#include "tvec_file.h"

namespace assay::network_test {
namespace {

const Generator& Networks() { return *GeneratorByKind("network"); }

GeneratorOptions OptionsOf(const std::string& network, uint64_t seed = 1) {
  GeneratorOptions options = Options(seed);
  options.network = network;
  return options;
}

// Calls test(vector) for some vectors of each small lattice network, and of longer recurrent ones.
template <class Test>
void ForEachLattice(uint64_t count, Test test) {
  std::vector<NetworkRequest> requests = SmallNetworks(Options(1));
  for (const char* longer : {"lstm@12,fp32,lattice", "gru@12,fp32,lattice", "lstm@12,fp16,lattice",
                             "gru@12,bf16,lattice"}) {
    requests.push_back(*ParseNetwork(longer));
  }
  for (const NetworkRequest& request : requests) {
    if (!request.lattice) continue;
    const GeneratorOptions options = OptionsOf(request.ToString(), 5);
    for (uint64_t index = 0; index < count; ++index) {
      const auto vector = Networks().make(options, index);
      ASSERT_TRUE(vector) << request.ToString() << " " << index;
      test(*vector);
    }
  }
}

// Returns the value of every tensor of the main block.
std::map<TensorIndex, Tensor> ValuesOf(const TestVector& vector) {
  Graph graph = vector.graphs[0];
  Block& main = *graph.Main();
  std::map<TensorIndex, Tensor> values;
  main.outputs.clear();
  for (const Operator& op : main.operators) {
    if (IsConstant(op.op)) {
      values[op.outputs[0]] = op.attributes.Value(AttributeId::kValues);
    } else {
      main.outputs.push_back(op.outputs[0]);
    }
  }
  Context context;
  const Outcome outcome = Execute(context, graph, vector.steps[0].inputs, {});
  EXPECT_EQ(outcome.kind, OutcomeKind::kValid) << outcome.message;
  for (size_t i = 0; i < main.outputs.size(); ++i) values[main.outputs[i]] = outcome.outputs[i];
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    values[main.inputs[i]] = vector.steps[0].inputs[i];
  }
  return values;
}

// --- the condition

bool IsExactRow(std::vector<double> input, std::vector<double> weight, std::vector<double> bias,
                DType acc, DType out) {
  DotShape shape = {.op = Op::kMatmul};
  shape.channels = static_cast<int32_t>(input.size());
  return IsExactDotProduct(shape, input, weight, bias, acc, out);
}

TEST(ExactSums, FindUnits) {
  EXPECT_EQ(UnitOf(std::vector<double>{6, -4, 0}), 2);
  EXPECT_EQ(UnitOf(std::vector<double>{0.375, 16}), 0.125);
  EXPECT_EQ(UnitOf(std::vector<double>{0, -0.0}), 0);
  EXPECT_EQ(UnitOf(std::vector<double>{0x1p-126, 1}), 0x1p-126);
}

// Two batches of one row and one column. The unit is that of the whole tensor: 1, though the first
// batch alone has 2.
TEST(ExactSums, HaveOneUnitForAllBatches) {
  const auto is_exact = [](double second) {
    DotShape shape = {.op = Op::kMatmul};
    shape.channels = shape.batches = 2;
    const std::vector<double> weight = {1, 1, 1, 1};
    return IsExactDotProduct(shape, std::vector<double>{16777216, 2, second, 4}, weight, {},
                             DType::kFp32, DType::kFp32);
  };
  EXPECT_TRUE(is_exact(2));
  EXPECT_FALSE(is_exact(1));
}

// The second batch meets its own weights: 2^24 - 1 + 2 is too much for 24 bits.
TEST(ExactSums, PairEachBatchWithItsWeights) {
  const auto is_exact = [](std::vector<double> weight) {
    DotShape shape = {.op = Op::kMatmul};
    shape.channels = shape.batches = 2;
    return IsExactDotProduct(shape, std::vector<double>{1, 2, 16777215, 2}, weight, {},
                             DType::kFp32, DType::kFp32);
  };
  EXPECT_TRUE(is_exact({1, 1, 1, 0}));
  EXPECT_FALSE(is_exact({1, 0, 1, 1}));
}

TEST(ExactSums, FillTheAccumulatorAndNoMore) {
  constexpr DType kFp32 = DType::kFp32, kFp16 = DType::kFp16, kBf16 = DType::kBf16;
  // 2^24 - 2 + 2 = 2^24 units, and one unit more; the result is a value in both cases.
  EXPECT_TRUE(IsExactRow({16777214, 2, 1}, {1, -1, 0}, {}, kFp32, kFp32));
  EXPECT_TRUE(IsExactRow({16777213, 2, 1}, {1, -1, 1}, {}, kFp32, kFp32));
  EXPECT_FALSE(IsExactRow({16777213, 3, 1}, {1, -1, 1}, {}, kFp32, kFp32));
  // The bias counts.
  EXPECT_TRUE(IsExactRow({16777213, 1}, {1, 1}, {2}, kFp32, kFp32));
  EXPECT_FALSE(IsExactRow({16777213, 1}, {1, 1}, {-3}, kFp32, kFp32));
  // 2^11 units in fp16, of 1/4 * 1/2.
  EXPECT_TRUE(IsExactRow({511.75, 0.25}, {0.5, -0.5}, {}, kFp16, kFp16));
  EXPECT_FALSE(IsExactRow({511.75, 0.5}, {0.5, -0.5}, {}, kFp16, kFp16));
  EXPECT_TRUE(IsExactRow({511.75, 0.5}, {0.5, -0.5}, {}, kFp32, kFp16));
  // The bias is half a unit.
  EXPECT_TRUE(IsExactRow({3, 5}, {1, 1}, {0}, kFp32, kFp32));
  EXPECT_FALSE(IsExactRow({3, 5}, {1, 1}, {0.5}, kFp32, kFp32));
  // 257 is no bf16 and 2049 no fp16, though both accumulators have room.
  EXPECT_TRUE(IsExactRow({255, 1}, {1, 1}, {}, kFp32, kBf16));
  EXPECT_FALSE(IsExactRow({255, 1}, {1, 1}, {1}, kFp32, kBf16));
  EXPECT_FALSE(IsExactRow({2047, 1}, {1, 1}, {1}, kFp32, kFp16));
  // A unit of the smallest normal number, and of half of it.
  EXPECT_TRUE(IsExactRow({0x1p-63, 0x1p-62}, {0x1p-63, 0x1p-63}, {}, kFp32, kFp32));
  EXPECT_FALSE(IsExactRow({0x1p-63, 0x1p-62}, {0x1p-64, 0x1p-63}, {}, kFp32, kFp32));
  EXPECT_TRUE(IsExactRow({1, 0x1p-7}, {0x1p-7, 0x1p-7}, {}, kFp16, kFp16));
  EXPECT_FALSE(IsExactRow({1, 0x1p-7}, {0x1p-8, 0x1p-8}, {}, kFp16, kFp16));
  EXPECT_TRUE(IsExactRow({1, 0x1p-7}, {0x1p-8, 0x1p-8}, {}, kFp32, kFp16));
  // The result is the smallest normal number of fp16, and half of it.
  EXPECT_TRUE(IsExactRow({0x1p-7}, {0x1p-7}, {}, kFp32, kFp16));
  EXPECT_FALSE(IsExactRow({0x1p-7}, {0x1p-8}, {}, kFp32, kFp16));
  // Zeros have no unit.
  EXPECT_FALSE(IsExactRow({0, 0}, {1, 1}, {}, kFp32, kFp32));
}

// --- summation in other orders and in the accumulator's precision

struct Term {
  double a, b;
};

// Adds products, both rounded to the accumulator's type at each step.
double Sum(const std::vector<Term>& terms, double bias, DType acc, bool bias_first) {
  double sum = bias_first ? bias : 0;
  for (const Term& term : terms) {
    sum = RoundToType(acc, sum + RoundToType(acc, term.a * term.b));
  }
  return bias_first ? sum : RoundToType(acc, sum + bias);
}

// Compares one result with the sums of its terms in three orders.
void ExpectSum(std::vector<Term> terms, double bias, DType acc, double got, Random& random,
               const std::string& where) {
  EXPECT_EQ(Sum(terms, bias, acc, true), got) << where;
  std::reverse(terms.begin(), terms.end());
  EXPECT_EQ(Sum(terms, bias, acc, false), got) << where;
  for (size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[random.Below(i)]);
  EXPECT_EQ(Sum(terms, bias, acc, false), got) << where;
}

// Compares an operator's results with sums that are written out here once more.
void ExpectExact(const Operator& op, const std::map<TensorIndex, Tensor>& values, Random& random,
                 const std::string& where) {
  const auto value = [&](size_t i) -> const Tensor& { return values.at(op.inputs[i]); };
  const Tensor& out = values.at(op.outputs[0]);
  const Shape& y = out.shape();
  const auto at = [](const Tensor& t, int64_t a, int64_t b, int64_t c, int64_t d) {
    const Shape& s = t.shape();
    return t.Float(((a * s[1] + b) * s[2] + c) * s[3] + d);
  };
  if (op.op == Op::kMatmul) {
    const Shape& a = value(0).shape();
    for (int64_t n = 0; n < y[0]; ++n) {
      for (int64_t h = 0; h < y[1]; ++h) {
        for (int64_t w = 0; w < y[2]; ++w) {
          std::vector<Term> terms;
          for (int64_t c = 0; c < a[2]; ++c) {
            terms.push_back({value(0).Float((n * a[1] + h) * a[2] + c),
                             value(1).Float((n * a[2] + c) * y[2] + w)});
          }
          ExpectSum(std::move(terms), 0, out.type(), out.Float((n * y[1] + h) * y[2] + w), random,
                    where);
        }
      }
    }
    return;
  }
  const bool depthwise = op.op == Op::kDepthwiseConv2d, up = op.op == Op::kTransposeConv2d;
  if (op.op != Op::kConv2d && !depthwise && !up) return;
  const auto acc = static_cast<DType>(op.attributes.Int(AttributeId::kAccType));
  const auto& stride = op.attributes.Ints(AttributeId::kStride);
  const auto& pad = op.attributes.Ints(up ? AttributeId::kOutPad : AttributeId::kPad);
  const Shape& x = value(0).shape();
  const Shape& k = value(1).shape();
  const int32_t kernel_height = k[depthwise ? 0 : 1], kernel_width = k[depthwise ? 1 : 2];
  for (int32_t oy = 0; oy < y[1]; ++oy) {
    for (int32_t ox = 0; ox < y[2]; ++ox) {
      for (int32_t oc = 0; oc < y[3]; ++oc) {
        std::vector<Term> terms;
        for (int32_t iy = 0; iy < x[1]; ++iy) {
          const int32_t ky = up ? oy - iy * stride[0] - pad[0] : iy - oy * stride[0] + pad[0];
          if (ky < 0 || ky >= kernel_height) continue;
          for (int32_t ix = 0; ix < x[2]; ++ix) {
            const int32_t kx = up ? ox - ix * stride[1] - pad[2] : ix - ox * stride[1] + pad[2];
            if (kx < 0 || kx >= kernel_width) continue;
            for (int32_t ic = 0; ic < x[3]; ++ic) {
              if (depthwise && ic != oc) continue;
              terms.push_back({at(value(0), 0, iy, ix, ic), depthwise
                                                                ? at(value(1), ky, kx, ic, 0)
                                                                : at(value(1), oc, ky, kx, ic)});
            }
          }
        }
        ExpectSum(std::move(terms), value(2).Float(oc), acc, at(out, 0, oy, ox, oc), random, where);
      }
    }
  }
}

TEST(Lattice, IsExactInAnyOrderOfSummation) {
  Random random(1);
  std::set<Op> met;
  ForEachLattice(Rounds(4), [&](const TestVector& vector) {
    const std::map<TensorIndex, Tensor> values = ValuesOf(vector);
    for (const Operator& op : vector.graphs[0].Main()->operators) {
      if (IsConstant(op.op)) continue;
      met.insert(op.op);
      ExpectExact(op, values, random, vector.name + " " + std::string(OperatorName(op.op)));
    }
  });
  for (const Op op : {Op::kConv2d, Op::kDepthwiseConv2d, Op::kTransposeConv2d, Op::kMatmul}) {
    EXPECT_TRUE(met.contains(op)) << OperatorName(op);
  }
}

// The operators that round are exact as well: what they compute is a value of their type.
TEST(Lattice, IsExactInElementwiseOperatorsAndAverages) {
  std::set<Op> met;
  ForEachLattice(Rounds(6), [&](const TestVector& vector) {
    const std::map<TensorIndex, Tensor> values = ValuesOf(vector);
    const Block& main = *vector.graphs[0].Main();
    for (const Operator& op : main.operators) {
      if (IsConstant(op.op)) continue;
      const Tensor& x = values.at(op.inputs[0]);
      const Tensor& z = values.at(op.outputs[0]);
      met.insert(op.op);
      if (op.op == Op::kAvgPool2d) {
        const Shape& s = x.shape();
        for (int64_t c = 0; c < s[3]; ++c) {
          double sum = 0;
          for (int64_t i = c; i < x.elements(); i += s[3]) sum += x.Float(i);
          EXPECT_EQ(z.Float(c), sum / (s[1] * s[2])) << vector.name;
        }
      }
      if (op.op == Op::kCast) {
        for (int64_t i = 0; i < z.elements(); ++i) EXPECT_EQ(z.Float(i), x.Float(i)) << vector.name;
      }
      if (op.op != Op::kAdd && op.op != Op::kSub && op.op != Op::kMul) continue;
      const Tensor& y = values.at(op.inputs[1]);
      const int64_t period = std::max<int64_t>(y.elements(), 1);
      for (int64_t i = 0; i < z.elements(); ++i) {
        const double a = x.Float(x.elements() == 1 ? 0 : i), b = y.Float(i % period);
        const double exact = op.op == Op::kMul ? a * b : op.op == Op::kAdd ? a + b : a - b;
        EXPECT_EQ(z.Float(i), exact) << vector.name << " " << OperatorName(op.op);
      }
    }
  });
  for (const Op op : {Op::kAdd, Op::kMul, Op::kCast, Op::kAvgPool2d}) {
    EXPECT_TRUE(met.contains(op)) << OperatorName(op);
  }
}

// --- operators between two activations

class Rounding : public testing::Test {
 protected:
  // Adds an input of one row.
  TensorIndex Row(std::vector<double> elements) {
    const auto count = static_cast<int32_t>(elements.size());
    return graph.AddInput(Tensor::FromFloats(DType::kFp32, {1, 1, count}, elements));
  }
  NetworkGraph graph{kLevel8K};
  LatticeArithmetic lattice{graph, LatticePlan(), Random(1)};
};

TEST_F(Rounding, IsNoticedInProducts) {
  lattice.Times(Row({0.5, 3}), Row({0x1.000002p0, 5}));
  EXPECT_FALSE(lattice.failed());
  lattice.Times(Row({0x1.0002p0}), Row({0x1.0001p0}));
  EXPECT_TRUE(lattice.failed());
}

TEST_F(Rounding, IsNoticedInProductsThatFlush) {
  lattice.Times(Row({0x1p-63}), Row({0x1p-63}));
  EXPECT_FALSE(lattice.failed());
  lattice.Times(Row({0x1p-63}), Row({0x1p-64}));
  EXPECT_TRUE(lattice.failed());
}

TEST_F(Rounding, IsNoticedInSums) {
  lattice.Add(Row({0x1p23}), Row({1}));
  EXPECT_FALSE(lattice.failed());
  lattice.Add(Row({0x1p24}), Row({1}));
  EXPECT_TRUE(lattice.failed());
}

TEST_F(Rounding, IsNoticedInComplements) {
  lattice.Complement(Row({0x1p-23}));
  EXPECT_FALSE(lattice.failed());
  lattice.Complement(Row({0x1p-25}));
  EXPECT_TRUE(lattice.failed());
}

TEST_F(Rounding, IsNoticedInWeightedValues) {
  const auto matrix = [&](std::vector<double> elements) {
    return graph.AddInput(Tensor::FromFloats(DType::kFp32, {1, 4, 1}, elements));
  };
  const TensorIndex q = matrix({1, 2, -1, 3}), k = matrix({3, -2, 1, 2});
  lattice.Attend(q, k, matrix({1, 2, 0x1p20, 3}));
  EXPECT_FALSE(lattice.failed());
  lattice.Attend(q, k, matrix({0x1p24, 0x1p24, 1, 0x1p24}));
  EXPECT_TRUE(lattice.failed());
}

// No weights of one connection leave room for 25 bits.
TEST_F(Rounding, IsNoticedInWeights) {
  const auto rows = [&](double greatest) {
    return graph.AddInput(
        Tensor::FromFloats(DType::kFp32, {1, 3, 1}, std::vector{greatest, 1.0, -greatest}));
  };
  lattice.Dense(rows(7), 2, Activation::kRelu6);
  EXPECT_FALSE(lattice.failed());
  lattice.Dense(rows(0x1p25), 2, Activation::kRelu6);
  EXPECT_TRUE(lattice.failed());
}

// --- information

// Returns the vector's graph with `delta` added to a tensor, for all readers.
Graph WithFault(const TestVector& vector, TensorIndex tensor, Tensor delta) {
  Graph graph = vector.graphs[0];
  Block& main = *graph.Main();
  const auto constant = static_cast<TensorIndex>(main.tensors.size());
  const TensorType type = main.TypeOf(tensor);
  for (const char* name : {"delta", "faulty"}) {
    TensorInfo& info = main.tensors.emplace_back();
    info.name = name;
    info.type = type;
  }
  std::vector<Operator> operators;
  for (Operator& op : main.operators) {
    std::ranges::replace(op.inputs, tensor, constant + 1);
    const bool is_producer = std::ranges::count(op.outputs, tensor) > 0;
    operators.push_back(std::move(op));
    if (!is_producer) continue;
    operators.push_back({Op::kConst, {{AttributeId::kValues, delta}}, {}, {constant}});
    operators.push_back({Op::kAdd, {}, {tensor, constant}, {constant + 1}});
  }
  main.operators = std::move(operators);
  std::ranges::replace(main.outputs, tensor, constant + 1);
  return graph;
}

bool ChangesOutput(const TestVector& vector, const Graph& graph) {
  Context context;
  const Outcome outcome = Execute(context, graph, vector.steps[0].inputs, {});
  EXPECT_EQ(outcome.kind, OutcomeKind::kValid) << outcome.message;
  return outcome.outputs[0] != vector.steps[0].outputs[0].value;
}

struct Share {
  int64_t seen = 0, all = 0;
  double value() const { return static_cast<double>(seen) / static_cast<double>(all); }
};

std::vector<double> FloatsOf(const Tensor& tensor) {
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.elements(); ++i) elements.push_back(tensor.Float(i));
  return elements;
}

// Returns the shares of changes that reach the first output, by network without its size. `change`
// gives the tensor that is added to the clean value of the result of one CLAMP.
template <class Change>
std::map<std::string, Share> SharesSeen(uint64_t vectors, Change change) {
  std::map<std::string, Share> shares;
  ForEachLattice(vectors, [&](const TestVector& vector) {
    const std::map<TensorIndex, Tensor> values = ValuesOf(vector);
    const std::string title = vector.name.substr(vector.name.find_last_of('-') + 1);
    Share& share = shares[title.substr(0, title.find('@'))];
    for (const Operator& op : vector.graphs[0].Main()->operators) {
      if (op.op != Op::kClamp) continue;
      const Tensor& clean = values.at(op.outputs[0]);
      const Tensor delta =
          Tensor::FromFloats(clean.type(), clean.shape(), change(clean.type(), FloatsOf(clean)));
      share.seen += ChangesOutput(vector, WithFault(vector, op.outputs[0], delta));
      ++share.all;
    }
  });
  return shares;
}

// Gates are steps, and steps hide small changes in front of them: in recurrent networks from four
// of six or seven activations, in transformers from two of seven.
double LeastShare(const std::string& network) {
  if (network == "lstm" || network == "gru") return 0.25;
  return network.starts_with("transformer") ? 0.55 : 0.65;
}

TEST(Lattice, PassesOnAChangeOfOneElementByOneUnit) {
  Random random(2);
  const auto shares = SharesSeen(4, [&](DType, const std::vector<double>& clean) {
    std::vector<double> delta(clean.size(), 0);
    delta[random.Below(delta.size())] = UnitOf(clean) == 0 ? 1 : UnitOf(clean);
    return delta;
  });
  EXPECT_EQ(shares.size(), AllArchitectures().size());
  for (const auto& [network, share] : shares) {
    std::cout << network << ": " << share.seen << " of " << share.all << " changes seen\n";
    EXPECT_GE(share.value(), LeastShare(network)) << network;
  }
}

// A function of activations that is one unit in the last place too great, as in a backend of
// higher precision that lacks its last bit.
TEST(Lattice, ShowsAnActivationThatIsOneUlpOff) {
  const auto shares = SharesSeen(4, [&](DType type, std::vector<double> values) {
    for (double& x : values) x = x == 0 ? 0 : NextUp(type, x) - x;
    return values;
  });
  for (const auto& [network, share] : shares) {
    std::cout << network << ": " << share.seen << " of " << share.all << " faults seen\n";
    EXPECT_GE(share.value(), LeastShare(network)) << network;
  }
}

// --- activations

// Counts the elements of the results of all CLAMPs that are strictly inside their bounds.
void CountInside(const TestVector& vector, Share& share) {
  const std::map<TensorIndex, Tensor> values = ValuesOf(vector);
  for (const Operator& op : vector.graphs[0].Main()->operators) {
    if (op.op != Op::kClamp) continue;
    const Tensor& result = values.at(op.outputs[0]);
    const auto at = [](const Tensor& tensor, int64_t i) {
      return IsFloat(tensor.type()) ? tensor.Float(i) : static_cast<double>(tensor.Integer(i));
    };
    const double low = at(op.attributes.Value(AttributeId::kMinVal), 0);
    const double high = at(op.attributes.Value(AttributeId::kMaxVal), 0);
    for (int64_t i = 0; i < result.elements(); ++i) {
      share.seen += at(result, i) > low && at(result, i) < high;
      ++share.all;
    }
  }
}

TEST(Network, HasActivationsInsideTheirBounds) {
  std::map<std::string, Share> shares;
  for (uint64_t index = 0; index < SmallNetworks(Options(1)).size(); ++index) {
    const auto vector = Networks().make(Options(3), index);
    ASSERT_TRUE(vector) << index;
    CountInside(*vector, shares[vector->name.substr(vector->name.find_last_of('-') + 1)]);
  }
  for (const auto& [network, share] : shares) {
    EXPECT_TRUE(share.all == 0 || share.value() >= 0.3) << network << " " << share.value();
  }
}

// No output is all zeros or the same number everywhere.
TEST(Network, HasOutputsThatDiffer) {
  for (uint64_t index = 0; index < 2 * SmallNetworks(Options(1)).size(); ++index) {
    const auto vector = Networks().make(Options(4), index);
    ASSERT_TRUE(vector) << index;
    const Tensor& output = vector->steps[0].outputs[0].value;
    std::set<std::string> elements;
    for (int64_t i = 0; i < output.elements(); ++i) elements.insert(output.ElementText(i));
    EXPECT_GE(elements.size(), 3U) << vector->name;
  }
}

TEST(Network, IsValidInEveryTypeAndFlavour) {
  std::set<std::string> made;
  const std::vector<NetworkRequest> requests = SmallNetworks(Options(1));
  EXPECT_EQ(requests.size(), AllArchitectures().size() * 2 * 7);
  for (const NetworkRequest& request : requests) {
    const auto vector = Networks().make(OptionsOf(request.ToString()), 0);
    ASSERT_TRUE(vector) << request.ToString();
    EXPECT_EQ(vector->steps[0].expected, OutcomeKind::kValid);
    EXPECT_EQ(HasTag(*vector, "lattice"), request.lattice) << vector->name;
    EXPECT_EQ(vector->steps[0].inputs[0].type(), request.type) << vector->name;
    EXPECT_LT(WriteTestVector(*vector).size(), 300'000U) << vector->name;
    made.insert(request.ToString());
  }
  EXPECT_EQ(made.size(), requests.size());
}

TEST(Network, IsNotMadeOfTypesThatTheTargetLacks) {
  GeneratorOptions options = Options(1);
  options.target = {Feature::kProFp};
  for (const NetworkRequest& request : SmallNetworks(options)) {
    EXPECT_TRUE(request.type == DType::kFp32 || request.type == DType::kFp16);
  }
  options.network = "resnet@8,i8";
  options.types = {DType::kFp32};
  EXPECT_FALSE(Networks().make(options, 0));
}

// The layer of dense or wide weights walks with the index through all layers.
TEST(Network, WalksThroughTheLayersOfALattice) {
  const GeneratorOptions options = OptionsOf("mobilenet_v2@16,fp32,lattice");
  std::set<size_t> dense, wide;
  size_t layers = 0;
  for (uint64_t index = 0; index < 40; ++index) {
    const auto vector = Networks().make(options, index);
    ASSERT_TRUE(vector);
    const std::map<TensorIndex, Tensor> values = ValuesOf(*vector);
    size_t layer = 0;
    for (const Operator& op : vector->graphs[0].Main()->operators) {
      if (op.op != Op::kConv2d && op.op != Op::kDepthwiseConv2d) continue;
      const std::vector<double> weights = FloatsOf(values.at(op.inputs[1]));
      const std::set<double> distinct(weights.begin(), weights.end());
      const bool has_zeros = distinct.contains(0);
      const bool is_wide = UnitOf(weights) == 0x1p-10 && has_zeros;
      if (is_wide) wide.insert(layer);
      if (!has_zeros && distinct.size() > 3) dense.insert(layer);
      ++layer;
    }
    layers = layer;
  }
  EXPECT_EQ(dense.size(), layers);
  EXPECT_GE(wide.size(), layers - 1);
}

TEST(Network, IsRefusedByReason) {
  const auto refusal = [](const std::string& text) {
    const Result<NetworkRequest> request = ParseNetwork(text);
    return request ? "" : request.error().message;
  };
  EXPECT_EQ(refusal("resnet"), "");
  EXPECT_EQ(refusal("mobilenet_v2@224,bf16,lattice"), "");
  EXPECT_EQ(refusal("resnet51"),
            "--network resnet51: no network of this name; there are mobilenet_v2, resnet, unet, "
            "transformer, lstm, gru, keyword_spotter, resnet50, transformer_base");
  EXPECT_EQ(refusal("resnet@13"),
            "--network resnet@13: the size of resnet is a multiple of 8 from 8 to 512");
  EXPECT_EQ(refusal("gru@4x"),
            "--network gru@4x: the size of gru is a multiple of 1 from 1 to 256");
  EXPECT_EQ(refusal("gru,fp8"),
            "--network gru,fp8: 'fp8' is none of fp32, fp16, bf16, i8 and lattice");
  EXPECT_EQ(
      refusal("gru,i8,lattice"),
      "--network gru,i8,lattice: i8 has no lattice version; its networks are exact as they are");
}

// The networks of corpus/network_hashes have the same bytes on every machine. Those of real size
// take minutes, and are made if ASSAY_REAL_NETWORKS is set. With ASSAY_BLESS, writes the file
// again.
TEST(Network, HasTheBytesOfTheCorpus) {
  const std::string path = std::string(ASSAY_SOURCE_DIR) + "/corpus/network_hashes/networks.json";
  std::ifstream in(path);
  nlohmann::ordered_json corpus = nlohmann::ordered_json::parse(in);
  const bool bless = std::getenv("ASSAY_BLESS") != nullptr;
  const bool all = std::getenv("ASSAY_REAL_NETWORKS") != nullptr || bless;
  int64_t made = 0;
  for (auto& entry : corpus["networks"]) {
    const auto text = entry["network"].get<std::string>();
    const Result<NetworkRequest> request = ParseNetwork(text);
    ASSERT_TRUE(request) << request.error().message;
    if (request->size >= request->architecture->real_size && !all) continue;
    const auto vector = Networks().make(OptionsOf(text, entry["seed"].get<uint64_t>()),
                                        entry["index"].get<uint64_t>());
    ASSERT_TRUE(vector) << text;
    const std::vector<uint8_t> bytes = WriteTestVector(*vector);
    if (bless) {
      entry["bytes"] = bytes.size();
      entry["sha256"] = Sha256(bytes);
    }
    EXPECT_EQ(entry["bytes"].get<size_t>(), bytes.size()) << text;
    EXPECT_EQ(entry["sha256"].get<std::string>(), Sha256(bytes)) << text;
    ++made;
  }
  EXPECT_GE(made, 63);
  if (bless) std::ofstream(path) << corpus.dump(1) << "\n";
}

}  // namespace
}  // namespace assay::network_test

// SPDX-License-Identifier: Apache-2.0
// Floating-point dot products on the test sets of the specification's Appendix A. They have so many
// results that their errors are judged together.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "accuracy.h"
#include "appendix_a.h"
#include "executor.h"
#include "probe_graph.h"
#include "recipe.h"
#include "run_operator.h"
#include "vector_facts.h"

namespace assay::generators {

extern const Generator dot_product_generator;

namespace {

// An operand that holds test data, and the positions of its elements in the kernel.
struct Operand {
  Shape shape;
  int parameter;                           // p
  std::function<int64_t(const Shape&)> k;  // of the element at an index
  int64_t first = 0;                       // i of the first element
};

// The drawn operands, in the order of the Arguments table; zero points follow them.
struct Draw {
  int64_t kernel_size = 1;  // KS
  std::vector<Operand> operands;
  Attributes attributes;
};

// An operator and the function that draws its operands.
struct Row {
  Op op;
  Draw (*draw)(Choices& choices);
};

int64_t AtLeast(int64_t wanted, int64_t have) { return (wanted + have - 1) / have; }

int32_t Dimension(int64_t size) { return static_cast<int32_t>(std::max<int64_t>(size, 1)); }

// Returns a function that computes the position of an element in the kernel. The window takes the
// axes from `axis` on, and the next axis has `channels` channels. 0 means that channels are not
// part of the kernel.
std::function<int64_t(const Shape&)> Tap(int axis, std::vector<int32_t> kernel, int64_t channels) {
  return [axis, kernel = std::move(kernel), channels](const Shape& index) {
    int64_t k = 0;
    int at = axis;
    for (const int32_t size : kernel) k = k * size + index[at++] % size;
    return channels == 0 ? k : k * channels + index[at];
  };
}

int64_t NoTap(const Shape&) { return 0; }

// The axes of a window, drawn such that the stride divides.
struct Axes {
  std::vector<int32_t> in, kernel, stride, dilation, pad;
  int64_t taps = 1;
};

// Draws `count` axes with at least `results` output positions in all; the last axis provides what
// the others lack.
Axes DrawAxes(Choices& choices, int count, int64_t results, int32_t kernel_max, bool dilates) {
  Axes axes;
  for (int i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    const int32_t kernel = choices.Between32(i == 0 ? 1 : 2, kernel_max);
    const int32_t stride = choices.Between32(1, 2);
    const int32_t dilation = dilates ? choices.Between32(1, 2) : 1;
    const int32_t before = choices.Between32(0, kernel - 1);
    const int32_t after = choices.Between32(0, kernel - 1);
    int64_t out = last ? results : choices.Between(count == 2 ? 5 : 3, count == 2 ? 12 : 5);
    const int64_t reach = (kernel - 1) * dilation + 1 - before - after;
    out = std::max(out, AtLeast(std::max<int64_t>(1 - reach, 0), stride) + 1);
    axes.in.push_back(Dimension((out - 1) * stride + reach));
    axes.kernel.push_back(kernel);
    axes.stride.push_back(stride);
    axes.dilation.push_back(dilation);
    axes.pad.push_back(before);
    axes.pad.push_back(after);
    axes.taps *= kernel;
    results = AtLeast(results, out);
  }
  return axes;
}

Shape ShapeOf(std::initializer_list<int32_t> first, const std::vector<int32_t>& middle,
              std::initializer_list<int32_t> last) {
  Shape shape(first);
  for (const int32_t dim : middle) shape.PushBack(dim);
  for (const int32_t dim : last) shape.PushBack(dim);
  return shape;
}

void MaybeLocalBound(Choices& choices, Draw& draw) {
  if (choices.OneIn(2)) draw.attributes.Set(AttributeId::kLocalBound, choices.OneIn(2));
}

Operand Bias(Choices& choices, int32_t channels) {
  return {Shape{choices.OneIn(4) ? 1 : channels}, 2, NoTap};
}

template <int kAxes, bool kDepthwise>
Draw DrawConv(Choices& choices) {
  Draw draw;
  const int32_t batch = choices.Between32(1, 2);
  const int32_t channels = choices.Between32(kDepthwise ? 4 : 1, 6);
  const int32_t wide = choices.Between32(kDepthwise ? 1 : 6, kDepthwise ? 3 : 12);
  const int32_t results = kDepthwise ? channels * wide : wide;
  const Axes axes =
      DrawAxes(choices, kAxes, AtLeast(kMinDotProducts, batch * results), kAxes == 3 ? 3 : 4, true);
  draw.kernel_size = axes.taps * (kDepthwise ? 1 : channels);
  const int64_t k_channels = kDepthwise ? 0 : channels;
  const Shape weight = kDepthwise ? ShapeOf({}, axes.kernel, {channels, wide})
                                  : ShapeOf({wide}, axes.kernel, {channels});
  draw.operands.push_back(
      {ShapeOf({batch}, axes.in, {channels}), 0, Tap(1, axes.kernel, k_channels)});
  draw.operands.push_back({weight, 1, Tap(kDepthwise ? 0 : 1, axes.kernel, k_channels)});
  draw.operands.push_back(Bias(choices, results));
  draw.attributes.Set(AttributeId::kPad, axes.pad);
  draw.attributes.Set(AttributeId::kStride, axes.stride);
  draw.attributes.Set(AttributeId::kDilation, axes.dilation);
  MaybeLocalBound(choices, draw);
  return draw;
}

Draw DrawTransposeConv(Choices& choices) {
  Draw draw;
  const int32_t channels = choices.Between32(1, 6);
  const int32_t wide = choices.Between32(6, 12);
  std::vector<int32_t> in, kernel, stride, pad;
  int64_t results = AtLeast(kMinDotProducts, wide);
  for (int i = 0; i < 2; ++i) {
    kernel.push_back(choices.Between32(2, 4));
    stride.push_back(choices.Between32(1, 2));
    for (int side = 0; side < 2; ++side) pad.push_back(choices.Between32(1 - kernel.back(), 1));
    const int64_t out = i == 0 ? choices.Between(6, 12) : results;
    const int64_t more = kernel.back() + pad[pad.size() - 2] + pad.back();
    in.push_back(Dimension(AtLeast(std::max<int64_t>(out - more, 0), stride.back()) + 1));
    results = AtLeast(results, (in.back() - 1) * stride.back() + more);
  }
  draw.kernel_size = static_cast<int64_t>(kernel[0]) * kernel[1] * channels;
  draw.operands.push_back({ShapeOf({1}, in, {channels}), 0, Tap(1, kernel, channels)});
  draw.operands.push_back({ShapeOf({wide}, kernel, {channels}), 1, Tap(1, kernel, channels)});
  draw.operands.push_back(Bias(choices, wide));
  draw.attributes.Set(AttributeId::kOutPad, pad);
  draw.attributes.Set(AttributeId::kStride, stride);
  MaybeLocalBound(choices, draw);
  return draw;
}

Draw DrawAveragePool(Choices& choices) {
  Draw draw;
  const int32_t batch = choices.Between32(1, 2);
  const int32_t channels = choices.Between32(2, 8);
  const Axes axes =
      DrawAxes(choices, 2, AtLeast(kMinDotProducts, batch * channels), 4, /*dilates=*/false);
  draw.kernel_size = axes.taps;
  draw.operands.push_back(
      {ShapeOf({batch}, axes.in, {channels}), 0, Tap(1, axes.kernel, channels)});
  draw.attributes.Set(AttributeId::kKernel, axes.kernel);
  draw.attributes.Set(AttributeId::kStride, axes.stride);
  draw.attributes.Set(AttributeId::kPad, axes.pad);
  return draw;
}

Draw DrawMatmul(Choices& choices) {
  Draw draw;
  const int32_t N = choices.Between32(1, 2);
  const int32_t C = choices.Between32(8, 64);
  const int32_t H = choices.Between32(8, 32);
  const int32_t W = Dimension(AtLeast(kMinDotProducts, N * H));
  draw.kernel_size = C;
  draw.operands.push_back({Shape{N, H, C}, 0, [](const Shape& index) { return index[2]; }});
  draw.operands.push_back({Shape{N, C, W}, 1, [](const Shape& index) { return index[1]; }});
  return draw;
}

Draw DrawReduceSum(Choices& choices) {
  Draw draw;
  const int32_t rank = choices.Between32(2, 4);
  const int32_t axis = choices.Between32(0, rank - 1);
  Shape shape;
  int64_t missing = kMinDotProducts;
  for (int i = 0; i < rank; ++i) {
    const bool last = i + 1 == rank || (axis + 1 == rank && i + 2 == rank);
    shape.PushBack(i == axis ? choices.Between32(8, 64)
                   : last    ? Dimension(missing)
                             : choices.Between32(2, 10));
    if (i != axis) missing = AtLeast(missing, shape[i]);
  }
  draw.kernel_size = shape[axis];
  draw.operands.push_back({shape, 0, [axis](const Shape& index) { return index[axis]; }});
  draw.attributes.Set(AttributeId::kAxis, axis);
  return draw;
}

template <bool kComplex>
Draw DrawFft(Choices& choices) {
  Draw draw;
  const int32_t H = 1 << choices.Between(0, 3);
  const int32_t W = 1 << choices.Between(2, 3);  // the imaginary parts of fewer are zero
  const int32_t width = kComplex ? W : W / 2 + 1;
  const Shape shape = {Dimension(AtLeast(kMinDotProducts, H * width)), H, W};
  const auto k = [W](const Shape& index) { return int64_t{index[1]} * W + index[2]; };
  draw.kernel_size = (kComplex ? 2 : 1) * static_cast<int64_t>(H) * W;
  draw.operands.push_back({shape, 0, k});
  if (kComplex) {
    draw.operands.push_back({shape, 0, k, shape.Elements()});
    draw.attributes.Set(AttributeId::kInverse, choices.OneIn(2));
  }
  MaybeLocalBound(choices, draw);
  return draw;
}

constexpr Row kRows[] = {
    {Op::kConv2d, DrawConv<2, false>},
    {Op::kConv3d, DrawConv<3, false>},
    {Op::kDepthwiseConv2d, DrawConv<2, true>},
    {Op::kTransposeConv2d, DrawTransposeConv},
    {Op::kMatmul, DrawMatmul},
    {Op::kAvgPool2d, DrawAveragePool},
    {Op::kReduceSum, DrawReduceSum},
    {Op::kFft2d, DrawFft<true>},
    {Op::kRfft2d, DrawFft<false>},
};

// A test set on a type row of an operator.
struct Target {
  const Row* row;
  int type_row;
  int set;
};

std::vector<Target> TargetsOf(const GeneratorOptions& options) {
  std::vector<Target> targets;
  for (const Row& row : kRows) {
    for (const int type_row : AllowedRows(options, row.op)) {
      if (!IsFloat(OutputTypes(row.op, type_row)[0])) continue;
      for (int set = 0; set < kTestSets; ++set) targets.push_back({&row, type_row, set});
    }
  }
  return targets;
}

Tensor Fill(const Operand& operand, DType type, const Target& target, const Draw& draw,
            double bound) {
  TestData data(target.set, draw.kernel_size, operand.parameter, bound);
  std::vector<double> elements(static_cast<size_t>(operand.shape.Elements()));
  Shape index = operand.shape;
  std::fill_n(&index[0], index.rank(), 0);
  const int last = index.rank() - 1;
  const int32_t row = operand.shape[last];
  int64_t i = operand.first;
  for (auto element = elements.begin(); element != elements.end();) {
    for (index[last] = 0; index[last] < row; ++index[last]) {
      *element++ = data.At(operand.k(index), i++);
    }
    for (int axis = last - 1; axis >= 0; --axis) {
      if (++index[axis] < operand.shape[axis]) break;
      index[axis] = 0;
    }
  }
  return Tensor::FromFloats(type, operand.shape, elements);
}

// Returns the vector without its expectation; nullopt if the operator has no results for the drawn
// operands.
std::optional<TestVector> Build(const Target& target, Choices& choices) {
  const Op op = target.row->op;
  const OperatorRow& row = RowOf(op);
  const TypeRow& types = row.type_rows[static_cast<size_t>(target.type_row)];
  std::vector<TensorType> results;
  for (const DType type : OutputTypes(op, target.type_row)) results.push_back({type, {}});
  const double bound = TestDataBound(TypeIn(types, row.arguments[0]), results[0].type);
  Draw draw = target.row->draw(choices);
  ProbeGraph graph;
  std::vector<TensorIndex> inputs;
  std::vector<TensorType> input_types;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction != Direction::kInput) continue;
    const DType type = TypeIn(types, argument);
    const size_t position = inputs.size();
    const bool drawn = position < draw.operands.size();
    const Tensor data = drawn ? Fill(draw.operands[position], type, target, draw, bound)
                              : Tensor::Splat(type, {1}, 0);
    const bool constant = !drawn || (position > 0 && choices.OneIn(3));
    inputs.push_back(constant ? graph.Constant(data, 'c') : graph.Input(data, 'i'));
    input_types.push_back(data.tensor_type());
  }
  if (FindAttribute(op, AttributeId::kAccType) != nullptr) {
    const DType acc = TypeOf(op, target.type_row, "acc_t");
    draw.attributes.Set(AttributeId::kAccType, static_cast<int32_t>(acc));
  }
  const std::vector<std::span<const Scalar>> constants(inputs.size());
  if (!InferOutputs({op, &draw.attributes, input_types, {}, constants}, results)) {
    return std::nullopt;
  }
  return graph.Finish(graph.AddAll(op, std::move(inputs), results, std::move(draw.attributes)));
}

int64_t Targets(const GeneratorOptions& options) { return std::ssize(TargetsOf(options)); }

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  const std::vector<Target> targets = TargetsOf(options);
  if (targets.empty()) return std::nullopt;
  const Target& target = targets[index % targets.size()];
  Choices choices(
      Random::For(options.seed, index, dot_product_generator.kind, dot_product_generator.version));
  std::optional<TestVector> vector = Build(target, choices);
  if (!vector) return std::nullopt;
  const bool expected = Expect(*vector, {.dot_product_set = target.set});
  if (!expected || vector->steps[0].expected != OutcomeKind::kValid) return std::nullopt;
  std::string title(OperatorName(target.row->op));
  for (const DType type :
       RowOf(target.row->op).type_rows[static_cast<size_t>(target.type_row)].types) {
    if (type != DType::kUnknown) title += "-" + std::string(TypeName(type));
  }
  title += "-set-" + std::to_string(target.set);
  Describe(*vector, options, dot_product_generator, index, title);
  return vector;
}

}  // namespace

const Generator dot_product_generator = {
    .kind = "dot-product",
    .help =
        "the Appendix A test sets for every floating-point dot product, with at least 1000 results",
    .version = 1,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators

// SPDX-License-Identifier: Apache-2.0
// Measures the reference executor in process, with one thread. With `--vector FILE` it measures
// only this vector: it prints the wall time in ms of executing it with one thread and with two, of
// its expectation with one and with two, and of a bare loop in registers with one and with two.
// Otherwise it measures loading a `.tosa` file and its `.npy` inputs, executing it and storing
// `.npy` outputs, and measures executing alone. With a folder as its argument it writes every case
// there as an Arm test directory and measures nothing: `scripts/bench_executor` runs programs on
// them.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "arm_directory.h"
#include "bare_loops.h"
#include "ensemble_run.h"
#include "executor.h"
#include "files.h"
#include "memory.h"
#include "npy_file.h"
#include "parallel.h"
#include "random.h"
#include "tosa_file.h"
#include "tvec_file.h"

namespace assay {
namespace {

// A graph with one block and its inputs.
struct Case {
  Graph graph = EmptyGraph();
  std::vector<Tensor> inputs;

  Block& main() { return *graph.Main(); }
  TensorIndex Declare(const TensorType& type) {
    TensorInfo info;
    info.name = "t" + std::to_string(main().tensors.size());
    info.type = type;
    main().tensors.push_back(std::move(info));
    return static_cast<TensorIndex>(main().tensors.size() - 1);
  }
  TensorIndex Input(Tensor tensor) {
    const TensorIndex index = Declare(tensor.tensor_type());
    main().inputs.push_back(index);
    inputs.push_back(std::move(tensor));
    return index;
  }
  TensorIndex Constant(const Tensor& tensor) {
    const bool shape = tensor.type() == DType::kShape;
    Operator op{shape ? Op::kConstShape : Op::kConst, {}, {}, {Declare(tensor.tensor_type())}};
    op.attributes.Set(AttributeId::kValues, tensor);
    main().operators.push_back(std::move(op));
    return main().operators.back().outputs[0];
  }
  TensorIndex Add(Op op, Attributes attributes, std::vector<TensorIndex> operands,
                  const TensorType& type) {
    const TensorIndex result = Declare(type);
    main().operators.push_back({op, std::move(attributes), std::move(operands), {result}});
    return result;
  }
  Case Returning(TensorIndex output) && {
    main().outputs = {output};
    return std::move(*this);
  }
};

// Returns random elements: i8 over its whole range, i32 and fp32 that overflow in no operator here,
// or bool.
Tensor RandomTensor(DType type, const Shape& shape, uint64_t seed) {
  Random random(seed);
  if (IsFloat(type)) {
    std::vector<double> elements(static_cast<size_t>(shape.Elements()));
    for (double& x : elements) x = static_cast<double>(random.Between(-8000, 8000)) / 1024;
    return Tensor::FromFloats(type, shape, elements);
  }
  std::vector<int64_t> elements(static_cast<size_t>(shape.Elements()));
  const int64_t high = std::min<int64_t>(MaximumInteger(type), 30000);
  for (int64_t& x : elements) x = random.Between(type == DType::kBool ? 0 : -high, high);
  return Tensor::FromIntegers(type, shape, elements);
}

// Returns `count` indices below `end`, for GATHER from one batch.
Tensor Indices(int32_t count, int32_t end) {
  Random random(4);
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (int64_t& index : indices) index = random.Between(0, end - 1);
  return Tensor::FromIntegers(DType::kInt32, {1, count}, indices);
}

// The attributes of a convolution whose height and width are alike.
struct Window {
  int32_t before = 1, after = 1;  // padding
  int32_t stride = 1;
};

// Returns a case of a convolution. Narrow floats are accumulated in fp32.
Case Convolution(Op op, DType type, const Shape& image, const Shape& kernel, const Shape& to,
                 const Window& window = {}) {
  const bool real = IsFloat(type);
  const DType sum = real ? type : DType::kInt32;
  Case c;
  const TensorIndex input = c.Input(RandomTensor(type, image, 1));
  const TensorIndex weight = c.Constant(RandomTensor(type, kernel, 2));
  const TensorIndex bias = c.Constant(RandomTensor(sum, {to[3]}, 3));
  const TensorIndex zero = c.Constant(Tensor::Splat(type, {1}, real ? 0 : 3));
  const auto& [before, after, stride] = window;
  Attributes attributes = {
      {AttributeId::kPad, std::vector<int32_t>{before, after, before, after}},
      {AttributeId::kStride, std::vector<int32_t>{stride, stride}},
      {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
      {AttributeId::kAccType, static_cast<int32_t>(real ? DType::kFp32 : DType::kInt32)},
      {AttributeId::kLocalBound, false}};
  const TensorIndex out =
      c.Add(op, std::move(attributes), {input, weight, bias, zero, zero}, {sum, to});
  return std::move(c).Returning(out);
}

// Returns the type of the results of MATMUL on operands of a type.
DType MatmulResult(DType type) {
  if (!IsFloat(type)) return DType::kInt32;
  return type == DType::kBf16 ? DType::kFp32 : type;
}

Case Matmul(DType type, const Shape& left, int32_t columns) {
  Case c;
  const Tensor zero = Tensor::Splat(type, {1}, 0);
  const TensorIndex a = c.Input(RandomTensor(type, left, 1));
  const TensorIndex b = c.Input(RandomTensor(type, {left[0], left[2], columns}, 2));
  const TensorIndex a_zp = c.Constant(zero), b_zp = c.Constant(zero);
  const TensorIndex out =
      c.Add(Op::kMatmul, {}, {a, b, a_zp, b_zp}, {MatmulResult(type), {left[0], left[1], columns}});
  return std::move(c).Returning(out);
}

Case MaxPool(DType type) {
  Case c;
  const TensorIndex in = c.Input(RandomTensor(type, {1, 128, 128, 64}, 1));
  const TensorIndex out =
      c.Add(Op::kMaxPool2d,
            {{AttributeId::kKernel, std::vector<int32_t>{3, 3}},
             {AttributeId::kStride, std::vector<int32_t>{1, 1}},
             {AttributeId::kPad, std::vector<int32_t>{1, 1, 1, 1}},
             {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}},
            {in}, {type, {1, 128, 128, 64}});
  return std::move(c).Returning(out);
}

// Returns a case of an operator on two tensors of one shape.
Case Binary(Op op, DType type, const Shape& shape) {
  Case c;
  Attributes attributes;
  if (op == Op::kMinimum || op == Op::kMaximum) {
    attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
  }
  std::vector<TensorIndex> operands;
  if (op == Op::kSelect) operands.push_back(c.Input(RandomTensor(DType::kBool, shape, 3)));
  operands.push_back(c.Input(RandomTensor(type, shape, 1)));
  operands.push_back(c.Input(RandomTensor(type, shape, 2)));
  if (op == Op::kMul) operands.push_back(c.Constant(Tensor::Splat(DType::kInt8, {1}, 0)));
  return std::move(c).Returning(c.Add(op, attributes, operands, {type, shape}));
}

Case Unary(Op op, DType type, const Shape& shape, DType out) {
  Case c;
  const TensorIndex in = c.Input(RandomTensor(type, shape, 1));
  return std::move(c).Returning(c.Add(op, {}, {in}, {out, shape}));
}

Case AvgPool(DType type) {
  Case c;
  const Tensor zero = Tensor::Splat(type, {1}, 0);
  const TensorIndex in = c.Input(RandomTensor(type, {1, 128, 128, 64}, 1));
  const TensorIndex in_zp = c.Constant(zero), out_zp = c.Constant(zero);
  const DType sum = IsFloat(type) ? type : DType::kInt32;
  const TensorIndex out = c.Add(Op::kAvgPool2d,
                                {{AttributeId::kKernel, std::vector<int32_t>{3, 3}},
                                 {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                                 {AttributeId::kPad, std::vector<int32_t>{1, 1, 1, 1}},
                                 {AttributeId::kAccType, static_cast<int32_t>(sum)}},
                                {in, in_zp, out_zp}, {type, {1, 128, 128, 64}});
  return std::move(c).Returning(out);
}

Case ReduceSum(int32_t axis) {
  Case c;
  const TensorIndex in = c.Input(RandomTensor(DType::kFp32, {1024, 1024}, 1));
  Shape to = {1024, 1024};
  to[axis] = 1;
  return std::move(c).Returning(
      c.Add(Op::kReduceSum, {{AttributeId::kAxis, axis}}, {in}, {DType::kFp32, to}));
}

Case Rescale(const Shape& shape) {
  Case c;
  const TensorIndex in = c.Input(RandomTensor(DType::kInt32, shape, 1));
  const TensorIndex multiplier = c.Constant(Tensor::Splat(DType::kInt32, {1}, 1 << 30));
  const TensorIndex shift = c.Constant(Tensor::Splat(DType::kInt8, {1}, 38));
  const TensorIndex in_zp = c.Constant(Tensor::Splat(DType::kInt32, {1}, 0));
  const TensorIndex out_zp = c.Constant(Tensor::Splat(DType::kInt8, {1}, 3));
  const TensorIndex out =
      c.Add(Op::kRescale,
            {{AttributeId::kScale32, true},
             {AttributeId::kRoundingMode, static_cast<int32_t>(RoundingMode::kSingleRound)},
             {AttributeId::kPerChannel, false},
             {AttributeId::kInputUnsigned, false},
             {AttributeId::kOutputUnsigned, false}},
            {in, multiplier, shift, in_zp, out_zp}, {DType::kInt8, shape});
  return std::move(c).Returning(out);
}

Case ChainOfAbs(int length) {
  Case c;
  const TensorType type = {DType::kFp32, {4}};
  TensorIndex last = c.Input(RandomTensor(type.type, type.shape, 1));
  for (int i = 0; i < length; ++i) last = c.Add(Op::kAbs, {}, {last}, type);
  return std::move(c).Returning(last);
}

// Returns a case of data movement with an output of 16 MB.
Case Movement(Op op, DType type, const Shape& from, Attributes attributes,
              std::span<const std::vector<int64_t>> shapes, const Shape& to) {
  Case c;
  std::vector<TensorIndex> operands = {c.Input(RandomTensor(type, from, 1))};
  if (op == Op::kConcat) operands.push_back(operands[0]);
  for (const auto& shape : shapes) operands.push_back(c.Constant(Tensor::FromShape(shape)));
  if (op == Op::kPad) operands.push_back(c.Constant(Tensor::Splat(type, {1}, 0)));
  if (op == Op::kGather) operands.push_back(c.Input(Indices(to[1], from[1])));
  return std::move(c).Returning(c.Add(op, std::move(attributes), operands, {type, to}));
}

using MakeCase = std::function<Case()>;

constexpr DType kPeakTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16, DType::kInt8};

// Adds dot products of the shapes that networks have, to be compared with a bare loop. Their names
// begin with "peak_".
void AddPeakCases(std::vector<std::pair<std::string, MakeCase>>& list) {
  for (const DType type : kPeakTypes) {
    const auto add = [&](const std::string& name, MakeCase make) {
      list.emplace_back("peak_" + name + "_" + std::string(TypeName(type)), std::move(make));
    };
    const auto convolution = [&](const std::string& name, const Shape& image, const Shape& kernel,
                                 const Shape& to, const Window& window) {
      add(name, [=] { return Convolution(Op::kConv2d, type, image, kernel, to, window); });
    };
    convolution("1x1_56x56x64_256", {1, 56, 56, 64}, {256, 1, 1, 64}, {1, 56, 56, 256}, {0, 0, 1});
    convolution("3x3_28x28x128_128", {1, 28, 28, 128}, {128, 3, 3, 128}, {1, 28, 28, 128}, {});
    convolution("7x7s2_224x224x3_64", {1, 224, 224, 3}, {64, 7, 7, 3}, {1, 112, 112, 64},
                {2, 3, 2});
    convolution("dense_1280_1000", {1, 1, 1, 1280}, {1000, 1, 1, 1280}, {1, 1, 1, 1000}, {0, 0, 1});
    add("matmul_1x1280x1000", [=] { return Matmul(type, {1, 1, 1280}, 1000); });
    add("matmul_128x768x3072", [=] { return Matmul(type, {1, 128, 768}, 3072); });
    add("matmul_12x128x64x128", [=] { return Matmul(type, {12, 128, 64}, 128); });
    add("depthwise_56x56x144", [=] {
      return Convolution(Op::kDepthwiseConv2d, type, {1, 56, 56, 144}, {3, 3, 144, 1},
                         {1, 56, 56, 144});
    });
  }
}

const std::vector<std::pair<std::string, MakeCase>>& Cases() {
  constexpr DType kFp32 = DType::kFp32, kInt32 = DType::kInt32, kInt8 = DType::kInt8;
  const Shape million = {1, 1000, 1000};
  const Shape large = {2048, 2048};  // 16 MB
  static const std::vector<std::pair<std::string, MakeCase>> cases = [&] {
    std::vector<std::pair<std::string, MakeCase>> list;
    for (const DType type : {kInt8, kFp32}) {
      list.emplace_back("conv2d_" + std::string(TypeName(type)), [=] {
        return Convolution(Op::kConv2d, type, {1, 64, 64, 64}, {64, 3, 3, 64}, {1, 64, 64, 64});
      });
      list.emplace_back("depthwise_" + std::string(TypeName(type)), [=] {
        return Convolution(Op::kDepthwiseConv2d, type, {1, 112, 112, 64}, {3, 3, 64, 1},
                           {1, 112, 112, 64});
      });
      list.emplace_back("avg_pool_" + std::string(TypeName(type)), [=] { return AvgPool(type); });
      list.emplace_back("max_pool_" + std::string(TypeName(type)), [=] { return MaxPool(type); });
    }
    list.emplace_back("matmul_fp32", [=] { return Matmul(kFp32, {1, 256, 256}, 256); });
    AddPeakCases(list);
    list.emplace_back("add_1m_fp32", [=] { return Binary(Op::kAdd, kFp32, million); });
    list.emplace_back("add_1m_i32", [=] { return Binary(Op::kAdd, kInt32, million); });
    list.emplace_back("exp_1m_fp32", [=] { return Unary(Op::kExp, kFp32, million, kFp32); });
    list.emplace_back("cast_1m_fp32_i8", [=] { return Unary(Op::kCast, kFp32, million, kInt8); });
    list.emplace_back("rescale_1m_i32_i8", [=] { return Rescale(million); });
    list.emplace_back("reduce_sum_axis0_fp32", [] { return ReduceSum(0); });
    list.emplace_back("reduce_sum_axis1_fp32", [] { return ReduceSum(1); });
    for (const int length : {1'000, 5'000, 10'000, 100'000}) {
      list.emplace_back("abs_chain_" + std::to_string(length), [=] { return ChainOfAbs(length); });
    }
    for (const auto& [name, op] : std::map<std::string, Op>{{"add", Op::kAdd},
                                                            {"maximum", Op::kMaximum},
                                                            {"minimum", Op::kMinimum},
                                                            {"mul", Op::kMul},
                                                            {"select", Op::kSelect},
                                                            {"sub", Op::kSub}}) {
      list.emplace_back(name + "_16mb_fp32", [=, op = op] { return Binary(op, kFp32, large); });
      list.emplace_back(name + "_16mb_i32", [=, op = op] { return Binary(op, kInt32, large); });
    }
    const auto move = [&](const std::string& name, Op op, DType type, const Shape& from,
                          const Attributes& attributes,
                          const std::vector<std::vector<int64_t>>& shapes, const Shape& to) {
      list.emplace_back(name + "_16mb_" + std::string(TypeName(type)),
                        [=] { return Movement(op, type, from, attributes, shapes, to); });
    };
    const auto axis = [](int32_t i) { return Attributes{{AttributeId::kAxis, i}}; };
    const auto perms = [](std::vector<int32_t> axes) {
      return Attributes{{AttributeId::kPerms, std::move(axes)}};
    };
    const Shape half = {2048, 1024}, bytes = {4096, 4096};
    const Shape blocks = {16, 512, 512}, rows = {1, 32768, 128};
    move("concat", Op::kConcat, kFp32, half, axis(1), {}, large);
    move("gather", Op::kGather, kFp32, rows, {}, {}, rows);
    move("identity", Op::kIdentity, kFp32, large, {}, {}, large);
    move("pad", Op::kPad, kFp32, large, {}, {{1, 1, 1, 1}}, {2050, 2050});
    move("pad", Op::kPad, kInt8, bytes, {}, {{1, 1, 1, 1}}, {4098, 4098});
    move("reverse", Op::kReverse, kFp32, large, axis(0), {}, large);
    move("reverse_rows", Op::kReverse, kFp32, large, axis(1), {}, large);
    move("slice", Op::kSlice, kFp32, large, {}, {{1, 1}, {2046, 2046}}, {2046, 2046});
    move("tile", Op::kTile, kFp32, half, {}, {{1, 2}}, large);
    move("transpose", Op::kTranspose, kFp32, large, perms({1, 0}), {}, large);
    move("transpose", Op::kTranspose, kInt8, bytes, perms({1, 0}), {}, bytes);
    move("transpose_021", Op::kTranspose, kFp32, blocks, perms({0, 2, 1}), {}, blocks);
    move("transpose_102", Op::kTranspose, kFp32, {512, 512, 16}, perms({1, 0, 2}), {},
         {512, 512, 16});
    return list;
  }();
  return cases;
}

Outcome ExecuteOnce(const Graph& graph, std::span<const Tensor> inputs) {
  Context context;
  return Execute(context, graph, inputs, {});
}

int64_t BytesMoved(const Case& c, const Outcome& outcome) {
  int64_t bytes = 0;
  for (const Tensor& tensor : c.inputs) bytes += std::ssize(tensor.bytes());
  for (const Tensor& tensor : outcome.outputs) bytes += std::ssize(tensor.bytes());
  return bytes;
}

// Measures executing alone: from tensors to tensors, in memory that is already mapped, like in
// Memcpy().
void Kernel(benchmark::State& state, const MakeCase& make) {
  const Case c = make();
  Outcome outcome = ExecuteOnce(c.graph, c.inputs);
  for (auto unused : state) {
    outcome = {};  // the next outputs take the same memory
    outcome = ExecuteOnce(c.graph, c.inputs);
  }
  if (outcome.kind != OutcomeKind::kValid) state.SkipWithError(outcome.rule.c_str());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * BytesMoved(c, outcome));
  const Block& block = *c.graph.Main();
  const int64_t products = MultiplyAccumulates(block, block.operators.back());
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * products);
}

// Measures everything from the bytes of the input files to the bytes of the output files.
void Whole(benchmark::State& state, const MakeCase& make) {
  const Case c = make();
  const auto file = WriteTosa(c.graph);
  std::vector<std::vector<uint8_t>> inputs;
  for (const Tensor& tensor : c.inputs) inputs.push_back(WriteNpy(tensor));
  for (auto unused : state) {
    const auto graph = ReadTosa(file, "graph.tosa", nullptr);
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) {
      tensors.push_back(*ReadNpyTensor(inputs[i], "input.npy", c.inputs[i].tensor_type()));
    }
    const Outcome outcome = ExecuteOnce(*graph, tensors);
    for (const Tensor& tensor : outcome.outputs) benchmark::DoNotOptimize(WriteNpy(tensor));
  }
}

// Measures the highest rate of bytes read and written, for comparison: copies 16 MB to memory that
// is already mapped.
void Memcpy(benchmark::State& state) {
  const std::vector<uint8_t> from(size_t{16} << 20, 1);
  std::vector<uint8_t> to(from.size());
  for (auto unused : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * 2 * std::ssize(from));
}

// Measures the highest rate of multiply-accumulates of one core.
template <int64_t (*Run)(int64_t)>
void Bare(benchmark::State& state) {
  int64_t products = 0;
  for (auto unused : state) products += Run(int64_t{1} << 24);
  state.SetItemsProcessed(products);
}

// Measures the highest rate of multiply-accumulates of one core with a matrix of this type, as
// large as that of the cases `dense` and `matmul_1`.
void Streamed(benchmark::State& state, DType type) {
  const std::vector<uint8_t> matrix(static_cast<size_t>(1280 * 1000 * ElementBytes(type)));
  int64_t products = 0;
  for (auto unused : state) products += RunStreamed(type, matrix);
  state.SetItemsProcessed(products);
}

double WallMilliseconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Runs a bare loop in parts, which as many threads share as there are.
void RunBareParts() {
  constexpr int64_t kParts = 128;
  ForEachPart(kParts, 1e6, [](int64_t begin, int64_t end) { RunBareReals((end - begin) << 24); });
}

int TimeVector(const std::string& path) {
  const auto bytes = ReadFile(path);
  Result<TestVector> vector = bytes ? ReadTestVector(*bytes, path) : bytes.error();
  if (!vector) {
    std::fprintf(stderr, "%s\n", vector.error().message.c_str());
    return 2;
  }
  ExecuteVector(*vector, {});  // maps memory
  const std::function<void()> computations[] = {[&] { ExecuteVector(*vector, {}); },
                                                [&] {
                                                  std::string reason;
                                                  Expect(*vector, {}, &reason);
                                                },
                                                RunBareParts};
  for (const auto& compute : computations) {
    for (const int threads : {1, 2}) {
      SetThreads(threads);
      std::printf("%.3f ", WallMilliseconds(compute));
    }
  }
  std::printf("\n");
  return 0;
}

int WriteCases(const std::string& folder) {
  for (const auto& [name, make] : Cases()) {
    Case c = make();
    TestVector vector;
    vector.graphs = {std::move(c.graph)};
    vector.steps.resize(1);
    vector.steps[0].inputs = std::move(c.inputs);
    const TensorIndex output = vector.graphs[0].Main()->outputs[0];
    // The expected output is not known here, only its type.
    vector.steps[0].outputs.resize(1);
    const TensorType& type = vector.graphs[0].Main()->TypeOf(output);
    vector.steps[0].outputs[0].value = Tensor::Splat(type.type, type.shape, 0);
    const Result<Done> written = WriteArmDirectory(JoinPath(folder, name), vector, 0);
    if (!written) {
      std::fprintf(stderr, "%s\n", written.error().message.c_str());
      return 2;
    }
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::KeepFreedMemory();
  benchmark::Initialize(&argc, argv);
  if (argc == 3 && std::string(argv[1]) == "--vector") return assay::TimeVector(argv[2]);
  if (argc == 2 && argv[1][0] != '-') return assay::WriteCases(argv[1]);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RegisterBenchmark("Memcpy", assay::Memcpy);
  benchmark::RegisterBenchmark("Bare/reals", assay::Bare<assay::RunBareReals>);
  benchmark::RegisterBenchmark("Bare/integers", assay::Bare<assay::RunBareIntegers>);
  benchmark::RegisterBenchmark("Bare/loaded_reals", assay::Bare<assay::RunLoadedReals>);
  benchmark::RegisterBenchmark("Bare/loaded_integers", assay::Bare<assay::RunLoadedIntegers>);
  for (const assay::DType type : assay::kPeakTypes) {
    const std::string name = "Bare/streamed_" + std::string(assay::TypeName(type));
    benchmark::RegisterBenchmark(name.c_str(), assay::Streamed, type);
  }
  for (const auto& [name, make] : assay::Cases()) {
    benchmark::RegisterBenchmark(("Kernel/" + name).c_str(), assay::Kernel, make);
    benchmark::RegisterBenchmark(("Whole/" + name).c_str(), assay::Whole, make);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Tests expanding operators that change places with element-wise ones, by hand and at random.
#include "postpone.h"

#include <cstdlib>
#include <limits>
#include <map>

#include "draft_block.h"
#include "folded_graphs.h"
#include "random.h"

namespace assay::testing::postpone_test {
namespace {

// A tensor that was added and rolled back leaves neither name nor value.
TEST(DraftBlock, ForgetsWhatIsRolledBack) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]");
  DraftBlock draft(b.block);
  const TensorIndex kept = draft.AddValue("t0", TensorOf("fp32[1]{1}"));
  EXPECT_EQ(draft.NameOf(x), "t0");
  EXPECT_EQ(draft.NameOf(kept), "t0_1");
  const size_t mark = draft.mark();
  const TensorIndex gone = draft.AddValue("new", TensorOf("fp32[1]{2}"));
  draft.Rollback(mark);
  const TensorIndex again = draft.AddTensor("new", {DType::kFp32, {3}});
  EXPECT_EQ(again, gone);
  EXPECT_EQ(draft.NameOf(again), "new");
  EXPECT_FALSE(draft.ValueOf(again));
  EXPECT_EQ(draft.ValueOf(kept), TensorOf("fp32[1]{1}"));
}

// Builds x[16,4] + f(E(w)), where E makes the tensor 16 times as large, and folds it.
struct Chain {
  BlockBuilder b;
  TensorIndex x, w;
  explicit Chain(std::string_view type = "fp32[16,4]", std::string_view weight = "fp32[1,4]")
      : x(b.Input(type)), w(b.Input(weight)) {}
  Folding Finish(TensorIndex value, Constness weight = kRuntime, FoldOptions options = {}) {
    const std::string type = b.block.TypeOf(x).ToString();
    return Folded(GraphWith(b, {b.Add(Op::kAdd, {x, value}, type)}), {kVarying, weight}, options);
  }
};

// The founding document's chain: broadcast, extend, multiply, truncate.
TEST(PostponeExpanders, MovesTileBehindElementWiseOperators) {
  Chain c("bf16[16,4]", "bf16[1,4]");
  const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "bf16[16,4]");
  const TensorIndex wide = c.b.Add(Op::kCast, {tiled}, "fp32[16,4]");
  const TensorIndex two = c.b.Constant("fp32[1,1]{2}"), shift = c.b.Constant("i8[1]{0}");
  const TensorIndex twice = c.b.Add(Op::kMul, {wide, two, shift}, "fp32[16,4]");
  const Folding folding = c.Finish(c.b.Add(Op::kCast, {twice}, "bf16[16,4]"));
  EXPECT_EQ(TextOf(folding), " | CAST MUL CAST | TILE ADD; bf16[1,4]");
  EXPECT_EQ(folding.record.certificate.postponements.size(), 3u);
  std::vector<Tensor> inputs = Tensors({"bf16[1,4]{1,-0.0,nan,3}"});
  inputs.insert(inputs.begin(), Tensor::Splat(DType::kBf16, {16, 4}, 0x3f80));
  ExpectToAgree(folding, inputs);
  FoldOptions options;
  options.postpone = false;
  const Folding left = Folded(folding.original(), folding.arguments, options);
  EXPECT_EQ(TextOf(left), " |  | TILE CAST MUL CAST ADD;");
}

// SUB does not commute. A partner of extent 1 on the tiled axis may have any extent on the others.
TEST(PostponeExpanders, KeepsTheOrderOfOperands) {
  Chain c;
  FoldOptions options;
  options.policy = {SizePolicyKind::kAbsolute, 16};
  const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
  const TensorIndex partner = c.b.Constant("fp32[1,4]{1,2,3,4}");
  const Folding folding =
      c.Finish(c.b.Add(Op::kSub, {partner, tiled}, "fp32[16,4]"), kRuntime, options);
  EXPECT_EQ(TextOf(folding), " | SUB | TILE ADD; fp32[1,4]");
}

TEST(PostponeExpanders, TakesPartnersThatAreTheSameWhereverTheElementsAre) {
  {  // expanded in the same way
    Chain c;
    const TensorIndex one = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
    const TensorIndex small = c.b.Add(Op::kAbs, {c.w}, "fp32[1,4]");
    const TensorIndex other = Tile(c.b, small, "shape[2]{16,1}", "fp32[16,4]");
    const Folding folding = c.Finish(c.b.Add(Op::kSub, {one, other}, "fp32[16,4]"));
    EXPECT_EQ(TextOf(folding), " | ABS SUB | TILE ADD; fp32[1,4]");
    EXPECT_EQ(folding.record.certificate.postponements[0].expanded.size(), 2u);
  }
  {  // itself
    Chain c;
    const TensorIndex one = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
    EXPECT_EQ(TextOf(c.Finish(c.b.Add(Op::kSub, {one, one}, "fp32[16,4]"))),
              " | SUB | TILE ADD; fp32[1,4]");
  }
  {  // an argument of the full extent: no
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[16,4]"), w = b.Input("fp32[1,4]"),
                      v = b.Input("fp32[16,4]");
    const TensorIndex one = Tile(b, w, "shape[2]{16,1}", "fp32[16,4]");
    const TensorIndex sum = b.Add(Op::kAdd, {one, v}, "fp32[16,4]");
    FoldOptions options;
    options.policy = {SizePolicyKind::kAbsolute, 100};
    const Folding folding = Folded(GraphWith(b, {b.Add(Op::kAdd, {x, sum}, "fp32[16,4]")}),
                                   {kVarying, kRuntime, kRuntime}, options);
    EXPECT_EQ(TextOf(folding), " |  | TILE ADD ADD;");
  }
}

// One CONST has 16 rows that are all alike, in the other the last row differs.
TEST(PostponeExpanders, LooksIntoConstants) {
  for (const bool repeats : {true, false}) {
    Chain c("fp32[16,1]", "fp32[1,1]");
    const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,1]");
    const std::string last = repeats ? "1" : "2";
    const TensorIndex rows = c.b.Constant("fp32[16,1]{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1," + last + "}");
    FoldOptions options;
    options.policy = {SizePolicyKind::kAbsolute, 8};
    const Folding folding =
        c.Finish(c.b.Add(Op::kSub, {tiled, rows}, "fp32[16,1]"), kRuntime, options);
    EXPECT_EQ(TextOf(folding), repeats ? " | SUB | TILE ADD; fp32[1,1]" : " |  | TILE SUB ADD;");
  }
}

// w + CONST[16,1], whose elements are all alike: the CONST only repeats the sum.
TEST(PostponeExpanders, MovesTheRepetitionOfAConstant) {
  Chain c("fp32[16,1]", "fp32[1,1]");
  const TensorIndex rows = c.b.Constant("fp32[16,1]{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}");
  FoldOptions options;
  options.policy = {SizePolicyKind::kAbsolute, 8};
  const Folding folding = c.Finish(c.b.Add(Op::kSub, {rows, c.w}, "fp32[16,1]"), kRuntime, options);
  EXPECT_EQ(TextOf(folding), " | SUB | TILE ADD; fp32[1,1]");
  EXPECT_EQ(folding.record.certificate.postponements[0].kind, ExpanderKind::kBroadcast);
}

TensorIndex Pad(BlockBuilder& b, TensorIndex x, std::string_view type, std::string_view value) {
  const TensorIndex padding = b.Constant("shape[2]{0,15}"), pad = b.Constant(value);
  return b.Add(Op::kPad, {x, padding, pad}, type);
}

// After the exchange the padding is exp(0) = 1.
TEST(PostponeExpanders, MovesPadWithWhatBecomesOfItsConstant) {
  Chain c("fp32[16]", "fp32[1]");
  const TensorIndex padded = Pad(c.b, c.w, "fp32[16]", "fp32[1]{0}");
  const Folding folding = c.Finish(c.b.Add(Op::kExp, {padded}, "fp32[16]"));
  EXPECT_EQ(TextOf(folding), " | EXP | PAD ADD; fp32[1]");
  const Block& entry = *folding.stage(FoldStage::kEntry).Main();
  const std::string& name = folding.record.certificate.postponements[0].constants[0];
  const Operator* constant = entry.ProducerOf(*entry.FindTensor(name));
  EXPECT_EQ(constant->attributes.Value(AttributeId::kValues), TensorOf("fp32[1]{1}"));
  std::vector<Tensor> inputs = {Tensor::Splat(DType::kFp32, {16}, 0), TensorOf("fp32[1]{2}")};
  ExpectToAgree(folding, inputs);
}

// After the exchange the padding would depend on a run-time constant, which pad_const cannot be.
TEST(PostponeExpanders, LeavesPadBeforeARunTimeConstant) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[16]"), w = b.Input("fp32[1]"), s = b.Input("fp32[1]");
  const TensorIndex padded = Pad(b, w, "fp32[16]", "fp32[1]{1.5}");
  const TensorIndex scaled = b.Add(Op::kSub, {padded, s}, "fp32[16]");
  FoldOptions options;
  options.policy = {SizePolicyKind::kAbsolute, 8};
  EXPECT_EQ(TextOf(Folded(GraphWith(b, {b.Add(Op::kAdd, {x, scaled}, "fp32[16]")}),
                          {kVarying, kRuntime, kRuntime}, options)),
            " |  | PAD SUB ADD;");
}

// The operator is applied to each piece of CONCAT, and only once to equal pieces.
TEST(PostponeExpanders, MovesConcat) {
  Chain c("fp32[9]", "fp32[1]");
  const TensorIndex joined = c.b.Add(Op::kConcat, {c.w, c.w, c.w, c.w, c.w, c.w, c.w, c.w, c.w},
                                     "fp32[9]", {{AttributeId::kAxis, int32_t{0}}});
  const Folding folding = c.Finish(c.b.Add(Op::kExp, {joined}, "fp32[9]"));
  EXPECT_EQ(TextOf(folding), " | EXP | CONCAT ADD; fp32[1]");
  EXPECT_EQ(folding.record.certificate.postponements[0].inner.size(), 9u);
}

// GATHER reads row 0 alone. An operator that cannot fail moves before GATHER. An operator that
// might fail on row 1, which GATHER drops, does not.
TEST(PostponeExpanders, MovesGatherBehindWhatCannotFail) {
  for (const bool onto : {false, true}) {
    for (const bool integer : {false, true}) {
      const std::string element = integer ? "i32" : "fp32";
      Chain c(element + "[1,32,1]", element + "[1,2,1]");
      std::string indices = onto ? "1" : "0";
      for (int i = 1; i < 32; ++i) indices += ",0";
      const TensorIndex rows = c.b.Constant("i32[1,32]{" + indices + "}");
      const TensorIndex gathered = c.b.Add(Op::kGather, {c.w, rows}, element + "[1,32,1]");
      FoldOptions options;
      options.policy = {SizePolicyKind::kAbsolute, 8};
      const Folding folding = c.Finish(
          c.b.Add(Op::kSub, {gathered, gathered}, element + "[1,32,1]"), kRuntime, options);
      EXPECT_EQ(TextOf(folding), integer && !onto ? " |  | GATHER SUB ADD;"
                                                  : " | SUB | GATHER ADD; " + element + "[1,2,1]");
    }
  }
}

TEST(PostponeExpanders, MovesResizeOnlyIfNearest) {
  for (const ResizeMode mode : {ResizeMode::kNearest, ResizeMode::kBilinear}) {
    Chain c("fp32[1,1,16,1]", "fp32[1,1,1,1]");
    const TensorIndex scale = c.b.Constant("shape[4]{1,1,16,1}"),
                      offset = c.b.Constant("shape[2]{0,0}"),
                      border = c.b.Constant("shape[2]{0,15}");
    const TensorIndex large = c.b.Add(Op::kResize, {c.w, scale, offset, border}, "fp32[1,1,16,1]",
                                      {{AttributeId::kMode, static_cast<int32_t>(mode)}});
    const Folding folding = c.Finish(c.b.Add(Op::kExp, {large}, "fp32[1,1,16,1]"));
    EXPECT_EQ(TextOf(folding), mode == ResizeMode::kNearest ? " | EXP | RESIZE ADD; fp32[1,1,1,1]"
                                                            : " |  | RESIZE EXP ADD;");
  }
}

// A cast to a wider type moves behind operators that only choose among values, and not behind
// arithmetic.
TEST(PostponeExpanders, MovesCastsBehindChoices) {
  FoldOptions options;
  options.policy = {SizePolicyKind::kRatio, 1};
  for (const Op op : {Op::kMaximum, Op::kAdd}) {
    Chain c("fp32[4]", "bf16[4]");
    const TensorIndex wide = c.b.Add(Op::kCast, {c.w}, "fp32[4]");
    const TensorIndex bound = c.b.Constant("fp32[1]{0.5}");
    Attributes attributes;
    if (op == Op::kMaximum) {
      attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
    }
    const Folding folding =
        c.Finish(c.b.Add(op, {wide, bound}, "fp32[4]", attributes), kRuntime, options);
    EXPECT_EQ(TextOf(folding),
              op == Op::kMaximum ? " | MAXIMUM | CAST ADD; bf16[4]" : " |  | CAST ADD ADD;");
    ExpectToAgree(folding, Tensors({"fp32[4]{1,2,3,4}", "bf16[4]{nan,-0.0,1,-inf}"}));
  }
}

// Another operator reads the expanded value, or it is an output.
TEST(PostponeExpanders, LeavesWhatHasOtherReaders) {
  Chain c;
  const TensorIndex tiled = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,4]");
  const TensorIndex left = c.b.Add(Op::kExp, {tiled}, "fp32[16,4]");
  const TensorIndex right = c.b.Add(Op::kAbs, {tiled}, "fp32[16,4]");
  const Folding folding =
      c.Finish(c.b.Add(Op::kMul, {left, right, c.b.Constant("i8[1]{0}")}, "fp32[16,4]"));
  EXPECT_EQ(TextOf(folding), " |  | TILE EXP ABS MUL ADD;");
}

// Two expanders in a row both move.
TEST(PostponeExpanders, GoesOnUntilNothingMoves) {
  Chain c("fp32[16,4]", "fp32[1,1]");
  const TensorIndex rows = Tile(c.b, c.w, "shape[2]{16,1}", "fp32[16,1]");
  const TensorIndex all = Tile(c.b, rows, "shape[2]{1,4}", "fp32[16,4]");
  const Folding folding = c.Finish(c.b.Add(Op::kExp, {all}, "fp32[16,4]"));
  EXPECT_EQ(TextOf(folding), " | EXP | TILE TILE ADD; fp32[1,1]");
}

// Makes chains of expanders and element-wise operators on a constant, added to an input that
// varies.
class RandomChain {
 public:
  explicit RandomChain(uint64_t seed) : random_(seed), rank_(random_.OneIn(2) ? 3 : 4) {
    Shape shape;
    for (int axis = 0; axis < rank_; ++axis) shape.PushBack(Below(3) + 1);
    const DType type = random_.OneIn(2) ? DType::kBf16 : DType::kFp32;
    value_ = Argument({type, shape}, random_.OneIn(3) ? kCompileTime : kRuntime);
    const int steps = Below(5) + 2;
    for (int i = 0; i < steps; ++i) {
      if (random_.OneIn(2)) {
        Expand();
      } else {
        Compute();
      }
    }
    if (Type().type != DType::kFp32) Unary(Op::kCast, DType::kFp32);
    const TensorIndex x = Argument(Type(), kVarying);
    b_.Outputs({b_.Add(Op::kAdd, {x, value_}, Type().ToString())});
    graph = GraphOf({std::move(b_.block)});
  }

  Graph graph;
  std::vector<Constness> arguments;
  std::vector<Tensor> inputs;

 private:
  int32_t Below(uint64_t bound) { return static_cast<int32_t>(random_.Below(bound)); }
  const TensorType& Type() const { return b_.block.TypeOf(value_); }

  Tensor Values(const TensorType& type) {
    std::vector<double> numbers;
    constexpr double kNasty[] = {-0.0, std::numeric_limits<double>::quiet_NaN(), 0x1p-149, -1e30};
    for (int64_t i = 0; i < type.shape.Elements(); ++i) {
      numbers.push_back(random_.OneIn(4) ? random_.Pick(kNasty) : Below(64) / 8.0 - 4);
    }
    return Tensor::FromFloats(type.type, type.shape, numbers);
  }

  TensorIndex Argument(const TensorType& type, Constness constness) {
    arguments.push_back(constness);
    inputs.push_back(Values(type));
    return b_.Input(type.ToString());
  }

  TensorIndex Literal(const Tensor& value) {
    const Op op = value.type() == DType::kShape ? Op::kConstShape : Op::kConst;
    return b_.Add(op, {}, value.tensor_type().ToString(), {{AttributeId::kValues, value}});
  }

  void Set(Op op, std::vector<TensorIndex> operands, const TensorType& type,
           Attributes attributes = {}) {
    value_ = b_.Add(op, std::move(operands), type.ToString(), std::move(attributes));
  }

  void Unary(Op op, DType type) { Set(op, {value_}, {type, Type().shape}); }

  void Expand() {
    TensorType type = Type();
    std::vector<int64_t> numbers;
    switch (Below(5)) {
      case 0:
        for (int axis = 0; axis < rank_; ++axis) {
          numbers.push_back(type.shape[axis] > 16 ? 1 : Below(3) + 1);
          type.shape[axis] *= static_cast<int32_t>(numbers.back());
        }
        return Set(Op::kTile, {value_, Literal(Tensor::FromShape(numbers))}, type);
      case 1:
        for (int axis = 0; axis < rank_; ++axis) {
          for (int side = 0; side < 2; ++side) {
            numbers.push_back(Below(2));
            type.shape[axis] += static_cast<int32_t>(numbers.back());
          }
        }
        return Set(Op::kPad,
                   {value_, Literal(Tensor::FromShape(numbers)), Literal(Values({type.type, {1}}))},
                   type);
      case 2: {
        const int32_t axis = Below(static_cast<uint64_t>(rank_));
        if (type.shape[axis] > 16) return;
        type.shape[axis] *= 2;
        return Set(Op::kConcat, {value_, value_}, type, {{AttributeId::kAxis, axis}});
      }
      case 3: {
        if (rank_ != 3) return;
        for (int i = 0; i < 6 * type.shape[0]; ++i) {
          numbers.push_back(Below(static_cast<uint64_t>(type.shape[1])));
        }
        const Tensor rows = Tensor::FromIntegers(DType::kInt32, {type.shape[0], 6}, numbers);
        type.shape[1] = 6;
        return Set(Op::kGather, {value_, Literal(rows)}, type);
      }
      default: {
        if (rank_ != 4 || type.shape[1] > 16 || type.shape[2] > 16) return;
        const int64_t scale[] = {2, 1, 3, 1}, offset[] = {0, 0}, border[] = {1, 2};
        type.shape[1] *= 2;
        type.shape[2] *= 3;
        return Set(Op::kResize,
                   {value_, Literal(Tensor::FromShape(scale)), Literal(Tensor::FromShape(offset)),
                    Literal(Tensor::FromShape(border))},
                   type, {{AttributeId::kMode, static_cast<int32_t>(ResizeMode::kNearest)}});
      }
    }
  }

  // Returns a second operand. Some of its extents are 1 where the value's are larger, or larger
  // where the value's are 1. A CONST may have equal elements everywhere.
  TensorIndex Partner() {
    if (random_.OneIn(6)) return value_;
    TensorType type = Type();
    for (int axis = 0; axis < rank_; ++axis) {
      if (!random_.OneIn(4)) type.shape[axis] = type.shape[axis] == 1 ? Below(3) + 1 : 1;
    }
    switch (Below(4)) {
      case 0:
        return Argument(type, kRuntime);
      case 1:
        return Literal(Tensor::Splat(type.type, type.shape, 0));
      case 2:
        return Literal(Values(type));
      default:
        return Argument(type, kCompileTime);
    }
  }

  void Compute() {
    const DType type = Type().type;
    const DType other = type == DType::kFp32 ? DType::kBf16 : DType::kFp32;
    const Attributes nan_mode = {
        {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}};
    std::vector<TensorIndex> operands = {value_, Partner()};
    TensorType result = Type();
    for (int axis = 0; axis < rank_; ++axis) {
      result.shape[axis] = std::max(result.shape[axis], b_.block.TypeOf(operands[1]).shape[axis]);
    }
    if (random_.OneIn(2)) std::swap(operands[0], operands[1]);
    switch (Below(6)) {
      case 0:
        return Unary(Op::kExp, type);
      case 1:
        return Unary(Op::kAbs, type);
      case 2:
        return Unary(Op::kCast, other);
      case 3:
        return Set(Op::kMaximum, operands, result, nan_mode);
      case 4:
        return Set(Op::kSub, operands, result);
      default:
        return Set(Op::kAdd, operands, result);
    }
  }

  Random random_;
  const int rank_;
  BlockBuilder b_;
  TensorIndex value_ = 0;
};

TEST(PostponeExpanders, KeepsTheLawsOnRandomChains) {
  const char* wanted = std::getenv("ASSAY_FOLDED_GRAPHS");
  const uint64_t count = wanted == nullptr ? 500 : std::strtoull(wanted, nullptr, 10);
  std::map<std::string, int> kinds;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const RandomChain chain(seed);
    SCOPED_TRACE("chain " + std::to_string(seed));
    Random random(seed);
    for (const FoldForm form : {FoldForm::kSplit, FoldForm::kRuntime}) {
      FoldOptions options;
      options.form = form;
      options.policy = {static_cast<SizePolicyKind>(random.Below(3)), random.Between(0, 32)};
      if (random.OneIn(3)) options.policy = {SizePolicyKind::kRatio, 1};
      options.execution.level = kLevelNone;
      const Folding folding = Folded(chain.graph, chain.arguments, options);
      for (const Postponement& one : folding.record.certificate.postponements) {
        ++kinds[std::string(NameOf(one.kind))];
      }
      ExpectToAgree(folding, chain.inputs, options.execution);
    }
    if (HasFailure()) return;
  }
  for (const auto& [kind, number] : kinds) std::printf("%s: %d\n", kind.c_str(), number);
  EXPECT_EQ(kinds.size(), 7u);
}

}  // namespace
}  // namespace assay::testing::postpone_test

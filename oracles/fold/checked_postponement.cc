// SPDX-License-Identifier: Apache-2.0
#include "checked_postponement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "operator_facts.h"
#include "operator_table.h"

namespace assay {
namespace {

// Returns true if each element of the result depends on one element of each operand, and not on its
// position.
bool IsElementWise(Op op) {
  const std::string_view category = RowOf(op).category;
  return category.starts_with("elementwise") || category == "activation" ||
         category == "comparison" || category == "type-conversion" || op == Op::kIdentity;
}

// The operators that give on numbers of a narrow type what they give on the same numbers of a wide
// one. NEGATE and ABS of the lowest integer do not, so they are only in the list for floats.
constexpr Op kExactOnFloats[] = {Op::kAbs, Op::kNegate, Op::kCeil, Op::kFloor};
constexpr Op kExactOnAll[] = {Op::kMaximum, Op::kMinimum, Op::kSelect,       Op::kClamp,
                              Op::kEqual,   Op::kGreater, Op::kGreaterEqual, Op::kIdentity};

template <class Range, class T>
bool Contains(const Range& range, const T& value) {
  return std::ranges::find(range, value) != std::end(range);
}

// Returns true if an operator is defined for all elements of its operands' types.
bool IsTotal(Op op, DType in, DType out) {
  if (op == Op::kPow || op == Op::kRescale) return false;
  if (op == Op::kCast) return !(IsFloat(in) && IsInteger(out));
  if (IsFloat(in)) return true;
  return std::ranges::none_of(RowOf(op).rules, [](const RuleRow& rule) {
    return rule.kind == RuleKind::kRequire && rule.unreachable.empty() &&
           rule.name != "tensor_size";
  });
}

// Returns true if every number of one type is a number of the other.
bool IsWidening(DType from, DType to) {
  constexpr std::pair<DType, DType> kPairs[] = {
      {DType::kInt8, DType::kInt16},   {DType::kInt8, DType::kInt32},
      {DType::kInt8, DType::kFp16},    {DType::kInt8, DType::kBf16},
      {DType::kInt8, DType::kFp32},    {DType::kInt16, DType::kInt32},
      {DType::kInt16, DType::kFp32},   {DType::kFp16, DType::kFp32},
      {DType::kBf16, DType::kFp32},    {DType::kFp8e4m3, DType::kFp16},
      {DType::kFp8e4m3, DType::kBf16}, {DType::kFp8e4m3, DType::kFp32},
      {DType::kFp8e5m2, DType::kFp16}, {DType::kFp8e5m2, DType::kBf16},
      {DType::kFp8e5m2, DType::kFp32}};
  return Contains(kPairs, std::pair(from, to));
}

double NumberOf(const Tensor& tensor, int64_t i) {
  return IsFloat(tensor.type()) ? tensor.Float(i) : static_cast<double>(tensor.Integer(i));
}

// Returns the same numbers in a narrower type; nullopt if that type lacks one of them.
std::optional<Tensor> Narrowed(const Tensor& wide, DType type) {
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < wide.elements(); ++i) {
    numbers.push_back(NumberOf(wide, i));
    if (IsFloat(type)) continue;
    const bool fits = numbers.back() >= static_cast<double>(MinimumInteger(type)) &&
                      numbers.back() <= static_cast<double>(MaximumInteger(type)) &&
                      !(numbers.back() == 0 && std::signbit(numbers.back()));
    if (!fits) return std::nullopt;
    integers.push_back(static_cast<int64_t>(numbers.back()));
  }
  const Tensor narrow = IsFloat(type) ? Tensor::FromFloats(type, wide.shape(), numbers)
                                      : Tensor::FromIntegers(type, wide.shape(), integers);
  for (int64_t i = 0; i < wide.elements(); ++i) {
    const double a = NumberOf(narrow, i), b = numbers[static_cast<size_t>(i)];
    const bool same = std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
    if (!same) return std::nullopt;
  }
  return narrow;
}

// Returns one period of a constant that repeats itself with the periods `shape`; nullopt if it does
// not.
std::optional<Tensor> OnePeriod(const Tensor& tensor, const Shape& shape) {
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  const std::span<const uint8_t> bytes = tensor.bytes();
  std::vector<uint8_t> period(static_cast<size_t>(shape.Elements()) * width);
  std::vector<bool> known(static_cast<size_t>(shape.Elements()));
  std::vector<int32_t> index(static_cast<size_t>(shape.rank()));
  for (size_t i = 0; i < static_cast<size_t>(tensor.elements()); ++i) {
    size_t at = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int32_t here = index[static_cast<size_t>(axis)] % shape[axis];
      at = at * static_cast<size_t>(shape[axis]) + static_cast<size_t>(here);
    }
    const auto element = bytes.subspan(i * width, width);
    const auto place = std::span(period).subspan(at * width, width);
    if (known[at] && !std::ranges::equal(element, place)) return std::nullopt;
    known[at] = true;
    std::ranges::copy(element, place.begin());
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++index[static_cast<size_t>(axis)] < tensor.shape()[axis]) break;
      index[static_cast<size_t>(axis)] = 0;
    }
  }
  return Tensor::FromBytes(tensor.type(), shape, std::move(period));
}

using Axes = std::array<bool, Shape::kMaxRank>;

// One postponement, from the check of its conditions to the new operators.
class Exchange {
 public:
  Exchange(NamedGraph& graph, const Postponement& step, const NamedGraph& postponed,
           const ExecutionOptions& options)
      : graph_(graph), step_(step), postponed_(postponed), options_(options) {
    options_.dynamic = true;  // shapes may follow from CONSTs
  }

  std::string Apply() {
    Find() && FindExpanders() && FindAxes() && Exchanged();
    return flaw_;
  }

 private:
  bool Refuse(std::string flaw) {
    flaw_ = std::move(flaw);
    return false;
  }

  // Returns the value of a CONST, or of a tensor that follows from CONSTs alone; nullopt for
  // others.
  std::optional<Tensor> ValueOf(const std::string& tensor) const {
    if (const Tensor* constant = graph_.ConstantIn(tensor)) return *constant;
    const Graph part = graph_.ConstantPart(tensor);
    if (part.Main()->outputs.empty()) return std::nullopt;
    Context context;
    const Outcome outcome = Execute(context, part, {}, options_);
    if (outcome.kind != OutcomeKind::kValid) return std::nullopt;
    return outcome.outputs[0];
  }

  bool Is(ExpanderKind kind) const { return step_.kind == kind; }
  DType TypeOf(const std::string& tensor) const { return graph_.Find(tensor)->type.type; }
  const Shape& ShapeOf(const std::string& tensor) const { return graph_.Find(tensor)->type.shape; }
  bool IsExpanded(const std::string& tensor) const { return Contains(step_.expanded, tensor); }
  // Returns true for an operand such as a zero point: f does not compute with its elements.
  bool IsParameter(size_t operand) const { return FactsOf(f_.op).NeedsConstant(operand); }

  bool Find() {
    const NamedOperator* f = graph_.ProducerOf(step_.result);
    if (f == nullptr) return Refuse("nothing without effects gives the result");
    f_ = *f;
    if (!IsElementWise(f_.op)) {
      return Refuse(std::string(OperatorName(f_.op)) + " is not element-wise");
    }
    if (f_.op == Op::kRescale && f_.attributes.Flag(AttributeId::kPerChannel)) {
      return Refuse("RESCALE per channel is not element-wise");
    }
    if (step_.expanded.empty()) return Refuse("nothing was expanded");
    for (size_t i = 0; i < f_.inputs.size(); ++i) {
      if (IsExpanded(f_.inputs[i]) && IsParameter(i)) {
        return Refuse(f_.inputs[i] + " is read as a whole");
      }
    }
    return true;
  }

  bool FindExpanders() {
    for (const std::string& tensor : step_.expanded) {
      const auto reads = static_cast<int>(std::ranges::count(f_.inputs, tensor));
      if (reads == 0) return Refuse("the operator does not read " + tensor);
      if (!named_.insert(tensor).second) return Refuse(tensor + " is named twice");
      if (Is(ExpanderKind::kBroadcast)) {
        if (!ValueOf(tensor)) return Refuse(tensor + " is no constant");
        continue;
      }
      const NamedOperator* expander = graph_.ProducerOf(tensor);
      if (expander == nullptr) return Refuse("nothing without effects gives " + tensor);
      if (graph_.IsOutput(tensor) || graph_.ReadsOf(tensor) != reads) {
        return Refuse(tensor + " has other readers");
      }
      expanders_.push_back(*expander);
      if (!IsKind(*expander)) return Refuse(tensor + " is expanded in another way");
      if (!IsLikeFirst(*expander)) return Refuse(tensor + " is not expanded like the first");
    }
    return true;
  }

  bool IsKind(const NamedOperator& e) const {
    switch (step_.kind) {
      case ExpanderKind::kTile:
        return e.op == Op::kTile;
      case ExpanderKind::kBroadcast:
        break;
      case ExpanderKind::kPad:
        return e.op == Op::kPad;
      case ExpanderKind::kConcat:
        return e.op == Op::kConcat;
      case ExpanderKind::kGather:
        return e.op == Op::kGather;
      case ExpanderKind::kResizeNearest:
        return e.op == Op::kResize &&
               e.attributes.Int(AttributeId::kMode) == static_cast<int>(ResizeMode::kNearest);
      case ExpanderKind::kWideningCast:
        return e.op == Op::kCast && IsWidening(TypeOf(e.inputs[0]), TypeOf(e.outputs[0]));
    }
    return false;
  }

  bool SameTensor(const std::string& a, const std::string& b) const {
    if (a == b) return true;
    const std::optional<Tensor> x = ValueOf(a);
    return x && x == ValueOf(b);
  }

  // Returns the number of operands that are expanded, counted from the first one.
  size_t DataOperands(const NamedOperator& e) const {
    return Is(ExpanderKind::kConcat) ? e.inputs.size() : 1;
  }

  // Returns true if an expansion is like the first one. f can only change places with several
  // expansions at once if their elements come from the same places. So attributes and operands
  // other than the data must be equal; only PAD's value may differ.
  bool IsLikeFirst(const NamedOperator& e) const {
    const NamedOperator& first = expanders_.front();
    if (e.attributes != first.attributes || e.inputs.size() != first.inputs.size()) return false;
    const size_t last = Is(ExpanderKind::kPad) ? 2 : e.inputs.size();
    for (size_t i = DataOperands(e); i < last; ++i) {
      if (!SameTensor(e.inputs[i], first.inputs[i])) return false;
    }
    if (Is(ExpanderKind::kWideningCast)) return TypeOf(e.inputs[0]) == TypeOf(first.inputs[0]);
    return true;
  }

  // Finds the axes along which elements do not stay where they are. For PAD these are all axes,
  // because the padding is the same along each.
  bool FindAxes() {
    const Shape& result = ShapeOf(step_.result);
    if (Is(ExpanderKind::kBroadcast)) {
      for (int axis = 0; axis < result.rank(); ++axis) {
        moved_[static_cast<size_t>(axis)] = result[axis] > 1 && IsSameAlong(axis);
      }
      return true;
    }
    const NamedOperator& e = expanders_.front();
    for (int axis = 0; axis < result.rank(); ++axis) {
      const bool is_longer = ShapeOf(e.outputs[0])[axis] != ShapeOf(e.inputs[0])[axis];
      moved_[static_cast<size_t>(axis)] =
          Is(ExpanderKind::kPad) || (Is(ExpanderKind::kTile) && is_longer) ||
          (Is(ExpanderKind::kConcat) && axis == e.attributes.Int(AttributeId::kAxis)) ||
          (Is(ExpanderKind::kGather) && axis == 1) ||
          (Is(ExpanderKind::kResizeNearest) && (axis == 1 || axis == 2));
    }
    if ((Is(ExpanderKind::kGather) || Is(ExpanderKind::kResizeNearest)) &&
        !IsTotal(f_.op, TypeOf(f_.inputs[0]), TypeOf(step_.result)) && !ReadsAll(e)) {
      return Refuse(std::string(OperatorName(f_.op)) + " is not defined for all that is left out");
    }
    return HaveEqualExtents();
  }

  // Returns true if no operand changes along an axis.
  bool IsSameAlong(int axis) const {
    for (size_t i = 0; i < f_.inputs.size(); ++i) {
      if (IsParameter(i) || ShapeOf(f_.inputs[i])[axis] == 1) continue;
      Shape once = ShapeOf(f_.inputs[i]);
      once[axis] = 1;
      const std::optional<Tensor> value = ValueOf(f_.inputs[i]);
      if (!value || !OnePeriod(*value, once)) return false;
    }
    return true;
  }

  // Returns true if GATHER leaves nothing out.
  bool ReadsAll(const NamedOperator& e) const {
    if (!Is(ExpanderKind::kGather)) return false;
    const std::optional<Tensor> indices = ValueOf(e.inputs[1]);
    if (!indices) return false;
    const int32_t width = indices->shape()[1];
    std::set<std::pair<int64_t, int64_t>> read;
    for (int64_t i = 0; i < indices->elements(); ++i) {
      read.emplace(i / width, indices->Integer(i));
    }
    const Shape& values = ShapeOf(e.inputs[0]);
    return static_cast<int64_t>(read.size()) == int64_t{values[0]} * values[1];
  }

  // Checks that the operands of several expanders are equally long along the axes on which they
  // move.
  bool HaveEqualExtents() {
    for (const NamedOperator& e : expanders_) {
      for (size_t i = 0; i < DataOperands(e); ++i) {
        const Shape &a = ShapeOf(e.inputs[i]), &b = ShapeOf(expanders_.front().inputs[i]);
        for (int axis = 0; axis < a.rank(); ++axis) {
          if (moved_[static_cast<size_t>(axis)] && a[axis] != b[axis]) {
            return Refuse(e.inputs[i] + " is of another length than " +
                          expanders_.front().inputs[i]);
          }
        }
      }
    }
    return true;
  }

  // Returns a name for a new constant: one that the certificate lists and that is no other
  // constant. Returns nullopt if there is none.
  std::optional<std::string> NameFor(const Tensor& value) {
    for (const std::string& name : step_.constants) {
      const Tensor* there = postponed_.ConstantIn(name);
      if (there != nullptr && *there != value) continue;
      if (graph_.Find(name) != nullptr || !named_.insert(name).second) continue;
      return name;
    }
    return std::nullopt;
  }

  bool NewConstant(const Tensor& value, std::string& name) {
    const std::optional<std::string> found = NameFor(value);
    if (!found) return Refuse("no constant of the certificate is " + Describe(value));
    name = *found;
    const Op op = value.type() == DType::kShape ? Op::kConstShape : Op::kConst;
    added_.push_back({{op, {{AttributeId::kValues, value}}, {}, {name}}, value.tensor_type()});
    return true;
  }

  static std::string Describe(const Tensor& value) {
    std::string text = value.tensor_type().ToString();
    if (value.elements() > 0) text += " of " + value.ElementText(0);
    return value.elements() > 1 ? text + "..." : text;
  }

  // Finds the operands that f reads now, for each operand that is expanded. That operand replaces
  // its expansion. The others must not change along the axes on which elements move.
  bool OperandsOf(std::vector<std::vector<std::string>>& operands) {
    for (size_t i = 0; i < f_.inputs.size(); ++i) {
      const auto expanded = std::ranges::find(step_.expanded, f_.inputs[i]);
      const auto e = static_cast<size_t>(expanded - step_.expanded.begin());
      const bool is_expanded = e < expanders_.size();
      for (size_t piece = 0; piece < operands.size(); ++piece) {
        std::string operand = is_expanded ? expanders_[e].inputs[piece] : f_.inputs[i];
        if (!is_expanded && Is(ExpanderKind::kWideningCast) && !Narrow(operand)) return false;
        if (!is_expanded && !IsParameter(i) && !Shorten(piece, operand)) return false;
        operands[piece].push_back(operand);
      }
    }
    return true;
  }

  // Makes a partner of the expansion the same along the axes on which elements move, which is
  // possible for a constant. For CONCAT, each operand has its own piece of the constant.
  bool Shorten(size_t piece, std::string& operand) {
    const Shape shape = graph_.Find(operand) == nullptr ? Shape() : ShapeOf(operand);
    Shape period = shape;
    int32_t first = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (!moved_[static_cast<size_t>(axis)] || shape[axis] == 1) continue;
      period[axis] = 1;
      if (Is(ExpanderKind::kTile)) period[axis] = ShapeOf(expanders_.front().inputs[0])[axis];
      if (!Is(ExpanderKind::kConcat)) continue;
      const std::vector<std::string>& pieces = expanders_.front().inputs;
      for (size_t i = 0; i < piece; ++i) first += ShapeOf(pieces[i])[axis];
      period[axis] = ShapeOf(pieces[piece])[axis];
    }
    if (period == shape) return true;
    const std::optional<Tensor> value = ValueOf(operand);
    std::optional<Tensor> one;
    if (value && Is(ExpanderKind::kConcat)) one = Piece(*value, first, period);
    if (value && !Is(ExpanderKind::kConcat)) one = OnePeriod(*value, period);
    if (!one) return Refuse(operand + " changes along an axis on which elements move");
    return NewConstant(*one, operand);
  }

  // Returns the part of a constant that belongs to an operand of CONCAT.
  Tensor Piece(const Tensor& whole, int32_t first, const Shape& shape) const {
    const int axis = expanders_.front().attributes.Int(AttributeId::kAxis);
    int64_t inner = ElementBytes(whole.type());  // bytes of all that one step along the axis holds
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
    const int64_t stride = inner * whole.shape()[axis], size = inner * shape[axis];
    std::vector<uint8_t> bytes;
    for (int64_t at = inner * first; at < std::ssize(whole.bytes()); at += stride) {
      const auto part = whole.bytes().subspan(static_cast<size_t>(at), static_cast<size_t>(size));
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return Tensor::FromBytes(whole.type(), shape, std::move(bytes));
  }

  // Narrows an operand of f that is no cast: a constant of numbers of the narrow type. Leaves
  // SELECT's condition as it is.
  bool Narrow(std::string& operand) {
    const NamedOperator& cast = expanders_.front();
    if (TypeOf(operand) != TypeOf(cast.outputs[0])) return true;
    const std::optional<Tensor> value = ValueOf(operand);
    const std::optional<Tensor> narrow =
        value ? Narrowed(*value, TypeOf(cast.inputs[0])) : std::nullopt;
    if (!narrow) return Refuse(operand + " is no constant of numbers of the narrow type");
    return NewConstant(*narrow, operand);
  }

  // Narrows CLAMP's limits, which have the type of its operand.
  bool NarrowedAttributes(Attributes& attributes) {
    for (const AttributeId id : {AttributeId::kMinVal, AttributeId::kMaxVal}) {
      if (f_.op != Op::kClamp) break;
      const auto narrow = Narrowed(attributes.Value(id), TypeOf(expanders_.front().inputs[0]));
      if (!narrow) return Refuse("a limit of CLAMP is no number of the narrow type");
      attributes.Set(id, *narrow);
    }
    return true;
  }

  bool IsExactOnNarrow() {
    const bool floats = IsFloat(TypeOf(expanders_.front().inputs[0])) &&
                        IsFloat(TypeOf(expanders_.front().outputs[0]));
    if (Contains(kExactOnAll, f_.op) || (floats && Contains(kExactOnFloats, f_.op))) return true;
    return Refuse(std::string(OperatorName(f_.op)) + " rounds, or overflows, on the narrow type");
  }

  bool Exchanged() {
    if (Is(ExpanderKind::kWideningCast) && !IsExactOnNarrow()) return false;
    // The operator that gives the result now.
    NamedOperator last = Is(ExpanderKind::kBroadcast) ? NamedOperator() : expanders_.front();
    const bool is_gone = step_.inner.empty();  // then f gives the result itself
    if (is_gone && !(Is(ExpanderKind::kWideningCast) && TypeOf(step_.result) == DType::kBool)) {
      return Refuse("something has to expand the result");
    }
    std::vector<std::vector<std::string>> operands(
        Is(ExpanderKind::kBroadcast) ? 1 : DataOperands(last));
    if (!is_gone && step_.inner.size() != operands.size()) {
      return Refuse("not one new tensor for each operand that is expanded");
    }
    if (!OperandsOf(operands)) return false;
    for (size_t piece = 0; piece < operands.size(); ++piece) {
      if (!AddChild(operands, piece, is_gone)) return false;
      if (!is_gone && !Is(ExpanderKind::kBroadcast)) last.inputs[piece] = step_.inner[piece];
    }
    if (Is(ExpanderKind::kBroadcast) && !Tiled(last)) return false;
    if (Is(ExpanderKind::kPad) && !PadValue(last)) return false;
    if (!is_gone) {
      last.outputs = {step_.result};
      added_.push_back({last, graph_.Find(step_.result)->type});
    }
    graph_.RemoveProducerOf(step_.result);
    for (const NamedOperator& e : expanders_) graph_.RemoveProducerOf(e.outputs[0]);
    for (auto& [op, type] : added_) graph_.Add(op, {type});
    return true;
  }

  // Adds f on operands that are not expanded.
  bool AddChild(const std::vector<std::vector<std::string>>& operands, size_t piece, bool is_gone) {
    NamedOperator f = f_;
    f.inputs = operands[piece];
    f.outputs = {is_gone ? step_.result : step_.inner[piece]};
    if (Is(ExpanderKind::kWideningCast) && !NarrowedAttributes(f.attributes)) return false;
    if (!is_gone && !named_.insert(f.outputs[0]).second) {
      const auto same = std::ranges::find(step_.inner, f.outputs[0]);
      const auto first = static_cast<size_t>(same - step_.inner.begin());
      if (first < piece && operands[first] == operands[piece]) return true;  // the same once more
      return Refuse(f.outputs[0] + " is named twice");
    }
    if (!is_gone && graph_.Find(f.outputs[0]) != nullptr) {
      return Refuse(f.outputs[0] + " is there already");
    }
    added_.push_back({f, {TypeOfChild(), ShapeOfChild(f.inputs)}});
    return true;
  }

  DType TypeOfChild() const {
    const DType type = TypeOf(step_.result);
    const bool is_narrow = Is(ExpanderKind::kWideningCast) && type != DType::kBool;
    return is_narrow ? TypeOf(expanders_.front().inputs[0]) : type;
  }

  Shape ShapeOfChild(const std::vector<std::string>& operands) const {
    Shape shape;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (IsParameter(i)) continue;
      Shape operand;
      if (const TensorInfo* info = graph_.Find(operands[i])) {
        operand = info->type.shape;
      } else {
        operand = std::ranges::find(added_, operands[i], [](const auto& added) {
                    return added.first.outputs[0];
                  })->second.shape;
      }
      if (shape.rank() == 0) shape = operand;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] == 1) shape[axis] = operand[axis];
      }
    }
    return shape;
  }

  // Makes the TILE that replaces broadcasting.
  bool Tiled(NamedOperator& last) {
    std::vector<int64_t> multiples;
    const Shape& result = ShapeOf(step_.result);
    for (int axis = 0; axis < result.rank(); ++axis) {
      multiples.push_back(moved_[static_cast<size_t>(axis)] ? result[axis] : 1);
    }
    last = {Op::kTile, {}, {step_.inner[0], ""}, {}, false};
    return NewConstant(Tensor::FromShape(multiples), last.inputs[1]);
  }

  // Computes f of the padding: of single elements, as the reference computes them.
  bool PadValue(NamedOperator& last) {
    Graph one = EmptyGraph();
    Block& main = *one.Main();
    const Shape single = OnesOf(ShapeOf(step_.result).rank());
    const auto add = [&main](const TensorType& type) {
      return main.AddTensor("t" + std::to_string(main.tensors.size()), type);
    };
    Operator f = {f_.op, f_.attributes, {}, {}};
    for (size_t i = 0; i < f_.inputs.size(); ++i) {
      const auto expanded = std::ranges::find(step_.expanded, f_.inputs[i]);
      const auto e = static_cast<size_t>(expanded - step_.expanded.begin());
      const std::string& name = e < expanders_.size() ? expanders_[e].inputs[2] : f_.inputs[i];
      std::optional<Tensor> value = ValueOf(name);
      if (!value) return Refuse(name + " is no constant to compute the padding of");
      if (!IsParameter(i)) {
        value = OnePeriod(*value, OnesOf(value->shape().rank()));
        if (!value) return Refuse(name + " has several values beside one padding");
        value = value->Reshaped(single);
      }
      f.inputs.push_back(add(value->tensor_type()));
      main.operators.push_back(
          {Op::kConst, {{AttributeId::kValues, *value}}, {}, {f.inputs.back()}});
    }
    f.outputs.push_back(add({TypeOf(step_.result), single}));
    main.outputs = f.outputs;
    main.operators.push_back(std::move(f));
    Context context;
    const Outcome outcome = Execute(context, one, {}, options_);
    if (outcome.kind != OutcomeKind::kValid) return Refuse("the padding cannot be computed");
    return NewConstant(outcome.outputs[0].Reshaped({1}), last.inputs[2]);
  }

  static Shape OnesOf(int rank) {
    Shape shape;
    for (int axis = 0; axis < rank; ++axis) shape.PushBack(1);
    return shape;
  }

  NamedGraph& graph_;
  const Postponement& step_;
  const NamedGraph& postponed_;
  ExecutionOptions options_;
  std::string flaw_;
  NamedOperator f_;
  std::vector<NamedOperator> expanders_;
  Axes moved_{};
  std::set<std::string> named_;  // by the certificate, and used up
  std::vector<std::pair<NamedOperator, TensorType>> added_;
};

}  // namespace

std::string Postpone(NamedGraph& graph, const Postponement& postponement,
                     const NamedGraph& postponed, const ExecutionOptions& options) {
  return Exchange(graph, postponement, postponed, options).Apply();
}

}  // namespace assay

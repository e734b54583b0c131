// SPDX-License-Identifier: Apache-2.0
#include "postpone.h"

#include <algorithm>
#include <utility>

#include "draft_block.h"
#include "expander.h"
#include "folding_analysis.h"
#include "folding_mistakes.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "repetition.h"
#include "stage_graph.h"

namespace assay {
namespace {

// One pass over a graph: each expander moves down as far as it can. If one expander changes an
// operator, no other expander changes it in the same pass.
class Pass {
 public:
  Pass(const Graph& graph, std::span<const Constness> arguments, const FoldOptions& options)
      : analysis_(graph, arguments, options),
        flow_(analysis_.flow),
        options_(options.execution),
        fault_(options.fault),
        draft_(flow_.main()),
        replaced_(block().operators.size()),
        touched_(block().operators.size()) {
    options_.dynamic = true;  // compile-time-constant operands are known by their values
  }

  PostponedGraph Run() && {
    for (const int32_t op : flow_.order()) Postpone(op);
    for (const int32_t op : flow_.order()) PostponeBroadcast(op);
    PostponedGraph postponed{flow_.graph(), std::move(postponements_)};
    if (postponed.postponements.empty()) return postponed;
    Block& main = *postponed.graph.Main();
    main.tensors = block().tensors;
    main.operators.clear();
    for (size_t i = 0; i < replaced_.size(); ++i) {
      if (!replaced_[i]) {
        main.operators.push_back(block().operators[i]);
      } else {
        main.operators.insert(main.operators.end(), replaced_[i]->begin(), replaced_[i]->end());
      }
    }
    StagePart all;  // without the tensors that nothing uses any more
    all.operators.assign(main.operators.size(), true);
    all.inputs = main.inputs;
    all.outputs = main.outputs;
    postponed.graph = BuildStage(postponed.graph, all);
    return postponed;
  }

 private:
  bool Has(FoldFault fault) const { return fault_ == fault; }

  // An expander on its way down.
  struct Expander {
    ExpanderKind kind;
    Operator op;                     // E, with its present operands
    TensorIndex result;              // E(x)
    std::vector<TensorIndex> roots;  // tensors of the graph that x is computed from
    bool stacked;                    // x comes from another expander
  };

  // An exchange of an expander E and an operator f, in the making.
  struct Exchange {
    int32_t child;                                 // f
    std::vector<std::vector<TensorIndex>> inputs;  // of f, for each piece of x
    std::vector<Operator> literals;                // new CONSTs
    std::vector<int32_t> removed;                  // operators whose results only f read
    std::vector<TensorIndex> roots;                // of partners
    Postponement record;
  };

  const Block& block() const { return draft_.block(); }
  const Operator& OpAt(int32_t op) const { return block().operators[At(op)]; }
  Shape ShapeOf(TensorIndex tensor) const { return draft_.TypeOf(tensor).shape; }
  DType ElementOf(TensorIndex tensor) const { return draft_.TypeOf(tensor).type; }

  // Returns true if an operator is constant, but still runs every time.
  bool IsLeft(int32_t op) const {
    return flow_.OfOperator(op) != Constness::kVarying &&
           analysis_.partition.RunsIn(op, FoldStage::kEntry) && !touched_[At(op)];
  }

  // Returns the only operator that reads a tensor of the graph, if there is one.
  std::optional<int32_t> OnlyReader(TensorIndex tensor) const {
    const std::vector<int32_t>& readers = flow_.ReadersOf(tensor);
    if (Has(FoldFault::kOtherReadersForgotten) && !readers.empty()) return readers[0];
    if (readers.size() != 1 || flow_.IsOutput(tensor)) return std::nullopt;
    return readers[0];
  }

  // Returns the value of a CONST of the graph, or a value that follows from CONSTs.
  std::optional<Tensor> ValueOf(TensorIndex tensor) {
    if (At(tensor) < flow_.main().tensors.size()) return analysis_.literals.ValueOf(tensor);
    return draft_.ValueOf(tensor);
  }

  TensorIndex NewLiteral(const std::string& base, const Tensor& value, Exchange& exchange) {
    const TensorIndex tensor = draft_.AddValue(base, value);
    exchange.literals.push_back(Literal(value, tensor));
    exchange.record.constants.push_back(draft_.NameOf(tensor));
    return tensor;
  }

  void Postpone(int32_t op) {
    std::optional<ExpanderKind> kind = ExpanderKindOf(block(), OpAt(op));
    if (Has(FoldFault::kBilinearMoved) && OpAt(op).op == Op::kResize) {
      kind = ExpanderKind::kResizeNearest;
    }
    if (!kind || !IsLeft(op)) return;
    Expander expander{*kind, OpAt(op), OpAt(op).outputs[0], {}, false};
    for (size_t i = 0; i < ExpandedOperands(expander.op); ++i) {
      const TensorIndex from = expander.op.inputs[i];
      expander.roots.push_back(from);
      const int32_t producer = flow_.ProducerOf(from);
      if (producer >= 0 && ExpanderKindOf(block(), OpAt(producer)) && IsLeft(producer))
        expander.stacked = true;
    }
    std::optional<int32_t> last;
    for (;;) {
      const auto child = OnlyReader(expander.result);
      if (!child || !IsLeft(*child) || !ExchangeWith(expander, *child)) break;
      touched_[At(op)] = true;
      replaced_[At(op)].emplace();
      if (last) touched_[At(*last)] = true;
      last = child;
      if (expander.op.outputs.empty()) return;  // a comparison took its place
    }
    if (!last) return;
    replaced_[At(*last)]->push_back(expander.op);
  }

  // Moves an expander behind the operator that reads it. Returns false if that is not allowed.
  bool ExchangeWith(Expander& expander, int32_t child) {
    const Operator& f = OpAt(child);
    if (f.outputs.size() != 1 || !(IsElementWise(f) || PadMayPass(expander, f))) return false;
    const size_t mark = draft_.mark();
    Exchange exchange;
    exchange.child = child;
    const bool fits = expander.kind == ExpanderKind::kWideningCast
                          ? ExchangeCast(expander, exchange)
                          : ExchangeIndex(expander, exchange);
    if (!fits) draft_.Rollback(mark);
    return fits;
  }

  // Returns true for operators that are not element-wise, if a fault lets PAD change places with
  // them.
  bool PadMayPass(const Expander& expander, const Operator& f) const {
    const bool is_reduction = f.op == Op::kReduceSum || f.op == Op::kReduceMax;
    return expander.kind == ExpanderKind::kPad &&
           ((Has(FoldFault::kPadPastReduction) && is_reduction) ||
            (Has(FoldFault::kPadPastReverse) && f.op == Op::kReverse));
  }

  bool ExchangeIndex(Expander& expander, Exchange& exchange) {
    const Operator f = OpAt(exchange.child);
    const TensorIndex result = f.outputs[0];
    const std::vector<bool> touched = TouchedAxes(
        expander.kind, expander.op, ShapeOf(expander.op.inputs[0]), ShapeOf(expander.result));
    const Shape from = ShapeOf(expander.result);
    const Shape to = ShapeOf(result);
    // E treats the result of f as it treated x. Therefore, f must not make x larger on an axis
    // where that matters.
    const bool all = expander.kind == ExpanderKind::kPad && !PadMayPass(expander, f);
    for (int axis = 0; axis < to.rank(); ++axis) {
      if ((touched[At(axis)] || all) && from[axis] != to[axis]) return false;
    }
    if (expander.kind == ExpanderKind::kGather && from[0] != to[0]) return false;
    if (!IsTotalWhereItMatters(expander, f)) return false;
    exchange.inputs.assign(ExpandedOperands(expander.op), f.inputs);
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      if (flow_.IsParameter(exchange.child, i)) {
        if (f.inputs[i] == expander.result) return false;
        continue;
      }
      if (!ExchangePartner(expander, touched, f.inputs[i], i, exchange)) return false;
      if (!Has(FoldFault::kExpandedFirst) || f.inputs[i] != expander.result) continue;
      for (std::vector<TensorIndex>& inputs : exchange.inputs) std::swap(inputs[0], inputs[i]);
    }
    if (!Worth(expander, exchange, to, touched)) return false;
    Operator behind = expander.op;
    if (expander.kind == ExpanderKind::kPad) {
      const std::optional<Tensor> outside = Has(FoldFault::kPadValueKept)
                                                ? ValueOf(expander.op.inputs[2])
                                                : Outside(expander, exchange.child);
      if (!outside) return false;
      behind.inputs[2] =
          NewLiteral(draft_.NameOf(result) + "/pad_const", outside->Reshaped({1}), exchange);
    }
    std::vector<Operator> made = MadePieces(expander, f, touched, exchange, behind);
    behind.outputs = {result};
    if (TypeRowOf(block(), behind) == nullptr) return false;
    Commit(expander, exchange, std::move(made), std::move(behind));
    return true;
  }

  // Returns the new literals, and f on each piece of x. E takes the results in `behind`.
  std::vector<Operator> MadePieces(const Expander& expander, const Operator& f,
                                   const std::vector<bool>& touched, Exchange& exchange,
                                   Operator& behind) {
    const TensorIndex result = f.outputs[0];
    std::vector<Operator> made = exchange.literals;
    for (size_t piece = 0; piece < exchange.inputs.size(); ++piece) {
      if (piece > 0 && Has(FoldFault::kConcatFirstOnly)) continue;
      const auto begin = exchange.inputs.begin();
      const auto same =
          At(std::find(begin, begin + static_cast<std::ptrdiff_t>(piece), exchange.inputs[piece]) -
             begin);
      if (same < piece) {  // the same piece again
        behind.inputs[piece] = behind.inputs[same];
      } else {
        Shape shape = ShapeOf(result);
        for (int axis = 0; axis < shape.rank(); ++axis) {
          if (touched[At(axis)]) shape[axis] = ShapeOf(expander.op.inputs[piece])[axis];
        }
        const TensorIndex inner =
            draft_.AddTensor(draft_.NameOf(result) + "/inner", {ElementOf(result), shape});
        made.push_back({f.op,
                        Carried(f.attributes, Has(FoldFault::kMovedWithoutAttributes)),
                        exchange.inputs[piece],
                        {inner}});
        behind.inputs[piece] = inner;
      }
      exchange.record.inner.push_back(draft_.NameOf(behind.inputs[piece]));
    }
    return made;
  }

  // Returns false if f may fail on elements that E drops, because f did not see them before.
  bool IsTotalWhereItMatters(const Expander& expander, const Operator& f) {
    if (expander.kind != ExpanderKind::kGather && expander.kind != ExpanderKind::kResizeNearest) {
      return true;
    }
    if (Has(FoldFault::kGatherPastPartial)) return true;
    if (!MayFail(block(), f)) return true;
    return expander.kind == ExpanderKind::kGather && IsOnto(expander);
  }

  // Returns true if a GATHER reads each row of its values.
  bool IsOnto(const Expander& expander) {
    const std::optional<Tensor> indices = ValueOf(expander.op.inputs[1]);
    return indices && RowsHaveAllBelow(*indices, ShapeOf(expander.op.inputs[0])[1]);
  }

  // Puts into `exchange` the tensor that f reads in place of an operand.
  bool ExchangePartner(const Expander& expander, const std::vector<bool>& touched,
                       TensorIndex partner, size_t position, Exchange& exchange) {
    const auto replace = [&](size_t piece, TensorIndex with) {
      exchange.inputs[piece][position] = with;
    };
    if (partner == expander.result) {
      for (size_t i = 0; i < exchange.inputs.size(); ++i) replace(i, expander.op.inputs[i]);
      Note(partner, exchange);
      return true;
    }
    exchange.roots.push_back(partner);
    bool is_same = true;
    for (int axis = 0; axis < ShapeOf(partner).rank(); ++axis) {
      const bool matters = touched[At(axis)] || expander.kind == ExpanderKind::kPad;
      is_same = is_same && (!matters || ShapeOf(partner)[axis] == 1);
    }
    if (is_same) return true;
    const int32_t producer = flow_.ProducerOf(partner);
    if (producer >= 0 && IsSameExpansion(expander, producer) &&
        OnlyReader(partner) == exchange.child) {
      const Operator other = OpAt(producer);
      for (size_t i = 0; i < exchange.inputs.size(); ++i) replace(i, other.inputs[i]);
      Note(partner, exchange);
      exchange.removed.push_back(producer);
      return true;
    }
    return ExchangeConstant(expander, touched, partner, position, exchange);
  }

  void Note(TensorIndex expanded, Exchange& exchange) {
    const std::string name = draft_.NameOf(expanded);
    std::vector<std::string>& names = exchange.record.expanded;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  // Returns true if an operator expands its operands as the expander expands its own.
  bool IsSameExpansion(const Expander& expander, int32_t other_index) {
    const Operator& other = OpAt(other_index);
    if (other.op != expander.op.op || touched_[At(other_index)] ||
        flow_.OfOperator(other_index) == Constness::kVarying ||
        !(other.attributes == expander.op.attributes) ||
        other.inputs.size() != expander.op.inputs.size()) {
      return false;
    }
    const size_t expanded = ExpandedOperands(other);
    for (size_t i = 0; i < expanded; ++i) {
      const Shape mine = ShapeOf(expander.op.inputs[i]);
      if (mine.rank() != ShapeOf(other.inputs[i]).rank()) return false;
      if (expander.kind != ExpanderKind::kTile && mine != ShapeOf(other.inputs[i])) return false;
    }
    // The padding values may differ, because both go through f.
    const size_t alike = expander.kind == ExpanderKind::kPad ? 2 : other.inputs.size();
    for (size_t i = expanded; i < alike; ++i) {
      if (other.inputs[i] == expander.op.inputs[i]) continue;
      const std::optional<Tensor> mine = ValueOf(expander.op.inputs[i]);
      const std::optional<Tensor> theirs = ValueOf(other.inputs[i]);
      if (!mine || !theirs || !(*mine == *theirs)) return false;
    }
    return true;
  }

  // Replaces a CONST by its first period, if it repeats itself as the expander does; or by its
  // pieces, cut as CONCAT joins them.
  bool ExchangeConstant(const Expander& expander, const std::vector<bool>& touched,
                        TensorIndex partner, size_t position, Exchange& exchange) {
    const std::optional<Tensor> value = ValueOf(partner);
    if (!value) return false;
    const std::string base = draft_.NameOf(partner);
    if (expander.kind == ExpanderKind::kConcat) {
      const int axis = expander.op.attributes.Int(AttributeId::kAxis);
      int32_t start = 0;
      for (size_t i = 0; i < exchange.inputs.size(); ++i) {
        const int32_t extent = ShapeOf(expander.op.inputs[i])[axis];
        exchange.inputs[i][position] =
            NewLiteral(base + "/piece", Slice(*value, axis, start, extent), exchange);
        start += extent;
      }
      return true;
    }
    Shape period = value->shape();
    for (int axis = 0; axis < period.rank(); ++axis) {
      if (expander.kind == ExpanderKind::kTile && touched[At(axis)] && period[axis] > 1) {
        period[axis] = ShapeOf(expander.op.inputs[0])[axis];
      } else if (expander.kind == ExpanderKind::kPad || touched[At(axis)]) {
        period[axis] = 1;
      }
    }
    std::optional<Tensor> first = FirstPeriod(*value, period);
    if (!first && Has(FoldFault::kPartnerCutOff)) first = CutOff(*value, period);
    if (!first) return false;
    exchange.inputs[0][position] = NewLiteral(base + "/once", *first, exchange);
    return true;
  }

  static Tensor CutOff(Tensor value, const Shape& period) {
    for (int axis = 0; axis < period.rank(); ++axis) value = Slice(value, axis, 0, period[axis]);
    return value;
  }

  // Returns f of the padding value and of the partners, which are the same everywhere.
  std::optional<Tensor> Outside(const Expander& expander, int32_t child) {
    const Operator& f = OpAt(child);
    const int rank = ShapeOf(expander.result).rank();
    Shape ones;
    for (int axis = 0; axis < rank; ++axis) ones.PushBack(1);
    std::vector<Tensor> operands;
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      TensorIndex from = f.inputs[i];
      const bool is_parameter = flow_.IsParameter(child, i);
      if (from == expander.result) {
        from = expander.op.inputs[2];
      } else if (const int32_t producer = flow_.ProducerOf(from);
                 !is_parameter && producer >= 0 && OpAt(producer).op == Op::kPad &&
                 IsSameExpansion(expander, producer)) {
        from = OpAt(producer).inputs[2];
      }
      std::optional<Tensor> value = ValueOf(from);
      if (!value) return std::nullopt;
      if (!is_parameter) {
        value = FirstPeriod(value->Reshaped(value->elements() == 1 ? ones : value->shape()), ones);
      }
      if (!value) return std::nullopt;
      operands.push_back(*value);
    }
    const Outcome outcome =
        RunAlone(flow_.graph(), f, operands, {{ElementOf(f.outputs[0]), ones}}, options_);
    if (outcome.kind != OutcomeKind::kValid) return std::nullopt;
    return outcome.outputs[0];
  }

  // Returns true if f's result before the expansion is small enough. It also is if the expander
  // that comes before can still move.
  bool Worth(const Expander& expander, const Exchange& exchange, Shape shape,
             const std::vector<bool>& touched) {
    if (expander.stacked) return true;
    std::vector<TensorIndex> roots = expander.roots;
    for (const TensorIndex root : exchange.roots) roots.push_back(root);
    const DType type = ElementOf(OpAt(exchange.child).outputs[0]);
    for (size_t piece = 0; piece < exchange.inputs.size(); ++piece) {
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (touched[At(axis)]) shape[axis] = ShapeOf(expander.op.inputs[piece])[axis];
      }
      if (!analysis_.size.AdmitsBytes(StoredBytes({type, shape}), roots)) return false;
    }
    return true;
  }

  // Puts f on the narrow type, and the cast behind its result.
  bool ExchangeCast(Expander& expander, Exchange& exchange) {
    const Operator f = OpAt(exchange.child);
    const DType wide = ElementOf(expander.result), narrow = ElementOf(expander.op.inputs[0]);
    if (!OnlyChooses(f, wide)) return false;
    const TensorIndex result = f.outputs[0];
    exchange.inputs = {f.inputs};
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      const TensorIndex partner = f.inputs[i];
      if (f.op == Op::kSelect && i == 0) {
        if (partner == expander.result) return false;
        exchange.roots.push_back(partner);
        continue;
      }
      const int32_t producer = flow_.ProducerOf(partner);
      if (partner == expander.result) {
        exchange.inputs[0][i] = expander.op.inputs[0];
        Note(partner, exchange);
      } else if (!flow_.IsParameter(exchange.child, i) && producer >= 0 &&
                 IsSameCast(expander, producer) && OnlyReader(partner) == exchange.child) {
        exchange.inputs[0][i] = OpAt(producer).inputs[0];
        exchange.roots.push_back(partner);
        exchange.removed.push_back(producer);
        Note(partner, exchange);
      } else {
        const std::optional<Tensor> value = ValueOf(partner);
        const std::optional<Tensor> small =
            value ? Narrowed(flow_.graph(), *value, narrow, options_) : std::nullopt;
        if (!small) return false;
        exchange.inputs[0][i] = NewLiteral(draft_.NameOf(partner) + "/narrow", *small, exchange);
        exchange.roots.push_back(partner);
      }
    }
    Operator moved = f;
    moved.inputs = exchange.inputs[0];
    if (f.op == Op::kClamp) {
      for (const AttributeId id : {AttributeId::kMinVal, AttributeId::kMaxVal}) {
        const std::optional<Tensor> bound =
            Narrowed(flow_.graph(), f.attributes.Value(id), narrow, options_);
        if (!bound) return false;
        moved.attributes.Set(id, *bound);
      }
    }
    Operator behind = expander.op;
    if (ops::DefinitionOf(f.op).traits.results == ops::ResultOrigin::kCompared) {
      behind.outputs.clear();
    } else {
      const TensorIndex inner =
          draft_.AddTensor(draft_.NameOf(result) + "/inner", {narrow, ShapeOf(result)});
      std::vector<TensorIndex> roots = expander.roots;
      roots.insert(roots.end(), exchange.roots.begin(), exchange.roots.end());
      if (!expander.stacked &&
          !analysis_.size.AdmitsBytes(StoredBytes(draft_.TypeOf(inner)), roots)) {
        return false;
      }
      moved.outputs = {inner};
      behind.inputs = {inner};
      behind.outputs = {result};
      exchange.record.inner = {draft_.NameOf(inner)};
    }
    if (TypeRowOf(block(), moved) == nullptr) return false;
    std::vector<Operator> made = exchange.literals;
    made.push_back(std::move(moved));
    Commit(expander, exchange, std::move(made), std::move(behind));
    return true;
  }

  bool IsSameCast(const Expander& expander, int32_t other) {
    return OpAt(other).op == Op::kCast && !touched_[At(other)] &&
           ElementOf(OpAt(other).inputs[0]) == ElementOf(expander.op.inputs[0]) &&
           flow_.OfOperator(other) != Constness::kVarying;
  }

  // Replaces f, and the operators whose results only f read. The expander continues from behind f.
  void Commit(Expander& expander, Exchange& exchange, std::vector<Operator> made, Operator behind) {
    const Operator& f = OpAt(exchange.child);
    exchange.record.kind = expander.kind;
    exchange.record.result = draft_.NameOf(f.outputs[0]);
    replaced_[At(exchange.child)] = std::move(made);
    touched_[At(exchange.child)] = true;
    for (const int32_t removed : exchange.removed) {
      replaced_[At(removed)].emplace();
      touched_[At(removed)] = true;
    }
    expander.op = std::move(behind);
    expander.result = f.outputs[0];
    expander.roots.insert(expander.roots.end(), exchange.roots.begin(), exchange.roots.end());
    postponements_.push_back(std::move(exchange.record));
  }

  // Postpones an element-wise operator whose result is large only because CONSTs repeat themselves.
  // The operator is computed on one period, and its result is tiled.
  void PostponeBroadcast(int32_t index) {
    const Operator f = OpAt(index);
    if (!IsLeft(index) || f.outputs.size() != 1 || !IsElementWise(f)) return;
    const TensorIndex result = f.outputs[0];
    Shape small = ShapeOf(result);
    std::vector<int64_t> multiples(At(small.rank()), 1);
    Exchange exchange;
    exchange.child = index;
    std::vector<TensorIndex> roots;
    for (int axis = 0; axis < small.rank(); ++axis) {
      if (small[axis] == 1 || !RepeatsAlong(index, axis)) continue;
      multiples[At(axis)] = small[axis];
      small[axis] = 1;
    }
    if (small == ShapeOf(result)) return;
    for (const TensorIndex input : f.inputs) {
      if (!ValueOf(input)) roots.push_back(input);
    }
    if (roots.empty() ||
        !analysis_.size.AdmitsBytes(StoredBytes({ElementOf(result), small}), roots)) {
      return;
    }
    const size_t mark = draft_.mark();
    exchange.inputs = {f.inputs};
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      const TensorIndex input = f.inputs[i];
      if (flow_.IsParameter(index, i) || !ValueOf(input)) continue;
      Shape period = ShapeOf(input);
      for (int axis = 0; axis < period.rank(); ++axis) {
        if (multiples[At(axis)] > 1) period[axis] = 1;
      }
      if (period == ShapeOf(input)) continue;
      Note(input, exchange);
      exchange.inputs[0][i] = NewLiteral(draft_.NameOf(input) + "/once",
                                         *FirstPeriod(*ValueOf(input), period), exchange);
    }
    const std::string name = draft_.NameOf(result);
    const TensorIndex inner = draft_.AddTensor(name + "/inner", {ElementOf(result), small});
    const TensorIndex times =
        NewLiteral(name + "/multiples", Tensor::FromShape(multiples), exchange);
    Operator tile{Op::kTile, {}, {inner, times}, {result}};
    if (TypeRowOf(block(), tile) == nullptr) {
      draft_.Rollback(mark);
      return;
    }
    exchange.record.kind = ExpanderKind::kBroadcast;
    exchange.record.result = name;
    exchange.record.inner = {draft_.NameOf(inner)};
    std::vector<Operator> made = exchange.literals;
    made.push_back({f.op, f.attributes, exchange.inputs[0], {inner}});
    made.push_back(std::move(tile));
    replaced_[At(index)] = std::move(made);
    touched_[At(index)] = true;
    postponements_.push_back(std::move(exchange.record));
  }

  // Returns true if all operands but CONSTs have extent 1 on an axis, and the CONSTs are constant
  // along it.
  bool RepeatsAlong(int32_t op, int axis) {
    const Operator& f = OpAt(op);
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      const TensorIndex input = f.inputs[i];
      if (flow_.IsParameter(op, i) || ShapeOf(input)[axis] == 1) continue;
      const std::optional<Tensor> value = ValueOf(input);
      if (!value) return false;
      Shape period = value->shape();
      period[axis] = 1;
      if (!FirstPeriod(*value, period)) return false;
    }
    return true;
  }

  FoldAnalysis analysis_;
  const Dataflow& flow_;
  ExecutionOptions options_;
  const FoldFault fault_;
  DraftBlock draft_;  // the main block, with new tensors behind those of the graph
  std::vector<std::optional<std::vector<Operator>>> replaced_;  // by operator: what is there now
  std::vector<bool> touched_;
  std::vector<Postponement> postponements_;
};

}  // namespace

PostponedGraph PostponeExpanders(const Graph& graph, std::span<const Constness> arguments,
                                 const FoldOptions& options) {
  PostponedGraph postponed{graph, {}};
  for (;;) {
    PostponedGraph next = Pass(postponed.graph, arguments, options).Run();
    if (next.postponements.empty()) return postponed;
    postponed.graph = std::move(next.graph);
    postponed.postponements.insert(postponed.postponements.end(),
                                   std::make_move_iterator(next.postponements.begin()),
                                   std::make_move_iterator(next.postponements.end()));
  }
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "learn_target.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "operand_forms.h"
#include "operator_set.h"
#include "probe_vectors.h"
#include "probing.h"
#include "target_check.h"

namespace assay {
namespace {

constexpr int64_t kGraphsMax = 8;  // no vector of a probe has more
const Level& kLevel = kLevel8K;

// The knowledge about one operator while a target is learned.
struct KnownOperator {
  std::vector<int> rows;             // of its type table, that the backend takes
  std::optional<TestVector> sample;  // a vector that it takes, in the first of these rows
};

class Learner {
 public:
  explicit Learner(Backend& backend) : probing_(backend) {}

  Result<LearnedTarget> Run(std::string name) {
    target_.name = std::move(name);
    target_.level = kLevel.name;
    target_.operators.emplace();
    LearnRows();
    LearnStateAndControlFlow();
    LearnRanks();
    LearnSizes();
    for (const auto& [op, known] : known_) LearnValues(op, known);
    for (const auto& [op, known] : known_) LearnWindow(op, known);
    for (const auto& [op, known] : known_) LearnForms(op, known);
    if (probing_.error()) return *probing_.error();
    return LearnedTarget{std::move(target_), std::move(refusals_), probing_.probes(),
                         !known_.empty()};
  }

 private:
  void Tell(const std::string& what, const std::string& why) {
    refusals_.push_back(what + ": " + why);
  }

  // Tries a vector as it is, and then with constants in place of inputs. Keeps the form that the
  // backend takes.
  bool TakesInSomeForm(TestVector& vector) {
    if (probing_.Takes(vector)) return true;
    if (!OnlyOperator(vector)) return false;
    TestVector constant = WithConstants(vector);
    if (constant.graphs == vector.graphs || !probing_.Takes(constant)) return false;
    vector = std::move(constant);
    return true;
  }

  bool IsInside(const TestVector& vector) const { return Misfits(target_, vector, 1).empty(); }

  // ---- Operators and the rows of their type tables

  void LearnRows() {
    for (const OperatorRow& row : AllOperators()) {
      // Constants are operands of other operators, so each target has them.
      const bool is_known = IsConstant(row.op) || row.op == Op::kCustom;
      if (is_known || IsControlFlow(row.op) || IsVariableOperator(row.op)) continue;
      LearnRowsOf(row);
    }
    for (const Op op : {Op::kConst, Op::kConstShape}) target_.operators->try_emplace(op);
  }

  void LearnRowsOf(const OperatorRow& row) {
    KnownOperator known;
    std::map<std::string, std::string> why;  // by mode
    std::string first_why;
    for (size_t i = 0; i < row.type_rows.size(); ++i) {
      const int type_row = static_cast<int>(i);
      std::vector<TestVector> vectors = VectorsOfRow(row.op, type_row);
      const auto taken = std::ranges::find_if(
          vectors, [this](TestVector& vector) { return TakesInSomeForm(vector); });
      if (taken != vectors.end()) {
        if (known.rows.empty()) known.sample = std::move(*taken);
        known.rows.push_back(type_row);
        continue;
      }
      const std::string reason = vectors.empty() ? "not probed" : probing_.why();
      why[std::string(row.type_rows[i].mode)] = reason;
      if (first_why.empty()) first_why = reason;
    }
    if (known.rows.empty()) {
      Tell(std::string(row.name), first_why);
      return;
    }
    for (const TypeRow& types : row.type_rows) {
      const auto refused = why.find(std::string(types.mode));
      if (refused != why.end()) {
        Tell(std::string(row.name) + " " + refused->first, refused->second);
      }
    }
    AddOperator(row, known.rows);
    known_.emplace(row.op, std::move(known));
  }

  // Adds an operator with its rows, or without if it has all of them.
  void AddOperator(const OperatorRow& row, const std::vector<int>& rows) {
    OperatorUses& uses = (*target_.operators)[row.op];
    if (rows.size() == row.type_rows.size()) return;
    for (const int i : rows) {
      TypeChoice choice;
      choice.variables = row.type_rows[static_cast<size_t>(i)].types;
      if (std::ranges::find(uses.types, choice) == uses.types.end()) uses.types.push_back(choice);
    }
  }

  // ---- State and control flow

  void LearnStateAndControlFlow() {
    const DType type = CopiedType();
    for (const Op op : {Op::kCondIf, Op::kWhileLoop}) {
      if (type != DType::kUnknown && probing_.Takes(ControlFlowVector(op, {type, {2}}))) {
        (*target_.operators)[op] = {};
        ranks_[op] = RanksOf(std::string(OperatorName(op)), [&](const Shape& shape) {
          return ControlFlowVector(op, {type, shape});
        });
      } else {
        Tell(std::string(OperatorName(op)),
             type == DType::kUnknown ? "not probed without IDENTITY" : probing_.why());
      }
    }
    target_.control_flow =
        target_.operators->contains(Op::kCondIf) || target_.operators->contains(Op::kWhileLoop);
    LearnVariables();
    target_.variable_tensors =
        type != DType::kUnknown && probing_.Takes(VariableTensorVector(type));
    if (!target_.variable_tensors) {
      Tell("tensors with variable=true",
           type == DType::kUnknown ? "not probed without IDENTITY" : probing_.why());
    }
  }

  void LearnVariables() {
    const OperatorRow& variable = RowOf(Op::kVariable);
    std::vector<int> rows;
    for (size_t i = 0; i < variable.type_rows.size(); ++i) {
      const DType type = variable.type_rows[i].types[0];
      if (probing_.Takes(VariableVector({type, {2}}))) {
        rows.push_back(static_cast<int>(i));
      } else {
        Tell("variables of " + std::string(TypeName(type)), probing_.why());
      }
    }
    target_.variables = !rows.empty();
    if (rows.empty()) return;
    for (const Op op : {Op::kVariable, Op::kVariableRead, Op::kVariableWrite}) {
      AddOperator(RowOf(op), rows);
    }
    const DType type = variable.type_rows[static_cast<size_t>(rows[0])].types[0];
    const TargetRange ranks = RanksOf("variables", [&](const Shape& shape) {
      return VariableVector({type, shape});
    });
    for (const Op op : {Op::kVariable, Op::kVariableRead, Op::kVariableWrite}) ranks_[op] = ranks;
  }

  // Returns the ranks of a value that the backend takes, as the other RanksOf() does.
  template <class Make>
  TargetRange RanksOf(const std::string& what, Make make) {
    TargetRange range = {{Quantity::Kind::kRank}};
    Shape shape;
    for (int rank = 0; rank <= kLevel.max_rank; ++rank) {
      if (probing_.Takes(make(shape))) {
        range.values.push_back(rank);
      } else {
        Tell(what + " of rank " + std::to_string(rank), probing_.why());
      }
      shape.PushBack(1);
    }
    if (std::ssize(range.values) > kLevel.max_rank) range.values.clear();
    return range;
  }

  // Returns a type that IDENTITY takes; kUnknown if there is none.
  DType CopiedType() const {
    const auto known = known_.find(Op::kIdentity);
    if (known == known_.end()) return DType::kUnknown;
    const std::vector<int>& rows = known->second.rows;
    for (const DType wanted : {DType::kInt8, DType::kFp32, DType::kInt32}) {
      for (const int row : rows) {
        if (TypeOfCopy(row) == wanted) return wanted;
      }
    }
    return TypeOfCopy(rows[0]);
  }
  static DType TypeOfCopy(int row) {
    return RowOf(Op::kIdentity).type_rows[static_cast<size_t>(row)].types[0];
  }

  // ---- Ranks

  void LearnRanks() {
    std::map<Op, TargetRange> ranges;
    int64_t greatest = 0;
    for (const auto& [op, known] : known_) ranks_[op] = RanksOf(op, known);
    for (const auto& [op, range] : ranks_) {
      greatest = std::max(greatest, range.values.empty() ? kLevel.max_rank : range.values.back());
      if (!range.values.empty()) ranges[op] = range;
    }
    if (greatest > 0 && greatest < kLevel.max_rank) target_.limits.rank = greatest;
    for (auto& [op, range] : ranges) {
      range = Shortest(range);
      if (range.values.empty() && range.max >= greatest) continue;  // the same as of all tensors
      (*target_.operators)[op].ranges.push_back(range);
    }
  }

  // Returns the ranks of an operator that the backend takes as values, or no values if it refuses
  // none.
  TargetRange RanksOf(Op op, const KnownOperator& known) {
    TargetRange range = {{Quantity::Kind::kRank}};
    bool refuses = false;
    for (int rank = 0; rank <= kLevel.max_rank; ++rank) {
      std::vector<TestVector> vectors = VectorsOfRow(op, known.rows[0], rank);
      if (vectors.empty()) continue;
      const auto taken = std::ranges::find_if(
          vectors, [this](TestVector& vector) { return TakesInSomeForm(vector); });
      if (taken != vectors.end()) {
        range.values.push_back(rank);
        continue;
      }
      refuses = true;
      Tell(std::string(OperatorName(op)) + " of rank " + std::to_string(rank), probing_.why());
    }
    if (!refuses) range.values.clear();
    return range;
  }

  // Returns the range without values if it holds all ranks up to the last value.
  static TargetRange Shortest(const TargetRange& range) {
    const int64_t last = range.values.back();
    const bool has_hole = last - range.values.front() + 1 != std::ssize(range.values);
    if (has_hole) return range;
    return {range.quantity, range.min, last};
  }

  // ---- Sizes of tensors, constants and vectors

  void LearnSizes() {
    const DType type = CopiedType();
    if (type == DType::kUnknown) {
      Tell("sizes", "not probed without IDENTITY");
      return;
    }
    const auto takes = [&](const Shape& shape) {
      return probing_.Takes(CopyVector({type, shape}));
    };
    const int64_t length = GreatestTaken(
        1, kProbedElementsMax, [&](int64_t n) { return takes({static_cast<int32_t>(n)}); });
    if (length < kProbedElementsMax) LearnElements(type, length);
    LearnConstantBytes(type);
    const int64_t graphs = GreatestTaken(1, kGraphsMax, [&](int64_t n) {
      return probing_.Takes(ManyGraphs(type, static_cast<int>(n)));
    });
    if (graphs < 1 || graphs == kGraphsMax) return;
    target_.limits.graphs = graphs;
    probing_.Takes(ManyGraphs(type, static_cast<int>(graphs) + 1));
    Tell(std::to_string(graphs + 1) + " graphs", probing_.why());
  }

  int RankMax() const {
    const auto identity = target_.operators->find(Op::kIdentity);
    int64_t most = target_.limits.rank > 0 ? target_.limits.rank : kLevel.max_rank;
    for (const TargetRange& range : identity->second.ranges) most = std::min(most, range.max);
    return static_cast<int>(std::min<int64_t>(most, 3));
  }

  // Tells a limit of dimensions from one of elements. The backend takes IDENTITY of a list of
  // `length` elements, and of no longer one.
  void LearnElements(DType type, int64_t length) {
    std::string why = probing_.why();
    const auto takes = [&](int64_t elements) {
      // Few numbers are products of small dimensions; of the others the next smaller one counts.
      for (int64_t n = elements; n > 0; --n) {
        const std::optional<Shape> shape = BalancedShape(n, length, RankMax());
        if (shape) return probing_.Takes(CopyVector({type, *shape}));
      }
      return false;
    };
    int64_t elements = GreatestTaken(length, kProbedElementsMax, takes);
    while (elements > length && !BalancedShape(elements, length, RankMax())) --elements;
    if (elements < kProbedElementsMax) {
      target_.limits.elements = elements;
      Tell("a tensor of more than " + std::to_string(elements) + " elements", why);
    }
    if (elements <= length) return;
    target_.limits.dimension = length;
    probing_.Takes(CopyVector({type, {static_cast<int32_t>(length + 1)}}));
    Tell("a dimension of " + std::to_string(length + 1), probing_.why());
  }

  void LearnConstantBytes(DType type) {
    const TargetLimits& limits = target_.limits;
    const int64_t width = ElementBytes(type);
    const int64_t most = limits.elements > 0 ? limits.elements : kProbedElementsMax;
    const auto takes = [&](int64_t elements) {
      for (int64_t n = elements; n > 0; --n) {
        const auto shape =
            BalancedShape(n, limits.dimension > 0 ? limits.dimension : most, RankMax());
        if (shape) return probing_.Takes(ConstantVector({type, *shape}));
      }
      return false;
    };
    const int64_t elements = GreatestTaken(1, most, takes);
    if (elements < 1 || elements == most) return;
    target_.limits.constant_bytes = elements * width;
    takes(elements + 1);
    Tell("constants of more than " + std::to_string(elements * width) + " bytes", probing_.why());
  }

  // ---- Attributes

  void LearnValues(Op op, const KnownOperator& known) {
    for (const Quantity& quantity : QuantitiesOf(op)) {
      if (quantity.kind != Quantity::Kind::kAttribute) continue;
      const AttributeId id = quantity.attribute;
      if (id == AttributeId::kAccType || id == AttributeId::kType) continue;  // part of the row
      // Numbers without names have no values that all operators could have.
      if (!NumberByName(op, quantity, "true") && NumberText(op, quantity, 1) == "1") continue;
      LearnValuesOf(op, known, quantity);
    }
  }

  void LearnValuesOf(Op op, const KnownOperator& known, const Quantity& quantity) {
    TargetRange range = {quantity};
    std::vector<std::pair<int64_t, std::string>> refused;
    for (int64_t value = 0; value < 4; ++value) {
      if (NumberText(op, quantity, value) == "UNKNOWN" ||
          NumberText(op, quantity, value) == std::to_string(value)) {
        continue;
      }
      bool taken = false, tried = false;
      for (TestVector& vector : VectorsWithValue(op, known.rows, quantity.attribute, value)) {
        if (!IsInside(vector)) continue;
        tried = true;
        if ((taken = TakesInSomeForm(vector))) break;
      }
      if (taken || !tried) {
        range.values.push_back(value);
      } else {
        refused.emplace_back(value, probing_.why());
      }
    }
    if (refused.empty() || range.values.empty()) return;
    for (const auto& [value, why] : refused) {
      Tell(std::string(OperatorName(op)) + " with " + NameOf(op, quantity) + " " +
               NumberText(op, quantity, value),
           why);
    }
    (*target_.operators)[op].ranges.push_back(range);
  }

  // ---- Windows

  void LearnWindow(Op op, const KnownOperator& known) {
    const struct {
      WindowNumber which;
      int64_t least, most;
    } kNumbers[] = {{WindowNumber::kKernel, 1, kLevel.max_kernel},
                    {WindowNumber::kStride, 1, kLevel.max_stride},
                    {WindowNumber::kDilation, 1, kLevel.max_kernel / 2},
                    // The padding of pooling is smaller than its kernel.
                    {WindowNumber::kPad, 0, kLevel.max_kernel - (IsPool(op) ? 1 : 0)}};
    if (WindowAxes(op) == 0) return;
    for (const auto& [which, least, most] : kNumbers) {
      if (which == WindowNumber::kDilation &&
          FindAttribute(op, AttributeId::kDilation) == nullptr) {
        continue;
      }
      std::vector<WindowLimit> limits;
      for (const int row : known.rows) limits.push_back(LimitOf(op, row, which, least, most));
      AddWindowLimits(op, known, which, limits);
    }
  }

  static Quantity QuantityOf(Op op, WindowNumber which) {
    switch (which) {
      case WindowNumber::kKernel:
        break;
      case WindowNumber::kStride:
        return {Quantity::Kind::kAttribute, AttributeId::kStride};
      case WindowNumber::kDilation:
        return {Quantity::Kind::kAttribute, AttributeId::kDilation};
      case WindowNumber::kPad: {
        const bool has_pad = FindAttribute(op, AttributeId::kPad) != nullptr;
        return {Quantity::Kind::kAttribute, has_pad ? AttributeId::kPad : AttributeId::kOutPad};
      }
    }
    return {Quantity::Kind::kKernel};
  }

  // The greatest number of a window that the backend takes in one row of the type table, and why it
  // takes no greater one; "" if it was not seen to refuse any.
  struct WindowLimit {
    int64_t greatest = INT64_MAX;
    std::string why;
  };

  WindowLimit LimitOf(Op op, int row, WindowNumber which, int64_t least, int64_t most) {
    WindowLimit limit;
    for (int axis = 0; axis < WindowAxes(op); ++axis) {
      const auto vector = [&](int64_t number) {
        return *WindowVector(op, row, which, axis, static_cast<int32_t>(number));
      };
      // A vector that other limits exclude says nothing about this one.
      const int64_t top =
          GreatestTaken(least, most, [&](int64_t n) { return IsInside(vector(n)); });
      if (top < least) continue;
      const int64_t greatest =
          GreatestTaken(least, top, [&](int64_t n) { return probing_.Takes(vector(n)); });
      if (greatest < least || greatest == top || greatest >= limit.greatest) continue;
      limit.greatest = greatest;
      probing_.Takes(vector(greatest + 1));
      limit.why = probing_.why();
    }
    return limit;
  }

  // Adds a range for all types if the limits are the same in all rows, otherwise for each row.
  void AddWindowLimits(Op op, const KnownOperator& known, WindowNumber which,
                       const std::vector<WindowLimit>& limits) {
    const Quantity quantity = QuantityOf(op, which);
    OperatorUses& uses = (*target_.operators)[op];
    const auto tell = [&](const std::string& mode, const WindowLimit& limit) {
      Tell(std::string(OperatorName(op)) + mode + " with " + NameOf(op, quantity) + " " +
               std::to_string(limit.greatest + 1),
           limit.why);
    };
    const auto is_same = [&](const WindowLimit& limit) {
      return limit.greatest == limits[0].greatest;
    };
    if (std::ranges::all_of(limits, is_same)) {
      if (limits[0].why.empty()) return;
      tell("", limits[0]);
      uses.ranges.push_back({quantity, INT64_MIN, limits[0].greatest});
      return;
    }
    const auto type_rows = RowOf(op).type_rows;
    if (uses.types.empty()) {
      for (const int row : known.rows) {
        uses.types.push_back({.variables = type_rows[static_cast<size_t>(row)].types});
      }
    }
    for (size_t i = 0; i < limits.size(); ++i) {
      if (limits[i].why.empty()) continue;
      const TypeRow& types = type_rows[static_cast<size_t>(known.rows[i])];
      tell(" " + std::string(types.mode), limits[i]);
      for (TypeChoice& choice : uses.types) {
        if (choice.variables != types.types) continue;
        choice.ranges.push_back({quantity, INT64_MIN, limits[i].greatest});
      }
    }
  }

  // ---- Operands that must be constants

  void LearnForms(Op op, const KnownOperator& known) {
    if (!OnlyOperator(*known.sample)) return;
    const TestVector sample = WithConstants(*known.sample);
    int position = -1;
    for (const ArgumentRow& row : RowOf(op).arguments) {
      if (row.direction != Direction::kInput) continue;
      ++position;
      if (position == 0 || row.compile_time_constant || row.list) continue;
      TestVector free = sample;
      MakeInput(free, position);
      if (!IsInput(free, *OnlyOperator(free), position) || !IsInside(free)) continue;
      if (probing_.Takes(free) || !probing_.Takes(sample)) continue;
      probing_.Takes(free);
      Tell(std::string(OperatorName(op)) + " with " + std::string(row.name) + " as an input",
           probing_.why());
      (*target_.operators)[op].constants.push_back(position);
    }
  }

  Probing probing_;
  Target target_;
  std::map<Op, KnownOperator> known_;
  std::map<Op, TargetRange> ranks_;  // without values: all
  std::vector<std::string> refusals_;
};

}  // namespace

Result<LearnedTarget> LearnTarget(Backend& backend) {
  return Learner(backend).Run(backend.Describe());
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "learn_target.h"

#include <algorithm>
#include <map>
#include <utility>

#include "operand_forms.h"
#include "operator_set.h"
#include "probe_vectors.h"
#include "probing.h"
#include "recipe.h"
#include "target_check.h"
#include "vary_number.h"

namespace assay {
namespace {

constexpr int64_t kGraphsMax = 8;  // no vector of a probe has more
const Level& kLevel = kLevel8K;

// The knowledge about one operator while a target is learned.
struct KnownOperator {
  std::vector<int> rows;            // of its type table, that the backend takes
  std::vector<TestVector> samples;  // a vector that it takes, in each of these rows
};

class Learner {
 public:
  explicit Learner(Backend& backend) : probing_(backend) {}

  Result<LearnedTarget> Run(std::string name) {
    target_.name = std::move(name);
    target_.level = kLevel.name;
    target_.operators.emplace();
    LearnRows();
    for (const auto& [op, known] : known_) ranks_[op] = RanksOf(op, known);
    LearnStateAndControlFlow();
    AddRanks();
    LearnSizes();
    for (const auto& [op, known] : known_) LearnNumbers(op, known);
    for (const auto& [op, known] : known_) LearnWindow(op, known);
    for (const auto& [op, known] : known_) LearnForms(op, known);
    AskAgain();
    for (const auto& [op, known] : known_) TryMixed(op, known);
    if (probing_.error()) return *probing_.error();
    return LearnedTarget{std::move(target_), std::move(refusals_), probing_.inconsistent(),
                         probing_.probes(),  probing_.crashes(),   !known_.empty()};
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

  // The vectors of a row that were tried, until one was taken.
  struct Tried {
    std::optional<TestVector> first = {}, last = {};  // the last may be taken; nothing: none
    bool taken = false;
  };

  Tried Try(Op op, int row, ProbeWish wish) {
    Tried tried;
    for (const bool is_wide : {false, true}) {
      wish.is_wide = is_wide;
      for (TestVector& vector : VectorsOfRow(op, row, wish)) {
        tried.taken = TakesInSomeForm(vector);
        tried.last = std::move(vector);
        if (tried.taken) return tried;
        if (!tried.first) tried.first = tried.last;
      }
    }
    return tried;
  }

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
      // Around the vector of the first row that is taken, so that the types alone differ.
      const Tried tried =
          Try(row.op, type_row, {.base = known.rows.empty() ? nullptr : &known.samples[0]});
      if (tried.first) asked_.emplace_back(*tried.first, false);
      if (tried.last) asked_.emplace_back(*tried.last, tried.taken);
      if (tried.taken) {
        known.samples.push_back(*tried.last);
        known.rows.push_back(type_row);
        continue;
      }
      const std::string reason = tried.last ? probing_.why() : "not probed";
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

  // A unary operator that the backend takes, as the probes of sizes have it.
  struct Unary {
    Op op = Op::kUnknown;
    DType type = DType::kUnknown;
    int rank = 0;  // of its operand; 0: it takes no other
  };

  // Returns how an operator can be probed.
  Unary UnaryOf(Op op) const {
    const auto known = known_.find(op);
    if (known == known_.end()) return {};
    return {op, TypeOfUnary(op, known->second.rows), RankOfSizes(op)};
  }

  // Returns the operator for probes of sizes: one with a rank that tells a limit of dimensions from
  // one of elements, and IDENTITY if it has it.
  Unary BestUnary() const {
    Unary best = UnaryOf(Op::kIdentity);
    for (const auto& [op, known] : known_) {
      if (best.rank < 2 && IsUnary(op) && RankOfSizes(op) > best.rank) best = UnaryOf(op);
    }
    return best;
  }

  // Returns a type that a unary operator takes.
  static DType TypeOfUnary(Op op, const std::vector<int>& rows) {
    const auto type_of = [op](int row) {
      return RowOf(op).type_rows[static_cast<size_t>(row)].types[0];
    };
    for (const DType wanted : {DType::kInt8, DType::kFp32, DType::kInt32}) {
      for (const int row : rows) {
        if (type_of(row) == wanted) return wanted;
      }
    }
    return type_of(rows[0]);
  }

  // Returns true if a probe of the operator said so, or if it takes every rank.
  bool TakesRank(Op op, int rank) const {
    const std::vector<int64_t>& ranks = ranks_.at(op).values;
    return ranks.empty() || std::ranges::find(ranks, rank) != ranks.end();
  }

  // Returns the rank of probes of sizes: the greatest up to 3, or else the least beyond, that the
  // unary operator takes; 0 if there is none but 0.
  int RankOfSizes(Op op) const {
    for (const int rank : {3, 2, 4, 5, 6, 1}) {
      if (TakesRank(op, rank)) return rank;
    }
    return 0;
  }

  void LearnStateAndControlFlow() {
    const Unary identity = UnaryOf(Op::kIdentity);
    const bool copies = identity.op != Op::kUnknown;
    const std::string without = "not probed without IDENTITY";
    const TensorType small = {identity.type, ShapeOf(2, identity.rank)};
    for (const Op op : {Op::kCondIf, Op::kWhileLoop}) {
      if (copies && probing_.Takes(ControlFlowVector(op, small))) {
        (*target_.operators)[op] = {};
        ranks_[op] = RanksOf(
            std::string(OperatorName(op)),
            [&](const Shape& shape) {
              return ControlFlowVector(op, {identity.type, shape});
            },
            [this](int rank) { return TakesRank(Op::kIdentity, rank); });
      } else {
        Tell(std::string(OperatorName(op)), copies ? probing_.why() : without);
      }
    }
    target_.control_flow =
        target_.operators->contains(Op::kCondIf) || target_.operators->contains(Op::kWhileLoop);
    LearnVariables();
    target_.variable_tensors = copies && probing_.Takes(VariableTensorVector(small));
    if (!target_.variable_tensors) {
      Tell("tensors with variable=true", copies ? probing_.why() : without);
    }
  }

  // Returns a shape of a rank with one dimension that is not 1.
  static Shape ShapeOf(int64_t length, int rank) {
    Shape shape;
    for (int axis = 0; axis < rank; ++axis) {
      shape.PushBack(axis == 0 ? static_cast<int32_t>(length) : 1);
    }
    return shape;
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
    const TargetRange ranks = RanksOf(
        "variables",
        [&](const Shape& shape) {
          return VariableVector({type, shape});
        },
        [](int) { return true; });
    for (const Op op : {Op::kVariable, Op::kVariableRead, Op::kVariableWrite}) ranks_[op] = ranks;
  }

  // Returns the ranks of a value that the backend takes, as the other RanksOf() does. Ranks that
  // the probe's other operators do not take are not probed.
  template <class Make, class IsPossible>
  TargetRange RanksOf(const std::string& what, Make make, IsPossible is_possible) {
    TargetRange range = {{Quantity::Kind::kRank}};
    for (int rank = 0; rank <= kLevel.max_rank; ++rank) {
      if (!is_possible(rank)) continue;
      if (probing_.Takes(make(ShapeOf(1, rank)))) {
        if (range.values.empty() && rank > 0) range.min = rank;
        range.values.push_back(rank);
      } else {
        Tell(what + " of rank " + std::to_string(rank), probing_.why());
      }
    }
    if (std::ssize(range.values) > kLevel.max_rank) range.values.clear();
    return range;
  }

  // ---- Ranks

  void AddRanks() {
    std::map<Op, TargetRange> ranges;
    int64_t greatest = 0;
    for (const auto& [op, range] : ranks_) {
      greatest = std::max(greatest, range.values.empty() ? kLevel.max_rank : range.values.back());
      if (!range.values.empty()) ranges[op] = range;
    }
    if (greatest > 0 && greatest < kLevel.max_rank) target_.limits.rank = greatest;
    for (auto& [op, range] : ranges) {
      range = Shortest(range);
      const bool is_of_all = range.min == INT64_MIN && range.max >= greatest;
      if (range.values.empty() && is_of_all) continue;  // the same as of all tensors
      (*target_.operators)[op].ranges.push_back(range);
    }
  }

  // Returns the ranks of an operator that the backend takes as values, or no values if it refuses
  // none.
  TargetRange RanksOf(Op op, const KnownOperator& known) {
    TargetRange range = {{Quantity::Kind::kRank}};
    int refused = 0;
    for (int rank = 0; rank <= kLevel.max_rank; ++rank) {
      const Tried tried = Try(op, known.rows[0], {.base = &known.samples[0], .rank = rank});
      if (!tried.last) continue;
      if (tried.taken) {
        if (range.values.empty() && refused > 0) range.min = rank;
        range.values.push_back(rank);
        continue;
      }
      ++refused;
      Tell(std::string(OperatorName(op)) + " of rank " + std::to_string(rank), probing_.why());
    }
    if (refused == 0) range.values.clear();
    return range;
  }

  // Returns the range without values if it holds all ranks between them, and otherwise the values.
  static TargetRange Shortest(const TargetRange& range) {
    const int64_t last = range.values.back();
    const bool has_hole = last - range.values.front() + 1 != std::ssize(range.values);
    if (has_hole) return {range.quantity, INT64_MIN, INT64_MAX, range.values};
    return {range.quantity, range.min, last};
  }

  // ---- Sizes of tensors, constants and vectors

  void LearnSizes() {
    unary_ = BestUnary();
    const int rank = unary_.rank;
    const auto takes = [&](int64_t n) {
      return probing_.Takes(UnaryVector(unary_.op, {unary_.type, ShapeOf(n, rank)}));
    };
    const int64_t length = rank == 0 ? 0 : GreatestTaken(1, kProbedElementsMax, takes);
    if (length < 1) {
      Tell("sizes", rank == 0 ? "not probed without an operator of one operand" : probing_.why());
      return;
    }
    if (length < kProbedElementsMax) LearnElements(length);
    LearnConstantBytes();
    const auto many = [&](int64_t n) {
      return ManyGraphs(unary_.op, {unary_.type, ShapeOf(1, rank)}, static_cast<int>(n));
    };
    const int64_t graphs =
        GreatestTaken(1, kGraphsMax, [&](int64_t n) { return probing_.Takes(many(n)); });
    if (graphs < 1 || graphs == kGraphsMax) return;
    target_.limits.graphs = graphs;
    probing_.Takes(many(graphs + 1));
    Tell(std::to_string(graphs + 1) + " graphs", probing_.why());
  }

  // Tells a limit of dimensions from one of elements. The backend takes a dimension of `length`
  // beside dimensions of 1, and no greater one.
  void LearnElements(int64_t length) {
    std::string why = probing_.why();
    const auto takes = [&](int64_t elements) {
      // Few numbers are products of small dimensions; of the others the next smaller one counts.
      for (int64_t n = elements; n > 0; --n) {
        const std::optional<Shape> shape = BalancedShape(n, length, unary_.rank);
        if (shape) return probing_.Takes(UnaryVector(unary_.op, {unary_.type, *shape}));
      }
      return false;
    };
    int64_t elements = GreatestTaken(length, kProbedElementsMax, takes);
    while (elements > length && !BalancedShape(elements, length, unary_.rank)) --elements;
    if (elements < kProbedElementsMax) {
      target_.limits.elements = elements;
      Tell("a tensor of more than " + std::to_string(elements) + " elements", why);
    }
    if (elements <= length) return;
    target_.limits.dimension = length;
    probing_.Takes(UnaryVector(unary_.op, {unary_.type, ShapeOf(length + 1, unary_.rank)}));
    Tell("a dimension of " + std::to_string(length + 1), probing_.why());
  }

  void LearnConstantBytes() {
    const TargetLimits& limits = target_.limits;
    const int64_t width = ElementBytes(unary_.type);
    const int64_t most = limits.elements > 0 ? limits.elements : kProbedElementsMax;
    const auto takes = [&](int64_t elements) {
      for (int64_t n = elements; n > 0; --n) {
        const auto shape =
            BalancedShape(n, limits.dimension > 0 ? limits.dimension : most, unary_.rank);
        if (shape) return probing_.Takes(ConstantVector(unary_.op, {unary_.type, *shape}));
      }
      return false;
    };
    const int64_t elements = GreatestTaken(1, most, takes);
    if (elements < 1 || elements == most) return;
    target_.limits.constant_bytes = elements * width;
    takes(elements + 1);
    Tell("constants of more than " + std::to_string(elements * width) + " bytes", probing_.why());
  }

  // ---- Attributes and constant operands

  void LearnNumbers(Op op, const KnownOperator& known) {
    for (const Quantity& quantity : VariedQuantities(op)) {
      if (quantity.kind == Quantity::Kind::kAttribute) {
        LearnValuesOf(op, known, quantity);
        continue;
      }
      std::vector<NumberLimit> limits;
      for (const TestVector& sample : known.samples) limits.push_back(LimitOf(sample, quantity));
      AddLimits(op, known, quantity, limits);
    }
  }

  // Returns vectors in which a named attribute has a value: the samples of the rows with this
  // value, or what the recipe makes, as similar as possible.
  std::vector<TestVector> WithValue(Op op, const KnownOperator& known, const Quantity& quantity,
                                    int64_t value) {
    std::vector<TestVector> vectors;
    for (const TestVector& sample : known.samples) {
      auto changed = WithNumber(sample, quantity, value);
      if (changed) vectors.push_back(std::move(*changed));
    }
    for (TestVector& vector : VectorsWithValue(op, known.rows, quantity.attribute, value)) {
      vectors.push_back(LikeBase(std::move(vector), known.samples[0], quantity));
    }
    return vectors;
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
      for (TestVector& vector : WithValue(op, known, quantity, value)) {
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
      std::vector<NumberLimit> limits;
      for (size_t i = 0; i < known.rows.size(); ++i) {
        limits.push_back(LimitOf(op, known.rows[i], known.samples[i], which, least, most));
      }
      AddLimits(op, known, QuantityOf(op, which), limits);
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

  // The numbers that the backend takes in one row of the type table, and why it takes no others; ""
  // if it was not seen to refuse any.
  struct NumberLimit {
    int64_t least = INT64_MIN, greatest = INT64_MAX;
    std::string why = {};   // of greatest + 1, or else of least - 1
    bool is_probed = true;  // the row has other numbers

    bool SameAs(const NumberLimit& other) const {
      return least == other.least && greatest == other.greatest;
    }
  };

  // Probes the numbers of a constant operand on both sides of the sample's.
  NumberLimit LimitOf(const TestVector& sample, const Quantity& quantity) {
    NumberLimit limit;
    limit.is_probed = false;
    const auto number = NumberIn(sample, quantity);
    if (!number) return limit;
    const auto is_inside = [&](int64_t n) {
      const auto vector = WithNumber(sample, quantity, n);
      return vector && IsInside(*vector);
    };
    const auto takes = [&](int64_t n) {
      const auto vector = WithNumber(sample, quantity, n);
      return !vector || probing_.Takes(*vector);  // what is not valid shows no limit
    };
    // The numbers may be valid only here and at an end of the type: a zero point of u16.
    const auto [lowest, highest] = BoundsOf(sample, quantity);
    const int64_t top =
        is_inside(*number + 1) ? GreatestTaken(*number, highest, is_inside) : *number;
    const int64_t bottom =
        is_inside(*number - 1) ? LeastTaken(lowest, *number, is_inside) : *number;
    limit.is_probed = bottom < top;
    const int64_t greatest = top > *number ? GreatestTaken(*number, top, takes) : top;
    const int64_t least = bottom < *number ? LeastTaken(bottom, *number, takes) : bottom;
    if (greatest < *number || least > *number) return limit;  // the sample itself was refused
    if (least > bottom) {
      limit.least = least;
      takes(least - 1);
      limit.why = probing_.why();
    }
    if (greatest < top) {
      limit.greatest = greatest;
      takes(greatest + 1);
      limit.why = probing_.why();
    }
    return limit;
  }

  NumberLimit LimitOf(Op op, int row, const TestVector& sample, WindowNumber which, int64_t least,
                      int64_t most) {
    NumberLimit limit;
    for (int axis = 0; axis < WindowAxes(op); ++axis) {
      const auto vector = [&](int64_t number) {
        return LikeBase(*WindowVector(op, row, which, axis, static_cast<int32_t>(number)), sample);
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

  // Adds a range for all types if the limits are the same in all rows that were probed, otherwise
  // for each row.
  void AddLimits(Op op, const KnownOperator& known, const Quantity& quantity,
                 const std::vector<NumberLimit>& limits) {
    OperatorUses& uses = (*target_.operators)[op];
    const auto tell = [&](const std::string& mode, const NumberLimit& limit) {
      const bool is_above = limit.greatest < INT64_MAX;
      Tell(std::string(OperatorName(op)) + mode + " with " + NameOf(op, quantity) + " " +
               std::to_string(is_above ? limit.greatest + 1 : limit.least - 1),
           limit.why);
    };
    const auto first = std::ranges::find_if(limits, &NumberLimit::is_probed);
    if (first == limits.end()) return;
    const bool are_same = std::ranges::all_of(
        limits, [&](const NumberLimit& limit) { return !limit.is_probed || limit.SameAs(*first); });
    if (are_same) {
      if (first->why.empty()) return;
      tell("", *first);
      uses.ranges.push_back({quantity, first->least, first->greatest});
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
        choice.ranges.push_back({quantity, limits[i].least, limits[i].greatest});
      }
    }
  }

  // ---- Operands that must be constants

  void LearnForms(Op op, const KnownOperator& known) {
    if (!OnlyOperator(known.samples[0])) return;
    const TestVector sample = WithConstants(known.samples[0]);
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

  // ---- Answers that change

  // Asks again for a vector of each row, and for all of operators that were never taken: the
  // backend may have needed time, or have broken down.
  void AskAgain() {
    for (const auto& [vector, taken] : asked_) probing_.AskAgain(vector, taken);
    for (const OperatorRow& row : AllOperators()) {
      if (known_.contains(row.op) || RecipeOf(row.op) == nullptr) continue;
      for (int i = 0; i < std::ssize(row.type_rows); ++i) {
        for (const TestVector& vector : VectorsOfRow(row.op, i)) probing_.AskAgain(vector, false);
      }
    }
  }

  // ---- What a target cannot say

  // Tries vectors of all classes of the recipe inside what was learned. What is refused depends on
  // more than one number.
  void TryMixed(Op op, const KnownOperator& known) {
    for (const int row : known.rows) {
      for (const TestVector& vector : MixedVectors(op, row)) {
        if (!IsInside(vector) || probing_.Takes(vector)) continue;
        const std::string_view mode = RowOf(op).type_rows[static_cast<size_t>(row)].mode;
        Tell(std::string(OperatorName(op)) + " " + std::string(mode) +
                 " inside the target, for a reason that it does not state",
             probing_.why());
        break;
      }
    }
  }

  Probing probing_;
  Target target_;
  Unary unary_;                                     // of probes of sizes
  std::vector<std::pair<TestVector, bool>> asked_;  // in each row, and whether it was taken
  std::map<Op, KnownOperator> known_;
  std::map<Op, TargetRange> ranks_;  // without values: all
  std::vector<std::string> refusals_;
};

}  // namespace

Result<LearnedTarget> LearnTarget(Backend& backend) {
  return Learner(backend).Run(backend.Describe());
}

}  // namespace assay

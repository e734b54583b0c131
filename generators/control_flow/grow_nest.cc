// SPDX-License-Identifier: Apache-2.0
#include "grow_nest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "branches_and_loops.h"
#include "executor.h"
#include "graph_edit.h"
#include "nest_values.h"

namespace assay {
namespace {

constexpr int64_t kRoundsAll = 24;       // of all loops of a nest together, in the first step
constexpr int64_t kElementsMax = 24;     // of a value
constexpr const char* kTicks = "ticks";  // the variable

// The block under construction, and the values in it that the nest works on.
struct Scope {
  GraphBuilder& builder;
  std::vector<ValueIndex> values;
  MaybeValue controls = {};  // one number per operator of the nest, of shape [nest length]
  MaybeValue counter = {};   // of the loop whose body this is
};

// The plan of one operator of the nest. A loop counts from `start` to `control`; a COND_IF takes
// then_graph if `control` is above 0.
struct LevelPlan {
  bool loop = false;
  bool inside = false;   // the control is a constant of the block that needs it
  bool up = true;        // counts upwards
  bool negated = false;  // the condition is the negation of the opposite comparison
  int64_t start = 0;
  int64_t control = 0;
  bool from_data = false;  // COND_IF: one of its operands decides instead
};

class ShapeGrower : private NestValues {
 public:
  ShapeGrower(Choices& choices, const GeneratorOptions& options, const Menu& menu,
              const ControlFlowShape& shape, bool tame)
      : NestValues(choices, menu, tame, shape.condition_rank), options_(options), shape_(shape) {}

  std::optional<TestVector> Grow() {
    DrawPlans();
    GraphBuilder builder(choices_, options_, ValueMode::kFinite);
    if (!GrowMain(builder)) return std::nullopt;
    TestVector vector;
    Step step;
    vector.graphs.push_back(builder.FinishGraph(outputs_, step));
    if (shape_.hangs_on_state) {
      if (!AddCounting(vector, step)) return std::nullopt;
    } else {
      vector.steps.push_back(step);
      for (int i = 1; i < shape_.steps; ++i) vector.steps.push_back(Varied(vector, step));
    }
    return vector;
  }

 private:
  const LevelPlan& plan(size_t level) const { return plans_[level]; }
  size_t depth() const { return shape_.nest.size(); }
  // --- Numbers that steer ---

  void DrawPlans() {
    int64_t rounds_left = kRoundsAll;
    for (size_t level = 0; level < depth(); ++level) {
      LevelPlan next;
      next.loop = shape_.nest[level] == 'W';
      next.inside =
          level == 0 || depth() > kNestMax ? shape_.source == Source::kInside : choices_.OneIn(4);
      if (shape_.handover == Handover::kCounterOnly) next.inside = true;
      next.up = shape_.hangs_on_state || choices_.Below(3) != 0;
      next.negated = choices_.OneIn(4);
      next.start = choices_.Between(-3, 3);
      // Between two powers of two, a sum of floats is one number by the rule of ADD.
      if (IsFloat(number_)) next.start = next.up ? 9 : 15;
      next.from_data = !tame_ && !next.loop && level > 0 && choices_.OneIn(4);
      int64_t rounds = shape_.rounds;
      if (level + 1 < depth()) rounds = depth() > kNestMax ? 1 : choices_.Between(1, 2);
      if (shape_.hangs_on_state) rounds = 0;  // and what the variable holds
      rounds = std::min(rounds, rounds_left);
      if (next.loop && rounds > 0) rounds_left /= rounds;
      next.control = ControlFor(next, rounds);
      plans_.push_back(next);
    }
    if (shape_.hangs_on_state) {
      for (LevelPlan& each : plans_) each.inside = each.from_data = false;
    }
  }

  // Returns the control of a loop for a number of rounds, or a random control of a COND_IF.
  int64_t ControlFor(const LevelPlan& level, int64_t rounds) {
    if (!level.loop && shape_.hangs_on_state) return choices_.Between(-3, -1);
    if (!level.loop) return choices_.Between(-2, 3);
    return level.up ? level.start + rounds : level.start - rounds;
  }

  // Returns true if an operator from `level` on reads the controls that are handed in.
  bool NeedsControls(size_t level) const {
    return std::any_of(plans_.begin() + static_cast<std::ptrdiff_t>(level), plans_.end(),
                       [](const LevelPlan& each) { return !each.inside && !each.from_data; });
  }

  // Returns the control of a level, in the shape of a condition.
  MaybeValue Control(Scope& s, size_t level) {
    if (plan(level).inside || !s.controls) {
      return s.builder.AddConstant(Number(ConditionShape(), plan(level).control));
    }
    return Reshaped(s.builder, Element(s.builder, *s.controls, static_cast<int64_t>(level)),
                    ConditionShape());
  }

  // --- Blocks ---

  // The name of a block that was added, and its results for the operands that it was grown on.
  struct Grown {
    std::string name;
    std::vector<BoundTensor> results;
  };

  // Adds a block on these operands that `grow` fills; returns its name and results.
  template <class Grow>
  Grown AddBlock(GraphBuilder& b, std::string_view what, std::span<const ValueIndex> operands,
                 Grow grow) {
    GraphBuilder inner(choices_, options_, b.mode());
    inner.Close();
    for (const ValueIndex operand : operands) inner.AddInputOf(b[operand].value);
    inner.regions() = std::move(b.regions());
    const std::vector<ValueIndex> results = grow(inner);
    b.regions() = std::move(inner.regions());
    failed_ = failed_ || results.empty();
    if (failed_) return {};
    Grown grown = {NextRegionName(b, what), {}};
    for (const ValueIndex result : results) grown.results.push_back(inner[result].value);
    Block block = inner.FinishWithAllInputs(results);
    SweepNested(block);
    b.AddRegion(RegionOf(std::move(block), grown.name));
    return grown;
  }

  static bool AreOf(const std::vector<BoundTensor>& values, const std::vector<TensorType>& types) {
    return std::ranges::equal(values, types, {}, &BoundTensor::type);
  }

  static std::vector<ValueIndex> Count(ValueIndex first, size_t count) {
    std::vector<ValueIndex> indices(count);
    std::iota(indices.begin(), indices.end(), first);
    return indices;
  }

  Handover HandoverOf(size_t level) {
    if (level == 0) return shape_.handover;
    if (tame_ || depth() > kNestMax) return Handover::kComputes;
    if (shape_.nest[level] == 'W') {
      constexpr Handover kInner[] = {Handover::kComputes, Handover::kComputes, Handover::kTwice,
                                     Handover::kFromConstant, Handover::kEndsEarly};
      return choices_.Pick(kInner);
    }
    constexpr Handover kInner[] = {Handover::kComputes, Handover::kPassed, Handover::kConstant,
                                   Handover::kSameBlock};
    return choices_.Pick(kInner);
  }

  // Adds the nest from `level` on; returns its results, which have the types of the values.
  std::vector<ValueIndex> GrowLevel(Scope& s, size_t level) {
    if (failed_) return {};
    std::vector<ValueIndex> results =
        plan(level).loop ? GrowLoop(s, level) : GrowBranches(s, level);
    failed_ = failed_ || results.empty();
    return results;
  }

  // --- COND_IF ---

  MaybeValue Condition(Scope& s, size_t level) {
    const bool direct = level == 0 && shape_.source == Source::kHidden && !shape_.hangs_on_state;
    if (direct && choices_.Below(2) == 0) {
      const Tensor taken =
          Tensor::Splat(DType::kBool, ConditionShape(), static_cast<int64_t>(choices_.Below(2)));
      return s.builder.AddInput(taken);
    }
    // A condition on the counter of the enclosing loop changes from round to round.
    if (s.counter && choices_.Below(2) == 0) {
      const LevelPlan& around = plan(level - 1);
      const int64_t rounds = choices_.Between(0, 1);
      const Tensor bound = Number(ConditionShape(), around.start + (around.up ? rounds : -rounds));
      const ValueIndex constant = s.builder.AddConstant(bound);
      return Add(s.builder, Op::kGreater, {s.counter, constant}, DType::kBool);
    }
    if (plan(level).from_data) {
      const MaybeValue condition = Positive(s.builder, choices_.Pick(s.values));
      if (condition) return condition;
    }
    const MaybeValue control = Control(s, level);
    const ValueIndex zero = s.builder.AddConstant(Number(ConditionShape(), 0));
    return Add(s.builder, Op::kGreater, {control, zero}, DType::kBool);
  }

  // Returns the results of a branch that does not hold the rest of the nest.
  std::vector<ValueIndex> GrowBranch(GraphBuilder& b, const std::vector<ValueIndex>& values,
                                     Handover handover) {
    std::vector<ValueIndex> results = values;
    switch (handover) {
      case Handover::kPassed:
        return results;
      case Handover::kCrossed:
        std::reverse(results.begin(), results.end());
        return results;
      case Handover::kConstant:
        for (ValueIndex& result : results) result = b.AddConstant(DrawValue(b.TypeOf(result)));
        return results;
      default:
        return WorkOnAll(b, values);
    }
  }

  std::vector<ValueIndex> GrowBranches(Scope& s, size_t level) {
    GraphBuilder& b = s.builder;
    const Handover handover = HandoverOf(level);
    const size_t count = s.values.size();
    const MaybeValue condition = Condition(s, level);
    if (!condition) return {};
    const bool taken = b[*condition].low > 0;
    const bool nests = level + 1 < depth();
    const bool twice = handover == Handover::kTwice;
    const bool hands_in_controls = nests && s.controls && NeedsControls(level + 1);
    std::vector<ValueIndex> operands = s.values;
    if (twice) operands.push_back(s.values[0]);
    if (hands_in_controls) operands.push_back(*s.controls);

    // The branch that runs continues the nest. If neither continues it, either may compute.
    const bool computes = nests ? taken : choices_.Below(2) == 0;
    const bool both = nests && depth() - level <= 3 && choices_.OneIn(4);
    const auto grow = [&](bool branch) {
      return AddBlock(b, branch ? "then" : "else", operands, [&](GraphBuilder& inner) {
        Scope in = {inner, Count(0, count)};
        if (hands_in_controls) in.controls = static_cast<ValueIndex>(operands.size() - 1);
        if (handover == Handover::kUnread) {
          in.values.back() = inner.AddConstant(DrawValue(inner.TypeOf(in.values.back())));
        }
        std::vector<ValueIndex> results =
            nests && (both || branch == taken)
                ? GrowLevel(in, level + 1)
                : GrowBranch(inner, in.values, branch == computes ? Handover::kComputes : handover);
        if (results.empty()) return results;
        if (twice && branch == computes) {
          results[0] = Join(inner, results[0], static_cast<ValueIndex>(count));
        }
        if (handover == Handover::kMoreResults) results.push_back(Work(inner, results[0]));
        return results;
      });
    };
    const Grown first = grow(taken);
    const Grown second = handover == Handover::kSameBlock ? first : grow(!taken);
    if (failed_) return {};

    Operator op = {Op::kCondIf,
                   {{AttributeId::kThenGraph, taken ? first.name : second.name},
                    {AttributeId::kElseGraph, taken ? second.name : first.name}},
                   {*condition},
                   {}};
    std::vector<TensorType> types = b.TypesOf(s.values);
    if (handover == Handover::kMoreResults) types.push_back(types[0]);
    op.inputs.insert(op.inputs.end(), operands.begin(), operands.end());
    // The branch that is taken was evaluated while it grew.
    if (!b[*condition].exact || !AreOf(first.results, types) || !AreOf(second.results, types)) {
      return {};
    }
    const MaybeValue result = b.AddEvaluated(std::move(op), first.results);
    if (!result) return {};
    if (level == 0 && types.size() > count) {
      more_results_.push_back(*result + static_cast<ValueIndex>(count));
    }
    return Count(*result, count);
  }

  // --- WHILE_LOOP ---

  // The values that a loop carries: the counter, the values, perhaps one of them twice, the
  // controls. The operands are a rotation of that list.
  struct Carried {
    size_t values = 0, all = 0, rotation = 0;
    bool twice = false, controls = false;

    ValueIndex At(size_t place) const { return static_cast<ValueIndex>((place + rotation) % all); }
    ValueIndex Counter() const { return At(0); }
    std::vector<ValueIndex> Values() const {
      std::vector<ValueIndex> found;
      for (size_t i = 0; i < values; ++i) found.push_back(At(1 + i));
      return found;
    }
    ValueIndex Again() const { return At(1 + values); }
    MaybeValue Controls() const { return controls ? MaybeValue(At(all - 1)) : std::nullopt; }
    std::vector<ValueIndex> Rotated(const std::vector<ValueIndex>& list) const {
      std::vector<ValueIndex> rotated(all);
      for (size_t i = 0; i < all; ++i) rotated[static_cast<size_t>(At(i))] = list[i];
      return rotated;
    }
  };

  // Returns the values of the next round.
  std::vector<ValueIndex> GrowRound(Scope& in, size_t level, Handover handover) {
    GraphBuilder& b = in.builder;
    const std::vector<ValueIndex> before = in.values;
    if (handover == Handover::kUnread) {
      in.values.back() = b.AddConstant(DrawValue(b.TypeOf(before.back())));
    }
    std::vector<ValueIndex> results =
        level + 1 < depth() ? GrowLevel(in, level + 1) : WorkOnAll(b, in.values);
    if (results.empty()) return {};
    if (handover == Handover::kRotated) {
      std::rotate(results.begin(), results.begin() + 1, results.end());
    }
    if (handover == Handover::kInvariant) {
      results[0] = Join(b, results[0], before.back());
      results.back() = before.back();
    }
    return results;
  }

  std::vector<ValueIndex> GrowLoop(Scope& s, size_t level) {
    GraphBuilder& b = s.builder;
    const Handover handover = HandoverOf(level);
    const LevelPlan& here = plan(level);
    const bool only_counter = handover == Handover::kCounterOnly;
    std::vector<ValueIndex> given = s.values;
    if (only_counter) given.clear();
    if (handover == Handover::kFromConstant) {
      given.back() = b.AddConstant(DrawValue(b.TypeOf(given.back())));
    }
    const Tensor start = Number(ConditionShape(), here.start);
    const bool hides_start = !b.closed() && (only_counter || !here.inside) && choices_.OneIn(3);
    std::vector<ValueIndex> list = {hides_start ? b.AddInput(start) : b.AddConstant(start)};
    list.insert(list.end(), given.begin(), given.end());
    Carried carried;
    carried.values = given.size();
    carried.twice = handover == Handover::kTwice;
    carried.controls = s.controls && NeedsControls(level);
    if (carried.twice) list.push_back(given[0]);
    if (carried.controls) list.push_back(*s.controls);
    carried.all = list.size();
    carried.rotation = choices_.OneIn(2) ? choices_.Below(carried.all) : 0;
    std::vector<ValueIndex> operands = carried.Rotated(list);

    const Grown cond = AddBlock(b, "while", operands, [&](GraphBuilder& inner) {
      Scope in = {inner, carried.Values(), carried.Controls(), carried.Counter()};
      const MaybeValue limit = Control(in, level);
      MaybeValue goes_on = here.up ? Compare(inner, limit, in.counter, here.negated)
                                   : Compare(inner, in.counter, limit, here.negated);
      if (handover == Handover::kEndsEarly) {
        MaybeValue wanted = Positive(inner, in.values[0]);
        // The condition must hold before the first round.
        if (wanted && inner[*wanted].low == 0) {
          wanted = Add(inner, Op::kLogicalNot, {wanted}, DType::kBool);
        }
        if (wanted) goes_on = Add(inner, Op::kLogicalAnd, {goes_on, wanted}, DType::kBool);
      }
      return goes_on ? std::vector<ValueIndex>{*goes_on} : std::vector<ValueIndex>();
    });
    Grown body = AddBlock(b, "body", operands, [&](GraphBuilder& inner) {
      Scope in = {inner, carried.Values(), carried.Controls(), carried.Counter()};
      std::vector<ValueIndex> next = {};
      if (!only_counter) next = GrowRound(in, level, handover);
      if (next.empty() && !only_counter) return next;
      if (carried.twice) {
        next[0] = Join(inner, next[0], carried.Again());
        next.push_back(Work(inner, carried.Again()));
      }
      if (carried.controls) next.push_back(*carried.Controls());
      const ValueIndex one = inner.AddConstant(Number(ConditionShape(), here.up ? 1 : -1));
      const MaybeValue counted = Add(inner, Op::kAdd, {carried.Counter(), one}, number_);
      if (!counted) return std::vector<ValueIndex>();
      next.insert(next.begin(), *counted);
      return carried.Rotated(next);
    });
    if (failed_) return {};

    Operator op = {Op::kWhileLoop,
                   {{AttributeId::kCondGraph, cond.name}, {AttributeId::kBodyGraph, body.name}},
                   operands,
                   {}};
    // The first round, if there is one, was evaluated while its blocks grew.
    const BoundTensor& goes_on = cond.results[0];
    const bool has_run = goes_on.plain() && goes_on.values().extremes().low > 0;
    const MaybeValue result = has_run ? AddLoopFrom(b, std::move(op), std::move(body.results))
                                      : AddControlFlow(b, std::move(op), b.TypesOf(operands));
    if (!result) return {};
    if (level == 0) more_results_.push_back(*result + carried.Counter());
    if (only_counter) return s.values;
    std::vector<ValueIndex> results = carried.Values();
    for (ValueIndex& value : results) value += *result;
    return results;
  }

  // --- The main block ---

  std::vector<ValueIndex> DrawValues(GraphBuilder& b) {
    std::vector<DType> types = AllowedTypes(options_, Op::kSelect);
    std::erase_if(types, [&](DType type) { return !menu_.Reads(Op::kIdentity, type); });
    const Handover handover = shape_.handover;
    const bool of_one_type = handover == Handover::kCrossed || handover == Handover::kRotated ||
                             handover == Handover::kInvariant;
    TensorType type;
    std::vector<ValueIndex> values;
    for (int i = 0; i < shape_.values; ++i) {
      if (i == 0 || !(of_one_type || choices_.OneIn(4))) {
        Wish none;
        const int64_t elements_max = std::min(kElementsMax, options_.elements_max);
        type = {choices_.Pick(types), Draft(b, none).DrawShape(0, 6, elements_max)};
      }
      values.push_back(b.AddInput(DrawValue(type)));
    }
    return values;
  }

  MaybeValue AddControls(GraphBuilder& b) {
    std::vector<int64_t> values;
    for (const LevelPlan& each : plans_) values.push_back(each.control);
    const Tensor controls = ControlTensor(values);
    if (shape_.source == Source::kConstant) return b.AddConstant(controls);
    controls_ = b.AddInput(controls);
    return shape_.hangs_on_state ? AddState(b, *controls_) : controls_;
  }

  // Adds another operator that runs the same blocks, on values that were computed from the same
  // operands. Takes a copy of the operator, because the builder moves its operators when it grows.
  void CallAgain(GraphBuilder& b, Operator call) {
    Operator again = call;
    const size_t first = call.op == Op::kCondIf ? 1 : 0;
    for (size_t i = first; i < again.inputs.size(); ++i) {
      const ValueIndex value = again.inputs[i];
      const bool steers = value == steering_ || b.TypeOf(value).type == number_;
      if (!steers) again.inputs[i] = Work(b, value);
    }
    const std::vector<TensorType> types = b.TypesOf(call.outputs);
    const MaybeValue result = AddControlFlow(b, std::move(again), types);
    failed_ = failed_ || !result;
    for (size_t i = 0; i < types.size() && !failed_; ++i) {
      more_results_.push_back(*result + static_cast<ValueIndex>(i));
    }
  }

  // Adds an output that is neither an input nor another output.
  void AddOutput(GraphBuilder& b, ValueIndex value) {
    const bool known = std::find(outputs_.begin(), outputs_.end(), value) != outputs_.end();
    if (known || b[value].origin != Origin::kResult) {
      value = Add(b, Op::kIdentity, {value}, b.TypeOf(value).type).value();
    }
    outputs_.push_back(value);
  }

  bool GrowMain(GraphBuilder& b) {
    Scope scope = {b, DrawValues(b)};
    if (NeedsControls(0)) scope.controls = steering_ = AddControls(b);
    // A value that is computed before the nest and read after it.
    const ValueIndex before = Work(b, scope.values[0]);
    if (choices_.Below(2) == 0) scope.values.back() = Work(b, scope.values.back());
    const std::vector<ValueIndex> results = GrowLevel(scope, 0);
    if (failed_) return false;
    if (shape_.handover == Handover::kTwoCalls) CallAgain(b, b.LastOperator());
    if (failed_) return false;
    const size_t unused = shape_.handover == Handover::kUnused ? 1 : 0;
    for (size_t i = 0; i + unused < results.size(); ++i) AddOutput(b, results[i]);
    for (const ValueIndex result : more_results_) AddOutput(b, result);
    AddOutput(b, Join(b, results[0], before));
    return true;
  }

  // --- Steps ---

  // Returns a step with the same inputs, but other values, conditions and numbers of rounds.
  Step Varied(const TestVector& vector, const Step& step) {
    Step varied = step;
    const Block& main = *vector.graphs[0].Main();
    const std::string controls_name = controls_ ? "i" + std::to_string(*controls_) : "";
    for (size_t i = 0; i < varied.inputs.size(); ++i) {
      Tensor& input = varied.inputs[i];
      if (main.tensors[static_cast<size_t>(main.inputs[i])].name == controls_name) {
        std::vector<int64_t> controls;
        for (const LevelPlan& each : plans_) {
          controls.push_back(ControlFor(each, choices_.Between(0, depth() > 3 ? 1 : 3)));
        }
        input = ControlTensor(controls);
      } else if (input.type() == DType::kBool) {
        input = DrawTensor(choices_, input.tensor_type(), ValueRange::All(DType::kBool),
                           ValueMode::kFinite);
      } else if (input.elements() > 1 && choices_.Below(2) == 0) {
        input = SmallEnough(input);
      }
    }
    return varied;
  }

  // Returns other values; floats and i32 are small numbers, so that they weigh no more than the
  // given ones.
  Tensor SmallEnough(const Tensor& input) {
    return IsFloat(input.type()) || input.type() == DType::kInt32
               ? SmallNumbers(input.tensor_type())
               : DrawValue(input.tensor_type());
  }

  // --- State ---

  static Operator OnVariable(Op op, std::vector<ValueIndex> inputs) {
    return {op, {{AttributeId::kName, kTicks}}, std::move(inputs), {}};
  }

  void Declare(GraphBuilder& b) const {
    const TensorType type = {variable_type_, {1}};
    b.AddEvaluated(DeclarationOf(kTicks, type, Filled(type, 0)), {});
  }

  // Adds a read of the variable, assumed to hold `assumed`, as a number.
  MaybeValue ReadTicks(GraphBuilder& b, int64_t assumed) {
    const Tensor value = Filled({variable_type_, {1}}, static_cast<double>(assumed));
    const BoundTensor held = ToFlight<BoundDomain>(value);
    const MaybeValue read = b.AddEvaluated(OnVariable(Op::kVariableRead, {}), {&held, 1});
    return variable_type_ == number_ ? read : Add(b, Op::kCast, {read}, number_);
  }

  // Returns the controls plus the value of the variable, limited so that no loop gets more than
  // three rounds.
  MaybeValue AddState(GraphBuilder& b, ValueIndex controls) {
    variable_type_ = choices_.Pick(CountableTypes(options_, choices_, menu_));
    if (choices_.OneIn(2)) Declare(b);
    const MaybeValue moved = Add(b, Op::kAdd, {controls, ReadTicks(b, 1)}, number_);
    std::vector<int64_t> most;
    for (const LevelPlan& each : plans_) most.push_back(each.loop ? each.start + 3 : 100);
    return Add(b, Op::kMinimum, {moved, b.AddConstant(ControlTensor(most))}, number_);
  }

  // Adds a graph that increments the variable, and steps that run it between the others.
  bool AddCounting(TestVector& vector, const Step& act) {
    GraphBuilder b(choices_, options_, ValueMode::kFinite);
    Declare(b);
    const ValueIndex one = b.AddConstant(Number(Shape{1}, 1));
    const MaybeValue sum = Add(b, Op::kAdd, {ReadTicks(b, 0), one}, number_);
    const MaybeValue ticks =
        variable_type_ == number_ ? sum : Add(b, Op::kCast, {sum}, variable_type_);
    if (!ticks) return false;
    b.AddEvaluated(OnVariable(Op::kVariableWrite, {*ticks}), {});
    Step tick;
    vector.graphs.push_back(b.FinishGraph({&*sum, 1}, tick));
    tick.graph = 1;
    for (const bool counts : {true, false, true, true, false, true, false}) {
      vector.steps.push_back(counts ? tick : act);
    }
    SweepVector(vector);
    return true;
  }

  const GeneratorOptions& options_;
  const ControlFlowShape& shape_;
  std::vector<LevelPlan> plans_;
  bool failed_ = false;
  MaybeValue controls_;  // the input that holds them
  MaybeValue steering_;  // what the nest is given of them
  DType variable_type_ = DType::kUnknown;
  std::vector<ValueIndex> more_results_;  // of the outermost operators, beyond the values
  std::vector<ValueIndex> outputs_;
};

}  // namespace

std::optional<TestVector> GrowControlFlow(Choices& choices, const GeneratorOptions& options,
                                          const Menu& menu, const ControlFlowShape& shape,
                                          bool tame) {
  std::optional<TestVector> vector = ShapeGrower(choices, options, menu, shape, tame).Grow();
  if (!vector) return std::nullopt;
  vector->level = std::string(options.level.name);
  return vector;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ball_domain.h"
#include "bound_domain.h"
#include "domain.h"
#include "example.h"
#include "member_domain.h"
#include "mutant_domain.h"
#include "signature.h"
#include "steps_domain.h"
#include "term_domain.h"
#include "value_domain.h"

namespace assay {
struct Level;  // levels.h
}

namespace assay::ops {

// Returns true if a number of a shape_t operand is so large that no dimensions can make up for it.
// Sums with such a number are not worth forming and might overflow.
constexpr bool IsVast(int64_t number) {
  return number > int64_t{1} << 40 || number < -(int64_t{1} << 40);
}

// The origin of `count` consecutive elements of a data-movement operator's output: the elements
// first, first + step, first + 2 * step... of one operand.
struct Run {
  int32_t operand;
  int64_t first, count, step;
};

// Appends a run. Makes the last run longer instead if the new one continues it.
inline void AppendRun(std::vector<Run>& runs, const Run& run) {
  if (run.count <= 0) return;
  if (!runs.empty()) {
    Run& last = runs.back();
    if (last.operand == run.operand && last.step == run.step &&
        last.first + last.count * last.step == run.first) {
      last.count += run.count;
      return;
    }
  }
  runs.push_back(run);
}

// Tells whether element i of the result depends only on the elements of the operands at place i,
// after broadcasting. kInPlace: the result may also overwrite an operand of its type and shape.
enum class ElementWise : uint8_t { kNo, kYes, kInPlace };

// The way in which an element of the result comes about.
enum class ResultOrigin : uint8_t {
  kPassed,      // by position: data movement, constants, variables, control flow
  kChosen,      // by value: one of the elements of the operands
  kResigned,    // an element of an operand, with another sign
  kRounded,     // an element of an operand, rounded to an integer of the same type
  kCompared,    // a bool that says how elements of the operands compare
  kCalculated,  // by arithmetic
};

// The memory that a kernel needs beside its operands and results.
enum class ScratchKind : uint8_t { kNone, kAccumulator, kAccumulatorAndPadding };

// The layout of the special values of a floating-point type in operands that test all of them.
enum class Specials : uint8_t {
  kNone,
  kList,   // all entries, and the bounds of the type
  kPairs,  // every pair, by broadcasting
  kRows,   // rows of three, to reduce or select from
};

// Facts about an operator that other layers ask for.
struct OperatorTraits {
  ElementWise element_wise;
  ResultOrigin results;
  ScratchKind scratch;
  Specials specials;
  int weight = 2;  // how often generators draw the operator, from 1 to 3
};

// The meaning of an operator in each domain: reads operands and writes every output element through
// d.Store().
struct Readings {
  void (*value)(ValueDomain& d, const Call<ValueDomain>& call) = nullptr;
  void (*bound)(BoundDomain& d, const Call<BoundDomain>& call) = nullptr;
  void (*mutant)(MutantDomain& d, const Call<MutantDomain>& call) = nullptr;
  void (*member)(MemberDomain& d, const Call<MemberDomain>& call) = nullptr;
  void (*term)(TermDomain& d, const Call<TermDomain>& call) = nullptr;
  void (*steps)(StepsDomain& d, const Call<StepsDomain>& call) = nullptr;
};

// All readings of one template over domains, given as a generic lambda (d, call) without captures.
template <class Meaning>
constexpr Readings ReadingsOf(Meaning meaning) {
  return {meaning, meaning, meaning, meaning, meaning, meaning};
}

// Checks nothing, for operators without a rule of their own. (A shape that differs from the input's
// is `OP/ERROR_IF/arguments`, which the executor checks from the row: both are called `shape`
// there.)
inline void CheckNothing(const Signature&, const Level&, Judgement&) {}

// Everything about one operator; each src/ops/<operator>.cc defines one, `<operator>_operator`. All
// functions take a Signature whose operand count, types and ranks agree with the operator's row.
struct OperatorDefinition {
  Op op;
  OperatorTraits traits;

  // The shape rule. Sets `outputs` to type and shape of each output (signature.outputs is empty).
  // On entry `outputs` has one entry per output, with the wished type or kUnknown, and no shape.
  // The wish matters only where the row leaves the output type open (CAST, RESCALE, MUL, MATMUL,
  // CONV2D...). There the rule fills in just the shape. Returns false if no output shape exists
  // (shapes that do not broadcast, a stride that does not divide...).
  bool (*infer)(const Signature& signature, std::vector<TensorType>& outputs);

  // Checks, in the pseudocode's order, the ERROR_IFs, the LEVEL_CHECKs, and those REQUIREs that
  // read only attributes, shapes and Signature::constants. The executor checks ranks from the row.
  // `level` has the parameters of the level (`max_kernel`, ...).
  void (*check)(const Signature& signature, const Level& level,
                Judgement& judgement) = CheckNothing;

  // Appends the origins of the elements of output 0, in row-major order; the executor applies them
  // in every domain. Null unless the operator moves data. Control flow and state operators have
  // neither a move nor a meaning.
  void (*move)(const Signature& signature, std::vector<Run>& runs) = nullptr;
  // True if the move keeps all elements of operand 0 in their order. The executor may then share
  // them.
  bool view = false;

  // The meaning. Null for data movement, control flow and state.
  Readings meaning = {};
  // Does the same as `meaning.bound` for operands that are all floats, faster. Null unless the
  // operator has dot products, sums or averages.
  void (*balls)(BallDomain& d, const Call<BallDomain>& call) = nullptr;

  std::span<const Example> examples = {};
};

}  // namespace assay::ops

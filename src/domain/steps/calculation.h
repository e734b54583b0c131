// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "scalar.h"
#include "types.h"

namespace assay {

// The number of a step of a Calculation.
using StepId = uint32_t;

// The steps of one execution of an operator: the elements of its operands, constants, and what the
// words of its meaning make of them.
class Calculation {
 public:
  // Keeps at most `steps_max` steps. Later ones are all the step 0, and exhausted() is set.
  explicit Calculation(size_t steps_max);

  bool exhausted() const { return exhausted_; }

  StepId Operand(DType type, Scalar value, uint32_t operand, int64_t element);
  // `type` is kUnknown for a number that no tensor holds: an integer, or a double if `is_float`.
  StepId Constant(DType type, bool is_float, Scalar value);
  // `form` shows how the step is written: "$ + $" has two operands, and % is the name of `type`. It
  // must live as long as the program.
  StepId Word(const char* form, DType type, bool is_float, Scalar value,
              std::span<const StepId> operands);
  // A sum of products of two operands each: all first operands, then all second ones, then maybe a
  // bias, which is added last.
  StepId Products(bool is_float, Scalar value, std::span<const StepId> operands);
  // Something that is made of all operands in order: `form` is "sum of", for example.
  StepId Chain(const char* form, bool is_float, Scalar value, std::span<const StepId> operands);

  // An element of an operand.
  struct Place {
    uint32_t operand;
    int64_t element;
    auto operator<=>(const Place&) const = default;
  };
  using NameOf = std::function<std::string(uint32_t operand, int64_t element)>;
  struct Text {
    std::vector<std::string> lines;
    std::vector<Place> places;  // the elements of operands in the lines, sorted
  };
  // Returns lines that calculate the step from elements of operands, each after those that it uses.
  // `name_of` names an element of an operand. Of long sums only the beginning and the end are
  // shown.
  Text Explain(StepId step, const NameOf& name_of) const;
  // Returns the operand and element if the step is an element of an operand, unchanged.
  const Place* PlaceOf(StepId step) const;

 private:
  enum class Kind : uint8_t { kConstant, kOperand, kWord, kProducts, kChain };
  struct Step {
    Kind kind = Kind::kConstant;
    bool is_float = false;
    DType type = DType::kUnknown;
    const char* form = "";
    Scalar value;
    Place place = {};                       // of an operand
    uint32_t first_operand = 0, count = 0;  // in operands_
  };
  class Writer;

  StepId Add(Step step, std::span<const StepId> operands);
  std::span<const StepId> OperandsOf(const Step& step) const {
    return std::span(operands_).subspan(step.first_operand, step.count);
  }

  size_t steps_max_;
  bool exhausted_ = false;
  std::vector<Step> steps_;
  std::vector<StepId> operands_;
};

// Returns the shortest text of a number: of a value of `type`, or if that is kUnknown, of an
// integer or a double.
std::string NumberText(DType type, bool is_float, Scalar value);

}  // namespace assay

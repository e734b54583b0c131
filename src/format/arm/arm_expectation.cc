// SPDX-License-Identifier: Apache-2.0
#include "arm_expectation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "accuracy.h"
#include "types.h"

namespace assay {
namespace {

constexpr double kOpen = std::numeric_limits<double>::quiet_NaN();  // an error: not judged

// ---- Reading: the values that a mode admits for an element.

// The admitted values: at most `error` away from `reference`.
struct Allowed {
  double reference;
  double error;
};

// Gives access to the numbers of a record, element by element.
class Mode {
 public:
  explicit Mode(const ArmRecord& record) : record_(record) {}

  DType type() const { return record_.type.type; }
  double reference(size_t i) const { return record_.precise[i]; }
  double bounds(size_t i) const { return record_.bounds[i]; }
  bool has_bounds() const { return !record_.bounds.empty(); }
  double parameter(const char* name, double otherwise) const {
    const auto found = record_.compliance.parameters.find(name);
    return found == record_.compliance.parameters.end() ? otherwise : found->second;
  }
  double abs_bound() const {
    const double given = parameter("abs_bound", 0);
    return given > 0 ? given : 2 * parameter("ksb", 0);
  }
  double variance_bound() const {
    const double given = parameter("variance_error_bound", 0);
    return given > 0 ? given : 4 * 0.4 * parameter("ksb", 0);
  }

 private:
  const ArmRecord& record_;
};

Allowed Between(double low, double high) { return {low + (high - low) / 2, (high - low) / 2}; }

// The bounds of a mode do not apply to infinite references and to NaN (reading `infinite-bound`).
template <class Error>
Allowed Around(double reference, Error error) {
  return {reference, std::isfinite(reference) ? error() : 0};
}

Allowed Exact(const Mode& mode, size_t i) { return {mode.reference(i), 0}; }

Allowed Ulp(const Mode& mode, size_t i) {
  const double reference = mode.reference(i);
  const double ulps = mode.parameter("ulp", 0);
  const double outward = UlpError(mode.type(), reference, ulps);
  const double inward = UlpError(mode.type(), reference, mode.parameter("ulp_lower", ulps));
  if (inward == outward) return {reference, outward};
  return reference < 0 ? Between(reference - outward, reference + inward)
                       : Between(reference - inward, reference + outward);
}

Allowed AbsError(const Mode& mode, size_t i) {
  const double reference = mode.reference(i);
  return Around(reference, [&] {
    const bool of_operand = mode.parameter("bound_as_magnitude", 0) != 0;
    const double magnitude = of_operand ? mode.bounds(i) : reference;
    const double value = mode.parameter("base_bound", 0) + (of_operand ? 0 : mode.bounds(i));
    const double error =
        AbsoluteErrorBound(mode.type(), magnitude, value, mode.parameter("lower_bound", 0),
                           mode.parameter("normal_divisor", 1));
    return std::max(error, mode.parameter("max_compare", 0));
  });
}

Allowed Relative(const Mode& mode, size_t i) {
  const double reference = mode.reference(i);
  return Around(reference, [&] {
    return std::max(mode.parameter("max", 0) * mode.parameter("scale", 0),
                    UlpError(mode.type(), reference, mode.parameter("ulp_bound", 0)));
  });
}

Allowed ReduceProduct(const Mode& mode, size_t i) {
  const auto n = static_cast<int64_t>(mode.parameter("n", 1));
  return {mode.reference(i), ReduceProductError(mode.type(), mode.reference(i), n)};
}

Allowed DotProduct(const Mode& mode, size_t i) {
  const double reference = mode.reference(i);
  const double bound = mode.bounds(i);
  if (std::isnan(reference)) return {reference, 0};
  if (std::isnan(bound)) return {reference, kOpen};
  return {reference, DotProductError(mode.type(), mode.abs_bound(), bound)};
}

Allowed FpSpecial(const Mode& mode, size_t i) {
  const double reference = mode.reference(i);
  if (mode.has_bounds() && std::isnan(mode.bounds(i)) && !std::isnan(reference)) {
    return {reference, kOpen};
  }
  if (!std::isfinite(reference)) return {reference, 0};
  const double largest = FormatOf(mode.type()).max;
  return std::signbit(reference) ? Between(-largest, 0) : Between(0, largest);
}

Allowed RescaleInexact(const Mode& mode, size_t i) {
  double low = mode.reference(i);
  double high = mode.bounds(i);
  if (mode.parameter("unsigned_data", 0) != 0) {
    // The bounds are stored as signed numbers. The bits of an unsigned range that crosses the sign
    // are not an interval.
    if (low >= 0 && high < 0) return {low, kOpen};
  }
  return low <= high ? Between(low, high) : Allowed{low, kOpen};
}

// ---- Writing: a mode that can express an expectation adds its numbers to the record.

bool AskForExact(const Expectation& expectation, ArmRecord&) { return expectation.error.empty(); }

// The rules that are a number of units in the last place.
struct UlpRule {
  std::string_view op;
  double ulps;
};
constexpr std::array<UlpRule, 9> kUlpRules = {{{"ADD", 0.5},
                                               {"SUB", 0.5},
                                               {"MUL", 0.5},
                                               {"CEIL", 0.5},
                                               {"FLOOR", 0.5},
                                               {"CAST", 0.5},
                                               {"RECIPROCAL", 1},
                                               {"RSQRT", 2},
                                               {"ERF", 5}}};

// Returns true if `ulps` units around the references admit the same as the errors do. Half a unit
// around a value of the type admits only that value.
bool IsUlps(const Expectation& expectation, double ulps) {
  const DType type = expectation.value.type();
  for (size_t i = 0; i < expectation.error.size(); ++i) {
    const double reference = expectation.reference[i];
    const double error = expectation.error[i];
    const bool one_value = error == 0 && ulps <= 0.5 && RoundToType(type, reference) == reference;
    const bool no_number = error == 0 && !std::isfinite(reference);
    if (!one_value && !no_number && error != UlpError(type, reference, ulps)) return false;
  }
  return true;
}

bool AskForUlps(const Expectation& expectation, ArmRecord& record) {
  for (const UlpRule& rule : kUlpRules) {
    if (expectation.rule != rule.op || !IsUlps(expectation, rule.ulps)) continue;
    record.compliance.parameters["ulp"] = rule.ulps;
    return true;
  }
  return false;
}

// calcAbsErrorBound is 2^-normal_frac times the magnitude of the reference times the bound.
bool AskForErrors(const Expectation& expectation, ArmRecord& record) {
  record.compliance.parameters["base_bound"] = 0;
  for (size_t i = 0; i < expectation.error.size(); ++i) {
    const double reference = expectation.reference[i];
    const double error = expectation.error[i];
    const double of_one = AbsoluteErrorBound(expectation.value.type(), reference, 1, 0, 1);
    double bound = std::isfinite(error) ? std::nextafter(error / of_one, HUGE_VAL) : HUGE_VAL;
    if (error == 0) bound = std::isinf(reference) ? 1 : 0;  // because infinity times 0 is no bound
    record.bounds.push_back(bound);
  }
  return true;
}

bool AskForDotProducts(const Expectation& expectation, ArmRecord& record) {
  if (!expectation.statistics) return false;
  const DotStatistics& statistics = *expectation.statistics;
  auto& parameters = record.compliance.parameters;
  parameters["s"] = statistics.set;
  parameters["ksb"] = std::ceil(statistics.abs_bound / 2);
  parameters["abs_bound"] = statistics.abs_bound;
  parameters["variance_error_bound"] = statistics.variance_bound;
  const int fraction_bits = FormatOf(expectation.value.type()).fraction_bits;
  for (size_t i = 0; i < statistics.unit.size(); ++i) {
    const double unit = statistics.unit[i];
    // A NaN leaves the element unchecked, because the rule cannot express the effect of a flush. 0
    // demands a zero.
    const double error = expectation.error[i];
    const bool plain = unit > 0 && error == statistics.abs_bound * unit;
    const bool zero = error == 0 && expectation.reference[i] == 0;
    record.bounds.push_back(plain ? std::ldexp(unit, 1 + fraction_bits) : zero ? 0 : kOpen);
  }
  return true;
}

bool AskForRange(const Expectation& expectation, ArmRecord& record) {
  const DType type = expectation.value.type();
  if (type != DType::kInt8 && type != DType::kInt16 && type != DType::kInt32) return false;
  record.compliance.parameters["unsigned_data"] = 0;
  const auto least = static_cast<double>(MinimumInteger(type));
  const auto greatest = static_cast<double>(MaximumInteger(type));
  for (size_t i = 0; i < expectation.error.size(); ++i) {
    const double reference = expectation.reference[i];
    const double error = expectation.error[i];
    const bool open = !std::isfinite(error);
    record.precise.push_back(open ? least : std::max(least, std::ceil(reference - error)));
    record.bounds.push_back(open ? greatest : std::min(greatest, std::floor(reference + error)));
  }
  return true;
}

// ---- The modes. The writer takes the first one that can express the expectation.

struct ModeRow {
  std::string_view name;
  Allowed (*allowed)(const Mode& mode, size_t i);
  bool (*ask)(const Expectation& expectation, ArmRecord& record);  // null if ABS_ERROR is used
  bool needs_bounds;
  bool for_floats;
  bool for_integers;

  bool IsFor(DType type) const { return IsFloat(type) ? for_floats : for_integers; }
};

constexpr ModeRow kModes[] = {
    {"EXACT", Exact, AskForExact, false, true, true},
    {"DOT_PRODUCT", DotProduct, AskForDotProducts, true, true, false},
    {"ULP", Ulp, AskForUlps, false, true, false},
    {"ABS_ERROR", AbsError, AskForErrors, true, true, false},
    {"RELATIVE", Relative, nullptr, false, true, false},
    {"REDUCE_PRODUCT", ReduceProduct, nullptr, false, true, false},
    {"FP_SPECIAL", FpSpecial, nullptr, false, true, false},
    {"RESCALE_INEXACT", RescaleInexact, AskForRange, true, false, true},
};

const ModeRow* RowOf(const ArmRecord& record) {
  const auto elements = static_cast<size_t>(record.type.shape.Elements());
  for (const ModeRow& row : kModes) {
    if (row.name != record.compliance.mode) continue;
    const bool fits = row.IsFor(record.type.type) && record.precise.size() == elements &&
                      (!row.needs_bounds || record.bounds.size() == elements);
    return fits ? &row : nullptr;
  }
  return nullptr;
}

// Returns the recorded result or, if it is missing, the reference as an element of its type.
Tensor ValueOf(const ArmRecord& record) {
  if (record.value) return *record.value;
  if (IsFloat(record.type.type)) {
    return Tensor::FromFloats(record.type.type, record.type.shape, record.precise);
  }
  const std::vector<int64_t> integers(record.precise.begin(), record.precise.end());
  return Tensor::FromIntegers(record.type.type, record.type.shape, integers);
}

DotStatistics StatisticsOf(const Mode& mode, const std::vector<double>& errors) {
  DotStatistics statistics;
  statistics.abs_bound = mode.abs_bound();
  statistics.variance_bound = mode.variance_bound();
  statistics.set = static_cast<int32_t>(mode.parameter("s", -1));
  for (size_t i = 0; i < errors.size(); ++i) {
    const bool counts = std::isfinite(errors[i]) && errors[i] > 0;
    statistics.unit.push_back(counts ? DotProductUnit(mode.type(), mode.bounds(i)) : 0);
  }
  return statistics;
}

// Returns the references. A reference that is not determined and is an infinity, NaN or zero is
// replaced by 1, because such references are demanded exactly whatever the bounds are.
std::vector<double> ReferencesOf(const Expectation& expectation) {
  std::vector<double> references = expectation.reference;
  for (size_t i = 0; i < references.size(); ++i) {
    double& reference = references[i];
    if (!std::isfinite(expectation.error[i]) && (!std::isfinite(reference) || reference == 0)) {
      reference = 1;
    }
  }
  return references;
}

std::vector<double> ValuesOf(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor.Float(i));
  return values;
}

}  // namespace

std::optional<Expectation> ExpectationByCompliance(const ArmRecord& record) {
  if (!IsFloat(record.type.type) && record.compliance.mode == "EXACT" && record.value) {
    return Expectation{*record.value, {}, {}, "recorded EXACT", {}};
  }
  const ModeRow* row = RowOf(record);
  if (row == nullptr) return std::nullopt;
  const Mode mode(record);
  Expectation expectation;
  expectation.value = ValueOf(record);
  expectation.rule = "recorded " + record.compliance.mode;
  for (size_t i = 0; i < record.precise.size(); ++i) {
    const Allowed allowed = row->allowed(mode, i);
    expectation.reference.push_back(allowed.reference);
    expectation.error.push_back(allowed.error);
  }
  if (row->allowed == DotProduct && record.type.shape.Elements() >= kMinDotProducts) {
    expectation.statistics = StatisticsOf(mode, expectation.error);
  }
  return expectation;
}

ArmRecord RecordOf(const std::string& name, const Expectation& expectation) {
  ArmRecord record;
  record.name = name;
  record.type = expectation.value.tensor_type();
  record.value = expectation.value;
  if (IsFloat(record.type.type)) {
    record.precise =
        expectation.error.empty() ? ValuesOf(expectation.value) : ReferencesOf(expectation);
  }
  for (const ModeRow& row : kModes) {
    if (row.ask == nullptr || !row.IsFor(record.type.type) || !row.ask(expectation, record)) {
      continue;
    }
    record.compliance.mode = row.name;
    break;
  }
  return record;
}

}  // namespace assay

#include "arm_expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accuracy.h"
#include "types.h"

namespace assay {
namespace {

constexpr double kOpen = std::numeric_limits<double>::quiet_NaN();  // an error: not judged

// What is admitted: `error` around `reference`.
struct Allowed {
  double reference;
  double error;
};

// The numbers of a record, element by element.
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

// Bounds of a mode say nothing of infinite references and of NaN (reading `infinite-bound`).
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
    // Held as signed numbers: bits of an unsigned range that crosses the sign are not an interval.
    if (low >= 0 && high < 0) return {low, kOpen};
  }
  return low <= high ? Between(low, high) : Allowed{low, kOpen};
}

struct ModeRow {
  std::string_view name;
  Allowed (*allowed)(const Mode& mode, size_t i);
  bool needs_bounds;
  bool for_floats;
  bool for_integers;
};

constexpr ModeRow kModes[] = {
    {"EXACT", Exact, false, true, true},
    {"ULP", Ulp, false, true, false},
    {"ABS_ERROR", AbsError, true, true, false},
    {"RELATIVE", Relative, false, true, false},
    {"REDUCE_PRODUCT", ReduceProduct, false, true, false},
    {"DOT_PRODUCT", DotProduct, true, true, false},
    {"FP_SPECIAL", FpSpecial, false, true, false},
    {"RESCALE_INEXACT", RescaleInexact, true, false, true},
};

const ModeRow* RowOf(const ArmRecord& record) {
  const bool is_float = IsFloat(record.type.type);
  const auto elements = static_cast<size_t>(record.type.shape.Elements());
  for (const ModeRow& row : kModes) {
    if (row.name != record.compliance.mode) continue;
    const bool fits = (is_float ? row.for_floats : row.for_integers) &&
                      record.precise.size() == elements &&
                      (!row.needs_bounds || record.bounds.size() == elements);
    return fits ? &row : nullptr;
  }
  return nullptr;
}

// The reference as an element of its type; recorded results are not always there.
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

}  // namespace assay

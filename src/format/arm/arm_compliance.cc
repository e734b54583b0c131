// What an expectation becomes in the metadata of an Arm test directory.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "accuracy.h"
#include "arm_directory.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Rules that are a number of units in the last place.
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

// Whether so many ulps around the references admit what the errors admit. Around a value of the
// type half an ulp admits that value alone.
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

void AskForUlps(double ulps, ArmRecord& record) {
  record.compliance.mode = "ULP";
  record.compliance.parameters["ulp"] = ulps;
}

// calcAbsErrorBound is 2^-normal_frac times the magnitude of the reference times the bound.
void AskForErrors(const Expectation& expectation, ArmRecord& record) {
  record.compliance.mode = "ABS_ERROR";
  record.compliance.parameters["base_bound"] = 0;
  for (size_t i = 0; i < expectation.error.size(); ++i) {
    const double reference = expectation.reference[i];
    const double error = expectation.error[i];
    const double of_one = AbsoluteErrorBound(expectation.value.type(), reference, 1, 0, 1);
    double bound = std::isnan(error) ? HUGE_VAL : std::nextafter(error / of_one, HUGE_VAL);
    if (error == 0) bound = std::isinf(reference) ? 1 : 0;  // infinity times 0 is no bound
    record.bounds.push_back(bound);
  }
}

void AskForDotProducts(const Expectation& expectation, ArmRecord& record) {
  const DotStatistics& statistics = *expectation.statistics;
  auto& parameters = record.compliance.parameters;
  record.compliance.mode = "DOT_PRODUCT";
  parameters["s"] = statistics.set;
  parameters["ksb"] = std::ceil(statistics.abs_bound / 2);
  parameters["abs_bound"] = statistics.abs_bound;
  parameters["variance_error_bound"] = statistics.variance_bound;
  const int fraction_bits = FormatOf(expectation.value.type()).fraction_bits;
  for (size_t i = 0; i < statistics.unit.size(); ++i) {
    const double unit = statistics.unit[i];
    // A NaN asks nothing of an element: the rule has no place for what a flush may move. 0 asks for
    // a zero.
    const double error = expectation.error[i];
    const bool plain = unit > 0 && error == statistics.abs_bound * unit;
    const bool zero = error == 0 && expectation.reference[i] == 0;
    record.bounds.push_back(plain ? std::ldexp(unit, 1 + fraction_bits) : zero ? 0 : kNan);
  }
}

void AskForRange(const Expectation& expectation, ArmRecord& record) {
  const DType type = expectation.value.type();
  if (type != DType::kInt8 && type != DType::kInt16 && type != DType::kInt32) return;
  record.compliance.mode = "RESCALE_INEXACT";
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
}

// The references. 1 stands for what is not determined where that is an infinity, NaN or zero: those
// are demanded whatever the bounds.
std::vector<double> ReferencesOf(const Expectation& expectation) {
  std::vector<double> references = expectation.reference;
  for (size_t i = 0; i < references.size(); ++i) {
    double& reference = references[i];
    if (std::isnan(expectation.error[i]) && (!std::isfinite(reference) || reference == 0)) {
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

ArmRecord RecordOf(const std::string& name, const Expectation& expectation) {
  ArmRecord record;
  record.name = name;
  record.type = expectation.value.tensor_type();
  record.value = expectation.value;
  const bool exact = expectation.error.empty();
  if (exact) record.compliance.mode = "EXACT";
  if (!IsFloat(record.type.type)) {
    if (!exact) AskForRange(expectation, record);
    return record;
  }
  record.precise = exact ? ValuesOf(expectation.value) : ReferencesOf(expectation);
  if (exact) return record;
  if (expectation.statistics) {
    AskForDotProducts(expectation, record);
    return record;
  }
  for (const UlpRule& rule : kUlpRules) {
    if (expectation.rule == rule.op && IsUlps(expectation, rule.ulps)) {
      AskForUlps(rule.ulps, record);
      return record;
    }
  }
  AskForErrors(expectation, record);
  return record;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case_result.h"

namespace assay {

// The way in which a backend uses a freedom that the specification leaves.
struct BackendTrait {
  std::string question;  // "MATMUL fp32, 32 products: order of the sum"
  std::string answer;    // "one after the other, from the first", or "not supported: ..."
};

// The error of an elementary function over its range, in shares of what is allowed. Arguments
// ascend, and are divided into parts of equally many.
struct FunctionAccuracy {
  OperatorUse use;
  double first = 0, last = 0;        // arguments; of POW, bases
  int64_t special = 0;               // arguments beside these: zeros, infinities, ends of the type
  std::vector<double> starts = {};   // the first argument of each part
  std::vector<double> largest = {};  // the largest error of each part; NaN: nothing to judge
  double worst = 0;                  // of all, at the argument `at`
  double at = 0;
  std::optional<double> power = {};  // of POW, the exponent there
  std::string why_not = {};          // why the function was not run; "" if it was
};

// The traits that probing shows. Nothing of it is a verdict.
struct BackendTraits {
  std::string title;  // the description of the backend
  std::string command;
  std::vector<BackendTrait> sums, precision, subnormals;
  std::vector<FunctionAccuracy> functions;
};

// Return the traits as text for a terminal, as one JSON object, and as one HTML page with a plot
// for each function.
std::string TraitsToText(const BackendTraits& traits);
std::string TraitsToJson(const BackendTraits& traits);
std::string TraitsToHtml(const BackendTraits& traits);

}  // namespace assay

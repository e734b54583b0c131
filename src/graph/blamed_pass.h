// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay {

// The compiler pass after which the result of a vector is wrong for the first time.
struct BlamedPass {
  std::string pass;           // its command line name; "" if none is blamed
  std::string evidence;       // how that is known, in one line
  std::string before, after;  // the compiler's module before and after the pass; "" if not known
  friend bool operator==(const BlamedPass&, const BlamedPass&) = default;
};

}  // namespace assay

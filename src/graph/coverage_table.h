// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// An item that no vector can reach, and the reason.
struct UnreachableItem {
  std::string item;
  std::string why;
};

// One row of a table of coverage.
struct CoverageGroup {
  std::string name;  // "type_rows"
  int64_t reached = 0;
  int64_t total = 0;                // the number of items that can be reached
  std::vector<std::string> missed;  // of these
  std::vector<UnreachableItem> unreachable;
};

}  // namespace assay

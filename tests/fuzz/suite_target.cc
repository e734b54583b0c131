// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of suite.json.
#include <string_view>

#include "fuzz_target.h"
#include "suite.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const assay::Result<assay::Suite> suite = assay::ParseSuite(text, "input");
  if (!suite) return 0;
  const std::string written = assay::SuiteText(*suite);
  const assay::Result<assay::Suite> again = assay::ParseSuite(written, "written");
  assay::fuzz::Demand(again && assay::SuiteText(*again) == written, "a suite survives");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of SPIR-V modules. What it accepts is written as text and parsed again.
#include "fuzz_target.h"
#include "spirv_reader.h"
#include "spirv_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using assay::fuzz::Demand;
  namespace spirv = assay::spirv;
  const auto words = spirv::ModuleWords({data, size});
  if (!words) return 0;
  const assay::Result<std::string> text = spirv::ModuleText(*words);
  if (text) {
    const auto code = spirv::ParseModule(*text);
    Demand(static_cast<bool>(code), "what was written can be parsed");
    const assay::Result<std::string> again = spirv::ModuleText(spirv::WordsOf(*code));
    Demand(static_cast<bool>(again), "what was parsed can be written");
    // The bound of ids, in the second line, may have been greater than it has to be.
    const auto body = [](const std::string& lines) { return lines.substr(lines.find("Bound")); };
    Demand(
        body(*again).substr(body(*again).find('\n')) == body(*text).substr(body(*text).find('\n')),
        "parsing what was written gives the same text");
  }
  const auto module = spirv::ReadModule(*words, nullptr, "", {});
  Demand(!module || text, "what is a graph can be written");
  if (module) assay::fuzz::Explore(module->graph);
  return 0;
}

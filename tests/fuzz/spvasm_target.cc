// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parser of SPIR-V modules as text. Its words and its text must mean the same.
#include "fuzz_target.h"
#include "spirv_reader.h"
#include "spirv_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using assay::fuzz::Demand;
  namespace spirv = assay::spirv;
  const auto code = spirv::ParseModule({reinterpret_cast<const char*>(data), size});
  if (!code) return 0;
  const std::vector<uint32_t> words = spirv::WordsOf(*code);
  const auto instructions = spirv::ReadInstructions(words);
  Demand(static_cast<bool>(instructions), "what was parsed has words that can be read");
  Demand(instructions->size() == code->instructions.size(), "each instruction has its words");
  const auto module = spirv::ReadModule(*code, nullptr, "", {});
  const auto of_words = spirv::ReadModule(words, nullptr, "", {});
  Demand(static_cast<bool>(module) == static_cast<bool>(of_words), "words and text mean the same");
  if (module) assay::fuzz::Explore(module->graph);
  return 0;
}

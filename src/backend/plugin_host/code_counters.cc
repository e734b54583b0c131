// SPDX-License-Identifier: Apache-2.0
// The functions that code calls if clang compiled it for SanitizerCoverage. The program exports
// them, so a library that is instrumented finds them here. Those of the other instrumentations of
// -fsanitize=fuzzer-no-link do nothing.
#include "code_counters.h"

#include <algorithm>

namespace assay {
namespace {

std::vector<CodeCounters>& Loaded() {
  static std::vector<CodeCounters> loaded;  // before main(), too
  return loaded;
}

}  // namespace

std::vector<CodeCounters> LoadedCodeCounters() { return Loaded(); }

}  // namespace assay

extern "C" {

// Each translation unit of a library calls it with the same range.
void __sanitizer_cov_8bit_counters_init(uint8_t* start, uint8_t* stop) {
  const auto is_there = [start](const assay::CodeCounters& has) { return has.data() == start; };
  if (start == stop || std::ranges::any_of(assay::Loaded(), is_there)) return;
  assay::Loaded().emplace_back(start, stop);
}

thread_local uintptr_t __sancov_lowest_stack = 0;
void __sanitizer_cov_pcs_init(const uintptr_t*, const uintptr_t*) {}
void __sanitizer_cov_trace_pc_indir(uintptr_t) {}
void __sanitizer_cov_trace_cmp1(uint8_t, uint8_t) {}
void __sanitizer_cov_trace_cmp2(uint16_t, uint16_t) {}
void __sanitizer_cov_trace_cmp4(uint32_t, uint32_t) {}
void __sanitizer_cov_trace_cmp8(uint64_t, uint64_t) {}
void __sanitizer_cov_trace_const_cmp1(uint8_t, uint8_t) {}
void __sanitizer_cov_trace_const_cmp2(uint16_t, uint16_t) {}
void __sanitizer_cov_trace_const_cmp4(uint32_t, uint32_t) {}
void __sanitizer_cov_trace_const_cmp8(uint64_t, uint64_t) {}
void __sanitizer_cov_trace_switch(uint64_t, uint64_t*) {}
void __sanitizer_cov_trace_div4(uint32_t) {}
void __sanitizer_cov_trace_div8(uint64_t) {}
void __sanitizer_cov_trace_gep(uintptr_t) {}

}  // extern "C"

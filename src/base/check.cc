// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <cstdio>
#include <cstdlib>

namespace assay {

void FailCheck(const char* invariant, const char* file, int line) {
  std::fprintf(stderr, "assay: defect in Assay itself: %s (%s:%d)\n", invariant, file, line);
  std::fflush(stderr);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  std::abort();  // libFuzzer keeps the input that led here
#else
  std::_Exit(4);
#endif
}

}  // namespace assay

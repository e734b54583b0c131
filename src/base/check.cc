#include "check.h"

#include <cstdio>
#include <cstdlib>

namespace assay {

void FailCheck(const char* invariant, const char* file, int line) {
  std::fprintf(stderr, "assay: defect in Assay itself: %s (%s:%d)\n", invariant, file, line);
  std::fflush(stderr);
  std::_Exit(4);
}

}  // namespace assay

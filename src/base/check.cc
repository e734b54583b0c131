#include "check.h"

#include <cstdio>
#include <cstdlib>

namespace assay {

void Check(bool holds, const char* invariant, std::source_location where) {
  if (holds) [[likely]] {
    return;
  }
  std::fprintf(stderr, "assay: defect in Assay itself: %s (%s:%u)\n", invariant, where.file_name(),
               where.line());
  std::fflush(stderr);
  std::_Exit(4);
}

}  // namespace assay

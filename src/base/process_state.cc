// SPDX-License-Identifier: Apache-2.0
#include "process_state.h"

#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <string>

#include "files.h"

namespace assay {

bool ProcessRuns(int64_t number) {
  const auto pid = static_cast<pid_t>(number);
  if (pid != number || pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH)) return false;
  // "4711 (name) Z ..."; the name may have anything in it.
  const Result<std::string> state = ReadTextFile("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = state ? state->rfind(") ") : std::string::npos;
  if (name_end == std::string::npos || name_end + 2 >= state->size()) return true;
  const char letter = (*state)[name_end + 2];
  return letter != 'Z' && letter != 'X';
}

}  // namespace assay

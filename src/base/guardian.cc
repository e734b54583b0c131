// SPDX-License-Identifier: Apache-2.0
#include "guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "descriptor.h"

namespace assay {
namespace {

enum class Order : uint8_t { kGuardGroup, kForgetGroup, kGuardFolder, kForgetFolder };

// One order to the guardian. It is written to the pipe in one piece, so that the orders of several
// processes do not mix.
struct Message {
  Order order;
  uint16_t length;
  char content[PIPE_BUF - 4];
};
constexpr size_t kHeadBytes = offsetof(Message, content);
static_assert(sizeof(Message) <= PIPE_BUF);

pid_t guarded = -1;    // the process that the guardian watches
int guardian_in = -1;  // the pipe on which it takes orders

void Tell(Order order, const void* content, size_t length) {
  Message message;
  if (guardian_in < 0 || length > sizeof(message.content)) return;
  message.order = order;
  message.length = static_cast<uint16_t>(length);
  std::memcpy(message.content, content, length);
  while (write(guardian_in, &message, kHeadBytes + length) < 0 && errno == EINTR) continue;
}

// Follows orders until the pipe is closed. Then kills the groups and removes the folders that are
// left.
[[noreturn]] void Guard(int orders) {
  std::set<pid_t> groups;
  std::set<std::string> folders;
  Message message;
  while (
      ReadAll(orders, &message, kHeadBytes) &&
      ReadAll(orders, message.content, std::min<size_t>(message.length, sizeof(message.content)))) {
    const std::string text(message.content, message.length);
    pid_t group = 0;
    if (text.size() == sizeof(group)) std::memcpy(&group, text.data(), sizeof(group));
    switch (message.order) {
      case Order::kGuardGroup:
        groups.insert(group);
        break;
      case Order::kForgetGroup:
        groups.erase(group);
        break;
      case Order::kGuardFolder:
        folders.insert(text);
        break;
      case Order::kForgetFolder:
        folders.erase(text);
        break;
    }
  }
  for (const pid_t group : groups) {
    if (group > 1) kill(-group, SIGKILL);
  }
  std::error_code ignored;
  for (const std::string& folder : folders) std::filesystem::remove_all(folder, ignored);
  _exit(0);
}

}  // namespace

bool StartGuardian() {
  if (guarded == getpid()) return guardian_in >= 0;
  if (guardian_in >= 0) close(guardian_in);  // the pipe of the process that forked this one
  guardian_in = -1;
  guarded = getpid();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t pid = fork();
  if (pid == 0) {
    setsid();  // so that a signal to our process group does not reach it
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_IGN);
    // Closes all other descriptors of ours, because another process may wait for their end.
    const int orders = dup2(ends[0], STDIN_FILENO);
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
      for (int descriptor = 3; descriptor < sysconf(_SC_OPEN_MAX); ++descriptor) close(descriptor);
    }
    Guard(orders);
  }
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return false;
  }
  guardian_in = ends[1];
  return true;
}

void GuardGroup(pid_t group) { Tell(Order::kGuardGroup, &group, sizeof(group)); }

void ForgetGroup(pid_t group) {
  if (guarded == getpid()) Tell(Order::kForgetGroup, &group, sizeof(group));
}

void GuardFolder(const std::string& path) {
  if (StartGuardian()) Tell(Order::kGuardFolder, path.data(), path.size());
}

void ForgetFolder(const std::string& path) {
  if (guarded == getpid()) Tell(Order::kForgetFolder, path.data(), path.size());
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "guard_violation.h"

#include <semaphore.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>

namespace assay {
namespace {

enum class Deed { kRead, kWrote, kUnknown };

// A fault that the signal handler records for the reporting thread.
struct Fault {
  const GuardedMemory* memory = nullptr;
  uintptr_t address = 0;
  Deed deed = Deed::kUnknown;
};

const std::vector<const GuardedMemory*>* watched_memory = nullptr;
Fault fault;
sem_t fault_is_there;
std::atomic_flag fault_is_taken = ATOMIC_FLAG_INIT;

Deed DeedOf([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;  // of the page fault's error code
  const auto* registers = static_cast<const ucontext_t*>(context);
  return (registers->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0 ? Deed::kWrote : Deed::kRead;
#else
  return Deed::kUnknown;
#endif
}

// Handles a fault. It only makes system calls and reads memory that no other code changes
// meanwhile.
void Handle(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const GuardedMemory* memory : *watched_memory) {
    if (!memory->Owns(address)) continue;
    if (!fault_is_taken.test_and_set()) {
      fault = {memory, address, DeedOf(context)};
      sem_post(&fault_is_there);
    }
    while (true) pause();
  }
  signal(number, SIG_DFL);  // the fault then happens again, without this handler
}

const char* Verb(Deed deed) {
  switch (deed) {
    case Deed::kRead:
      return "read ";
    case Deed::kWrote:
      return "wrote ";
    case Deed::kUnknown:
      break;
  }
  return "reached ";
}

}  // namespace

void WatchForTrespass(const std::vector<const GuardedMemory*>* watched,
                      std::function<void(const Trespass&)> report) {
  watched_memory = watched;
  sem_init(&fault_is_there, 0, 0);
  std::thread([report = std::move(report)] {
    while (sem_wait(&fault_is_there) != 0) continue;
    // In readable memory only a write can be a fault.
    const bool to = fault.memory->Place(fault.address) == std::string_view("to");
    const Deed deed = to ? Deed::kWrote : fault.deed;
    report(
        {std::string(Verb(deed)) + fault.memory->Place(fault.address) + " " + fault.memory->name(),
         deed == Deed::kWrote});
  }).detach();
  struct sigaction action = {};
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
}

}  // namespace assay

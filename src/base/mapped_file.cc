// SPDX-License-Identifier: Apache-2.0
#include "mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "descriptor.h"
#include "output_file.h"

namespace assay {
namespace {

constexpr std::string_view kCut = ": the file was cut while it was read; run the command again\n";

// A mapping as the signal handler sees it. It belongs to a mapping while `begin` is not 0.
struct Slot {
  std::atomic<uintptr_t> begin = 0, end = 0;
  std::atomic<const char*> path = nullptr;  // in Registry::paths
};
constexpr size_t kSlots = 256;  // a file that finds none is read into memory
std::array<Slot, kSlots> slots;
std::atomic<int> cut_status = 2;
std::atomic_flag is_ending;

// Prints one line and ends the process if the fault is in a mapped file. Calls only functions that
// signal handlers may call. Of several threads that find the same, the first prints.
void Handle(int number, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Slot& slot : slots) {
    const uintptr_t begin = slot.begin;
    const bool is_of_kernel = info->si_code > 0;
    if (!is_of_kernel || begin == 0 || at < begin || at >= slot.end) continue;
    while (is_ending.test_and_set()) pause();
    const char* const path = slot.path;
    constexpr std::string_view kProgram = "assay: ";
    WriteAll(STDERR_FILENO, kProgram.data(), kProgram.size());
    WriteAll(STDERR_FILENO, path, std::strlen(path));
    WriteAll(STDERR_FILENO, kCut.data(), kCut.size());
    _exit(cut_status);
  }
  signal(number, SIG_DFL);  // the fault then happens again, without this handler
}

void InstallHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = Handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, nullptr);
  });
}

// The state of a file by which a change is noticed. The name of the file may change.
struct FileState {
  off_t size;
  timespec written;
  explicit FileState(const struct stat& status) : size(status.st_size), written(status.st_mtim) {}
  bool operator==(const FileState& other) const {
    return size == other.size && written.tv_sec == other.written.tv_sec &&
           written.tv_nsec == other.written.tv_nsec;
  }
};

class Mapping;
// The mappings that exist, and the first path that had changed when its mapping ended.
struct Registry {
  std::mutex mutex;
  std::vector<const Mapping*> mappings;
  std::string changed;
  std::set<std::string> paths;  // of all mappings so far: the handler may read them at any time
};
Registry& TheRegistry() {
  static auto* const registry = new Registry;  // mappings may outlive static objects
  return *registry;
}

// A file that is mapped from its first to its last byte.
class Mapping {
 public:
  // Maps nothing, so that bytes() is null, if that is impossible.
  Mapping(std::string path, Descriptor descriptor, const struct stat& status)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), state_(status) {
    const auto size = static_cast<size_t>(status.st_size);
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    for (Slot& slot : slots) {
      if (slot.begin == 0) slot_ = &slot;
    }
    if (slot_ == nullptr) return;
    void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    if (memory == MAP_FAILED) return;
    bytes_ = static_cast<const uint8_t*>(memory);
    slot_->path = registry.paths.insert(path_).first->c_str();
    slot_->end = reinterpret_cast<uintptr_t>(memory) + size;
    slot_->begin = reinterpret_cast<uintptr_t>(memory);
    registry.mappings.push_back(this);
  }
  ~Mapping() {
    if (bytes_ == nullptr) return;
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    if (registry.changed.empty() && HasChanged()) registry.changed = path_;
    std::erase(registry.mappings, this);
    slot_->begin = 0;
    munmap(const_cast<uint8_t*>(bytes_), static_cast<size_t>(state_.size));
  }

  const uint8_t* bytes() const { return bytes_; }
  const std::string& path() const { return path_; }
  bool HasChanged() const {
    struct stat status;
    return fstat(descriptor_, &status) != 0 || !(FileState(status) == state_);
  }

 private:
  std::string path_;
  Descriptor descriptor_;
  FileState state_;
  Slot* slot_ = nullptr;
  const uint8_t* bytes_ = nullptr;
};

// Returns nothing if the file is to be read instead.
std::optional<SharedBytes> Mapped(const std::string& path, int64_t bytes_max) {
  // A pipe is opened once: its writer takes the first who opens it for its reader.
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor < 0) return std::nullopt;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size < kMappedBytesMin || status.st_size > bytes_max || RefuseOutput(status)) {
    return std::nullopt;
  }
  InstallHandler();
  const auto mapping = std::make_shared<const Mapping>(path, std::move(descriptor), status);
  if (mapping->bytes() == nullptr) return std::nullopt;
  return SharedBytes{{mapping, mapping->bytes()},
                     {mapping->bytes(), static_cast<size_t>(status.st_size)}};
}

Result<SharedBytes> Shared(Result<std::vector<uint8_t>> read) {
  if (!read) return read.error();
  return SharedBytesOf(std::move(*read));
}

}  // namespace

SharedBytes SharedBytesOf(std::vector<uint8_t> bytes) {
  const auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return {{owner, owner->data()}, *owner};
}

Result<SharedBytes> MapFile(const std::string& path, int64_t bytes_max) {
  if (auto mapped = Mapped(path, bytes_max)) return std::move(*mapped);
  return Shared(ReadFile(path));
}

Result<SharedBytes> MapRegularFile(const std::string& path, int64_t bytes_max) {
  if (auto mapped = Mapped(path, bytes_max)) return std::move(*mapped);
  return Shared(ReadRegularFile(path, std::min(bytes_max, kFileBytesMax)));
}

std::optional<Error> ChangedFile() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  std::string changed = registry.changed;
  for (const Mapping* mapping : registry.mappings) {
    if (changed.empty() && mapping->HasChanged()) changed = mapping->path();
  }
  if (changed.empty()) return std::nullopt;
  return BadInput(changed + ": the file was changed while it was used; run the command again");
}

void EndOfChangedFile(int status) { cut_status = status; }

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace assay {
namespace {

constexpr size_t kGuardBytes = size_t{1} << 20;  // on both sides; addresses only, no memory
constexpr uint8_t kPattern = 0xa5;

size_t PageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

void GuardedMemory::Map(size_t size) {
  const size_t pages = std::max<size_t>(1, (size + PageBytes() - 1) / PageBytes()) * PageBytes();
  size_ = size;
  mapped_ = pages + 2 * kGuardBytes;
  void* mapping = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<uint8_t*>(mapping);
  if (mprotect(mapping_ + kGuardBytes, pages, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  memset(mapping_ + kGuardBytes, kPattern, pages);
  data_ = mapping_ + kGuardBytes + pages - size;
}

GuardedMemory::GuardedMemory(std::string name, std::span<const uint8_t> bytes)
    : name_(std::move(name)) {
  Map(bytes.size());
  if (!bytes.empty()) memcpy(data_, bytes.data(), bytes.size());
  mprotect(mapping_ + kGuardBytes, mapped_ - 2 * kGuardBytes, PROT_READ);
}

GuardedMemory::GuardedMemory(std::string name, size_t size) : name_(std::move(name)) { Map(size); }

GuardedMemory::~GuardedMemory() { munmap(mapping_, mapped_); }

bool GuardedMemory::FrontIsIntact() const {
  return std::all_of(mapping_ + kGuardBytes, data_, [](uint8_t byte) { return byte == kPattern; });
}

bool GuardedMemory::Owns(uintptr_t address) const {
  const auto start = reinterpret_cast<uintptr_t>(mapping_);
  return address >= start && address < start + mapped_;
}

const char* GuardedMemory::Place(uintptr_t address) const {
  const auto start = reinterpret_cast<uintptr_t>(data_);
  return address < start ? "before" : address < start + size_ ? "to" : "behind";
}

}  // namespace assay

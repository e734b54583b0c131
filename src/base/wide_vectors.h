// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

namespace assay {

// The bits of a result are the same on every machine. No kernel fuses a product and a sum, unless
// every product is exact, and no kernel depends on the number of lanes.

// Runs `kernel`, compiled for vectors of 32 bytes if the machine has them. Its operator() and the
// functions that it calls in its loops must be always_inline.
template <class Kernel>
void RunBaseline(const Kernel& kernel) {
  kernel();
}
#if defined(__x86_64__)
template <class Kernel>
__attribute__((target("avx2"))) void RunAvx2(const Kernel& kernel) {
  kernel();
}
template <class Kernel>
__attribute__((target("avx512f"))) void RunAvx512(const Kernel& kernel) {
  kernel();
}
#endif
template <class Kernel>
void RunWide(const Kernel& kernel) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return RunAvx2(kernel);
#endif
  RunBaseline(kernel);
}

// Runs the first of two kernels that compute the same if the machine has vectors of 64 bytes, for
// which it is written. Otherwise runs the second.
template <class Kernel64, class Kernel32>
void RunWidest(const Kernel64& kernel64, const Kernel32& kernel32) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return RunAvx512(kernel64);
#endif
  RunWide(kernel32);
}

// Runs `kernel`, compiled for the widest vectors that the machine has.
template <class Kernel>
void RunAnyWidth(const Kernel& kernel) {
  RunWidest(kernel, kernel);
}

// Returns x with the bit pattern that NaNs in tensors have.
[[gnu::always_inline]] inline float Canonical(float x) {
  return x != x ? std::numeric_limits<float>::quiet_NaN() : x;
}

}  // namespace assay

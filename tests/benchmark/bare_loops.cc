// SPDX-License-Identifier: Apache-2.0
#include "bare_loops.h"

#include <benchmark/benchmark.h>

#include <array>
#include <span>

#include "dot_tiles.h"

namespace assay {
namespace {

#if defined(__x86_64__)

// The memory that the loops with operands in memory load.
using Memory = std::array<double, 96>;

// The loops are in assembler: a compiler would see that all sums are the same. The assembler
// repeats the instructions for twelve sums, so many that no addition waits for another one. The
// factors are zero.

int64_t RealsAvx512(int64_t steps) {
  const int64_t products = steps * 12 * 8;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vfmadd231pd %%zmm12, %%zmm13, %%zmm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      :
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13");
  return products;
}

int64_t IntegersAvx512(int64_t steps) {
  const int64_t products = steps * 12 * 32;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vpdpwssd %%zmm12, %%zmm13, %%zmm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      :
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13");
  return products;
}

int64_t RealsAvx2(int64_t steps) {
  const int64_t products = steps * 12 * 4;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13\n vpxor %%ymm\\n, %%ymm\\n, %%ymm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vfmadd231pd %%ymm12, %%ymm13, %%ymm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      :
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13");
  return products;
}

int64_t IntegersAvx2(int64_t steps) {
  const int64_t products = steps * 12 * 16;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13\n vpxor %%ymm\\n, %%ymm\\n, %%ymm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vpmaddwd %%ymm12, %%ymm13, %%ymm14\n"
      " vpaddd %%ymm14, %%ymm\\n, %%ymm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      :
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14");
  return products;
}

// The same with two operands in memory, of which that of the image is widened. The memory is in the
// nearest cache.

int64_t LoadedRealsAvx512(int64_t steps) {
  const int64_t products = steps * 12 * 8;
  alignas(64) static const Memory memory = {};
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vcvtps2pd 32*\\n(%1), %%zmm12\n"
      " vfmadd231pd 64*\\n(%1), %%zmm12, %%zmm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      : "r"(memory.data())
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12");
  return products;
}

int64_t LoadedIntegersAvx512(int64_t steps) {
  const int64_t products = steps * 12 * 32;
  alignas(64) static const Memory memory = {};
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vmovdqu64 64*\\n(%1), %%zmm12\n"
      " vpdpwssd 64*\\n(%1), %%zmm12, %%zmm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      : "r"(memory.data())
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12");
  return products;
}

int64_t LoadedRealsAvx2(int64_t steps) {
  const int64_t products = steps * 12 * 4;
  alignas(64) static const Memory memory = {};
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vpxor %%ymm\\n, %%ymm\\n, %%ymm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vcvtps2pd 16*\\n(%1), %%ymm12\n"
      " vfmadd231pd 32*\\n(%1), %%ymm12, %%ymm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      : "r"(memory.data())
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12");
  return products;
}

int64_t LoadedIntegersAvx2(int64_t steps) {
  const int64_t products = steps * 12 * 16;
  alignas(64) static const Memory memory = {};
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vpxor %%ymm\\n, %%ymm\\n, %%ymm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vmovdqu 32*\\n(%1), %%ymm12\n"
      " vpmaddwd 32*\\n(%1), %%ymm12, %%ymm12\n vpaddd %%ymm12, %%ymm\\n, %%ymm\\n\n .endr\n"
      "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps)
      : "r"(memory.data())
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12");
  return products;
}

// The same with one factor from a matrix, whose elements are read once, in the order of the memory,
// and converted.

int64_t StreamedFp32(const uint8_t* from, int64_t steps) {
  const int64_t products = steps * 12 * 8;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,13\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n"
      " vcvtps2pd 32*\\n(%1), %%zmm12\n"
      " vfmadd231pd %%zmm12, %%zmm13, %%zmm\\n\n .endr\n"
      "add $384, %1\n dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps), "+r"(from)
      :
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13");
  return products;
}

int64_t StreamedFp16(const uint8_t* from, int64_t steps) {
  const int64_t products = steps * 12 * 8;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,13\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n"
      " vcvtph2ps 16*\\n(%1), %%ymm12\n vcvtps2pd %%ymm12, %%zmm12\n"
      " vfmadd231pd %%zmm12, %%zmm13, %%zmm\\n\n .endr\n"
      "add $192, %1\n dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps), "+r"(from)
      :
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13");
  return products;
}

int64_t StreamedBf16(const uint8_t* from, int64_t steps) {
  const int64_t products = steps * 12 * 8;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,13\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n"
      " vpmovzxwd 16*\\n(%1), %%ymm12\n vpslld $16, %%ymm12, %%ymm12\n"
      " vcvtps2pd %%ymm12, %%zmm12\n"
      " vfmadd231pd %%zmm12, %%zmm13, %%zmm\\n\n .endr\n"
      "add $192, %1\n dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps), "+r"(from)
      :
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13");
  return products;
}

int64_t StreamedI8(const uint8_t* from, int64_t steps) {
  const int64_t products = steps * 12 * 32;
  asm volatile(
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,13\n vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n .endr\n"
      "1:\n"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n"
      " vpmovsxbw 32*\\n(%1), %%zmm12\n"
      " vpdpwssd %%zmm12, %%zmm13, %%zmm\\n\n .endr\n"
      "add $384, %1\n dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(steps), "+r"(from)
      :
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13");
  return products;
}

#endif

// The baseline multiplies and adds vectors of 16 bytes.
template <class Element>
int64_t Baseline(int64_t steps) {
  using Vector [[gnu::vector_size(16)]] = Element;
  constexpr int64_t kSums = 12;
  Vector factor = {};
  Vector sums[kSums] = {};
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (Vector& sum : sums) {
      benchmark::DoNotOptimize(factor);
      sum += factor * factor;
    }
  }
  for (Vector& sum : sums) benchmark::DoNotOptimize(sum);
  return steps * kSums * static_cast<int64_t>(16 / sizeof(Element));
}

// Runs the loop as often as it takes for `count`.
int64_t RunSteps(int64_t count, int64_t (*run)(int64_t)) { return run(count / run(1) + 1); }

}  // namespace

int64_t RunBareReals(int64_t count) {
  switch (BestDotInstructions()) {
#if defined(__x86_64__)
    case DotInstructions::kAvx512:
      return RunSteps(count, RealsAvx512);
    case DotInstructions::kAvx2:
      return RunSteps(count, RealsAvx2);
#endif
    default:
      return RunSteps(count, Baseline<double>);
  }
}

int64_t RunBareIntegers(int64_t count) {
  switch (BestDotInstructions()) {
#if defined(__x86_64__)
    case DotInstructions::kAvx512:
      return RunSteps(count, IntegersAvx512);
    case DotInstructions::kAvx2:
      return RunSteps(count, IntegersAvx2);
#endif
    default:
      return RunSteps(count, Baseline<int32_t>);
  }
}

int64_t RunLoadedReals(int64_t count) {
  switch (BestDotInstructions()) {
#if defined(__x86_64__)
    case DotInstructions::kAvx512:
      return RunSteps(count, LoadedRealsAvx512);
    case DotInstructions::kAvx2:
      return RunSteps(count, LoadedRealsAvx2);
#endif
    default:
      return RunSteps(count, Baseline<double>);
  }
}

int64_t RunLoadedIntegers(int64_t count) {
  switch (BestDotInstructions()) {
#if defined(__x86_64__)
    case DotInstructions::kAvx512:
      return RunSteps(count, LoadedIntegersAvx512);
    case DotInstructions::kAvx2:
      return RunSteps(count, LoadedIntegersAvx2);
#endif
    default:
      return RunSteps(count, Baseline<int32_t>);
  }
}

int64_t RunStreamed(DType type, std::span<const uint8_t> matrix) {
#if defined(__x86_64__)
  if (BestDotInstructions() == DotInstructions::kAvx512) {
    const auto run = [&](int64_t (*loop)(const uint8_t*, int64_t), int64_t bytes) {
      return loop(matrix.data(), std::ssize(matrix) / (12 * bytes));
    };
    switch (type) {
      case DType::kFp32:
        return run(StreamedFp32, 32);
      case DType::kFp16:
        return run(StreamedFp16, 16);
      case DType::kBf16:
        return run(StreamedBf16, 16);
      default:
        return run(StreamedI8, 32);
    }
  }
#endif
  const int64_t count = std::ssize(matrix) / ElementBytes(type);
  return IsFloat(type) ? RunLoadedReals(count) : RunLoadedIntegers(count);
}

}  // namespace assay

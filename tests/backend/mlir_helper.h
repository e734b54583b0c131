// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include "backend_kind.h"

namespace assay {
namespace backend {
extern const BackendKind mlir_backend;
extern const BackendKind mlir_rewrite_backend;
}  // namespace backend

// The helper of this build, which exists if MLIR is installed.
inline constexpr const char* kHelper = ASSAY_BINARY_DIR "/assay-mlir-helper";

inline bool IsInstalled() { return std::filesystem::exists(kHelper); }

inline Result<std::unique_ptr<Backend>> Open(const BackendKind& kind, std::string_view argument,
                                             const char* helper = kHelper) {
  setenv("ASSAY_MLIR_HELPER", helper, 1);
  BackendOptions options;
  options.wall_seconds = 120;
  return kind.open(argument, options);
}

}  // namespace assay

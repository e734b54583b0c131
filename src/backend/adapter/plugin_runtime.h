// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backend.h"
#include "result.h"

namespace assay {

// A backend that is a library with the functions of assay_backend.h, built with Assay if its
// runtime is installed: adapters/NAME.so in the folder of this program, or ../lib/assay/NAME.so.
struct PluginRuntime {
  std::string_view name;  // "onednn"
  // The variants of which the user may name one, by choose_variant(). The first one is the default.
  std::span<const std::string_view> variants = {};
};

// Starts the backend in the variant `argument`, "" for the default. ASSAY_ADAPTERS names another
// folder than those above. Error kUsage for an unknown variant, kUnsupported (`onednn: not
// installed: ...`) if there is no library. Other errors are those of WorkerBackend::Open().
Result<std::unique_ptr<Backend>> OpenPluginRuntime(const PluginRuntime& kind,
                                                   std::string_view argument,
                                                   const BackendOptions& options);

}  // namespace assay

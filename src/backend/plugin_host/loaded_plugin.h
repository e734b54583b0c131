// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "assay_backend.h"
#include "result.h"
#include "worker_message.h"

namespace assay {

// Loads the library and gets its functions, which stay valid until the process ends. The Error is
// kUnsupported for other versions, else kBadInput. It lacks the file's name if the loader does not
// give it.
Result<const assay_backend_v1*> LoadPlugin(const std::string& file);

// Checks what assay_backend() has returned. Errors as those of LoadPlugin().
Result<const assay_backend_v1*> CheckedPlugin(const assay_backend_v1* plugin);

// Returns the whole struct of a plugin of version 2; null for version 1.
const assay_backend_v2* Version2Of(const assay_backend_v1& plugin);

// Returns the name, version and operators that the plugin declares. Error kBadInput for an unknown
// operator, type or attribute.
Result<worker::Ready> ReadyOf(const assay_backend_v1& plugin);

}  // namespace assay

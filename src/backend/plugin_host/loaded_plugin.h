#pragma once

#include <string>

#include "assay_backend.h"
#include "result.h"
#include "worker_message.h"

namespace assay {

// Loads the library and asks it for its functions, which are good until the process ends. An Error,
// without the file's name where the loader does not give it, is kUnsupported for other versions,
// else kBadInput.
Result<const assay_backend_v1*> LoadPlugin(const std::string& file);

// What it declares. Error kBadInput for an operator that there is not.
Result<worker::Ready> ReadyOf(const assay_backend_v1& plugin);

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of `.tosa` files as JSON text.
#include <string>

#include "fuzz_target.h"
#include "tosa_serialization_handler.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using assay::fuzz::Demand;
  assay::TosaSerializationHandler handler;
  if (!handler.LoadJson({reinterpret_cast<const char*>(data), size}, "input")) return 0;
  const assay::Result<std::string> saved = handler.SaveJson();
  if (!saved) return 0;  // a name that is not UTF-8, or too much text
  assay::TosaSerializationHandler again;
  Demand(static_cast<bool>(again.LoadJson(*saved, "saved")), "what was saved can be loaded");
  Demand(handler == again, "saving keeps the content");
  return 0;
}

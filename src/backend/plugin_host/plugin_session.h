// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay_backend.h"
#include "guarded_memory.h"
#include "result.h"
#include "worker_message.h"

namespace assay {

using PluginLoader = std::function<Result<const assay_backend_v1*>()>;

// Answers requests of the worker protocol with the functions of a plugin. All memory that the
// plugin gets is guarded.
class PluginSession {
 public:
  // `load` is called when the plugin is first needed, and then its choose_variant() with `variant`,
  // unless that is "".
  explicit PluginSession(PluginLoader load, std::string variant = {});
  ~PluginSession();

  // Throws std::bad_alloc.
  worker::Body Answer(const worker::Body& request);
  // Returns the text about the last request, and forgets it.
  std::string TakeLog();
  // Returns all memory that the plugin may touch at present.
  const std::vector<const GuardedMemory*>& watched() const;

 private:
  class Host;
  std::unique_ptr<Host> host_;
};

}  // namespace assay

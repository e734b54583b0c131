// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay_backend.h"
#include "code_counters.h"
#include "guarded_memory.h"
#include "result.h"
#include "worker_message.h"

namespace assay {

using PluginLoader = std::function<Result<const assay_backend_v1*>()>;
using CounterSource = std::function<std::vector<CodeCounters>()>;

// Answers requests of the worker protocol with the functions of a plugin. All memory that the
// plugin gets is guarded.
class PluginSession {
 public:
  // `load` is called when the plugin is first needed, and then its choose_variant() with `variant`,
  // unless that is "". `counters` is called after `load` and gives the counters of the code that
  // was loaded; those that the plugin declares itself come after them.
  explicit PluginSession(
      PluginLoader load, std::string variant = {},
      CounterSource counters = [] { return std::vector<CodeCounters>(); });
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

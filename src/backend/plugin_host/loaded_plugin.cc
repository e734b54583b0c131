#include "loaded_plugin.h"

#include <dlfcn.h>

#include <cstddef>

namespace assay {
namespace {

constexpr char kEntry[] = "assay_backend";

// Checks the size and the version, with which all versions start, before any other field is read.
Result<Done> CheckHead(const assay_backend_v1& plugin) {
  constexpr size_t kHeadBytes = offsetof(assay_backend_v1, version) + sizeof(plugin.version);
  if (plugin.size < kHeadBytes) {
    return BadInput("its assay_backend_v1 says that it has " + std::to_string(plugin.size) +
                    " bytes");
  }
  if (plugin.version != ASSAY_BACKEND_VERSION) {
    return Error{Error::Kind::kUnsupported, "is of version " + std::to_string(plugin.version) +
                                                " of assay_backend.h; this build loads " +
                                                std::to_string(int{ASSAY_BACKEND_VERSION})};
  }
  if (plugin.size < sizeof(plugin)) {
    return BadInput("its assay_backend_v1 has " + std::to_string(plugin.size) +
                    " bytes in place of " + std::to_string(sizeof(plugin)));
  }
  return Done{};
}

Result<Done> CheckFunctions(const assay_backend_v1& plugin) {
  const struct {
    const char* name;
    bool is_there;
  } kFunctions[] = {
      {"load_graph", plugin.load_graph != nullptr},
      {"unload_graph", plugin.unload_graph != nullptr},
      {"open_context", plugin.open_context != nullptr},
      {"reset_context", plugin.reset_context != nullptr},
      {"close_context", plugin.close_context != nullptr},
      {"invoke", plugin.invoke != nullptr},
  };
  for (const auto& function : kFunctions) {
    if (!function.is_there) return BadInput("its " + std::string(function.name) + " is null");
  }
  return Done{};
}

std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

Result<const assay_backend_v1*> LoadPlugin(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return BadInput(dlerror());
  const auto entry = reinterpret_cast<decltype(&assay_backend)>(dlsym(library, kEntry));
  if (entry == nullptr) return BadInput("exports no function " + std::string(kEntry));
  const assay_backend_v1* plugin = entry();
  if (plugin == nullptr) return BadInput(std::string(kEntry) + "() gives nothing");
  const Result<Done> head = CheckHead(*plugin);
  if (!head) return head.error();
  const Result<Done> functions = CheckFunctions(*plugin);
  if (!functions) return functions.error();
  return plugin;
}

Result<worker::Ready> ReadyOf(const assay_backend_v1& plugin) {
  worker::Ready ready;
  ready.name = TextOf(plugin.name);
  ready.release = TextOf(plugin.release);
  ready.contexts_max = plugin.contexts_max;
  ready.refuses = plugin.refuses != 0;
  ready.variable_tensors = plugin.variable_tensors != 0;
  if (plugin.operator_count > 0 && plugin.operators == nullptr) {
    return BadInput("its operators are null");
  }
  for (size_t i = 0; i < plugin.operator_count; ++i) {
    const std::string name = TextOf(plugin.operators[i].name);
    const std::optional<Op> op = OperatorByName(name);
    if (!op) return BadInput("declares operator '" + name + "', which TOSA 1.0 does not have");
    worker::OperatorSupport& support = ready.operators.emplace_back();
    support.op = *op;
    if (plugin.operators[i].types == ~uint32_t{0}) continue;
    for (const DType type : kAllTypes) {
      const uint32_t bit = uint32_t{1} << static_cast<uint32_t>(type);
      if ((plugin.operators[i].types & bit) != 0) support.types.push_back(type);
    }
    if (support.types.empty()) return BadInput("declares " + name + " of no type");
  }
  return ready;
}

}  // namespace assay

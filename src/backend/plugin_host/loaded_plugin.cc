// SPDX-License-Identifier: Apache-2.0
#include "loaded_plugin.h"

#include <dlfcn.h>

#include <cstddef>
#include <span>

#include "formats.h"
#include "operator_table.h"

namespace assay {
namespace {

constexpr char kEntry[] = "assay_backend";

static_assert(formats::kPlugin.version == ASSAY_BACKEND_VERSION_2 &&
              formats::kPlugin.oldest == ASSAY_BACKEND_VERSION);

// Checks the size and the version, with which all versions start, before any other field is read.
Result<Done> CheckHead(const assay_backend_v1& plugin) {
  constexpr size_t kHeadBytes = offsetof(assay_backend_v1, version) + sizeof(plugin.version);
  if (plugin.size < kHeadBytes) {
    return BadInput("its assay_backend_v1 says that it has " + std::to_string(plugin.size) +
                    " bytes");
  }
  const uint32_t version = plugin.version;
  if (version != ASSAY_BACKEND_VERSION && version != ASSAY_BACKEND_VERSION_2) {
    return Unsupported("is of version " + std::to_string(version) +
                       " of assay_backend.h; this build loads 1 to " +
                       std::to_string(int{ASSAY_BACKEND_VERSION_2}));
  }
  const size_t bytes =
      version == ASSAY_BACKEND_VERSION ? sizeof(assay_backend_v1) : sizeof(assay_backend_v2);
  if (plugin.size < bytes) {
    return BadInput("its assay_backend_v" + std::to_string(version) + " has " +
                    std::to_string(plugin.size) + " bytes in place of " + std::to_string(bytes));
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

// Returns a list of the plugin. A null pointer is an empty list.
template <class T>
std::span<const T> List(const T* list, size_t count) {
  return list == nullptr ? std::span<const T>() : std::span(list, count);
}

std::vector<std::string> Texts(const char* const* texts, size_t count) {
  std::vector<std::string> list;
  for (const char* text : List(texts, count)) list.push_back(TextOf(text));
  return list;
}

Result<std::vector<DType>> TypesOf(const uint32_t* types, size_t count) {
  std::vector<DType> list;
  for (const uint32_t type : List(types, count)) {
    if (type > ASSAY_BACKEND_FP8E5M2) {
      return BadInput("declares type " + std::to_string(type) + ", which is not known");
    }
    list.push_back(static_cast<DType>(type));
  }
  return list;
}

Result<worker::AttributeRange> RangeOf(Op op, const assay_backend_range& from) {
  const std::string name = TextOf(from.name);
  const std::optional<AttributeId> attribute = AttributeByName(name);
  if (!attribute || FindAttribute(op, *attribute) == nullptr) {
    return BadInput("declares attribute '" + name + "' of " + std::string(OperatorName(op)) +
                    ", which TOSA 1.0 does not have");
  }
  const std::span<const int64_t> values = List(from.values, from.value_count);
  return worker::AttributeRange{*attribute, from.min, from.max, {values.begin(), values.end()}};
}

Result<worker::Capability> CapabilityOf(const assay_backend_capability& from) {
  const std::string name = TextOf(from.name);
  const std::optional<Op> op = OperatorByName(name);
  if (!op) return BadInput("declares operator '" + name + "', which TOSA 1.0 does not have");
  Result<std::vector<DType>> inputs = TypesOf(from.inputs, from.input_count);
  if (!inputs) return inputs.error();
  Result<std::vector<DType>> outputs = TypesOf(from.outputs, from.output_count);
  if (!outputs) return outputs.error();
  worker::Capability capability{*op, std::move(*inputs), std::move(*outputs)};
  for (const assay_backend_range& range : List(from.attributes, from.attribute_count)) {
    Result<worker::AttributeRange> known = RangeOf(*op, range);
    if (!known) return known.error();
    capability.attributes.push_back(std::move(*known));
  }
  return capability;
}

// Adds to the description what version 2 declares.
Result<Done> AddVersion2(const assay_backend_v2& plugin, worker::Ready& ready) {
  for (const auto& from : List(plugin.capabilities, plugin.capability_count)) {
    Result<worker::Capability> capability = CapabilityOf(from);
    if (!capability) return capability.error();
    ready.capabilities.push_back(std::move(*capability));
  }
  const assay_backend_limits& limits = plugin.limits;
  ready.limits = {limits.rank, limits.dimension, limits.elements, limits.constant_bytes,
                  limits.graphs};
  ready.declarations = Texts(plugin.declarations, plugin.declaration_count);
  ready.environment = Texts(plugin.environment, plugin.environment_count);
  ready.taps = plugin.invoke_with_taps != nullptr;
  ready.taps_are_read = plugin.taps_are_read != 0;
  return Done{};
}

}  // namespace

const assay_backend_v2* Version2Of(const assay_backend_v1& plugin) {
  if (plugin.version < ASSAY_BACKEND_VERSION_2) return nullptr;
  return reinterpret_cast<const assay_backend_v2*>(&plugin);
}

Result<const assay_backend_v1*> LoadPlugin(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return BadInput(dlerror());
  const auto entry = reinterpret_cast<decltype(&assay_backend)>(dlsym(library, kEntry));
  if (entry == nullptr) return BadInput("exports no function " + std::string(kEntry));
  return CheckedPlugin(entry());
}

Result<const assay_backend_v1*> CheckedPlugin(const assay_backend_v1* plugin) {
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
  ready.version = plugin.version;
  if (const assay_backend_v2* newer = Version2Of(plugin)) {
    const Result<Done> added = AddVersion2(*newer, ready);
    if (!added) return added.error();
  }
  return ready;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "vulkan_functions.h"

#include <dlfcn.h>

namespace assay::vulkan {
namespace {

Error Missing(const std::string& what) { return Unsupported("not installed: " + what); }

// Sets a function from an address. Keeps the first name without an address in `missing`.
template <class Function>
void Set(Function*& function, void* address, const char* name, std::string& missing) {
  function = reinterpret_cast<Function*>(address);
  if (address == nullptr && missing.empty()) missing = name;
}

Result<Done> Checked(const std::string& missing) {
  if (!missing.empty()) return Missing("the Vulkan loader has no " + missing);
  return Done{};
}

}  // namespace

Result<Functions> LoadFunctions(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto no_loader = [](const std::string& why) {
    return BadInput("not a Vulkan loader: " + why);
  };
  if (handle == nullptr) return no_loader(dlerror());
  Functions functions;
  std::string missing;
  Set(functions.GetInstanceProcAddr, dlsym(handle, "vkGetInstanceProcAddr"),
      "vkGetInstanceProcAddr", missing);
  if (missing.empty()) {
    Set(functions.CreateInstance, functions.GetInstanceProcAddr(nullptr, "vkCreateInstance"),
        "vkCreateInstance", missing);
  }
  if (!missing.empty()) return no_loader(library + " has no " + missing);
  return functions;
}

Result<Done> LoadInstanceFunctions(VkInstance instance, Functions& functions) {
  std::string missing, optional;
  VisitInstanceFunctions(functions, [&](auto& function, const char* name) {
    Set(function, functions.GetInstanceProcAddr(instance, name), name, missing);
  });
  const char* kProperties = "vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM";
  Set(functions.GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM,
      functions.GetInstanceProcAddr(instance, kProperties), kProperties, optional);
  return Checked(missing);
}

Result<Done> LoadDeviceFunctions(VkDevice device, Functions& functions) {
  std::string missing;
  VisitDeviceFunctions(functions, [&](auto& function, const char* name) {
    Set(function, functions.GetDeviceProcAddr(device, name), name, missing);
  });
  return Checked(missing);
}

}  // namespace assay::vulkan

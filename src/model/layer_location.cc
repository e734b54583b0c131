// SPDX-License-Identifier: Apache-2.0
#include "layer_location.h"

#include "clean_text.h"
#include "json_text.h"

namespace assay {
namespace {

constexpr size_t kJsonBytesMax = size_t{1} << 16;
constexpr size_t kCharactersMax = 120;

// Returns a member of an object; null if there is none.
const Json& MemberOf(const Json& object, const char* name) {
  static const Json kNone;
  const Json* found = object.Find(name);
  return found == nullptr ? kNone : *found;
}

}  // namespace

std::string LayerLocationText(const std::string& location) {
  if (location.starts_with('{') && location.size() <= kJsonBytesMax) {
    const Json json = ParseJson(location);
    const Json& node = MemberOf(MemberOf(json, "aten_info"), "node_name");
    if (node.is_string()) {
      std::string file;
      for (const Json& line : MemberOf(MemberOf(json, "torch_info"), "stack_trace")) {
        if (!line.is_string()) continue;
        const std::string text = line.get<std::string>();
        const size_t at = text.find("File \"");
        if (at != std::string::npos) file = ", " + text.substr(at);
      }
      return OneLine(node.get<std::string>() + file, kCharactersMax);
    }
  }
  return OneLine(location, kCharactersMax);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "input_names.h"

#include <algorithm>

#include "parse_number.h"

namespace assay {

Result<size_t> InputNamed(const Block& main, const std::string& name) {
  const auto found = std::ranges::find(
      main.inputs, name, [&](TensorIndex input) -> const auto& {
        return main.tensors[static_cast<size_t>(input)].name;
      });
  auto position = static_cast<size_t>(found - main.inputs.begin());
  if (found != main.inputs.end()) return position;
  if (ParseNumber(name, position) && position < main.inputs.size()) return position;
  return UsageError("the graph has no input " + Quoted(name) + "; it has " + InputNames(main));
}

std::string InputNames(const Block& main) {
  constexpr size_t kNamesMax = 20;
  if (main.inputs.empty()) return "none";
  std::string text;
  for (size_t i = 0; i < std::min(main.inputs.size(), kNamesMax); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(i) + " " +
            Quoted(main.tensors[static_cast<size_t>(main.inputs[i])].name);
  }
  if (main.inputs.size() <= kNamesMax) return text;
  return text + " and " + std::to_string(main.inputs.size() - kNamesMax) + " more";
}

}  // namespace assay

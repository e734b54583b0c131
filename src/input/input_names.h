// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "graph.h"
#include "quoted.h"
#include "result.h"

namespace assay {

// Returns the position of the input of a block that has a name. Without such an input, the name may
// be the position itself, "0" for the first input. Error kUsage that lists the inputs, without the
// option.
Result<size_t> InputNamed(const Block& main, const std::string& name);

// Returns the positions and names of the inputs for an error: "0 \"x\", 1 \"y\"".
std::string InputNames(const Block& main);

// Returns values of an option by the position of the input that they name. Errors: kUsage, which
// begin with the option, for a name that is no input, and for an input that has two values.
template <class Value>
Result<std::map<size_t, Value>> ByInput(const Block& main, const std::string& option,
                                        const std::vector<std::pair<std::string, Value>>& values) {
  std::map<size_t, Value> by_input;
  for (const auto& [name, value] : values) {
    const Result<size_t> input = InputNamed(main, name);
    if (!input) return UsageError(option + ": " + input.error().message);
    if (!by_input.emplace(*input, value).second) {
      return UsageError(option + ": " + Quoted(name) + " is given twice");
    }
  }
  return by_input;
}

}  // namespace assay

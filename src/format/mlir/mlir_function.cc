// SPDX-License-Identifier: Apache-2.0
#include "mlir_function.h"

#include <algorithm>

namespace assay {
namespace {

constexpr size_t kNamesMax = 20;  // that an error lists

std::string_view NameOf(const MlirOperation& function) {
  std::string_view name = function.Attribute("sym_name");
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

bool HasBody(const MlirOperation& operation) {
  return operation.name == "func.func" && operation.regions.size() == 1 &&
         !operation.regions[0].operations.empty();
}

std::string Names(const std::vector<const MlirOperation*>& functions) {
  std::string names;
  for (size_t i = 0; i < std::min(functions.size(), kNamesMax); ++i) {
    names += (i == 0 ? "" : ", ") + std::string(NameOf(*functions[i]));
  }
  if (functions.size() > kNamesMax) {
    names += " and " + std::to_string(functions.size() - kNamesMax) + " more";
  }
  return names;
}

}  // namespace

const std::vector<MlirOperation>& MlirModuleBody(const std::vector<MlirOperation>& operations) {
  const bool is_module = operations.size() == 1 && operations[0].name == "builtin.module" &&
                         operations[0].regions.size() == 1;
  return is_module ? operations[0].regions[0].operations : operations;
}

std::map<std::string, const MlirOperation*> MlirFunctions(
    const std::vector<MlirOperation>& operations) {
  std::map<std::string, const MlirOperation*> functions;
  for (const MlirOperation& operation : MlirModuleBody(operations)) {
    if (HasBody(operation)) functions.emplace("@" + std::string(NameOf(operation)), &operation);
  }
  return functions;
}

Result<const MlirOperation*> FindMlirFunction(const std::vector<MlirOperation>& operations,
                                              std::string_view function, std::string_view name) {
  const std::string file(name);
  if (function.starts_with('@')) function.remove_prefix(1);
  std::vector<const MlirOperation*> all, visible, named;
  for (const MlirOperation& operation : MlirModuleBody(operations)) {
    if (!HasBody(operation)) continue;
    all.push_back(&operation);
    if (operation.Attribute("sym_visibility") != "\"private\"") visible.push_back(&operation);
    if (NameOf(operation) == function) named.push_back(&operation);
  }
  if (all.empty()) return BadInput(file + ": no function with a body");
  if (function.empty() && all.size() == 1) return all[0];
  if (function.empty() && visible.size() == 1) return visible[0];
  if (function.empty()) {
    return Error{Error::Kind::kUsage,
                 file + ": has " + std::to_string(all.size()) +
                     " functions; --function takes the name of one: " + Names(all)};
  }
  const std::string asked = file + ": --function " + std::string(function);
  if (named.empty()) {
    return UsageError(asked + ": there is no such function, only " + Names(all));
  }
  if (named.size() > 1) return BadInput(asked + ": there are several of that name");
  return named[0];
}

}  // namespace assay

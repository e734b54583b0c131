// SPDX-License-Identifier: Apache-2.0
#include "emit_c.h"

#include "emission.h"

namespace assay {

Result<ModelInC> EmitC(const Graph& graph, const ModelMemory& memory, const MemoryPlan& plan,
                       const std::string& name) {
  const Result<Emission> emission = LayOut(graph, memory, plan, name);
  if (!emission) return emission.error();
  return ModelInC{EmitHeader(*emission).text(), EmitSource(*emission).text()};
}

std::string ModelNameOf(std::string_view file) {
  const std::string name = CNames().Make(file.substr(0, file.rfind('.')), "model_");
  return name.starts_with("assay") ? "model_" + name : name;
}

}  // namespace assay

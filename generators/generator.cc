#include "generator.h"

#include "generators_files.h"

namespace assay {

std::span<const Generator* const> AllGenerators() { return generators::kFiles; }

const Generator* GeneratorByKind(std::string_view kind) {
  for (const Generator* generator : AllGenerators()) {
    if (generator->kind == kind) return generator;
  }
  return nullptr;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>

#include "guarded.h"
#include "handles.h"

namespace assay::api {
namespace {

// Returns the vector that is judged: of an Arm test directory, the one with our expectation.
Result<TestVector> VectorToJudge(LoadedCase loaded) {
  if (!loaded.recorded) return std::move(loaded.vector);
  if (loaded.recorded->no_expectation.empty()) return std::move(loaded.recorded->computed);
  return Unsupported("no expectation of the reference executor: " +
                     loaded.recorded->no_expectation);
}

}  // namespace
}  // namespace assay::api

using assay::Result;
using assay::api::Making, assay::api::NullPointer, assay::api::TextAt;

assay_status assay_suite_open(const char* path, assay_suite** suite, assay_error* error) {
  return Making("suite", suite, error, [&]() -> Result<std::unique_ptr<assay_suite>> {
    if (path == nullptr) return NullPointer("path");
    auto opened = std::make_unique<assay_suite>();
    Result<assay::CaseList> cases = assay::ListCases({path}, [](const std::string&) {});
    if (!cases) return cases.error();
    for (int64_t i = 0; i < cases->size(); ++i) opened->paths.push_back(cases->Name(i));
    opened->cases = std::move(*cases);
    return opened;
  });
}
size_t assay_suite_size(const assay_suite* suite) {
  return suite == nullptr ? 0 : suite->paths.size();
}
const char* assay_suite_path(const assay_suite* suite, size_t index) {
  return suite == nullptr ? "" : TextAt(suite->paths, index);
}
size_t assay_suite_gap_count(const assay_suite* suite) {
  return suite == nullptr ? 0 : suite->cases.gaps.size();
}
const char* assay_suite_gap(const assay_suite* suite, size_t index) {
  return suite == nullptr ? "" : TextAt(suite->cases.gaps, index);
}
assay_status assay_suite_vector(const assay_suite* suite, size_t index, assay_vector** vector,
                                assay_error* error) {
  return Making("vector", vector, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    if (suite == nullptr) return NullPointer("suite");
    const size_t count = suite->paths.size();
    if (index >= count) return assay::api::BeyondList("vector", index, "the suite", count);
    Result<assay::LoadedCase> loaded = [&] {
      const std::lock_guard lock(suite->mutex);
      return suite->cases.Load(static_cast<int64_t>(index));
    }();
    if (!loaded) return loaded.error();
    Result<assay::TestVector> judged = assay::api::VectorToJudge(std::move(*loaded));
    if (!judged) return judged.error();
    return std::make_unique<assay_vector>(std::move(*judged));
  });
}
void assay_suite_free(assay_suite* suite) { delete suite; }

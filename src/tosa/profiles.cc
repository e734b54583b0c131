// SPDX-License-Identifier: Apache-2.0
#include "profiles.h"

#include "enum_names.h"

namespace assay {
namespace {

constexpr Requirements kInt = {Feature::kProInt};
constexpr Requirements kFp = {Feature::kProFp};
constexpr Requirements kEither = {Feature::kProInt, Feature::kProFp};

constexpr FeatureRow kFeatures[] = {
    {Feature::kProInt, "PRO-INT", false, {}},
    {Feature::kProFp, "PRO-FP", false, {}},
    {Feature::kExtInt16, "EXT-INT16", false, kInt},
    {Feature::kExtInt4, "EXT-INT4", false, kInt},
    {Feature::kExtBf16, "EXT-BF16", true, kFp},
    {Feature::kExtFp8e4m3, "EXT-FP8E4M3", true, kFp},
    {Feature::kExtFp8e5m2, "EXT-FP8E5M2", true, kFp},
    {Feature::kExtFft, "EXT-FFT", false, kFp},
    {Feature::kExtVariable, "EXT-VARIABLE", true, kEither},
    {Feature::kExtControlflow, "EXT-CONTROLFLOW", true, kEither},
    {Feature::kExtDynamic, "EXT-DYNAMIC", true, kEither},
    {Feature::kExtDoubleround, "EXT-DOUBLEROUND", false, kInt},
    {Feature::kExtInexactround, "EXT-INEXACTROUND", true, kInt},
};

}  // namespace

std::span<const FeatureRow> AllFeatures() { return kFeatures; }

std::string_view FeatureName(Feature feature) {
  return kFeatures[static_cast<size_t>(feature)].name;
}

std::optional<Feature> FeatureByName(std::string_view name) {
  const FeatureRow* row = FindRow(kFeatures, &FeatureRow::name, name);
  return row == nullptr ? std::nullopt : std::optional(row->feature);
}

}  // namespace assay

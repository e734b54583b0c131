// SPDX-License-Identifier: Apache-2.0
#include "model_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "model_values.h"

namespace assay {
namespace {

// The values that a backend shows of a run of a whole model.
struct ShownValues {
  std::vector<Tensor> outputs;
  std::map<TensorIndex, Tensor> inner;
};

ShownValues Observe(Backend& backend, const TestVector& model, const TapRequest* taps) {
  ShownValues shown;
  Result<TappedRun> run = [&]() -> Result<TappedRun> {
    if (taps != nullptr) return backend.RunWithTaps(model, *taps);
    Result<std::vector<Outcome>> outcomes = backend.Run(model);
    if (!outcomes) return outcomes.error();
    return TappedRun{std::move(*outcomes), {}};
  }();
  if (!run || run->outcomes.empty()) return shown;
  for (Outcome& outcome : run->outcomes) {
    std::ranges::move(outcome.outputs, std::back_inserter(shown.outputs));
  }
  if (!run->taps.empty()) shown.inner = std::move(run->taps[0]);
  return shown;
}

void Add(const Parting& more, Parting& sum) {
  sum.elements += more.elements;
  sum.apart += more.apart;
  sum.units = std::fmax(sum.units, more.units);
}

Parting PartingOf(const Tensor& first, const Tensor& second) {
  if (!first.has_value() || !second.has_value()) return {};
  Parting parting = {first.elements(), 0, 0};
  if (first.tensor_type() != second.tensor_type()) {
    return {first.elements(), first.elements(), HUGE_VAL};
  }
  for (int64_t i = 0; i < first.elements(); ++i) {
    const double units = UnitsApart(first, second, i);
    parting.apart += units > 0 ? 1 : 0;
    parting.units = std::max(parting.units, units);
  }
  return parting;
}

}  // namespace

Parting PartingOf(const std::vector<Tensor>& first, const std::vector<Tensor>& second) {
  Parting parting;
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    Add(PartingOf(first[i], second[i]), parting);
  }
  return parting;
}

std::optional<size_t> ModelComparison::FirstApart() const {
  const auto found = std::ranges::find_if(alone, [](const Parting& p) { return p.apart > 0; });
  if (found == alone.end()) return std::nullopt;
  return static_cast<size_t>(found - alone.begin());
}

ModelComparison CompareBackends(Backend& first, const ModelVerdict& of_first, Backend& second,
                                const ModelVerdict& of_second, const TestVector& model) {
  ModelComparison comparison;
  const Block& main = MainOf(model);
  const NeededPart part = PartOf(model);
  const auto runs = [&](const Backend& backend) { return backend.WhyUnsupported(model).empty(); };
  if (runs(first) && runs(second)) {
    const TapRequest taps = {part.inner};
    const bool with_taps = first.OffersTaps(model) && second.OffersTaps(model);
    const TapRequest* const asked = with_taps ? &taps : nullptr;
    const ShownValues a = Observe(first, model, asked), b = Observe(second, model, asked);
    comparison.outputs = PartingOf(a.outputs, b.outputs);
    for (size_t i = 0; with_taps && i < part.operators.size(); ++i) {
      const Operator& op = main.operators[static_cast<size_t>(part.operators[i])];
      Parting& inside = comparison.inside.emplace_back();
      for (const TensorIndex output : op.outputs) {
        if (a.inner.contains(output) && b.inner.contains(output)) {
          Add(PartingOf(a.inner.at(output), b.inner.at(output)), inside);
        }
      }
    }
  }
  for (size_t i = 0; i < std::min(of_first.layers.size(), of_second.layers.size()); ++i) {
    comparison.alone.push_back(PartingOf(of_first.layers[i].results, of_second.layers[i].results));
  }
  return comparison;
}

}  // namespace assay

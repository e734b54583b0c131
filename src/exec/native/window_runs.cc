// SPDX-License-Identifier: Apache-2.0
#include "window_runs.h"

#include "native_sums.h"

namespace assay {

WindowRuns::WindowRuns(const ops::Convolution& g, const Shape& to)
    : g_(g),
      out_planes_(g.rank == 3 ? to[1] : 1),
      out_rows_(to[static_cast<int>(g.rank) - 1]),
      of_column_(static_cast<size_t>(to[static_cast<int>(g.rank)])) {
  std::vector<ops::Tap> taps;
  for (size_t x = 0; x < of_column_.size(); ++x) {
    g.InsideTaps(g.axes[2], static_cast<int64_t>(x), taps);
    for (const ops::Tap& tap : taps) {
      std::vector<WindowRun>& runs = of_column_[x];
      const bool continues = !runs.empty() &&
                             runs.back().kernel + runs.back().count == tap.kernel &&
                             runs.back().pixel + runs.back().count == tap.image;
      continues ? void(++runs.back().count) : runs.push_back({tap.kernel, tap.image, 1});
    }
  }
}

bool ConvolutionStaysInRange(const NativeCall& call, const ops::Convolution& g) {
  const DType out = call.signature.out();
  if (IsFloat(out)) return true;
  const OperandReader image(call, 0, 3), weight(call, 1, 4);
  const DType acc = call.attributes().type(AttributeId::kAccType);
  const double bias = OperandReader(call, 2, 2).Maximum();
  const auto stays = [&](double largest_product) {
    return StaysInRange(acc, out, largest_product, g.KernelSize(), bias);
  };
  return stays(image.Bound() * weight.Bound()) || stays(image.Maximum() * weight.Maximum());
}

}  // namespace assay

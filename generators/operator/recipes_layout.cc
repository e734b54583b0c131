// SPDX-License-Identifier: Apache-2.0
// Recipes of the data-layout operators, GATHER and SCATTER.
#include <algorithm>
#include <array>
#include <numeric>

#include "recipe.h"

namespace assay {
namespace {

uint64_t Below(Draft& draft, int64_t bound) {
  return draft.choices().Below(static_cast<uint64_t>(bound));
}

constexpr std::string_view kConcatClasses[] = {"two", "one", "many", "axis-0", "axis-last"};

bool ProposeConcat(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int64_t share = draft.elements_max() / 2;
  draft.Any(type, 1, kAnyRank, ValueRange::All(type),
            [&](const Shape& shape) { return shape.Elements() <= share; });
  const Shape first = draft.shape();
  const int cls = draft.attribute_class();
  const int rank = first.rank();
  const int axis = cls == 3 ? 0 : cls == 4 ? rank - 1 : static_cast<int>(Below(draft, rank));
  const int64_t count = cls == 1 ? 1 : cls == 2 ? draft.choices().Between(3, 6) : 2;
  int64_t elements = first.Elements();
  for (int64_t i = 1; i < count; ++i) {
    Shape next = first;
    next[axis] = draft.choices().Between32(1, std::max(1, first[axis]));
    elements += next.Elements();
    if (elements > draft.elements_max()) break;
    draft.Of({type, next}, ValueRange::All(type));
  }
  draft.Set(AttributeId::kAxis, axis);
  return true;
}

constexpr std::string_view kPadClasses[] = {"all-sides", "none",     "low-side",
                                            "high-side", "one-axis", "rank-max"};

bool ProposePad(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  const int highest = draft.builder().level().max_rank;
  draft.Any(type, cls == 5 ? highest : 1, kAnyRank, ValueRange::All(type),
            [&](const Shape& shape) { return shape.Elements() <= draft.elements_max() / 2; });
  Shape padded = draft.shape();
  const int rank = padded.rank();
  std::vector<int64_t> padding(2 * static_cast<size_t>(rank), 0);
  const auto only = static_cast<int>(Below(draft, rank));
  for (int axis = 0; axis < rank && cls != 1; ++axis) {
    if (cls == 4 && axis != only) continue;
    for (int side = 0; side < 2; ++side) {
      if ((cls == 2 && side == 1) || (cls == 3 && side == 0)) continue;
      const auto amount = static_cast<int32_t>(Below(draft, 3));
      padded[axis] += amount;
      if (padded.Elements() > draft.elements_max()) {
        padded[axis] -= amount;
      } else {
        padding[static_cast<size_t>(2 * axis + side)] = amount;
      }
    }
  }
  draft.ShapeOperand(padding);
  draft.Constant(
      DrawTensor(draft.choices(), {type, Shape{1}}, ValueRange::All(type), draft.builder().mode()));
  return true;
}

constexpr std::string_view kReshapeClasses[] = {"any",      "flatten", "split",
                                                "add-ones", "rank-0",  "same"};

// Returns a shape of `elements` elements, by splitting off one factor for each axis.
Shape Regroup(Draft& draft, int64_t elements, int rank) {
  Shape shape;
  for (int axis = 0; axis + 1 < rank; ++axis) {
    std::array<int32_t, 16> divisors{};
    size_t count = 0;
    for (int32_t d = 1; d <= 64 && count < divisors.size(); ++d) {
      if (elements % d == 0) divisors[count++] = d;
    }
    const int32_t chosen = divisors[static_cast<size_t>(draft.choices().Below(count))];
    shape.PushBack(chosen);
    elements /= chosen;
  }
  shape.PushBack(static_cast<int32_t>(elements));
  return shape;
}

bool ProposeReshape(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  const int highest = draft.builder().level().max_rank;
  if (cls == 4) {
    Shape ones;
    for (uint64_t i = Below(draft, 4); i > 0; --i) ones.PushBack(1);
    draft.Of({type, ones}, ValueRange::All(type));
    draft.ShapeOperand(Shape{});
    return true;
  }
  draft.Any(type, 0, kAnyRank);
  const Shape from = draft.shape();
  Shape to = from;
  if (cls == 0) {
    to = Regroup(draft, from.Elements(), draft.choices().Between32(1, highest));
  } else if (cls == 1) {
    to = Shape{static_cast<int32_t>(from.Elements())};
  } else if (cls == 2) {
    to = Regroup(draft, from.Elements(), std::min(highest, from.rank() + 1));
  } else if (cls == 3 && from.rank() < highest) {
    to.Insert(static_cast<int>(Below(draft, from.rank() + 1)), 1);
  }
  draft.ShapeOperand(to);
  return true;
}

constexpr std::string_view kAxisClasses[] = {"axis-0", "axis-last", "axis-any", "rank-max"};

bool ProposeReverse(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  draft.Any(type, cls == 3 ? draft.builder().level().max_rank : 1, kAnyRank);
  const int rank = draft.shape().rank();
  draft.Set(AttributeId::kAxis, cls == 0   ? 0
                                : cls == 1 ? rank - 1
                                           : static_cast<int32_t>(Below(draft, rank)));
  return true;
}

constexpr std::string_view kSliceClasses[] = {"any",          "everything", "first-element",
                                              "last-element", "one-axis",   "rank-max"};

bool ProposeSlice(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  draft.Any(type, cls == 5 ? draft.builder().level().max_rank : 1, kAnyRank);
  const Shape from = draft.shape();
  std::vector<int64_t> start(static_cast<size_t>(from.rank()), 0);
  std::vector<int64_t> size(from.begin(), from.end());
  const auto only = static_cast<int>(Below(draft, from.rank()));
  for (int axis = 0; axis < from.rank(); ++axis) {
    const auto a = static_cast<size_t>(axis);
    if (cls == 1 || (cls == 4 && axis != only)) continue;
    if (cls == 2 || cls == 3) {
      size[a] = 1;
      start[a] = cls == 3 ? from[axis] - 1 : 0;
      continue;
    }
    size[a] = draft.choices().Between((from[axis] + 1) / 2, from[axis]);
    start[a] = draft.choices().Between(0, from[axis] - size[a]);
  }
  draft.ShapeOperand(start);
  draft.ShapeOperand(size);
  return true;
}

constexpr std::string_view kTileClasses[] = {"one-axis", "none", "all-axes", "rank-max"};

bool ProposeTile(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  draft.Any(type, cls == 3 ? draft.builder().level().max_rank : 1, kAnyRank, ValueRange::All(type),
            [&](const Shape& shape) { return shape.Elements() <= draft.elements_max() / 2; });
  Shape tiled = draft.shape();
  std::vector<int64_t> multiples(static_cast<size_t>(tiled.rank()), 1);
  const auto only = static_cast<int>(Below(draft, tiled.rank()));
  for (int axis = 0; axis < tiled.rank() && cls != 1; ++axis) {
    if (cls == 0 && axis != only) continue;
    const int32_t times = draft.choices().Between32(2, 3);
    if (tiled.Elements() * times > draft.elements_max()) continue;
    tiled[axis] *= times;
    multiples[static_cast<size_t>(axis)] = times;
  }
  draft.ShapeOperand(multiples);
  return true;
}

constexpr std::string_view kTransposeClasses[] = {"any",     "identity", "swap-last",
                                                  "reverse", "rotate",   "rank-max"};

bool ProposeTranspose(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  draft.Any(type, cls == 5 ? draft.builder().level().max_rank : cls == 2 ? 2 : 1, kAnyRank);
  const int rank = draft.shape().rank();
  std::vector<int32_t> perms(static_cast<size_t>(rank));
  std::iota(perms.begin(), perms.end(), 0);
  if (cls == 2) {
    std::swap(perms[perms.size() - 1], perms[perms.size() - 2]);
  } else if (cls == 3) {
    std::reverse(perms.begin(), perms.end());
  } else if (cls == 4) {
    std::rotate(perms.begin(), perms.begin() + 1, perms.end());
  } else if (cls != 1) {
    for (size_t i = perms.size(); i > 1; --i) {
      std::swap(perms[i - 1], perms[static_cast<size_t>(draft.choices().Below(i))]);
    }
  }
  draft.Set(AttributeId::kPerms, std::move(perms));
  return true;
}

constexpr std::string_view kGatherClasses[] = {"any", "one-index", "bounds", "in-order"};

bool ProposeGather(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  draft.Any(type, 3, 3);
  const Shape values = draft.shape();
  const int64_t most = std::max<int64_t>(1, draft.elements_max() / (values[0] * values[2]));
  const int32_t width =
      cls == 1   ? 1
      : cls == 3 ? static_cast<int32_t>(std::min<int64_t>(most, values[1]))
                 : draft.choices().Between32(
                       1, static_cast<int32_t>(std::min<int64_t>(most, draft.dimension_max())));
  const Shape shape = {values[0], width};
  const int64_t last = values[1] - 1;
  if (cls == 0 || cls == 1) {
    draft.Of({DType::kInt32, shape}, ValueRange::Between(0, static_cast<double>(last)));
    return true;
  }
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    indices.push_back(cls == 3 ? i % width : Below(draft, 2) == 0 ? 0 : last);
  }
  draft.FreshOf(Tensor::FromIntegers(DType::kInt32, shape, indices));
  return true;
}

constexpr std::string_view kScatterClasses[] = {"some", "one-index", "all-in-order",
                                                "all-shuffled"};

// Proposes SCATTER. The indices of one batch may not repeat.
bool ProposeScatter(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int cls = draft.attribute_class();
  draft.Any(type, 3, 3);
  const Shape values = draft.shape();
  const int32_t width = cls >= 2   ? values[1]
                        : cls == 1 ? 1
                                   : draft.choices().Between32(1, values[1]);
  std::vector<int64_t> indices;
  std::vector<int64_t> order(static_cast<size_t>(values[1]));
  for (int32_t n = 0; n < values[0]; ++n) {
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1 && cls != 2; --i) {
      std::swap(order[i - 1], order[static_cast<size_t>(draft.choices().Below(i))]);
    }
    indices.insert(indices.end(), order.begin(), order.begin() + width);
  }
  draft.FreshOf(Tensor::FromIntegers(DType::kInt32, Shape{values[0], width}, indices));
  draft.Of({type, Shape{values[0], width, values[2]}}, ValueRange::All(type));
  return true;
}

constexpr Recipe kLayoutRecipes[] = {
    {Op::kConcat, kConcatClasses, ProposeConcat},
    {Op::kPad, kPadClasses, ProposePad},
    {Op::kReshape, kReshapeClasses, ProposeReshape},
    {Op::kReverse, kAxisClasses, ProposeReverse},
    {Op::kSlice, kSliceClasses, ProposeSlice},
    {Op::kTile, kTileClasses, ProposeTile},
    {Op::kTranspose, kTransposeClasses, ProposeTranspose},
    {Op::kGather, kGatherClasses, ProposeGather},
    {Op::kScatter, kScatterClasses, ProposeScatter},
};

}  // namespace

std::span<const Recipe> LayoutRecipes() { return kLayoutRecipes; }

}  // namespace assay

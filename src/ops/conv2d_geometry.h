#pragma once

#include "pooling.h"

namespace assay::ops {

// The attributes and dimensions of a CONV2D, by their names in the pseudocode.
struct Conv2dGeometry {
  explicit Conv2dGeometry(const Signature& s)
      : stride_y(s.attributes->Ints(AttributeId::kStride)[0]),
        stride_x(s.attributes->Ints(AttributeId::kStride)[1]),
        dilation_y(s.attributes->Ints(AttributeId::kDilation)[0]),
        dilation_x(s.attributes->Ints(AttributeId::kDilation)[1]),
        pad_top(s.attributes->Ints(AttributeId::kPad)[0]),
        pad_bottom(s.attributes->Ints(AttributeId::kPad)[1]),
        pad_left(s.attributes->Ints(AttributeId::kPad)[2]),
        pad_right(s.attributes->Ints(AttributeId::kPad)[3]),
        IH(s.shape(0)[1]),
        IW(s.shape(0)[2]),
        IC(s.shape(0)[3]),
        OC(s.shape(1)[0]),
        KH(s.shape(1)[1]),
        KW(s.shape(1)[2]) {}

  // What idiv_check divides by the strides.
  int64_t Height() const { return IH - 1 + pad_top + pad_bottom - (KH - 1) * dilation_y; }
  int64_t Width() const { return IW - 1 + pad_left + pad_right - (KW - 1) * dilation_x; }

  int64_t stride_y, stride_x, dilation_y, dilation_x;
  int64_t pad_top, pad_bottom, pad_left, pad_right;
  int64_t IH, IW, IC, OC, KH, KW;
};

}  // namespace assay::ops

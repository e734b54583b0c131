# SPDX-License-Identifier: Apache-2.0
"""Forty faults that public trackers of runtimes and compilers report, for tracker_worker.py. Each
is the description of a report, applied to the operators of the independent executor in
tests/backend. They were chosen by their reports alone, and all that were chosen are here."""
import dataclasses
import math
from typing import Callable

import numpy as np

from assay import DType, Op, ResizeMode
from compliant_operators import limits, wrapped
from fusion_faults import (Fault, is_float_type, is_softmax, rounded_bits, shape_of, then,
                           with_accumulator, without_maximum)
from tracker_results import (INTEGERS, adds_to_difference, along_rows, and_later_readers, at,
                             at_float, attribute, bound, broadcasts_columns, by_comparison,
                             by_inverse, changed, channels_first, clamped_for_all,
                             concatenates_in_place, exchanged, feeds_clamp_and_others,
                             first_and_last_lane, folded_pad, gathered_in_16_bits, has_last_terms,
                             has_other_inverse, has_single_channels, into_next_row, is_not_zero,
                             is_padded, is_rescale, last_maximum, last_nan, may_be,
                             may_leave_32_bits, normalized_before_clamp, normalized_chain,
                             of_first_channel, of_operands, of_padded, over_first_operand,
                             pooled_without_padding, producer, propagates, readers_too, rescaled,
                             reshapes_pixels, reuses_live_buffer, scales_dot, second_is_smaller,
                             shifted_rows, signed, sizes, summed_constants, sums_last_axis,
                             two_rounds, unscaled_bias, with_producers, without_last,
                             without_last_entry, without_last_terms, without_tail, zero_point)

GITHUB = "https://github.com/"


def itself(place):
    return [place]


@dataclasses.dataclass
class TrackerFault(Fault):
    """`acts_in` tells by types, attributes, shapes and neighbours whether a Place has the fault."""
    kind: str
    link: str  # below GITHUB
    what: str
    involved: Callable = itself  # the places of which each is a right answer for the wrong layer
    overwrites: bool = False  # the result is also written over the first operand


FAULTS = {
    # ---- quantization
    "rescale-rounds-twice": TrackerFault(
        lambda place: is_rescale(place) and attribute(place, "scale32") and
        may_be(lambda shift: shift > 31, place, 2),
        rescaled(scale=two_rounds), "quantization", "tensorflow/tensorflow/issues/25087",
        "TensorFlow Lite: a scaling rounds the high half of the product, and then the shift"),
    "rescale-zero-point-signed": TrackerFault(
        lambda place: is_rescale(place) and attribute(place, "input_unsigned") and
        may_be(lambda zero: zero < 0, place, 3),
        rescaled(zero=signed), "quantization", "llvm/llvm-project/pull/138780",
        "MLIR: the zero point of an unsigned input is extended by its sign"),
    "rescale-saturates-early": TrackerFault(
        lambda place: is_rescale(place) and place.out_type in INTEGERS and
        may_be(is_not_zero, place, 4),
        rescaled(first=np.clip), "quantization", "llvm/torch-mlir/pull/4487",
        "Torch-MLIR: a value is clipped to the type before the zero point is added"),
    "rescale-difference-wraps": TrackerFault(
        lambda place: is_rescale(place) and place.in_type == DType.INT8 and
        not attribute(place, "input_unsigned") and may_be(is_not_zero, place, 3),
        rescaled(subtract=lambda x, zero: wrapped(x - zero, 8)), "quantization",
        "pytorch/executorch/pull/20655",
        "ExecuTorch: the zero point is subtracted in 8 bits, which wrap"),
    "clamp-at-zero": TrackerFault(
        lambda place: place.op.op == Op.CLAMP and place.in_type in INTEGERS and
        bound(place, "min_val") != 0,
        then(lambda right: np.maximum(right, 0)), "quantization", "pytorch/executorch/pull/18462",
        "ExecuTorch: a quantized ReLU clamps at 0, not at the zero point"),
    "cast-of-large-numbers": TrackerFault(
        lambda place: place.op.op == Op.CAST and is_float_type(place.in_type) and
        place.out_type in INTEGERS,
        lambda place, run, compute, right: np.where(
            place.operands[0] >= 2.0**31, limits(place.out_type)[0], right),
        "quantization", "pytorch/pytorch/pull/60079",
        "PyTorch: numbers above the range of int32 become the smallest integer"),
    "border-without-zero-point": TrackerFault(
        lambda place: is_padded(Op.CONV2D, Op.DEPTHWISE_CONV2D)(place) and
        place.in_type == DType.INT8 and may_be(is_not_zero, place, 3),
        of_padded(lambda place: 0), "quantization", "apache/tvm/issues/13364",
        "TVM: the correction for the zero point takes padding for elements"),
    # ---- operators
    "average-of-whole-window": TrackerFault(
        is_padded(Op.AVG_POOL2D),
        of_padded(lambda place: 0 if is_float_type(place.in_type) else zero_point(place, 1)),
        "operator", "BVLC/caffe/issues/6297",
        "Caffe: an average is divided by the size of the window, padding included"),
    "max-pool-pads-zero": TrackerFault(
        is_padded(Op.MAX_POOL2D), of_padded(lambda place: 0), "operator",
        "apache/mxnet/issues/2753",
        "MXNet: the maximum of a window takes padding for zeros"),
    "dilation-ignored": TrackerFault(
        lambda place: place.op.op == Op.CONV2D and max(attribute(place, "dilation")) > 1,
        lambda place, run, compute, right: changed(place, run, place.operands, dilation=[1, 1]),
        "operator", "fastmachinelearning/hls4ml/issues/1508",
        "hls4ml: a convolution ignores its dilation"),
    "transpose-conv-crops-part": TrackerFault(
        lambda place: place.op.op == Op.TRANSPOSE_CONV2D and attribute(place, "out_pad")[0] < 0 and
        attribute(place, "out_pad")[0] % attribute(place, "stride")[0] != 0,
        shifted_rows, "operator", "ARM-software/CMSIS-NN/issues/230",
        "CMSIS-NN: rows are shifted if the cropped rows are no multiple of the stride"),
    "argmax-of-last-tie": TrackerFault(
        at(Op.ARGMAX), last_maximum, "operator", "pytorch/pytorch/issues/93630",
        "PyTorch Inductor: of equal maxima, the last index is returned"),
    "clamp-bounds-exchanged": TrackerFault(
        at_float(Op.CLAMP),
        lambda place, run, compute, right: np.where(
            np.isnan(place.operands[0]), right, bound(place, "max_val")),
        "operator", "llvm/llvm-project/issues/57095",
        "MLIR: the minimum with the lower bound and the maximum with the upper one are taken"),
    "resize-without-last-row": TrackerFault(
        lambda place: place.op.op == Op.RESIZE and attribute(place, "mode") == ResizeMode.BILINEAR,
        without_last, "operator", "ROCm/rocm-libraries/pull/10516",
        "RPP: bilinear interpolation never reads the last row and the last column"),
    # ---- NaN
    "argmax-of-last-nan": TrackerFault(
        lambda place: at_float(Op.ARGMAX)(place) and propagates(place), last_nan, "NaN",
        "llvm/llvm-project/pull/133074",
        "MLIR: of several NaNs, the index of the last one is returned"),
    "maximum-forgets-nan": TrackerFault(
        lambda place: at_float(Op.MAXIMUM, Op.REDUCE_MAX)(place) and propagates(place),
        by_comparison, "NaN", "tinygrad/tinygrad/pull/15828",
        "tinygrad: a maximum that is a comparison and a selection forgets a NaN"),
    # ---- range and precision
    "tanh-overflows": TrackerFault(
        at_float(Op.TANH), of_operands(lambda right, x: np.where(x > 44.4, np.nan, right)), "range",
        "apache/tvm/pull/16438", "TVM for Metal: TANH is NaN where exp(2x) overflows"),
    "reciprocal-estimate": TrackerFault(
        lambda place: place.op.op in (Op.RECIPROCAL, Op.RSQRT) and place.in_type == DType.FP32,
        then(lambda right: rounded_bits(9)(right * (1 - 2.0**-9))), "range",
        "pytorch/pytorch/issues/47476",
        "PyTorch on Arm: RECIPROCAL and RSQRT are the estimates of the processor"),
    "sum-in-bf16": TrackerFault(
        lambda place: place.op.op == Op.REDUCE_SUM and place.in_type == DType.BF16,
        with_accumulator(DType.BF16), "range", "pytorch/executorch/pull/20090",
        "ExecuTorch: a sum of bf16 is rounded to bf16 after each term"),
    "accumulator-of-32-bits": TrackerFault(
        may_leave_32_bits, then(lambda right: wrapped(right, 32)), "range",
        "tensorflow/tflite-micro/pull/3598",
        "TensorFlow Lite Micro: int16 layers without bias accumulate in 32 bits"),
    "gather-address-of-16-bits": TrackerFault(
        lambda place: place.op.op == Op.GATHER and
        math.prod(shape_of(place, place.op.inputs[0])[1:]) > 1 << 15,
        of_operands(gathered_in_16_bits), "range", "hw-native-sys/pypto/pull/2074",
        "PyPTO: an index times the length of a row is computed in 16 bits"),
    "table-without-last-entry": TrackerFault(
        lambda place: place.op.op == Op.TABLE and place.in_type == DType.INT16,
        of_operands(without_last_entry), "range", "espressif/esp-dl/pull/286",
        "ESP-DL: the table of an int16 function lacks the end of its last segment"),
    # ---- sizes
    "add-without-tail": TrackerFault(
        lambda place: at_float(Op.ADD)(place) and len(set(sizes(place))) == 1 and
        math.prod(sizes(place)[2]) % 32 > 0,
        without_tail(32), "size", "amd/IRON/pull/198",
        "IRON: the elements behind the last whole vector of 32 are not written"),
    "sum-into-next-row": TrackerFault(
        sums_last_axis, into_next_row(8), "size", "iree-org/iree/issues/23952",
        "IREE: a sum of rows that are no whole vectors reads without a mask"),
    "matmul-without-last-terms": TrackerFault(
        has_last_terms, without_last_terms, "size", "tile-ai/tilelang-ascend/issues/1341",
        "TileLang: sums of more than 128 products lack those behind the last whole block of 16"),
    "scale-of-first-channel": TrackerFault(
        has_single_channels, of_first_channel, "size", "pulp-platform/pulp-nn-mixed/pull/11",
        "PULP-NN: channels that are left over have the scale of the first one"),
    # ---- broadcasts and layouts
    "column-along-rows": TrackerFault(
        lambda place: place.op.op == Op.MUL and broadcasts_columns(place) >= 0, along_rows,
        "wiring", "tensorflow/tfjs-core/issues/457",
        "TensorFlow.js: a column is broadcast as if it were a row"),
    "column-in-two-lanes": TrackerFault(
        lambda place: at_float(Op.ADD, Op.MUL, Op.SUB)(place) and broadcasts_columns(place) >= 0,
        first_and_last_lane, "wiring", "tensorflow/tensorflow/issues/61594",
        "TensorFlow Lite on GPUs: a column is broadcast to two of four channels"),
    "sub-exchanged": TrackerFault(
        second_is_smaller, exchanged, "wiring", "ARM-software/armnn/issues/418",
        "Arm NN: an operand that is broadcast becomes the first one, and x - 1 becomes 1 - x"),
    "transpose-by-inverse": TrackerFault(
        has_other_inverse, by_inverse, "wiring", "webonnx/wonnx/issues/112",
        "wonnx: permutations that are not their own inverse give a wrong result"),
    "reshape-of-other-layout": TrackerFault(
        reshapes_pixels, channels_first, "wiring", "openvinotoolkit/openvino/pull/37181",
        "OpenVINO: a reshape of a 1x1 convolution assumes another layout than the convolution has",
        with_producers(1)),
    # ---- fusion
    "softmax-without-maximum": TrackerFault(
        is_softmax, without_maximum, "fusion", "ARM-software/ComputeLibrary/issues/148",
        "Arm Compute Library: a softmax takes exponents without subtracting the maximum",
        with_producers(2)),
    "clamp-for-all-readers": TrackerFault(
        feeds_clamp_and_others, clamped_for_all, "fusion", "pytorch/executorch/pull/17430",
        "ExecuTorch for Vulkan: an activation is fused into a convolution that others read as well",
        readers_too),
    "bias-not-scaled": TrackerFault(
        scales_dot, unscaled_bias, "fusion", "Tencent/ncnn/issues/1339",
        "ncnn: a convolution takes over a normalization, but its bias is not scaled",
        with_producers(1)),
    "normalized-before-clamp": TrackerFault(
        lambda place: normalized_chain(place)[0] is not None, normalized_before_clamp, "fusion",
        "opencv/opencv/issues/28689",
        "OpenCV: a normalization behind a ReLU is fused into the convolution before it",
        with_producers(3)),
    "padding-not-averaged": TrackerFault(
        lambda place: folded_pad(place) is not None, pooled_without_padding, "fusion",
        "microsoft/onnxruntime/issues/22177",
        "ONNX Runtime: a PAD becomes the padding of an average, which does not count it",
        with_producers(1)),
    "product-without-offset": TrackerFault(
        lambda place: is_rescale(place) and producer(place, 0, Op.MUL) is not None and
        may_be(is_not_zero, place, 4),
        rescaled(offset=0), "fusion", "ARM-software/CMSIS_5/pull/664",
        "CMSIS-NN: a quantized product lacks the zero point of its output", with_producers(1)),
    "epsilon-folded-away": TrackerFault(
        adds_to_difference, summed_constants, "fusion", "tensorflow/tensorflow/issues/52045",
        "TensorFlow: the constants of 1 - x + epsilon are added first, and epsilon is lost",
        with_producers(1)),
    # ---- memory
    "written-over-live-operand": TrackerFault(
        reuses_live_buffer, then(lambda right: right), "memory",
        "microsoft/onnxruntime/pull/7645",
        "ONNX Runtime: a result is written over an operand that another operator still reads",
        and_later_readers, overwrites=True),
    "concat-over-operand": TrackerFault(
        concatenates_in_place, over_first_operand, "memory", "hw-native-sys/pypto/issues/2007",
        "PyPTO: a concatenation is written over its first operand", with_producers(1)),
}

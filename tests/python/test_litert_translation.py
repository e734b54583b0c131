# SPDX-License-Identifier: Apache-2.0
"""The translation to TensorFlow Lite, without the runtime: the operators of a model, what is
unsupported, and which RESCALEs have a scale."""
from fractions import Fraction

import numpy as np
import pytest

import assay
from assay.backends.litert import rounding
from assay.backends.litert.model import Model
from assay.backends.litert.translation import translate
from assay.worker import Unsupported


def kinds(monkeypatch, build, *inputs):
    """Returns the operators for a graph of which `build` gives the result."""
    monkeypatch.setattr(Model, "finish", lambda model, *_: [one[0] for one in model._operators])
    b = assay.Builder()
    operands = [b.input(f"x{i}", shape, dtype) for i, (dtype, shape) in enumerate(inputs)]
    return " ".join(translate(b.graph(build(b, *operands))).model)


def scaled(b, y, multiplier, shift=38, output_type="i8", **zero_points):
    return b.rescale(y, multiplier, shift, scale32=True, per_channel=False,
                     output_type=output_type, **zero_points)


def requantized(multiplier, input_zp=3, output_zp=3, behind=None):
    def build(b, x):
        y = b.conv2d(x, b.const(np.full([2, 3, 3, 2], 7), "i8"), b.const([5, -6], "i32"),
                     input_zp=input_zp, pad=[1, 1, 1, 1])
        y = scaled(b, y, b.const([multiplier], "i32"), b.const([38], "i8"), output_zp=output_zp)
        return behind(b, y) if behind else y
    return build


IMAGE = ("i8", [1, 5, 5, 2])


NO_HALVES = 1234567891  # a multiplier that gives none with the sums of requantized()


def test_a_rescale_becomes_part_of_a_convolution(monkeypatch):
    assert kinds(monkeypatch, requantized(NO_HALVES), IMAGE) == "CONV_2D"


def test_a_matrix_product_by_a_constant_becomes_a_layer(monkeypatch):
    def build(b, x):
        y = b.add(b.matmul(x, b.const(np.full([1, 3, 2], 9), "i8")), b.const([[[5, 5]]], "i32"))
        return scaled(b, y, b.const([NO_HALVES], "i32"), b.const([38], "i8"))
    assert kinds(monkeypatch, build, ("i8", [1, 4, 3])) == "FULLY_CONNECTED"


def test_a_rescale_alone_is_written_in_integers(monkeypatch):
    def build(b, x):
        y = scaled(b, x, b.const([1 << 30], "i32"), b.const([20], "i8"), "i32", input_zp=3)
        return scaled(b, b.add(y, y), b.const([3 << 29], "i32"), b.const([41], "i8"))
    assert kinds(monkeypatch, build, IMAGE) == (
        "CAST SUB MUL RESHAPE ADD MUL ADD FLOOR_DIV MAXIMUM MINIMUM CAST")


@pytest.mark.parametrize("build, reason", [
    (requantized(1 << 30), "rounds some sums in another way"),  # 1/256: halves
    (requantized(NO_HALVES, behind=lambda b, y: b.max_pool2d(y, kernel=[3, 3], pad=[2, 1, 0, 0])),
     "padding of a pool"),
    (lambda b, x: b.conv2d(x, b.const(np.full([2, 3, 3, 2], 1), "i8"), b.const([0], "i32")),
     "without a RESCALE behind it"),
    (lambda b, x: scaled(b, x, b.const([NO_HALVES], "i32"), b.const([31], "i8")),
     "more than INT32"),
])
def test_what_is_unsupported(monkeypatch, build, reason):
    with pytest.raises(Unsupported, match=reason):
        kinds(monkeypatch, build, IMAGE)


def test_a_tensor_has_one_zero_point(monkeypatch):
    def build(b, x):
        y = requantized(NO_HALVES, output_zp=4)(b, x)
        return requantized(NO_HALVES, input_zp=5)(b, y)
    with pytest.raises(Unsupported, match="different zero points"):
        kinds(monkeypatch, build, IMAGE)


def test_a_scale_gives_the_numbers_of_rescale():
    random, found = np.random.default_rng(1), 0
    values = np.arange(-300000, 300001, dtype=np.int64)
    for _ in range(60):
        multiplier, shift = int(random.integers(1 << 30, 1 << 31)), int(random.integers(39, 43))
        channel = [np.array([one], np.int64) for one in (multiplier, shift, values[0], values[-1])]
        scales = rounding.find_scales(*channel, (-128, 127), False)
        if scales is not None:
            expected = (values * multiplier + (1 << (shift - 1))) >> shift
            given = np.rint(values.astype(np.float32) * scales)
            assert (given.clip(-128, 127) == expected.clip(-128, 127)).all()
            found += 1
    assert 10 < found < 60


# Two accumulators with different results of RESCALE, which the nearest scale does not tell apart: in
# FP32, or in the exact product.
@pytest.mark.parametrize("multiplier, shift, low", [
    (1561532804, 41, 154203), (1518662571, 39, 24796), (1506351439, 40, 79196),
    (1287982878, 41, 204026)])
def test_a_neighbour_may_tell_apart_what_the_nearest_scale_does_not(multiplier, shift, low):
    values = np.array([low, low + 1], np.int64)
    channel = [np.array([one], np.int64) for one in (multiplier, shift, *values)]
    scale, = rounding.find_scales(*channel, (-128, 127), False)
    expected = ((values * multiplier + (1 << (shift - 1))) >> shift).tolist()
    assert scale != np.float32(multiplier / 2.0 ** shift)
    assert np.rint(values.astype(np.float32) * scale).tolist() == expected
    assert [round(int(one) * Fraction(float(scale))) for one in values] == expected


def test_a_half_is_avoided_or_has_no_scale():
    channel = [np.array([one], np.int64) for one in (1 << 30, 31, 2, 3)]
    assert rounding.find_scales(*channel, (-128, 127), False) > 0.5  # 1.5 may round to 1 elsewhere
    channel[2] = np.array([-9], np.int64)
    assert rounding.find_scales(*channel, (-128, 127), False) is None
    channel[1] -= 1  # a scale of 1
    assert rounding.find_scales(*channel, (-128, 127), False) == 1

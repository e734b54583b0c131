# SPDX-License-Identifier: Apache-2.0
"""The translation to TensorFlow Lite, without the runtime: the operators of a model, what is
unsupported, and which RESCALEs have a scale."""
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


FLAGS = {"scale32": True, "rounding_mode": "SINGLE_ROUND", "per_channel": False,
         "input_unsigned": False, "output_unsigned": False}


def scaled(b, y, multiplier, output_zp, shift=38):
    return b.rescale(y, b.const([multiplier], "i32"), b.const([shift], "i8"), b.const([0], "i32"),
                     b.const([output_zp], "i8"), **FLAGS)


def requantized(multiplier=1 << 30, input_zp=3, output_zp=3, behind=None, weight=7):
    def build(b, x):
        zero = b.const([0], "i8")
        y = b.conv2d(x, b.const(np.full([2, 3, 3, 2], weight), "i8"), b.const([5, -6], "i32"),
                     b.const([input_zp], "i8"), zero, pad=[1, 1, 1, 1], stride=[1, 1],
                     dilation=[1, 1], acc_type="i32")
        y = scaled(b, y, multiplier, output_zp)
        return behind(b, y) if behind else y
    return build


IMAGE = ("i8", [1, 5, 5, 2])


def test_a_rescale_becomes_part_of_a_convolution(monkeypatch):
    odd = 1234567891  # a scale that gives no halves
    assert kinds(monkeypatch, requantized(odd), IMAGE) == "CONV_2D"


def test_a_matrix_product_by_a_constant_becomes_a_layer(monkeypatch):
    def build(b, x):
        zero = b.const([0], "i8")
        y = b.matmul(x, b.const(np.full([1, 3, 2], 9), "i8"), zero, zero)
        y = b.add(y, b.const(np.full([1, 1, 2], 5), "i32"))
        return scaled(b, y, 1234567891, 0)
    assert kinds(monkeypatch, build, ("i8", [1, 4, 3])) == "FULLY_CONNECTED"


def test_a_rescale_alone_is_written_in_integers(monkeypatch):
    def build(b, x):
        wide = b.rescale(x, b.const([1 << 30], "i32"), b.const([20], "i8"), b.const([3], "i8"),
                         b.const([0], "i32"), **FLAGS)
        return scaled(b, b.add(wide, wide), 3 << 29, 0, shift=41)
    assert kinds(monkeypatch, build, IMAGE) == (
        "CAST SUB MUL RESHAPE ADD MUL ADD FLOOR_DIV MAXIMUM MINIMUM CAST")


@pytest.mark.parametrize("build, reason", [
    (requantized(1 << 30), "rounds some sums in another way"),  # 1/256: halves
    (requantized(1234567891, behind=lambda b, y: b.max_pool2d(
        b.concat([y, b.const(np.zeros([1, 5, 5, 2]), "i8")], axis=0), kernel=[2, 2], stride=[1, 1],
        pad=[5, 1, 0, 0])), "padding of a pool"),
])
def test_what_is_unsupported(monkeypatch, build, reason):
    with pytest.raises(Unsupported, match=reason):
        kinds(monkeypatch, build, IMAGE)


def test_a_tensor_has_one_zero_point(monkeypatch):
    def build(b, x):
        y = requantized(1234567891, output_zp=4)(b, x)
        return requantized(1234567891, input_zp=5)(b, y)
    with pytest.raises(Unsupported, match="different zero points"):
        kinds(monkeypatch, build, IMAGE)


def rescaled(values, multiplier, shift):
    return [(value * multiplier + (1 << (shift - 1))) >> shift for value in values]


def test_a_scale_gives_the_numbers_of_rescale():
    random, found = np.random.default_rng(1), 0
    values = np.arange(-3000, 3001, dtype=np.int64)
    for _ in range(300):
        multiplier, shift = int(random.integers(1 << 30, 1 << 31)), int(random.integers(34, 40))
        channel = [np.array([one], np.int64) for one in (multiplier, shift, values[0], values[-1])]
        scales = rounding.find_scales(*channel, (-128, 127), False)
        same = None if scales is None else rounding.in_fp32(values, scales).clip(-128, 127).tolist()
        expected = np.clip(rescaled(values.tolist(), multiplier, shift), -128, 127).tolist()
        assert same is None or same == expected
        found += same is not None
    assert found > 30


def test_a_half_has_no_scale():
    channel = [np.array([one], np.int64) for one in (1 << 30, 31, -9, 9)]
    assert rounding.find_scales(*channel, (-128, 127), False) is None
    channel[1] += -1  # a scale of 1
    assert rounding.find_scales(*channel, (-128, 127), False) == 1

# SPDX-License-Identifier: Apache-2.0
"""Elements of every type, with their bytes worked by hand."""
import math

import numpy as np
import pytest

import assay
from assay import DType

# type, elements, bytes in a .tosa file
ENCODINGS = [
    (DType.BOOL, [True, False], "01 00"),
    (DType.INT4, [1, -1, -7], "f1 09"),  # the first in the low half; -1 is 15, -7 is 9
    (DType.INT8, [1, -2], "01 fe"),
    (DType.INT16, [258, -2], "02 01 fe ff"),
    (DType.INT32, [1, -2], "01 00 00 00 fe ff ff ff"),
    (DType.INT48, [1, -2, 2**47 - 1], "01 00 00 00 00 00 fe ff ff ff ff ff ff ff ff ff ff 7f"),
    (DType.SHAPE, [3, -1], "03 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff"),
    (DType.FP32, [1.0, -0.5], "00 00 80 3f 00 00 00 bf"),
    (DType.FP16, [1.0, -0.5], "00 3c 00 b8"),
    (DType.BF16, [0x3F80, 0xBF00], "80 3f 00 bf"),
    (DType.FP8E4M3, [0x38, 0xB0], "38 b0"),
    (DType.FP8E5M2, [0x3C, 0xB8], "3c b8"),
]


@pytest.mark.parametrize("dtype,elements,encoding", ENCODINGS)
def test_elements_have_the_bytes_of_the_format(dtype, elements, encoding):
    array = np.array(elements, assay.numpy_dtype(dtype))
    data = bytes.fromhex(encoding)
    assert assay.pack(dtype, array) == data
    unpacked = assay.unpack(dtype, array.shape, data)
    assert unpacked.dtype == array.dtype and (unpacked == array).all()


def test_every_type_has_an_encoding_here():
    assert {row[0] for row in ENCODINGS} == set(DType) - {DType.UNKNOWN}


def test_zeros_behind_the_data_are_padding():
    assert assay.unpack(DType.INT8, (2, 1), b"\1\2\0\0\0\0\0\0").tolist() == [[1], [2]]


def test_data_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="data has 5 bytes, too few for 6"):
        assay.unpack(DType.INT48, (), b"12345")


def test_a_nibble_of_minus_8_is_no_int4():
    with pytest.raises(ValueError, match="-8"):
        assay.unpack(DType.INT4, (2,), b"\x81")


@pytest.mark.parametrize("dtype,elements", [
    (DType.INT4, [-8]), (DType.INT4, [8]), (DType.INT8, [128]), (DType.INT16, [-32769]),
    (DType.INT48, [2**47]), (DType.INT32, [1.5]), (DType.FP32, [1]), (DType.FP16, np.float32([1])),
    (DType.BOOL, [1]),
    (DType.BOOL, np.uint8([2]).view(bool)), (DType.BF16, [-1]), (DType.FP8E4M3, [256])])
def test_values_that_do_not_fit_are_refused(dtype, elements):
    with pytest.raises(ValueError):
        assay.pack(dtype, np.array(elements))


def test_bits_of_types_that_numpy_lacks_become_numbers():
    # FP8E4M3: bias 7; 0x38 = exponent 7: 1; 0xb0: -2^-1; 0x01: 2^-9; 0x7e = 1.75 * 2^8: the largest
    assert assay.to_float32(DType.FP8E4M3, [0x38, 0xB0, 0x01, 0x7E]).tolist() == [
        1, -0.5, 2**-9, 448]
    assert math.isnan(assay.to_float32(DType.FP8E4M3, 0x7F))
    assert math.copysign(1, assay.to_float32(DType.FP8E4M3, 0x80)) == -1
    # FP8E5M2: bias 15; 0x3c: 1; 0x01: 2^-16; 0x7b = 1.75 * 2^15: the largest; 0xfc: -infinity
    assert assay.to_float32(DType.FP8E5M2, [0x3C, 0x01, 0x7B, 0xFC]).tolist() == [
        1, 2**-16, 57344, -math.inf]
    # BF16 is the upper half of FP32: 0x4049 is 3.140625
    assert assay.to_float32(DType.BF16, [0x3F80, 0x4049]).tolist() == [1, 3.140625]
    # Of rank 0, too.
    assert assay.to_float32(DType.BF16, np.array(0xC000, np.uint16)) == -2
    assert assay.to_float32(DType.FP8E5M2, np.array(0x3C, np.uint8)) == 1


def test_arrays_of_ml_dtypes_are_taken_as_their_bits(monkeypatch):
    # float16 stands in for bfloat16, because Debian has no package of ml_dtypes.
    monkeypatch.setitem(assay.dtypes._ML_DTYPES, "float16", DType.BF16)
    bits = assay.dtypes.ml_dtypes_view(np.float16([1, -2]))
    assert bits.dtype == np.uint16 and bits.tolist() == [0x3C00, 0xC000]
    assert assay.dtypes.ml_dtypes_view(np.float32([1])).dtype == np.float32


def test_shape_and_type_of_a_tensor_are_kept():
    tensor = assay.Tensor("t", (4,), DType.INT16)
    assert tensor.numpy() is None
    tensor.set(np.array([[1, 2], [3, -4]]))
    assert tensor.shape == (2, 2) and tensor.dtype == DType.INT16
    assert tensor.numpy().tolist() == [[1, 2], [3, -4]]

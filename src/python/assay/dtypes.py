# SPDX-License-Identifier: Apache-2.0
"""The types of TOSA and their elements as numpy arrays.

BOOL is bool; INT4 and INT8 are int8; INT16 is int16; INT32 is int32; INT48 and SHAPE are int64;
FP32 is float32; FP16 is float16. numpy has no BF16 and FP8. Their arrays hold bits: BF16 is uint16,
FP8E4M3 and FP8E5M2 are uint8. to_float32() converts them to numbers."""
import enum
import math

import numpy as np

from .generated.tosa import DType as _dtype


class _Named(enum.IntEnum):
    """A number of the schema that prints as its name: ADD, not 15."""

    def __str__(self):
        return self.name

    def __format__(self, specification):
        return format(self.name, specification)


def enum_of(generated):
    """Returns an IntEnum of the constants in a class that flatc made."""
    values = {name: value for name, value in vars(generated).items() if not name.startswith("_")}
    return _Named(generated.__name__, values, module=__name__)


DType = enum_of(_dtype.DType)

# The names of types in the specification's tables, without `_t`.
NAMED_TYPES = {"bool": DType.BOOL, "i4": DType.INT4, "i8": DType.INT8, "i16": DType.INT16,
               "i32": DType.INT32, "i48": DType.INT48, "fp32": DType.FP32, "fp16": DType.FP16,
               "bf16": DType.BF16, "shape": DType.SHAPE, "fp8e4m3": DType.FP8E4M3,
               "fp8e5m2": DType.FP8E5M2}
_NAME_OF_TYPE = {dtype: name for name, dtype in NAMED_TYPES.items()}

_NUMPY = {
    DType.BOOL: "?", DType.INT4: "i1", DType.INT8: "i1", DType.INT16: "<i2", DType.INT32: "<i4",
    DType.INT48: "<i8", DType.SHAPE: "<i8", DType.FP32: "<f4", DType.FP16: "<f2", DType.BF16: "<u2",
    DType.FP8E4M3: "u1", DType.FP8E5M2: "u1",
}
_RANGES = {DType.INT4: (-7, 7), DType.INT48: (-1 << 47, (1 << 47) - 1)}


def names_of(option, given):
    """Returns the names in a list of names and of members of Op and DType, as the library takes
    them. Raises TypeError, which names the option, if `given` is not such a list."""
    if isinstance(given, (str, bytes, enum.Enum)) or not hasattr(given, "__iter__"):
        raise TypeError(f"{option}: must be a list, such as {option}=[{str(given)!r}]")
    names = [_NAME_OF_TYPE[one] if isinstance(one, DType) and one in _NAME_OF_TYPE else
             one.name if isinstance(one, _Named) else one for one in given]
    for one in names:
        if not isinstance(one, str):
            raise TypeError(f"{option}: {one!r} is no name")
    return names


def numpy_dtype(dtype):
    """Returns the numpy type that holds elements of `dtype`; raises ValueError for UNKNOWN."""
    if dtype not in _NUMPY:
        raise ValueError(f"type {dtype!r} has no elements")
    return np.dtype(_NUMPY[dtype])


def packed_bytes(dtype, elements):
    """Returns the size in bytes of `elements` elements in a `.tosa` file."""
    if dtype == DType.INT4:
        return (elements + 1) // 2
    if dtype == DType.INT48:
        return 6 * elements
    return numpy_dtype(dtype).itemsize * elements


def checked(dtype, array):
    """Returns `array` as an array of numpy_dtype(dtype).

    Raises ValueError if a value does not fit, or if the array is of another kind. For FP32, float16
    fits, but int32 and float64 do not."""
    to = numpy_dtype(dtype)
    array = np.asarray(array)
    both_integer = array.dtype.kind in "iu" and to.kind in "iu"
    if not both_integer and not np.can_cast(array.dtype, to, "safe"):
        raise ValueError(f"numpy's {array.dtype} is no {dtype.name}")
    cast = array.astype(to)
    if dtype == DType.BOOL and (cast.view(np.uint8) > 1).any():
        raise ValueError("a value is neither true nor false")
    low, high = _RANGES.get(dtype, (cast, cast))
    if both_integer and ((cast != array) | (cast < low) | (cast > high)).any():
        raise ValueError(f"a value is beyond the range of {dtype.name}")
    return cast


# The element types of the package ml_dtypes that have the values of a TOSA type. It is optional.
_ML_DTYPES = {"bfloat16": DType.BF16, "float8_e4m3fn": DType.FP8E4M3, "float8_e5m2": DType.FP8E5M2}


def ml_dtypes_view(array):
    """Returns an array of ml_dtypes' bfloat16 or FP8 as the bits, which is how this package has
    such elements; any other array as it is."""
    dtype = _ML_DTYPES.get(array.dtype.name)
    return array if dtype is None else array.view(numpy_dtype(dtype))


def to_ml_dtypes(dtype, array):
    """Returns an array of BF16 or FP8 with the elements of ml_dtypes, which share the memory; any
    other array as it is. Raises ImportError if ml_dtypes is not installed."""
    import ml_dtypes  # Debian 12 has no package of it
    names = [name for name, one in _ML_DTYPES.items() if one == dtype]
    return array.view(getattr(ml_dtypes, names[0])) if names else array


def unpack(dtype, shape, data):
    """Returns the array in the bytes of a `.tosa` file. Ignores bytes beyond it: writers pad."""
    elements = math.prod(shape)
    if any(dim < 0 for dim in shape):
        raise ValueError(f"shape {list(shape)} is not known")
    needed = packed_bytes(dtype, elements)
    if len(data) < needed:
        raise ValueError(f"data has {len(data)} bytes, too few for {needed}")
    raw = np.frombuffer(data, np.uint8, needed)
    if dtype == DType.INT4:
        nibbles = np.stack([raw & 15, raw >> 4], axis=-1).reshape(-1)[:elements]
        if (nibbles == 8).any():
            raise ValueError("an element is -8, no value of INT4")
        array = ((nibbles ^ 8) - 8).astype(np.uint8).view(np.int8)
    elif dtype == DType.INT48:
        wide = np.zeros((elements, 8), np.uint8)
        wide[:, 2:] = raw.reshape(-1, 6)
        array = wide.reshape(-1).view("<i8") >> 16  # sign-extends
    elif dtype == DType.BOOL:
        array = raw != 0
    else:
        array = raw.view(numpy_dtype(dtype))
    return array.reshape(shape)


def pack(dtype, array):
    """Returns the bytes of an array in a `.tosa` file: little-endian, densely packed."""
    array = checked(dtype, array)
    if dtype == DType.INT4:
        nibbles = np.pad(array.reshape(-1).view(np.uint8) & 15, (0, array.size % 2))
        return (nibbles[::2] | nibbles[1::2] << 4).tobytes()
    if dtype == DType.INT48:
        return np.ascontiguousarray(array.reshape(-1, 1)).view(np.uint8)[:, :6].tobytes()
    return array.tobytes()


def to_float32(dtype, array):
    """Returns the numbers of a floating-point array as float32, which holds every value of every
    type exactly. Arrays that hold bits (BF16, FP8) are converted, too."""
    if dtype == DType.BF16:
        bits = np.asarray(array, np.uint16)
        return np.left_shift(bits, np.uint32(16), dtype=np.uint32).view(np.float32)
    if dtype == DType.FP8E5M2:  # the upper half of FP16
        bits = np.asarray(array, np.uint8)
        return np.left_shift(bits, np.uint16(8), dtype=np.uint16).view(np.float16).astype(np.float32)
    if dtype == DType.FP8E4M3:
        return _FP8E4M3[np.asarray(array, np.uint8)]
    if dtype in (DType.FP16, DType.FP32):
        return np.asarray(array).astype(np.float32)
    raise ValueError(f"{dtype.name} is no floating-point type")


def _fp8e4m3_numbers():
    """Returns the number of each of the 256 bit patterns.

    A pattern has a sign bit, four exponent bits with bias 7, and three fraction bits. There is no
    infinity. It is NaN if all bits except the sign are set."""
    bits = np.arange(256)
    exponent, fraction = (bits >> 3) & 15, bits & 7
    magnitude = np.where(exponent == 0, fraction * 2.0**-9, (8 + fraction) * 2.0**(exponent - 10))
    magnitude[(bits & 127) == 127] = np.nan
    return np.where(bits < 128, magnitude, -magnitude).astype(np.float32)


_FP8E4M3 = _fp8e4m3_numbers()

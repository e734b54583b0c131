# SPDX-License-Identifier: Apache-2.0
"""The worker of the backend `pytorch`: python3 -m assay.backends.pytorch [eager|script]

A graph becomes a function of PyTorch. eager runs one operator after the other. script traces the function once, freezes the trace and
optimizes it for inference."""
import dataclasses
import platform
import sys

from assay import DType, NanPropagationMode, Op, Value, dtypes, worker
from assay.worker import Rejected, Unsupported
import numpy as np

try:
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(1)
except ImportError:
    torch = None

BOOL, INT8, INT16, INT32 = DType.BOOL, DType.INT8, DType.INT16, DType.INT32
FP32, FP16, BF16, SHAPE = DType.FP32, DType.FP16, DType.BF16, DType.SHAPE
INTEGERS, FLOATS = [INT8, INT16, INT32], [FP32, FP16, BF16]
ANY = [BOOL, *INTEGERS, *FLOATS]


def to_torch(dtype, array):
    array = np.ascontiguousarray(array).reshape(np.shape(array))
    if dtype == BF16:
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


def to_numpy(tensor):
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(np.uint16)
    return tensor.numpy()


def torch_type(dtype):
    name = {BOOL: "bool", INT8: "int8", INT16: "int16", INT32: "int32", FP32: "float32",
            FP16: "float16", BF16: "bfloat16"}.get(dtype)
    if name is None:
        raise Unsupported(f"type {dtype}")
    return getattr(torch, name)


class Call:
    """An operator of a graph, and the operands that are constants."""

    def __init__(self, block, op, constants):
        self.op, self.name, self.attributes = op, op.op.name, op.attributes
        self.type = block.tensor(op.inputs[0]).dtype if op.inputs else None
        self.out = block.tensor(op.outputs[0])
        self._constants = constants

    def constant(self, i):
        """The elements of operand i, numbers of Python."""
        name = self.op.inputs[i]
        if name not in self._constants:
            raise Unsupported(f"{self.name}: an operand that is no constant", op=self.name)
        return [one.item() for one in self._constants[name].reshape(-1)]

    def no(self, reason):
        raise Unsupported(f"{self.name}: {reason}", op=self.name)


def ignores_nan(call):
    return call.attributes["nan_mode"] == NanPropagationMode.IGNORE


def maximum(call, x, y):
    return (torch.fmax if ignores_nan(call) else torch.maximum)(x, y)


def minimum(call, x, y):
    return (torch.fmin if ignores_nan(call) else torch.minimum)(x, y)


def clamp(call, x):
    dtype = call.type
    low, high = (to_torch(dtype, dtypes.unpack(dtype, (), call.attributes[name]))
                 for name in ("min_val", "max_val"))
    if ignores_nan(call):
        return torch.fmin(torch.fmax(x, low), high)
    return torch.clamp(x, low.item(), high.item())


def multiply(call, x, y, shift):
    if x.dtype.is_floating_point:
        return x * y
    product = x.to(torch.int64) * y.to(torch.int64)
    if count := call.constant(2)[0]:
        product = (product + (1 << count - 1)) >> count
    return product.to(torch.int32)


def negate(call, x, *zero_points):
    if x.dtype.is_floating_point:
        return -x
    limits = torch.iinfo(x.dtype)
    numbers = call.constant(2)[0] - (x.to(torch.int64) - call.constant(1)[0])
    return numbers.clamp(limits.min, limits.max).to(x.dtype)


def shift_right(call, x, y):
    shifted = torch.bitwise_right_shift(x, y)
    if not call.attributes["round"]:
        return shifted
    below = torch.bitwise_right_shift(x, (y - 1).clamp(min=0)) & 1
    return shifted + torch.where(y > 0, below, torch.zeros_like(below))


def cast(call, x):
    to = torch_type(call.out.dtype)
    if not x.dtype.is_floating_point or to.is_floating_point:
        return x.to(to)
    limits = torch.iinfo(to)
    return x.to(torch.float64).round().clamp(limits.min, limits.max).to(to)


def argmax(call, x):
    if ignores_nan(call):
        call.no("nan_mode=IGNORE")
    return torch.argmax(x, call.attributes["axis"]).to(torch.int32)


def reduce_extreme(function):
    def reduce(call, x):
        if x.dtype.is_floating_point and ignores_nan(call):
            call.no("nan_mode=IGNORE")
        return function(x, call.attributes["axis"], keepdim=True)
    return reduce


def reduce_with(name):
    return lambda call, x: getattr(torch, name)(x, call.attributes["axis"], keepdim=True)


def reduce_sum(call, x):
    return torch.sum(x, call.attributes["axis"], keepdim=True, dtype=x.dtype)


def channels_first(x):
    return x.movedim(-1, 1)


def channels_last(x):
    return x.movedim(1, -1)


def padded(x, pad, value=0):
    """`pad` is in TOSA's order: front and end of each spatial dimension, the outermost first."""
    pairs = [pad[i:i + 2] for i in range(0, len(pad), 2)]
    return F.pad(x, [int(one) for pair in reversed(pairs) for one in pair], value=value)


def operands(call, x, weight, bias):
    """Integers become numbers of float64, in which all sums of products are exact."""
    if x.dtype.is_floating_point:
        return x, weight, bias
    x, weight = x.to(torch.float64) - call.constant(3)[0], weight.to(torch.float64) - call.constant(4)[0]
    return x, weight, bias.to(torch.float64)


def convolution(call, x, weight, bias, *zero_points):
    x, weight, bias = operands(call, x, weight, bias)
    groups = 1
    if call.op.op == Op.DEPTHWISE_CONV2D:  # [KH,KW,C,M]
        groups = weight.shape[2]
        weight = weight.flatten(2).movedim(-1, 0).unsqueeze(1)
    else:
        weight = channels_first(weight)
    x = padded(channels_first(x), call.attributes["pad"])
    function = F.conv3d if call.op.op == Op.CONV3D else F.conv2d
    result = function(x, weight, bias.expand(weight.shape[0]), list(call.attributes["stride"]), 0,
                      list(call.attributes["dilation"]), groups)
    return channels_last(result).to(torch_type(call.out.dtype))


def transpose_convolution(call, x, weight, bias, *zero_points):
    x, weight, bias = operands(call, x, weight, bias)
    result = F.conv_transpose2d(channels_first(x), weight.permute(3, 0, 1, 2), None,
                                list(call.attributes["stride"]))
    result = padded(result, call.attributes["out_pad"])  # a negative number crops
    return (channels_last(result) + bias).to(torch_type(call.out.dtype))


def matmul(call, a, b, *zero_points):
    to = torch_type(call.out.dtype)
    if a.dtype.is_floating_point:
        return torch.matmul(a.to(to), b.to(to))
    a, b = a.to(torch.float64) - call.constant(2)[0], b.to(torch.float64) - call.constant(3)[0]
    return torch.matmul(a, b).to(to)


def average_pool(call, x, *zero_points):
    top, bottom, left, right = call.attributes["pad"]
    kernel = list(call.attributes["kernel"])
    if top != bottom or left != right or 2 * top > kernel[0] or 2 * left > kernel[1]:
        call.no("padding that is not symmetric, or larger than half of the kernel")
    return channels_last(F.avg_pool2d(channels_first(x), kernel, list(call.attributes["stride"]),
                                      [top, left], count_include_pad=False))


def max_pool(call, x):
    if not x.dtype.is_floating_point:
        lowest = torch.iinfo(x.dtype).min
        wide = padded(channels_first(x).to(torch.float32), call.attributes["pad"], lowest)
    elif ignores_nan(call):
        call.no("nan_mode=IGNORE")
    else:
        wide = padded(channels_first(x), call.attributes["pad"], float("-inf"))
    result = F.max_pool2d(wide, list(call.attributes["kernel"]), list(call.attributes["stride"]))
    return channels_last(result).to(x.dtype)


def pad(call, x, padding, fill):
    if x.dim() == 0:
        return x.clone()
    call.constant(2)  # F.pad takes a number
    return padded(x, call.constant(1), fill.item())


def slice_of(call, x, start, size):
    return x[tuple(slice(a, a + n) for a, n in zip(call.constant(1), call.constant(2)))].clone()


def index_of(values, indices):
    return indices.to(torch.int64).unsqueeze(-1).expand(-1, -1, values.shape[2])


def resize(call, x, *numbers):
    """PyTorch maps corners to corners, or centers of pixels to each other."""
    scale, offset = call.constant(1), call.constant(2)
    if call.attributes["mode"].name != "BILINEAR":
        call.no("mode=NEAREST")
    sides = list(zip(scale[::2], scale[1::2], offset, x.shape[1:3], call.out.shape[1:3]))
    corners = all(o == 0 and out > 1 and d * (out - 1) == n * (size - 1)
                  for n, d, o, size, out in sides)
    centers = all(2 * o == d - n and d * out == n * size for n, d, o, size, out in sides)
    if not corners and not centers:
        call.no("another map of pixels")
    result = F.interpolate(channels_first(x), tuple(call.out.shape[1:3]), mode="bilinear",
                           align_corners=corners)
    return channels_last(result)


def fft(call, real, imaginary):
    function = torch.fft.ifft2 if call.attributes["inverse"] else torch.fft.fft2
    norm = "forward" if call.attributes["inverse"] else "backward"  # neither divides
    result = function(torch.complex(real, imaginary), norm=norm)
    return [result.real.clone(), result.imag.clone()]


def rfft(call, real):
    result = torch.fft.rfft2(real)
    return [result.real.clone(), result.imag.clone()]


def plain(name):
    """An operator without attributes that PyTorch has."""
    return lambda call, *tensors: getattr(torch, name)(*tensors)


# Each operator as a function, and the types of its first operand.
OPERATORS = {
    Op.ABS: (plain("abs"), [INT32, *FLOATS]),
    Op.ADD: (plain("add"), [INT32, *FLOATS]),
    Op.ARGMAX: (argmax, [INT8, INT16, FP32, BF16]),
    Op.ARITHMETIC_RIGHT_SHIFT: (shift_right, INTEGERS),
    Op.AVG_POOL2D: (average_pool, [FP32, BF16]),
    Op.BITWISE_AND: (plain("bitwise_and"), INTEGERS),
    Op.BITWISE_NOT: (plain("bitwise_not"), INTEGERS),
    Op.BITWISE_OR: (plain("bitwise_or"), INTEGERS),
    Op.BITWISE_XOR: (plain("bitwise_xor"), INTEGERS),
    Op.CAST: (cast, ANY),
    Op.CEIL: (plain("ceil"), [FP32, BF16]),
    Op.CLAMP: (clamp, [INT8, INT16, FP32, BF16]),
    Op.CONCAT: (lambda call, *xs: torch.cat(xs, call.attributes["axis"]), ANY),
    Op.CONV2D: (convolution, [INT8, FP32, BF16]),
    Op.CONV3D: (convolution, [INT8, FP32, BF16]),
    Op.COS: (plain("cos"), [FP32, BF16]),
    Op.DEPTHWISE_CONV2D: (convolution, [INT8, FP32, BF16]),
    Op.EQUAL: (plain("eq"), [INT32, *FLOATS]),
    Op.ERF: (plain("erf"), [FP32, BF16]),
    Op.EXP: (plain("exp"), [FP32, BF16]),
    Op.FFT2D: (fft, [FP32]),
    Op.FLOOR: (plain("floor"), [FP32, BF16]),
    Op.GATHER: (lambda call, x, i: torch.gather(x, 1, index_of(x, i)), ANY),
    Op.GREATER: (plain("gt"), [INT32, *FLOATS]),
    Op.GREATER_EQUAL: (plain("ge"), [INT32, *FLOATS]),
    Op.IDENTITY: (lambda call, x: x.clone(), ANY),
    Op.INTDIV: (lambda call, x, y: torch.div(x, y, rounding_mode="trunc"), [INT32]),
    Op.LOG: (plain("log"), [FP32, BF16]),
    Op.LOGICAL_AND: (plain("logical_and"), [BOOL]),
    Op.LOGICAL_LEFT_SHIFT: (plain("bitwise_left_shift"), INTEGERS),
    Op.LOGICAL_NOT: (plain("logical_not"), [BOOL]),
    Op.LOGICAL_OR: (plain("logical_or"), [BOOL]),
    Op.LOGICAL_XOR: (plain("logical_xor"), [BOOL]),
    Op.MATMUL: (matmul, [INT8, FP32, BF16]),
    Op.MAXIMUM: (maximum, [INT32, FP32, BF16]),
    Op.MAX_POOL2D: (max_pool, [INT8, INT16, FP32, BF16]),
    Op.MINIMUM: (minimum, [INT32, FP32, BF16]),
    Op.MUL: (multiply, [*INTEGERS, *FLOATS]),
    Op.NEGATE: (negate, [INT8, INT16, INT32, *FLOATS]),
    Op.PAD: (pad, ANY),
    Op.POW: (plain("pow"), [FP32, BF16]),
    Op.RECIPROCAL: (plain("reciprocal"), [FP32, BF16]),
    Op.REDUCE_ALL: (reduce_with("all"), [BOOL]),
    Op.REDUCE_ANY: (reduce_with("any"), [BOOL]),
    Op.REDUCE_MAX: (reduce_extreme(lambda *a, **k: torch.amax(*a, **k)), [*INTEGERS, FP32, BF16]),
    Op.REDUCE_MIN: (reduce_extreme(lambda *a, **k: torch.amin(*a, **k)), [*INTEGERS, FP32, BF16]),
    Op.REDUCE_PRODUCT: (reduce_with("prod"), [FP32, BF16]),
    Op.REDUCE_SUM: (reduce_sum, [INT32, FP32, BF16]),
    Op.RESHAPE: (lambda call, x, shape: x.reshape(tuple(call.out.shape)).clone(), ANY),
    Op.RESIZE: (resize, [FP32]),
    Op.REVERSE: (lambda call, x: torch.flip(x, [call.attributes["axis"]]), ANY),
    Op.RFFT2D: (rfft, [FP32]),
    Op.RSQRT: (plain("rsqrt"), [FP32, BF16]),
    Op.SCATTER: (lambda call, x, i, new: torch.scatter(x, 1, index_of(x, i), new), ANY),
    Op.SELECT: (lambda call, c, x, y: torch.where(c, x, y), ANY),
    Op.SIGMOID: (plain("sigmoid"), [FP32, BF16]),
    Op.SIN: (plain("sin"), [FP32, BF16]),
    Op.SLICE: (slice_of, ANY),
    Op.SUB: (plain("sub"), [INT32, *FLOATS]),
    Op.TABLE: (lambda call, x, table: table[x.to(torch.int64) + 128], [INT8]),
    Op.TANH: (plain("tanh"), [FP32, BF16]),
    Op.TILE: (lambda call, x, counts: torch.tile(x, tuple(call.constant(1))), ANY),
    Op.TRANSPOSE_CONV2D: (transpose_convolution, [INT8, FP32, BF16]),
    Op.TRANSPOSE: (lambda call, x: x.permute(tuple(call.attributes["perms"])).clone(), ANY),
}


class Function(torch.nn.Module if torch else object):
    """The block `main` of a graph."""

    def __init__(self, graph):
        super().__init__()
        self._block, self._calls = graph.main, []
        arrays = {}
        for op in graph.main.operators:
            if op.op in (Op.CONST, Op.CONST_SHAPE):
                arrays[op.outputs[0]] = graph.main.tensor(op.outputs[0]).numpy()
            else:
                self._calls.append(Call(graph.main, op, arrays))
        shapes = {shape.name for shape in graph.main.shapes}
        self._constants = {name: None if name in shapes else
                           to_torch(graph.main.tensor(name).dtype, array)
                           for name, array in arrays.items()}

    def forward(self, *inputs):
        values = {**self._constants, **dict(zip(self._block.inputs, inputs))}
        for call in self._calls:
            results = OPERATORS[call.op.op][0](call, *[values[name] for name in call.op.inputs])
            if not isinstance(results, list):
                results = [results]
            values.update(zip(call.op.outputs, results))
        return tuple(values[name] for name in self._block.outputs)


@dataclasses.dataclass
class Loaded:
    block: object
    function: object
    traced: bool = False  # with the inputs of the first call; their values do not matter


class PyTorch(worker.Backend):
    name = "PyTorch"
    release = torch.__version__ if torch else ""
    environment = [f"Python {platform.python_version()}"]

    def __init__(self, variant):
        self._script = variant == "script"
        self.operators = {op: types for op, (_, types) in OPERATORS.items()}
        self.operators.update({Op.CONST: ANY, Op.CONST_SHAPE: []})

    def start(self):
        if torch is None:
            raise Unsupported("not installed: there is no Python module torch; "
                              "scripts/install.sh --with pytorch installs it")

    def load_graph(self, graph, level):
        if self._script and not graph.main.inputs:
            raise Unsupported("a graph without inputs is not traced")
        return Loaded(graph.main, Function(graph).eval())

    def invoke(self, context, graph, inputs):
        tensors = [to_torch(one.dtype, one.array) for one in inputs]
        if self._script and not graph.traced:
            trace = lambda: torch.jit.trace(graph.function, tuple(tensors), check_trace=False)
            graph.function = self._supported(lambda: torch.jit.optimize_for_inference(trace()))
            graph.traced = True
        outputs = self._supported(lambda: graph.function(*tensors))
        return [Value(graph.block.tensor(name).dtype, to_numpy(one))
                for name, one in zip(graph.block.outputs, outputs)]

    @staticmethod
    def _supported(function):
        try:
            with torch.no_grad():
                return function()
        except RuntimeError as error:
            if "not implemented for" in str(error):  # '"tanh" not implemented for 'Half''
                raise Unsupported(str(error).splitlines()[-1]) from error
            raise Rejected(" ".join(str(error).split())) from error


if __name__ == "__main__":
    worker.serve(PyTorch(sys.argv[1] if len(sys.argv) > 1 else "eager"))

# SPDX-License-Identifier: Apache-2.0
"""The worker of the backend `opencv`: python3 -m assay.backends.opencv"""
import numpy as np

from assay import DType, Op, Value
from assay.worker import Backend, Rejected, Unsupported, serve

# OpenCV's dnn calculates in FP32 alone. These operators have a layer there; a layer that an
# operator's translation needs and OpenCV lacks is unsupported, too.
_OPERATORS = {
    Op.ABS, Op.ADD, Op.AVG_POOL2D, Op.CEIL, Op.CLAMP, Op.CONCAT, Op.CONST, Op.CONST_SHAPE,
    Op.CONV2D, Op.CONV3D, Op.DEPTHWISE_CONV2D, Op.EXP, Op.FLOOR, Op.IDENTITY, Op.LOG, Op.MATMUL,
    Op.MAXIMUM, Op.MAX_POOL2D, Op.MINIMUM, Op.MUL, Op.NEGATE, Op.PAD, Op.POW, Op.RECIPROCAL,
    Op.REDUCE_MAX, Op.REDUCE_SUM, Op.RESHAPE, Op.RESIZE, Op.RSQRT, Op.SIGMOID, Op.SLICE, Op.SUB,
    Op.TANH, Op.TRANSPOSE, Op.TRANSPOSE_CONV2D,
}


class _Mat(np.ndarray):
    """An array of which no dimension counts as the channels of an image, which otherwise the last of
    three does. It stands for cv2.Mat, which Debian's package leaves out."""
    wrap_channels = False


class OpenCv(Backend):
    name = "OpenCV dnn"

    def start(self):
        try:
            import cv2
            from ..onnx import model, translation
        except ImportError as error:
            raise Unsupported(f"not installed: there is no Python module {error.name}; "
                              "scripts/install.sh --with opencv installs it") from error
        cv2._registerMatType(_Mat)
        cv2.setNumThreads(1)
        self._cv2, self._translate, self._opset = cv2, translation.translate, model.OPSET_OPENCV
        self.operators = {op: [DType.FP32] if DType.FP32 in types else types
                          for op, types in translation.supported(_OPERATORS).items()}
        self.release = cv2.__version__

    def load_graph(self, graph, level):
        for name in (*graph.main.inputs, *graph.main.outputs):
            if len(graph.main.tensor(name).shape) < 2:
                raise Unsupported("a tensor of rank 0 or 1: cv::Mat has none")
        translated = self._translate(graph, self._opset)
        if not translated.model.graph.node:
            raise Unsupported("a graph without operators")
        try:
            net = self._cv2.dnn.readNetFromONNX(translated.model.SerializeToString())
        except self._cv2.error as error:
            raise self._rejected(error) from error
        return net, translated, graph

    def invoke(self, context, loaded, inputs):
        net, translated, graph = loaded
        try:
            for one, value in zip(translated.inputs, inputs):
                net.setInput(value.array.view(_Mat), one.name)
            outputs = net.forward([one.name for one in translated.outputs])
        except self._cv2.error as error:
            raise self._rejected(error) from error
        return [Value(graph.main.tensor(name).dtype, array)
                for name, array in zip(graph.main.outputs, outputs)]

    @staticmethod
    def _rejected(error):
        """OpenCV reads a part of ONNX, and an exception is how it says that a model is outside."""
        return Rejected(" ".join(str(error).split()), unsupported=True)


if __name__ == "__main__":
    serve(OpenCv())

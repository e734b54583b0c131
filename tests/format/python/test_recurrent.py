# SPDX-License-Identifier: Apache-2.0
"""Models with state against the same in numpy, in fp64, written from their equations."""
import dataclasses

import numpy as np
import pytest

import assay
from assay import DType, Op
from conftest import assay_program

INVOCATIONS = 100
CONTEXTS = 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Lstm:
    """i, f, g, o = W [x, h] + b; c' = f c + i g; h' = o tanh(c')."""

    def __init__(self, weights, biases):
        self.weight, self.bias = weights[0], biases[0]
        self.hidden = self.cell = np.zeros(self.bias.size // 4)

    def step(self, x):
        gates = np.concatenate([x, self.hidden]) @ self.weight + self.bias
        i, f, g, o = np.split(gates, 4)
        self.cell = sigmoid(f) * self.cell + sigmoid(i) * np.tanh(g)
        self.hidden = sigmoid(o) * np.tanh(self.cell)
        return self.hidden


class Gru:
    """z, r = W [x, h] + b; n = tanh(V [x, r h] + d); h' = (1 - z) n + z h."""

    def __init__(self, weights, biases):
        self.weights, self.biases = weights, biases
        self.hidden = np.zeros(biases[1].size)

    def step(self, x):
        gates = np.concatenate([x, self.hidden]) @ self.weights[0] + self.biases[0]
        z, r = np.split(sigmoid(gates), 2)
        n = np.tanh(np.concatenate([x, r * self.hidden]) @ self.weights[1] + self.biases[1])
        self.hidden = (1 - z) * n + z * self.hidden
        return self.hidden


MODELS = {"lstm": Lstm, "gru": Gru}


def constants_of(block):
    """The second operands of the matrix products, and of the first sums on them, in fp64."""
    made = {op.outputs[0]: op for op in block.operators}
    weights, biases = [], []
    for op in block.operators:
        producers = [made.get(name) for name in op.inputs[:2]]
        if op.op == Op.MATMUL:
            weights.append(block.tensor(op.inputs[1]).numpy()[0].astype(np.float64))
        if op.op == Op.ADD and [one and one.op for one in producers] == [Op.MATMUL, Op.CONST]:
            biases.append(block.tensor(op.inputs[1]).numpy().ravel().astype(np.float64))
    return weights, biases


@pytest.fixture(scope="session")
def recurrent(tmp_path_factory):
    """Generated models in fp32, by the end of their names."""
    folder = tmp_path_factory.mktemp("recurrent") / "suite"
    assay_program("gen", "--out", folder, "--kind", "stateful", "--count", 1200, "--seed", 5)
    found = {name: [] for name in MODELS}
    for path in sorted(folder.rglob("*.tvec")):
        vector = assay.load(path)
        name = vector.name.split("-", 2)[-1]
        if name in found and vector.steps[0].inputs[0].dtype == DType.FP32:
            found[name].append(vector)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_a_hundred_invocations(recurrent, tmp_path, name):
    assert len(recurrent[name]) >= 3
    random = np.random.default_rng(1)
    worst = 0
    for index, vector in enumerate(recurrent[name]):
        block = vector.graphs[0].main
        given = vector.steps[0].inputs[0]
        models = [MODELS[name](*constants_of(block)) for _ in range(CONTEXTS)]
        expected, steps = [], []
        for _ in range(INVOCATIONS):
            context = int(random.integers(CONTEXTS))
            x = random.uniform(-2, 2, given.array.shape).astype(np.float32)
            steps.append(dataclasses.replace(
                vector.steps[0], context=context, state_after={}, outputs=[],
                inputs=[dataclasses.replace(given, array=x)]))
            expected.append(models[context].step(x.ravel().astype(np.float64)))
        vector.steps = steps
        file, out = tmp_path / f"{index}.tvec", tmp_path / str(index)
        vector.save(file)
        assay_program("run", file, "--out", out)
        for step, values in enumerate(expected):
            got = np.load(next(out.glob(f"step-{step}-*.npy"))).ravel()
            worst = max(worst, np.abs(got - values).max())
    print(f"{name}: {len(recurrent[name])} models, greatest difference {worst:.3g}")
    assert 0 < worst < 2e-6

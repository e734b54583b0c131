# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements and calculate nothing."""
import numpy as np

from .model import INT64


def concat(c):
    return c.model.node("Concat", c.inputs, c.out_dtype, c.out_shape, axis=c.attributes["axis"])


def identity(c):
    return c.model.like("Identity", c.inputs[0])


def pad(c):
    m, x = c.model, c.model.widened("Pad", c.inputs[0])
    pads = c.constant(1).reshape(-1, 2).T.reshape(-1)
    if m.opset < 11:
        return m.node("Pad", [x], x.dtype, c.out_shape, pads=[int(one) for one in pads],
                      value=float(c.constant(2)[0]))
    pads = m.constant(pads, np.int64)
    fill = m.cast(m.reshape(c.inputs[2], ()), x.dtype)
    return m.cast(m.node("Pad", [x, pads, fill], x.dtype, c.out_shape), c.out_dtype)


def reshape(c):
    return c.model.node("Reshape", [c.inputs[0], c.model.constant(c.out_shape, np.int64)],
                        c.out_dtype, c.out_shape)


def reverse(c):
    m, axis = c.model, c.attributes["axis"]
    bounds = [m.constant([one], np.int64) for one in (-1, np.iinfo(np.int64).min, axis, -1)]
    return m.like("Slice", c.inputs[0], *bounds)


def slice_(c):
    m, start, size = c.model, c.constant(1), c.constant(2)
    bounds = [m.constant(one, np.int64) for one in (start, start + size)]
    if not c.out_shape:
        return m.like("Identity", c.inputs[0])
    return m.node("Slice", [c.inputs[0], *bounds], c.out_dtype, c.out_shape)


def tile(c):
    if not c.out_shape:
        return c.model.like("Identity", c.inputs[0])
    multiples = c.model.constant(c.constant(1), np.int64)
    return c.model.node("Tile", [c.inputs[0], multiples], c.out_dtype, c.out_shape)


def transpose(c):
    return c.model.node("Transpose", [c.inputs[0]], c.out_dtype, c.out_shape,
                        perm=[int(one) for one in c.attributes["perms"]])


def gather(c):
    m, (values, indices) = c.model, c.inputs
    indices = m.reshape(m.cast(indices, INT64), (*indices.shape, 1))
    return m.node("GatherND", [values, indices], c.out_dtype, c.out_shape, batch_dims=1)


def scatter(c):
    m, (values, indices, updates) = c.model, c.inputs
    indices = m.reshape(m.cast(indices, INT64), (*indices.shape, 1))
    batch = np.arange(indices.shape[0], dtype=np.int64).reshape(-1, 1, 1)
    batches = m.constant(np.broadcast_to(batch, indices.shape))
    places = m.node("Concat", [batches, indices], INT64, (*indices.shape[:2], 2), axis=2)
    return m.node("ScatterND", [values, places, updates], c.out_dtype, c.out_shape)

#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A worker of Assay that runs TOSA graphs with TensorFlow.js, operator by operator:
//
//     npm install @tensorflow/tfjs @tensorflow/tfjs-backend-wasm
//     assay verify suite --backend 'worker:node worker.js node_modules cpu'
//
// The last word is the backend of TensorFlow.js: cpu (the default) or wasm.
// The part on FlatBuffers and the protocol is src/backend/examples/backend.js with more tables.
'use strict';
const fs = require('fs');

// Standard output belongs to the protocol. What your runtime prints there would be read as a frame.
console.log = console.info = console.debug = console.error;

// ---- FlatBuffers

// The fields of each table, in the order of worker_message.fbs, test_vector.fbs and tosa.fbs (in
// build/release/gen/fbs). Fields at the end that are not read may be left out. A union is two
// fields: its type, and a table.
const TABLES = {
  WorkerMessage: ['number u32', 'type u8', 'body Body', 'log string'],
  Hello: ['version u32'],
  LoadGraph: ['graph u32', 'tosa bytes', 'level string'],
  OpenContext: ['context u32'],
  Invoke: ['context u32', 'graph u32', 'inputs [Tensor]', 'state [NamedTensor]', 'taps [string]'],
  ResetContext: ['context u32'],
  CloseContext: ['context u32'],
  UnloadGraph: ['graph u32'],
  Ready: ['version u32', 'name string', 'release string', 'operators [OperatorSupport]',
          'contexts_max u32', 'refuses u8', 'variable_tensors u8', 'takes_state u8',
          'capabilities [Capability]', 'limits Limits', 'declarations [string]',
          'environment [string]', 'taps u8', 'taps_are_read u8'],
  OperatorSupport: ['op u32', 'types [u32]'],
  Capability: ['op u32', 'inputs [u32]', 'outputs [u32]', 'attributes [AttributeRange]'],
  AttributeRange: ['name string', 'min i64', 'max i64', 'values [i64]'],
  Limits: ['rank u32'],
  Done: [],
  Answer: ['outputs [Tensor]', 'state [NamedTensor]', 'taps [NamedTensor]'],
  Refused: ['reason string', 'op string'],
  Unsupported: ['reason string', 'op string'],
  Failed: ['reason string', 'wrote_outside u8', 'op string'],
  Rejected: ['reason string', 'kind u8', 'op string'],
  NamedTensor: ['name string', 'tensor Tensor'],
  Tensor: ['type u32', 'shape [i32]', 'data bytes'],
  TosaGraph: ['version Version', 'regions [TosaRegion]'],
  Version: [],
  TosaRegion: ['name string', 'blocks [TosaBasicBlock]'],
  TosaBasicBlock: ['name string', 'operators [TosaOperator]', 'tensors [TosaTensor]',
                   'inputs [string]', 'outputs [string]', 'shapes [TosaShape]'],
  TosaOperator: ['op u32', 'type u8', 'attribute Attribute', 'inputs [string]',
                 'outputs [string]'],
  TosaTensor: ['name string', 'shape [i32]', 'type u32', 'data bytes'],
  TosaShape: ['name string', 'rank u32', 'data bytes'],
  ClampAttribute: ['min_val bytes', 'max_val bytes', 'nan_mode u32'],
  AxisAttribute: ['axis i32'],
  PoolAttribute: ['kernel [i32]', 'stride [i32]', 'pad [i32]'],
  ConvAttribute: ['pad [i32]', 'stride [i32]', 'dilation [i32]'],
  TransposeConv2dAttribute: ['out_pad [i32]', 'stride [i32]'],
  FFT2dAttribute: ['inverse u8'],
  TransposeAttribute: ['perms [i32]'],
  ResizeAttribute: ['mode u32'],
};
// The members of the unions by their type. Of Attribute, only those that are read.
const UNIONS = {
  Body: [null, 'Hello', 'LoadGraph', 'OpenContext', 'Invoke', 'ResetContext', 'CloseContext',
         'UnloadGraph', 'Ready', 'Done', 'Answer', 'Refused', 'Unsupported', 'Failed', 'Rejected'],
  Attribute: {
    1: 'AxisAttribute', 2: 'PoolAttribute', 3: 'ConvAttribute', 4: 'ConvAttribute',
    5: 'ConvAttribute', 6: 'FFT2dAttribute', 8: 'PoolAttribute', 10: 'TransposeConv2dAttribute',
    11: 'ClampAttribute', 49: 'AxisAttribute', 50: 'AxisAttribute', 51: 'AxisAttribute',
    52: 'AxisAttribute', 53: 'AxisAttribute', 54: 'AxisAttribute', 55: 'AxisAttribute',
    58: 'AxisAttribute', 61: 'TransposeAttribute', 64: 'ResizeAttribute',
  },
};
const SIZES = {u8: 1, u32: 4, i32: 4, i64: 8};  // i64 only in lists

/** Reads a scalar, or what the offset at `at` leads to. `type` is a word of TABLES. */
function read(view, type, at) {
  if (type === 'u8') return view.getUint8(at);
  if (type === 'u32') return view.getUint32(at, true);
  if (type === 'i32') return view.getInt32(at, true);
  at += view.getUint32(at, true);
  const bytes = (length) => Buffer.from(view.buffer, view.byteOffset + at + 4, length);
  if (type === 'string') return bytes(view.getUint32(at, true)).toString('utf8');
  if (type === 'bytes') return bytes(view.getUint32(at, true));
  if (type.startsWith('[')) {
    const element = type.slice(1, -1), size = SIZES[element] || 4;
    return Array.from({length: view.getUint32(at, true)},
                      (_, i) => read(view, element, at + 4 + i * size));
  }
  const table = {}, vtable = at - view.getInt32(at, true);
  TABLES[type].forEach((field, i) => {
    const [name, fieldType] = field.split(' ');
    const known = 4 + 2 * i < view.getUint16(vtable, true);
    const offset = known ? view.getUint16(vtable + 4 + 2 * i, true) : 0;
    const member = fieldType in UNIONS ? UNIONS[fieldType][table.type] : fieldType;
    if (offset !== 0 && member) table[name] = read(view, member, at + offset);
    else if (!SIZES[fieldType]) table[name] = fieldType.startsWith('[') ? [] : null;
    else table[name] = 0;
  });
  return table;
}

function readRoot(bytes, type) {
  return read(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), type, 0);
}

/** Writes a FlatBuffer from its front to its end: a table, and behind it what its fields refer to. */
class Writer {
  constructor(root, type, identifier) {
    this.bytes = Buffer.alloc(1024);
    this.end = 8;
    this.bytes.write(identifier, 4, 'latin1');
    this.refer(0, this.add(root, type));
  }

  /** Returns the position of `count` new bytes of zeros; position + `ahead` is aligned. */
  take(count, alignment, ahead = 0) {
    while ((this.end + ahead) % alignment !== 0) ++this.end;
    const at = this.end;
    this.end += count;
    while (this.end > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
    }
    return at;
  }

  refer(from, to) { this.bytes.writeUInt32LE(to - from, from); }

  put(value, type, at) {
    if (type === 'u8') this.bytes.writeUInt8(Number(value), at);
    else if (type === 'u32') this.bytes.writeUInt32LE(value, at);
    else if (type === 'i32') this.bytes.writeInt32LE(value, at);
    else if (type === 'i64') this.bytes.writeBigInt64LE(BigInt(value), at);
    else this.refer(at, this.add(value, type));
  }

  add(value, type) {
    if (type === 'string') return this.addBytes(Buffer.from(value + '\0'), 1, 4);
    if (type === 'bytes') return this.addBytes(value, 0, 16);
    if (type.startsWith('[')) {
      const element = type.slice(1, -1), size = SIZES[element] || 4;
      const at = this.take(4 + value.length * size, Math.max(size, 4), 4);
      this.bytes.writeUInt32LE(value.length, at);
      value.forEach((one, i) => this.put(one, element, at + 4 + i * size));
      return at;
    }
    const fields = TABLES[type].map((field) => field.split(' '));
    const vtable = this.take(4 + 2 * fields.length, 2);
    const at = this.take(4 + 4 * fields.length, 4);  // each field has four bytes
    this.bytes.writeUInt16LE(4 + 2 * fields.length, vtable);
    this.bytes.writeUInt16LE(4 + 4 * fields.length, vtable + 2);
    this.bytes.writeInt32LE(at - vtable, at);
    fields.forEach(([name, fieldType], i) => {
      if (value[name] === undefined) return;
      this.bytes.writeUInt16LE(4 + 4 * i, vtable + 4 + 2 * i);
      const member = fieldType in UNIONS ? UNIONS[fieldType][value.type] : fieldType;
      this.put(value[name], member, at + 4 + 4 * i);
    });
    return at;
  }

  addBytes(content, terminators, alignment) {
    const at = this.take(4 + content.length, alignment, 4);
    this.bytes.writeUInt32LE(content.length - terminators, at);
    Buffer.from(content.buffer, content.byteOffset, content.length).copy(this.bytes, at + 4);
    return at;
  }

  result() { return this.bytes.subarray(0, this.end); }
}

// ---- The operators

const path = require('path');
const [folder = 'node_modules', backendName = 'cpu'] = process.argv.slice(2);
const load = (name) => require(path.resolve(folder, '@tensorflow', name));
const tf = load('tfjs');

const Type = {BOOL: 1, INT8: 3, INT32: 5, FP32: 7};
const ARRAYS = {[Type.BOOL]: Uint8Array, [Type.INT8]: Int8Array, [Type.INT32]: Int32Array,
                [Type.FP32]: Float32Array};
const DTYPES = {[Type.BOOL]: 'bool', [Type.INT8]: 'int32', [Type.INT32]: 'int32',
                [Type.FP32]: 'float32'};  // there is no int8

class NotSupported extends Error {}

/** The elements of little-endian bytes. (A typed array needs an aligned copy of them.) */
function elementsOf(type, bytes, count) {
  const size = ARRAYS[type].BYTES_PER_ELEMENT;
  return new ARRAYS[type](new Uint8Array(bytes.subarray(0, count * size)).buffer);
}

function countOf(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

/** Makes a tensor of the elements of a message or of CONST. */
function valueOf({type, shape, data}) {
  const elements = elementsOf(type, data, countOf(shape));
  return tf.tensor(type === Type.INT8 ? Int32Array.from(elements) : elements, shape, DTYPES[type]);
}

/** Makes the Tensor of a message. `name` and `type` are those of the graph. */
function messageOf(value, {name, type}) {
  if (value.dtype !== DTYPES[type]) throw new TypeError(`${name} has the type ${value.dtype}`);
  const elements = new ARRAYS[type](value.dataSync());  // a copy, of TOSA's width
  if (type === Type.BOOL) elements.forEach((one, i) => { elements[i] = one !== 0; });
  return {type, shape: value.shape, data: new Uint8Array(elements.buffer)};
}

// The padding of TOSA is [top, bottom, left, right].
function explicitPadding([top, bottom, left, right]) {
  return [[0, 0], [top, bottom], [left, right], [0, 0]];
}

function pairs(list) {
  return list.filter((_, i) => i % 2 === 0).map((first, i) => [first, list[2 * i + 1]]);
}

function needsRank(x, what) {
  if (x.rank === 0) throw new NotSupported(`tf.${what} does not take a tensor of rank 0`);
}

function transposeConv2d([x, weight, bias], {out_pad: pad, stride}) {
  const [batch, height, width] = x.shape, [channels, kernelY, kernelX] = weight.shape;
  const size = [(height - 1) * stride[0] + kernelY, (width - 1) * stride[1] + kernelX];
  let y = tf.conv2dTranspose(x, tf.transpose(weight, [1, 2, 0, 3]), [batch, ...size, channels],
                             stride, 'valid');
  // TOSA adds `pad` to the size of the output: a negative one crops it.
  const crop = pad.map((one) => Math.max(-one, 0)), grow = pad.map((one) => Math.max(one, 0));
  if (crop.some((one) => one > 0)) {
    y = tf.slice(y, [0, crop[0], crop[2], 0],
                 [batch, size[0] - crop[0] - crop[1], size[1] - crop[2] - crop[3], channels]);
  }
  if (grow.some((one) => one > 0)) y = tf.pad(y, explicitPadding(grow));
  return tf.add(y, bias);
}

/** The two-dimensional transform: TensorFlow.js transforms the last axis only. */
function fft2d(real, imaginary, inverse) {
  const swap = (x) => tf.complex(tf.transpose(tf.real(x), [0, 2, 1]),
                                 tf.transpose(tf.imag(x), [0, 2, 1]));
  const transform = inverse ? tf.ifft : tf.fft;
  const y = swap(transform(swap(transform(tf.complex(real, imaginary)))));
  const scale = inverse ? real.shape[1] * real.shape[2] : 1;  // tf.ifft divides, TOSA does not
  return [tf.mul(tf.real(y), scale), tf.mul(tf.imag(y), scale)];
}

function scatter([values, indices, updates]) {
  const [batches, width] = indices.shape;
  const batch = tf.tile(tf.reshape(tf.range(0, batches, 1, 'int32'), [batches, 1]), [1, width]);
  return tf.tensorScatterUpdate(values, tf.stack([batch, indices], 2), updates);
}

/** Without offset and border, TOSA samples as TensorFlow.js does with its corners aligned. */
function resize([x, , offset, border], {mode}, {shape}) {
  if ([...offset, ...border].some((one) => one !== 0)) {
    throw new NotSupported('RESIZE with an offset or a border');
  }
  const scale = mode === NEAREST ? tf.image.resizeNearestNeighbor : tf.image.resizeBilinear;
  return scale(x, [shape[1], shape[2]], true);
}

/** tf.cast cuts a fraction off, and TOSA rounds to the nearest integer, halves to even. */
function cast([x], _, {type}) {
  return tf.cast(x.dtype === 'float32' && type === INT32 ? tf.round(x) : x, DTYPES[type]);
}

const {BOOL, INT8, INT32, FP32} = Type;
const NEAREST = 1;
const PROPAGATE = {nan_mode: [1]};
const FLOAT = [[[FP32], [FP32]]], NUMBERS = [...FLOAT, [[INT32], [INT32]]];
const ALL = [...NUMBERS, [[BOOL], [BOOL]]];
const LOGIC = [[[BOOL], [BOOL]]], COMPARISON = [[[FP32], [BOOL]], [[INT32], [BOOL]]];
const SHAPED = ALL.map(([[type], outputs]) => [[type, 10, 10], outputs]);  // 10: SHAPE
// NaN is never ignored; among integers there is none, and any nan_mode will do.
const NAN_MODES = [[[FP32], [FP32], PROPAGATE], [[INT32], [INT32]]];
// TensorFlow.js has strides or dilations, not both.
const CONV = [[[FP32], [FP32], {dilation: [1]}], [[FP32], [FP32], {stride: [1]}]];

const unary = (op, types = FLOAT) => [types, ([x]) => op(x)];
const binary = (op, types) => [types, ([x, y]) => op(x, y)];
const reduce = (op, types) => [types, ([x], {axis}) => op(x, axis, true)];

// For each operator: its number in tosa.fbs, its capabilities (types of the inputs, types of the
// outputs, values of attributes), and a function of (operands, attribute).
const OPERATORS = {
  ARGMAX: [1, [[[FP32], [INT32], PROPAGATE]], ([x], {axis}) => tf.argMax(x, axis)],
  AVG_POOL2D: [2, FLOAT, ([x], {kernel, stride, pad}) =>
      tf.avgPool(x, kernel, stride, explicitPadding(pad))],
  CONV2D: [3, CONV, ([x, weight, bias], {stride, pad, dilation}) => tf.add(tf.conv2d(
      x, tf.transpose(weight, [1, 2, 3, 0]), stride, explicitPadding(pad), 'NHWC', dilation), bias)],
  CONV3D: [4, CONV.map(([i, o, attributes]) => [i, o, {...attributes, pad: [0]}]),
    ([x, weight, bias], {stride, dilation}) => tf.add(tf.conv3d(
        x, tf.transpose(weight, [1, 2, 3, 4, 0]), stride, 'valid', 'NDHWC', dilation), bias)],
  DEPTHWISE_CONV2D: [5, CONV, ([x, weight, bias], {stride, pad, dilation}) => tf.add(
      tf.depthwiseConv2d(x, weight, stride, explicitPadding(pad), 'NHWC', dilation), bias)],
  FFT2D: [6, FLOAT, ([real, imaginary], {inverse}) => fft2d(real, imaginary, inverse)],
  MATMUL: [7, FLOAT, ([a, b]) => tf.matMul(a, b)],
  MAX_POOL2D: [8, [[[FP32], [FP32], PROPAGATE]], ([x], {kernel, stride, pad}) =>
      tf.maxPool(x, kernel, stride, explicitPadding(pad))],
  RFFT2D: [9, FLOAT, ([x]) => {
    const shape = [x.shape[0], x.shape[1], Math.floor(x.shape[2] / 2) + 1];
    return fft2d(x, tf.zerosLike(x), false).map((one) => tf.slice(one, [0, 0, 0], shape));
  }],
  TRANSPOSE_CONV2D: [10, FLOAT, transposeConv2d],
  CLAMP: [11, [[[FP32], [FP32], PROPAGATE], [[INT8], [INT8]]],
    ([x], {min_val: low, max_val: high}, {type}) =>
        tf.clipByValue(x, elementsOf(type, low, 1)[0], elementsOf(type, high, 1)[0])],
  ERF: [12, ...unary(tf.erf)],
  SIGMOID: [13, ...unary(tf.sigmoid)],
  TANH: [14, ...unary(tf.tanh)],
  ADD: [15, ...binary(tf.add, NUMBERS)],
  // tf.bitwiseAnd does not broadcast.
  BITWISE_AND: [17, [[[INT32], [INT32]]], ([x, y], _, {shape}) =>
      tf.bitwiseAnd(tf.broadcastTo(x, shape), tf.broadcastTo(y, shape))],
  LOGICAL_AND: [21, ...binary(tf.logicalAnd, LOGIC)],
  LOGICAL_OR: [24, ...binary(tf.logicalOr, LOGIC)],
  LOGICAL_XOR: [25, ...binary(tf.logicalXor, LOGIC)],
  MAXIMUM: [26, ...binary(tf.maximum, NAN_MODES)],
  MINIMUM: [27, ...binary(tf.minimum, NAN_MODES)],
  MUL: [28, NUMBERS.map(([[type], outputs]) => [[type, type, INT8], outputs]), ([x, y, shift]) => {
    if (x.dtype === 'int32' && shift.dataSync()[0] !== 0) throw new NotSupported('MUL with a shift');
    return tf.mul(x, y);
  }],
  POW: [29, ...binary(tf.pow, FLOAT)],
  SUB: [30, ...binary(tf.sub, NUMBERS)],
  ABS: [32, ...unary(tf.abs, NUMBERS)],
  CEIL: [34, ...unary(tf.ceil)],
  COS: [36, ...unary(tf.cos)],
  EXP: [37, ...unary(tf.exp)],
  FLOOR: [38, ...unary(tf.floor)],
  LOG: [39, ...unary(tf.log)],
  LOGICAL_NOT: [40, ...unary(tf.logicalNot, LOGIC)],
  NEGATE: [41, ...unary(tf.neg, NUMBERS)],  // zero points of these types are 0
  RECIPROCAL: [42, ...unary(tf.reciprocal)],
  RSQRT: [43, ...unary(tf.rsqrt)],
  SIN: [44, ...unary(tf.sin)],
  SELECT: [45, ALL.map(([[type], outputs]) => [[BOOL, type], outputs]), ([condition, x, y]) =>
      tf.where(condition, x, y)],
  EQUAL: [46, ...binary(tf.equal, COMPARISON)],
  GREATER: [47, ...binary(tf.greater, COMPARISON)],
  GREATER_EQUAL: [48, ...binary(tf.greaterEqual, COMPARISON)],
  REDUCE_ALL: [49, ...reduce(tf.all, LOGIC)],
  REDUCE_ANY: [50, ...reduce(tf.any, LOGIC)],
  REDUCE_MAX: [51, ...reduce(tf.max, NAN_MODES)],
  REDUCE_MIN: [52, ...reduce(tf.min, NAN_MODES)],
  REDUCE_PRODUCT: [53, ...reduce(tf.prod, FLOAT)],
  REDUCE_SUM: [54, ...reduce(tf.sum, NUMBERS)],
  CONCAT: [55, ALL, (list, {axis}) => tf.concat(list, axis)],
  PAD: [56, ALL.map(([[type], outputs]) => [[type, 10, type], outputs]), ([x, padding, constant]) => {
    needsRank(x, 'pad');
    return tf.pad(x, pairs(padding), constant.dataSync()[0]);
  }],
  RESHAPE: [57, SHAPED, ([x, shape]) => tf.reshape(x, shape)],
  REVERSE: [58, ALL, ([x], {axis}) => tf.reverse(x, axis)],
  SLICE: [59, SHAPED, ([x, start, size]) => {
    needsRank(x, 'slice');
    return tf.slice(x, start, size);
  }],
  TILE: [60, SHAPED, ([x, multiples]) => tf.tile(x, multiples)],
  TRANSPOSE: [61, ALL, ([x], {perms}) => tf.transpose(x, perms)],
  GATHER: [62, NUMBERS.map(([[type], outputs]) => [[type, INT32], outputs]), ([values, indices]) =>
      tf.gather(values, indices, 1, 1)],
  SCATTER: [63, NUMBERS.map(([[type], outputs]) => [[type, INT32, type], outputs]), scatter],
  RESIZE: [64, [[[FP32, 10, 10, 10], [FP32]], [[INT8, 10, 10, 10], [INT8], {mode: [NEAREST]}]],
    resize],
  CAST: [65, [[[BOOL], [INT32]], [[INT32], [BOOL]], [[INT32], [FP32]], [[FP32], [INT32]]], cast],
  CONST: [67, [...ALL.map(([, outputs]) => [[], outputs]), [[], [INT8]]],
    (_, __, out) => valueOf(out)],
  IDENTITY: [68, ALL, ([x]) => tf.clone(x)],
  CONST_SHAPE: [75, [[[], []]], (_, __, {rank, data}) => Array.from(
      new BigInt64Array(new Uint8Array(data.subarray(0, 8 * rank)).buffer), Number)],
};
const BY_NUMBER = new Map(Object.entries(OPERATORS).map(([name, row]) => [row[0], [name, row[2]]]));

/** Runs a block. Operators run in the order of the list, if it is one in which operands exist. */
function run(block, inputs, taps) {
  const values = new Map(block.inputs.map((name, i) => [name, valueOf(inputs[i])]));
  const types = new Map([...block.tensors, ...block.shapes].map((one) => [one.name, one]));
  for (let left = block.operators; left.length > 0;) {
    const at = left.findIndex((op) => op.inputs.every((name) => values.has(name)));
    if (at < 0) throw new Error('operators wait for each other');
    const op = left[at], [name, execute] = BY_NUMBER.get(op.op);
    try {
      const result = execute(op.inputs.map((one) => values.get(one)), op.attribute,
                             types.get(op.outputs[0]));
      const several = op.outputs.length > 1;
      op.outputs.forEach((one, i) => values.set(one, several ? result[i] : result));
    } catch (error) {
      error.op = name;
      throw error;
    }
    left = left.filter((_, i) => i !== at);
  }
  const tensors = taps.filter((name) => values.get(name) instanceof tf.Tensor);
  return {
    outputs: block.outputs.map((name) => messageOf(values.get(name), types.get(name))),
    taps: tensors.map((name) => ({name, tensor: messageOf(values.get(name), types.get(name))})),
  };
}

// ---- The protocol

/** Makes a capability of a row of OPERATORS. An empty list of types allows any. */
function capability(op, [inputs, outputs, attributes = {}]) {
  const row = {op, attributes: Object.entries(attributes).map(([name, values]) => ({name, values}))};
  if (inputs.length > 0) row.inputs = inputs;
  if (outputs.length > 0) row.outputs = outputs;
  return row;
}

const READY = {
  version: 2,
  name: `TensorFlow.js, ${backendName}`,
  release: tf.version.tfjs,
  capabilities: Object.values(OPERATORS).flatMap(
      ([op, rows]) => rows.map((row) => capability(op, row))),
  contexts_max: 0,  // any number: there are no variables
  environment: [`node ${process.version}`],
  taps: true,
  taps_are_read: true,  // operators run one by one
};

const graphs = new Map();

/** Returns the reply to a request: [the name of its table, its fields]. */
function reply(request, name) {
  if (name === 'Hello') return ['Ready', READY];
  if (name === 'LoadGraph') {
    const blocks = readRoot(request.tosa, 'TosaGraph').regions.flatMap((region) => region.blocks);
    graphs.set(request.graph, blocks.find((block) => block.name === 'main'));
  }
  if (name === 'UnloadGraph') graphs.delete(request.graph);
  if (name === 'Invoke') {
    let answer;
    tf.tidy(() => { answer = run(graphs.get(request.graph), request.inputs, request.taps); });
    return ['Answer', answer];
  }
  return ['Done', {}];
}

/** Returns the reply to a request that has thrown `error`. */
function failure(error) {
  const fields = {reason: error.message, op: error.op || ''};
  if (error instanceof NotSupported) return ['Unsupported', fields];
  // The backend wasm has fewer kernels than cpu.
  if (/^Kernel '\w+' not registered for backend/.test(error.message)) return ['Unsupported', fields];
  console.error(error);
  // TensorFlow.js throws a plain Error if it refuses arguments. All else is a fault inside of it.
  return error.constructor === Error ? ['Rejected', {...fields, kind: 0}] : ['Failed', fields];
}

function readBytes(count) {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count;) {
    const got = fs.readSync(0, bytes, at, count - at);
    if (got === 0) process.exit(0);
    at += got;
  }
  return bytes;
}

function writeBytes(bytes) {
  for (let at = 0; at < bytes.length;) at += fs.writeSync(1, bytes, at);
}

async function main() {
  if (backendName === 'wasm') {
    const wasm = load('tfjs-backend-wasm');
    wasm.setWasmPaths(path.resolve(folder, '@tensorflow/tfjs-backend-wasm/dist') + path.sep);
    wasm.setThreadsCount(1);
  }
  if (!await tf.setBackend(backendName)) throw new Error(`there is no backend ${backendName}`);
  await tf.ready();
  serve();
}

function serve() {
  for (;;) {
    const message = readRoot(readBytes(readBytes(4).readUInt32LE(0)), 'WorkerMessage');
    let answer;
    try {
      answer = reply(message.body, UNIONS.Body[message.type]);
    } catch (error) {
      answer = failure(error);
    }
    const type = UNIONS.Body.indexOf(answer[0]);
    const bytes = new Writer({number: message.number, type, body: answer[1]}, 'WorkerMessage', 'TWRK')
        .result();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    writeBytes(Buffer.concat([length, bytes]));
  }
}

main();

#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Example of a program for `--backend worker:` in JavaScript, to start a backend of your own from.
// It needs node 18 or later, and no packages:
//
//     assay verify suite --backend 'worker:node backend.js'
//
// WORKER.md in this folder explains the protocol. What this worker declares it does exactly; all
// else is unsupported, and counted as that.
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
  Invoke: ['context u32', 'graph u32', 'inputs [Tensor]'],
  ResetContext: ['context u32'],
  CloseContext: ['context u32'],
  UnloadGraph: ['graph u32'],
  Ready: ['version u32', 'name string', 'release string', 'operators [OperatorSupport]',
          'contexts_max u32', 'refuses u8', 'variable_tensors u8', 'takes_state u8',
          'capabilities [Capability]', 'limits Limits', 'declarations [string]',
          'environment [string]'],
  OperatorSupport: ['op u32', 'types [u32]'],
  Done: [],
  Answer: ['outputs [Tensor]'],
  Refused: ['reason string', 'op string'],
  Unsupported: ['reason string', 'op string'],
  Failed: ['reason string', 'wrote_outside u8', 'op string'],
  Rejected: ['reason string', 'kind u8', 'op string'],
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
};
// The members of the unions by their type. Of Attribute, only those that are read.
const UNIONS = {
  Body: [null, 'Hello', 'LoadGraph', 'OpenContext', 'Invoke', 'ResetContext', 'CloseContext',
         'UnloadGraph', 'Ready', 'Done', 'Answer', 'Refused', 'Unsupported', 'Failed', 'Rejected'],
  Attribute: {11: 'ClampAttribute'},
};
const SIZES = {u8: 1, u32: 4, i32: 4};

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
    else this.refer(at, this.add(value, type));
  }

  add(value, type) {
    if (type === 'string') return this.addBytes(Buffer.from(value + '\0'), 1, 4);
    if (type === 'bytes') return this.addBytes(value, 0, 16);
    if (type.startsWith('[')) {
      const element = type.slice(1, -1), size = SIZES[element] || 4;
      const at = this.take(4 + value.length * size, 4);
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

const Type = {INT8: 3, INT32: 5, FP32: 7};
const ARRAYS = {[Type.INT8]: Int8Array, [Type.INT32]: Int32Array, [Type.FP32]: Float32Array};
const IGNORE = 2;  // NanPropagationMode

/** The elements of little-endian bytes. (A typed array needs an aligned copy of them.) */
function elementsOf(type, bytes) {
  return new ARRAYS[type](new Uint8Array(bytes).buffer);
}

function countOf(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

/** Calls function(i of the output, i of x, i of y) for two shapes that are broadcast. */
function broadcast(shape, x, y, each) {
  for (let i = 0; i < countOf(shape); ++i) {
    let rest = i, atX = 0, atY = 0, strideX = 1, strideY = 1;
    for (let axis = shape.length; axis-- > 0;) {
      const index = rest % shape[axis];
      rest = (rest - index) / shape[axis];
      if (x[axis] !== 1) atX += index * strideX;
      if (y[axis] !== 1) atY += index * strideY;
      strideX *= x[axis];
      strideY *= y[axis];
    }
    each(i, atX, atY);
  }
}

/** The bounds of CLAMP are raw bytes: one element of the input's type each. */
function clamp(x, result, attribute) {
  const low = elementsOf(x.type, attribute.min_val)[0];
  const high = elementsOf(x.type, attribute.max_val)[0];
  const ignores = attribute.nan_mode === IGNORE;
  elementsOf(x.type, x.data).forEach((value, i) => {
    result[i] = Number.isNaN(value) ? (ignores ? low : value) : Math.min(Math.max(value, low), high);
  });
}

const NUMBERS = [Type.INT32, Type.FP32];
const ANY = [];  // all types: the elements are only moved
// For each operator: its number in tosa.fbs, the types of its first input, and a function of
// (operands, output, attribute) that returns the bytes of the output.
const OPERATORS = {
  CLAMP: [11, [Type.INT8, Type.FP32], ([x], out, attribute) => {
    const result = new ARRAYS[out.type](elementsOf(x.type, x.data).length);
    clamp(x, result, attribute);
    return result;
  }],
  ADD: [15, NUMBERS, ([x, y], out) => {
    const a = elementsOf(x.type, x.data), b = elementsOf(y.type, y.data);
    const result = new ARRAYS[out.type](countOf(out.shape));
    broadcast(out.shape, x.shape, y.shape, (i, k, n) => { result[i] = a[k] + b[n]; });
    return result;
  }],
  ABS: [32, NUMBERS, ([x]) => elementsOf(x.type, x.data).map(Math.abs)],
  RESHAPE: [57, ANY, ([x]) => x.data],
  IDENTITY: [68, ANY, ([x]) => x.data],
  CONST: [67, [Type.INT8, Type.INT32, Type.FP32], (_, out) => {
    return elementsOf(out.type, out.data).subarray(0, countOf(out.shape));  // zeros may follow
  }],
  CONST_SHAPE: [75, ANY, (_, out) => out.data],
};
const BY_NUMBER = new Map(Object.values(OPERATORS).map((row) => [row[0], row]));

/** Runs a block. Operators run in the order of the list, if it is one in which operands exist. */
function run(block, inputs) {
  const values = new Map(block.inputs.map((name, i) => [name, inputs[i]]));
  const types = new Map([...block.tensors, ...block.shapes].map((one) => [one.name, one]));
  for (let left = block.operators; left.length > 0;) {
    const at = left.findIndex((op) => op.inputs.every((name) => values.has(name)));
    if (at < 0) throw new Error('operators wait for each other');
    const op = left[at];
    const out = types.get(op.outputs[0]);
    const data = BY_NUMBER.get(op.op)[2](op.inputs.map((name) => values.get(name)), out,
                                         op.attribute);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    values.set(out.name, {type: out.type, shape: out.shape, data: bytes});
    left = left.filter((_, i) => i !== at);
  }
  return block.outputs.map((name) => values.get(name));
}

// ---- The protocol

const READY = {
  version: 2,
  name: 'JavaScript example',
  release: '1',
  operators: Object.values(OPERATORS).map(([op, types]) => (types.length > 0 ? {op, types} : {op})),
  contexts_max: 0,                   // any number: there are no variables
  declarations: ['rounds-results'],  // each result is an array of its type
  environment: [`node ${process.version}`],
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
    return ['Answer', {outputs: run(graphs.get(request.graph), request.inputs)}];
  }
  return ['Done', {}];
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

for (;;) {
  const message = readRoot(readBytes(readBytes(4).readUInt32LE(0)), 'WorkerMessage');
  let answer;
  try {
    answer = reply(message.body, UNIONS.Body[message.type]);
  } catch (error) {
    // The backend broke down: the vector is a finding. `assay` starts a new worker.
    console.error(error);
    answer = ['Failed', {reason: String(error)}];
  }
  const type = UNIONS.Body.indexOf(answer[0]);
  const bytes =
      new Writer({number: message.number, type, body: answer[1]}, 'WorkerMessage', 'TWRK').result();
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  writeBytes(Buffer.concat([length, bytes]));
}

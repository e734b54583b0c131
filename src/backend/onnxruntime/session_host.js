// Runs ONNX models with ONNX Runtime. Arguments: the folder of the npm package, an optimization level
// ("disabled", "basic", "extended" or "all"), and the number of the file descriptor for replies.
//
// Requests come on standard input. Replies have a descriptor of their own, because a runtime may
// print to standard output. A message is: the length of its head and of its body (32 bits each,
// little-endian), the head as JSON, and the body, in which the elements of all tensors follow each
// other. The first reply describes the runtime. session_host.py is the other side.
'use strict';
const fs = require('fs');

const [kFolder, kLevel, kReplies] = process.argv.slice(2);
const kArrays = {
  bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, int32: Int32Array,
  int64: BigInt64Array, float32: Float32Array, float16: Uint16Array,
};

function read(length) {  // null at the end of the input
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const count = fs.readSync(0, bytes, done, length - done, null);
    if (count === 0) return null;
    done += count;
  }
  return bytes;
}

function write(bytes) {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(Number(kReplies), bytes, done);
}

function reply(head, parts = []) {
  const text = Buffer.from(JSON.stringify(head));
  const body = Buffer.concat(parts);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  write(Buffer.concat([lengths, text, body]));
}

function tensorsOf(ort, described, body) {
  const tensors = {};
  let offset = 0;
  for (const {name, type, shape, bytes} of described) {
    const elements = new Uint8Array(body.subarray(offset, offset + bytes)).buffer;  // an aligned copy
    tensors[name] = new ort.Tensor(type, new kArrays[type](elements), shape);
    offset += bytes;
  }
  return tensors;
}

function describe(name, tensor) {
  const {buffer, byteOffset, byteLength} = tensor.data;
  const part = Buffer.from(buffer, byteOffset, byteLength);
  return [{name, type: tensor.type, shape: tensor.dims, bytes: byteLength}, part];
}

async function answer(ort, sessions, options, head, body) {
  if (head.kind === 'load') {
    sessions.set(head.session, await ort.InferenceSession.create(new Uint8Array(body), options));
    return reply({});
  }
  const session = sessions.get(head.session);
  if (head.kind === 'unload') {
    sessions.delete(head.session);
    await session.release();
    return reply({});
  }
  const results = await session.run(tensorsOf(ort, head.inputs, body), head.outputs);
  const described = head.outputs.map((name) => describe(name, results[name]));
  return reply({outputs: described.map(([one]) => one)}, described.map(([, part]) => part));
}

async function main() {
  const ort = require(kFolder);
  if (ort.env.wasm) ort.env.wasm.numThreads = 1;
  const options = {
    graphOptimizationLevel: kLevel, logSeverityLevel: 3, intraOpNumThreads: 1, interOpNumThreads: 1,
  };
  const {version} = require(`${kFolder}/package.json`);
  reply({version, node: process.version});
  const sessions = new Map();
  for (let lengths; (lengths = read(8)) !== null;) {
    const head = JSON.parse(read(lengths.readUInt32LE(0)));
    const body = read(lengths.readUInt32LE(4));
    try {
      await answer(ort, sessions, options, head, body);
    } catch (error) {
      reply({error: String(error.message || error)});
    }
  }
}

main();

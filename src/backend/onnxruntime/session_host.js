// Runs ONNX models with ONNX Runtime. Arguments: the folder of the npm package, an optimization level
// ("disabled", "basic", "extended" or "all"), and the number of the file descriptor for replies.
// messages.js has the form of the messages. session_host.py is the other side.
'use strict';
const {serve} = require('./messages.js');

const [kFolder, kLevel, kReplies] = process.argv.slice(2);
const kArrays = {
  bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, int32: Int32Array,
  int64: BigInt64Array, float32: Float32Array, float16: Uint16Array,
};

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
    return [{}];
  }
  const session = sessions.get(head.session);
  if (head.kind === 'unload') {
    sessions.delete(head.session);
    await session.release();
    return [{}];
  }
  const results = await session.run(tensorsOf(ort, head.inputs, body), head.outputs);
  const described = head.outputs.map((name) => describe(name, results[name]));
  return [{outputs: described.map(([one]) => one)}, described.map(([, part]) => part)];
}

async function main() {
  const ort = require(kFolder);
  if (ort.env.wasm) ort.env.wasm.numThreads = 1;
  const options = {
    graphOptimizationLevel: kLevel, logSeverityLevel: 3, intraOpNumThreads: 1, interOpNumThreads: 1,
  };
  const {version} = require(`${kFolder}/package.json`);
  const sessions = new Map();
  await serve(Number(kReplies), {version, node: process.version},
              (head, body) => answer(ort, sessions, options, head, body));
}

main();

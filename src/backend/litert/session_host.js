// SPDX-License-Identifier: Apache-2.0
// Runs models of TensorFlow Lite with LiteRT.js. Arguments: the folder of the npm package, "relaxed"
// or "compat" (with or without relaxed SIMD), and the number of the file descriptor for replies. The
// form of the messages is in onnxruntime/messages.js. onnxruntime/session_host.py is the other side.
'use strict';
const fs = require('fs');
const v8 = require('v8');
const vm = require('vm');
const {serve} = require('../onnxruntime/messages.js');

const [kFolder, kVariant, kReplies] = process.argv.slice(2);
const kTypes = {float32: 1, int32: 2, uint8: 3, int64: 4, bool: 6, int16: 7, int8: 9};
const kNames = Object.fromEntries(Object.entries(kTypes).map(([name, type]) => [type, name]));

// Gives the package what it expects of a browser's worker.
function actAsBrowser() {
  globalThis.self = globalThis;
  globalThis.require = require;
  globalThis.__dirname = `${kFolder}/wasm`;
  globalThis.importScripts = (file) => vm.runInThisContext(fs.readFileSync(file, 'utf8'));
  globalThis.fetch = async (file) => new Response(
      fs.readFileSync(file), {headers: {'Content-Type': 'application/wasm'}});
}

function listed(vector) {
  return Array.from({length: vector.size()}, (_, i) => vector.get(i));
}

function load(wasm, environment, bytes) {
  const place = wasm._malloc(bytes.length);
  wasm.HEAPU8.set(bytes, place);
  const model = wasm.loadModel(environment, place, bytes.length);
  const compiled = wasm.compileModel(environment, model, {
    accelerator: 'wasm', environment: {liteRtEnvironment: environment}, cpuOptions: {numThreads: 1},
  });
  return {place, model, compiled};
}

function unload(wasm, {place, model, compiled}) {
  compiled.delete();
  model.delete();
  wasm._free(place);
}

function makeBuffer(wasm, environment, type, elements) {
  const buffer = wasm.LiteRtTensorBuffer.createManaged(
      environment, wasm.LiteRtTensorBufferType.HOST_MEMORY, type, elements.length);
  wasm.HEAPU8.set(elements, buffer.lock(wasm.LiteRtTensorBufferLockMode.WRITE));
  buffer.unlock();
  type.delete();
  return buffer;
}

function describe(wasm, buffer, name) {
  const type = buffer.tensorType();
  const shape = listed(type.layout().dimensions());
  const start = buffer.lock(wasm.LiteRtTensorBufferLockMode.READ);
  const part = Buffer.from(wasm.HEAPU8.slice(start, start + type.bytes()));
  buffer.unlock();
  const described = {name, type: kNames[type.elementType().value], shape, bytes: part.length};
  type.delete();
  return [described, part];
}

async function run(wasm, environment, {model, compiled}, head, body) {
  let offset = 0;
  const inputs = head.inputs.map(({bytes}, i) => {
    offset += bytes;
    return makeBuffer(wasm, environment, model.getInputTensorType(0, i),
                      body.subarray(offset - bytes, offset));
  });
  const results = await compiled.run(0, inputs);
  const described = head.outputs.map((name, i) => describe(wasm, results[i], name));
  for (const one of [...inputs, ...results]) one.delete();
  return [{outputs: described.map(([one]) => one)}, described.map(([, part]) => part)];
}

// Ends the process if WebAssembly traps or aborts: its memory cannot be trusted after that.
async function endIfAborted(call) {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    console.error(error);
    process.exit(1);
  }
}

async function main() {
  actAsBrowser();
  const {loadLiteRt} = await import(`${kFolder}/dist/index.js`);
  v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  const build = {relaxed: 'litert_wasm', compat: 'litert_wasm_compat'}[kVariant];
  const runtime = await loadLiteRt(`${kFolder}/wasm/${build}_internal.js`);
  const wasm = runtime.liteRtWasm;
  const environment = runtime.getDefaultEnvironment().liteRtEnvironment;
  const {version} = JSON.parse(fs.readFileSync(`${kFolder}/package.json`));
  const sessions = new Map();
  await serve(Number(kReplies), {version, node: process.version}, async (head, body) => {
    if (head.kind === 'run') {
      return endIfAborted(() => run(wasm, environment, sessions.get(head.session), head, body));
    }
    if (head.kind === 'load') {
      const loaded = await endIfAborted(() => load(wasm, environment, body));
      sessions.set(head.session, loaded);
    } else {
      unload(wasm, sessions.get(head.session));
      sessions.delete(head.session);
    }
    return [{}];
  });
}

main();

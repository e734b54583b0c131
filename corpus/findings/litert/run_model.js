// Runs a model with LiteRT.js: node run_model.js FOLDER MODEL.tflite [INPUT...]
//
// FOLDER is node_modules/@litertjs/core. An input is a list of FP32 numbers: 0,NaN
const fs = require('fs');
const vm = require('vm');
const [folder, file, ...inputs] = process.argv.slice(2);
require('v8').setFlagsFromString('--experimental-wasm-relaxed-simd');
Object.assign(globalThis, {
  self: globalThis, require, __dirname: `${folder}/wasm`,
  importScripts: (name) => vm.runInThisContext(fs.readFileSync(name, 'utf8')),
  fetch: async (name) => new Response(fs.readFileSync(name)),
});

import(`${folder}/dist/index.js`).then(async ({loadLiteRt, loadAndCompile, Tensor}) => {
  await loadLiteRt(`${folder}/wasm/litert_wasm_internal.js`);
  const model = await loadAndCompile(new Uint8Array(fs.readFileSync(file)), {accelerator: 'wasm'});
  const details = model.getInputDetails();
  const results = await model.run(inputs.map(
      (one, i) => new Tensor(Float32Array.from(one.split(','), Number), [...details[i].shape])));
  for (const one of results) console.log((await one.data()).toString());
});

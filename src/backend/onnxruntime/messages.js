// SPDX-License-Identifier: Apache-2.0
// The messages between a node process that runs models and session_host.py.
//
// Requests come on standard input. Replies have a descriptor of their own, because a runtime may
// print to standard output. A message is: the length of its head and of its body (32 bits each,
// little-endian), the head as JSON, and the body, in which the elements of all tensors follow each
// other. The first reply describes the runtime.
'use strict';
const fs = require('fs');

function read(length) {  // null at the end of the input
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const count = fs.readSync(0, bytes, done, length - done, null);
    if (count === 0) return null;
    done += count;
  }
  return bytes;
}

function write(descriptor, bytes) {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(descriptor, bytes, done);
}

function reply(descriptor, head, parts = []) {
  const text = Buffer.from(JSON.stringify(head));
  const body = Buffer.concat(parts);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  write(descriptor, Buffer.concat([lengths, text, body]));
}

// Sends `about`, and then answers requests until the input ends. `answer(head, body)` returns the
// head of the reply and the parts of its body. What it throws is a reply, too.
async function serve(descriptor, about, answer) {
  reply(descriptor, about);
  for (let lengths; (lengths = read(8)) !== null;) {
    const head = JSON.parse(read(lengths.readUInt32LE(0)));
    const body = read(lengths.readUInt32LE(4));
    try {
      reply(descriptor, ...await answer(head, body));
    } catch (error) {
      reply(descriptor, {error: String(error.message || error)});
    }
  }
}

module.exports = {serve};

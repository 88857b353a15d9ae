// SPDX-License-Identifier: MIT
// Makes a real heap graph of a dynamic language: parses JavaScript into syntax trees, keeps them,
// and writes V8's heap snapshot.  docs/importing.md has the recipe.
//
//   node --expose-internals --no-warnings --min-semi-space-size=512 --max-semi-space-size=512 \
//        ast_heap.js OUT.heapsnapshot [SOURCE_BYTES]
//
// The large nursery has the trees stay where the parser allocated them until one full collection
// moves them, in that order, to the old space.  With V8's default nursery they are copied out in
// many small collections and end up far from each other.
//
// What is parsed are the sources of Node's own library, which every node binary carries, in
// alphabetical order, until SOURCE_BYTES (default 1500000) have been taken; the parser is the
// copy of acorn that node carries as well.  So nothing needs to be downloaded.

'use strict';

const fs = require('fs');
const inspector = require('inspector');
const acorn = require('internal/deps/acorn/acorn/dist/acorn');

const [, , out, limit = '1500000'] = process.argv;
if (!out || !(Number(limit) > 0)) {
  console.error('usage: node --expose-internals --no-warnings ast_heap.js ' +
                'OUT.heapsnapshot [SOURCE_BYTES]');
  process.exit(2);
}

function parse(limitBytes) {
  const sources = process.binding('natives');
  const trees = new Map();
  let bytes = 0;
  for (const name of Object.keys(sources).sort()) {
    if (bytes >= limitBytes) break;
    if (typeof sources[name] !== 'string') continue;
    try {
      trees.set(name, acorn.parse(sources[name], {
        ecmaVersion: 'latest',
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
      }));
    } catch {
      continue; // a module of another kind; leave it out
    }
    bytes += sources[name].length;
  }
  return { trees, bytes };
}

// Tracking once before the snapshot numbers all objects in the order of their addresses, where
// v8.writeHeapSnapshot alone would number them in the order in which it happens on them.
function writeSnapshot(path) {
  const file = fs.openSync(path, 'w');
  const session = new inspector.Session();
  session.connect();
  session.on('HeapProfiler.addHeapSnapshotChunk', (m) => fs.writeSync(file, m.params.chunk));
  session.post('HeapProfiler.collectGarbage');
  session.post('HeapProfiler.startTrackingHeapObjects');
  session.post('HeapProfiler.takeHeapSnapshot', (error) => {
    if (error) throw new Error(error.message);
  });
  session.disconnect();
  fs.closeSync(file);
}

const kept = parse(Number(limit));
console.error(`${kept.trees.size} modules, ${kept.bytes} bytes of source`);
writeSnapshot(out);
console.error(`${fs.statSync(out).size} bytes in ${out}; ${kept.trees.size} trees were alive`);

// Runs the WebAssembly module beside the page. Messages in: `{id, request}`. Messages out: `{id, report}`
// and `{id, answer}`; `{id}` alone if the module cannot run. A page ends a search by ending its worker. Trees of
// moves cross as arrays, and bytes as they are.

import { loadModule } from './module.js';
import { packTree, unpackTree } from './packed-tree.js';

const loading = loadModule(async (imports) => {
  const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL('engine.wasm', import.meta.url)), imports);
  return instance;
});

addEventListener('message', async ({ data: { id, request } }) => {
  try {
    const ask = await loading;
    const { tree, bytes } = request;
    const plain = { ...request, ...(tree?.parents && { tree: unpackTree(tree) }), ...(bytes && { bytes: [...bytes] }) };
    const answer = JSON.parse(ask(JSON.stringify(plain), (report) => postMessage({ id, report: JSON.parse(report) })));
    if (answer.tree) answer.tree.tree = packTree(answer.tree.tree);
    postMessage({ id, answer });
  } catch (error) {
    console.warn(error);
    postMessage({ id });
  }
});

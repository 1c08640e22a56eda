// Runs the WebAssembly module beside the page. Messages in: `{id, request}`. Messages out: `{id, report}`
// and `{id, answer}`; `{id}` alone if the module cannot run. A page ends a search by ending its worker.

import { loadModule } from './module.js';

const loading = loadModule(async (imports) => {
  const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL('engine.wasm', import.meta.url)), imports);
  return instance;
});

addEventListener('message', async ({ data: { id, request } }) => {
  try {
    const ask = await loading;
    const answer = ask(JSON.stringify(request), (report) => postMessage({ id, report: JSON.parse(report) }));
    postMessage({ id, answer: JSON.parse(answer) });
  } catch (error) {
    console.warn(error);
    postMessage({ id });
  }
});

// Loads the WebAssembly module and passes requests to it, as JSON. Runs in a worker, and in tests.

/** The module's exports, as in shared/wasm/src/exports.rs.
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(length: number) => number} request
 * @property {() => number} answer
 * @property {() => number} answer_address */

/** Takes a request, calls `report` with each better answer, and returns the last.
 * @typedef {(request: string, report?: (answer: string) => void) => string} Ask */

/**
 * @param {(imports: WebAssembly.Imports) => Promise<WebAssembly.Instance>} instantiate
 * @returns {Promise<Ask>}
 */
export async function loadModule(instantiate) {
  /** @type {((answer: string) => void) | undefined} */
  let onreport;
  const decoder = new TextDecoder();
  const text = (/** @type {number} */ address, /** @type {number} */ length) =>
    decoder.decode(new Uint8Array(module.memory.buffer, address, length));
  const instance = await instantiate({
    page: {
      now_ms: () => performance.now(),
      report: (/** @type {number} */ address, /** @type {number} */ length) => onreport?.(text(address, length)),
    },
  });
  const module = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
  return (request, report) => {
    onreport = report;
    const bytes = new TextEncoder().encode(request);
    const address = module.request(bytes.length);
    new Uint8Array(module.memory.buffer, address, bytes.length).set(bytes);
    const length = module.answer();
    return text(module.answer_address(), length);
  };
}

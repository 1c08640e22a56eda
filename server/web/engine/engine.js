// The rules and the engine on the player's own processor: workers that run the WebAssembly module. Where
// that does not work, the server answers.

/** @import { BotSpec, EngineAnswer, EngineRequest, Judged, Point, Report, Review, Rules, Stone, Weight } from '../ui/protocol-types' */

import { RefusedError } from '../client/refused-error.js';
import { refusedAnswer } from '../language/refusals.js';

/** How long a position is analysed, in milliseconds. */
const ANALYSIS_MS = 60_000;
/** How long a bot thinks about its weights, in milliseconds. */
const WEIGH_MS = 1_000;

/** The module does not run here. */
class NoEngine extends Error {}

const LOCATION = new URL('worker.js', import.meta.url).href;
/** The page's security policy allows workers with this script only.
 * @type {string} */
const SCRIPT =
  /** @type {any} */ (globalThis).trustedTypes
    ?.createPolicy('worker', { createScriptURL: () => LOCATION })
    .createScriptURL('') ?? LOCATION;

/** A worker with its unanswered requests. */
export class EngineWorker {
  /** None where the browser has no workers, or allows none. @type {Worker | undefined} */
  #worker;
  #count = 0;
  /** @type {Map<number, { resolve: (answer: EngineAnswer) => void, reject: (error: unknown) => void, onreport?: (report: EngineAnswer) => void }>} */
  #asked = new Map();
  /** Why it has ended, if it has. @type {unknown} */
  #end;

  constructor() {
    try {
      this.#worker = new Worker(SCRIPT, { type: 'module' });
    } catch {
      this.end(new NoEngine());
      return;
    }
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(new NoEngine());
    };
    this.#worker.onmessage = ({ data: { id, report, answer } }) => {
      const asked = this.#asked.get(id);
      if (report) return asked?.onreport?.(report);
      if (!answer) return this.end(new NoEngine());
      this.#asked.delete(id);
      asked?.resolve(answer);
    };
  }

  /**
   * @param {EngineRequest} request @param {(report: EngineAnswer) => void} [onreport] receives each better answer
   * @returns {Promise<EngineAnswer>} fails with a `RefusedError`, with `NoEngine`, or with the reason of its end
   */
  async ask(request, onreport) {
    if (this.#end) throw this.#end;
    const id = this.#count++;
    /** @type {EngineAnswer} */
    const answer = await new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, onreport });
      this.#worker?.postMessage({ id, request });
    });
    if (answer.refused) throw new RefusedError(answer.refused);
    return answer;
  }

  get hasEnded() {
    return this.#end !== undefined;
  }

  /** Ends it, whatever it does. @param {unknown} why */
  end(why) {
    this.#end = why;
    this.#worker?.terminate();
    for (const { reject } of this.#asked.values()) reject(why);
    this.#asked.clear();
  }
}

/** Answers questions about positions. @type {EngineWorker | undefined} */
let judge;
let judgeIsLoaded = false;
/** Waits for the next search. @type {EngineWorker | undefined} */
let spare;

/** Loads the module, so that positions are judged without the server. */
export function loadJudge() {
  if (judge && !judge.hasEnded) return;
  judgeIsLoaded = false;
  judge = new EngineWorker();
  judge.ask({ type: 'position', rules: { variant: 'freestyle', size: [15, 15] }, moves: [] }).then(
    () => {
      judgeIsLoaded = true;
    },
    () => {},
  );
}

/**
 * What the rules say of a position, or of a game in a text.
 * @param {{rules: Rules} & ({moves: readonly Point[]} | {text: string})} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<Judged>} fails with a `RefusedError` if the text is no game
 */
export async function judgePosition(question, signal) {
  const own = async () => {
    const answer = await judge?.ask({ type: 'position', ...question });
    signal?.throwIfAborted();
    return /** @type {Judged} */ (answer?.position);
  };
  if (judgeIsLoaded && !judge?.hasEnded) return own();
  try {
    return await (await askServer('position', question, signal)).json();
  } catch (error) {
    // A refusal is an answer. Without a network the module answers, if it is known.
    if (!(error instanceof TypeError)) throw error;
    loadJudge();
    return own().catch((why) => {
      throw why instanceof NoEngine ? error : why;
    });
  }
}

/**
 * Asks the module something that the server does not answer. Fails where the module does not run.
 * @param {EngineRequest} request
 */
export async function askModule(request) {
  loadJudge();
  return /** @type {EngineWorker} */ (judge).ask(request);
}

/**
 * Analyses a position ever deeper, until it is decided, time is up, or the signal ends it.
 * @param {{rules: Rules, moves: readonly Point[], lines: number}} question
 * @param {AbortSignal} signal
 * @param {(report: Report) => void} onreport
 */
export async function analyse(question, signal, onreport) {
  let frame = 0;
  /** Shows the latest report only. @param {EngineAnswer} answer */
  const show = ({ analysis }) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => analysis && !signal.aborted && onreport(analysis));
  };
  try {
    show(await search({ type: 'analyse', ...question, time_ms: ANALYSIS_MS }, signal, show));
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error;
    await analyseOnServer(question, signal, onreport);
  }
}

/**
 * A bot's weights of the candidates. Fails where the module does not run.
 * @param {BotSpec} bot @param {Rules} rules @param {readonly Point[]} moves @param {AbortSignal} signal
 * @returns {Promise<Weight[]>} the best first
 */
export async function weigh(bot, rules, moves, signal) {
  const seed = moves.length;
  const { weights } = await search({ type: 'bot', task: 'weigh', bot, rules, moves, seed, time_ms: WEIGH_MS }, signal);
  return weights ?? [];
}

/**
 * A bot's move, or its act in an opening. Fails where the module does not run.
 * @param {Extract<EngineRequest, { type: 'bot' }>} question @param {number} time_ms @param {AbortSignal} signal
 */
export function think(question, time_ms, signal) {
  return search({ ...question, type: 'bot', time_ms }, signal);
}

/**
 * What the engine thinks of each move of a game. Fails where the module does not run.
 * @param {Rules} rules @param {readonly Point[]} moves @param {Stone | undefined} winner
 * @param {AbortSignal} signal @param {(done: number) => void} progress
 * @returns {Promise<Review | undefined>}
 */
export async function reviewGame(rules, moves, winner, signal, progress) {
  const { review } = await search({ type: 'review', rules, moves, winner }, signal, ({ reviewed }) =>
    progress(reviewed ?? 0),
  );
  return review;
}

/**
 * Searches in a worker of its own.
 * @param {EngineRequest & {rules: Rules}} request @param {AbortSignal} signal
 * @param {(report: EngineAnswer) => void} [onreport]
 */
async function search(request, signal, onreport) {
  const worker = spare ?? new EngineWorker();
  spare = undefined;
  const stop = () => {
    worker.end(signal.reason);
    // The next search is likely to be of the same rules.
    spare = new EngineWorker();
    spare.ask({ type: 'analyse', rules: request.rules, moves: [], lines: 1, nodes: 1 }).catch(() => {});
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await worker.ask(request, onreport);
  } finally {
    signal.removeEventListener('abort', stop);
    if (!worker.hasEnded) spare ??= worker;
  }
}

/**
 * Reads the server's reports, each a line of JSON, until the analysis ends.
 * @param {object} question @param {AbortSignal} signal @param {(report: Report) => void} onreport
 */
async function analyseOnServer(question, signal, onreport) {
  const { body } = await askServer('analyse', question, signal);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const lines = (text + value).split('\n');
    text = lines.pop() ?? '';
    const last = lines.at(-1);
    if (last && !signal.aborted) onreport(JSON.parse(last));
  }
}

/**
 * Fails with a `RefusedError`, or with a `TypeError` without a network.
 * @param {'analyse' | 'position'} what @param {object} question @param {AbortSignal} [signal]
 */
async function askServer(what, question, signal) {
  const answer = await fetch(`/api/${what}`, {
    method: 'POST',
    body: JSON.stringify(question),
    headers: { 'content-type': 'application/json' },
    signal,
  });
  if (!answer.ok) throw await refusedAnswer(answer);
  return answer;
}

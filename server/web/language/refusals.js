// Words refusals and other errors for people: by the refusal's code, in their language. Everything
// that the server refuses, over the socket or over HTTP, goes through here.

/** @import { Refusal } from '../ui/protocol-types' */
/** @import { Values } from './texts.js' */

import { RefusedError } from '../client/refused-error.js';
import { formatSpan, hasText, t } from './texts.js';

/** Codes for HTTP answers whose body holds no refusal.
 * @type {Record<number, string>} */
const CODES = { 404: 'no_such_game', 408: 'unavailable', 413: 'too_long', 429: 'too_fast', 503: 'busy' };

/**
 * A refusal in the player's language. The server's English stands in for codes that this page does
 * not know.
 * @param {Refusal} refusal
 * @returns {string}
 */
export function refusalText(refusal) {
  const key = `refused_${refusal.reason}`;
  return hasText(key) ? t(key, refusalValues(refusal)) : refusal.text || t('failed');
}

/**
 * Why something failed, for the player. Only refusals have more to say than "try again".
 * @param {unknown} error
 */
export function errorText(error) {
  if (error instanceof RefusedError) return refusalText(error.refusal);
  // `fetch` fails with a TypeError when there is no network; anything else is a bug of ours.
  if (!(error instanceof TypeError)) console.error(error);
  return t('failed');
}

/**
 * The refusal in an HTTP answer: its body in JSON, or else the code of its status.
 * @param {Response} answer
 */
export async function refusedAnswer(answer) {
  const text = await answer.text();
  const reason = CODES[answer.status] ?? '';
  if (!answer.headers.get('content-type')?.startsWith('application/json')) return new RefusedError({ reason, text });
  return new RefusedError({ reason, text: '', ...JSON.parse(text) });
}

/**
 * The parameters of a refusal, as its text takes them.
 * @param {Refusal} refusal
 * @returns {Values}
 */
export function refusalValues(refusal) {
  /** @type {Values} */
  const values = {};
  for (const [name, value] of Object.entries(refusal)) {
    if (value === 'black' || value === 'white') values[name] = t(value);
    else if (name === 'wait_ms') values.time = formatSpan(Number(value));
    else if (typeof value === 'string' || typeof value === 'number') values[name] = value;
    else if (isRefusal(value)) values[name] = refusalText(value);
  }
  return values;
}

/**
 * @param {unknown} value
 * @returns {value is Refusal}
 */
function isRefusal(value) {
  return typeof value === 'object' && value !== null && 'reason' in value;
}

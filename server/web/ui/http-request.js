// Requests to the server over HTTP. The browser's cookie says for which account they speak.

import { RefusedError } from '../client/refused-error.js';
import { refusedAnswer } from '../language/refusals.js';

/**
 * Sends a request, and returns the answer's JSON, if it has any.
 * @param {'GET' | 'POST' | 'PUT' | 'DELETE'} method
 * @param {string} path below `/api/`
 * @param {object} [body]
 * @param {string | null} [identity] of the guest that becomes an account
 * @returns {Promise<any>}
 */
export async function request(method, path, body, identity) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (body) headers['content-type'] = 'application/json';
  if (identity) headers.authorization = `Bearer ${identity}`;
  // What somebody has typed is stored also if they leave the page.
  const keepalive = method === 'PUT';
  const answer = await fetch(`/api/${path}`, { method, headers, body: body && JSON.stringify(body), keepalive });
  if (!answer.ok) throw await refusedAnswer(answer);
  const text = await answer.text();
  return text ? JSON.parse(text) : undefined;
}

/** The code of a refusal. @param {unknown} error */
export function reasonOf(error) {
  return error instanceof RefusedError ? error.refusal.reason : '';
}

// Requests about accounts and their sessions. The browser's cookie says for which account they speak.

import { write } from '../dom.js';
import { errorText, RefusedError, refusalValues, refusedAnswer } from '../refusals.js';
import { refusedText, ty } from './texts.js';

const DAY_MS = 86_400_000;

/** @typedef {{ id: string, name: string, made_at: number }} Account */
/** Where somebody is signed in.
 * @typedef {{ id: string, label: string, made_at: number, seen_at: number, current: boolean }} Session */
/** @typedef {{ id: string, label: string, made_at: number, used_at: number | null }} Passkey */
/** @typedef {Passkey & { scopes: string[], expires_at: number }} Token */
/** @typedef {Account & { tokens: Token[] }} Bot */
/** @typedef {{ account: Account, sessions: Session[], recovery_codes_left: number, has_password: boolean, passkeys: Passkey[], oidc: Passkey[], tokens: Token[], operator?: boolean }} AccountAnswer */

/**
 * Sends a request, and returns the answer's JSON, if it has any.
 * @param {'GET' | 'POST' | 'DELETE'} method
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
  const answer = await fetch(`/api/${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw await refusedAnswer(answer);
  const text = await answer.text();
  return text ? JSON.parse(text) : undefined;
}

/** The code of a refusal. @param {unknown} error */
export function reasonOf(error) {
  return error instanceof RefusedError ? error.refusal.reason : '';
}

/** Tries something that a button asks for; the line shows why it failed. @param {HTMLElement} line @param {() => Promise<unknown>} act */
export async function attempt(line, act) {
  try {
    write(line, '');
    await act();
  } catch (error) {
    write(line, faultText(error));
  }
}

/** Why a request failed, for the player. @param {unknown} error */
export function faultText(error) {
  // The device or the player has turned a passkey down.
  if (error instanceof DOMException) return error.name === 'InvalidStateError' ? ty('passkey_there') : ty('passkey_cancelled');
  if (!(error instanceof RefusedError)) return errorText(error);
  const { refusal } = error;
  // Some texts count days.
  const values = { ...refusalValues(refusal), count: Math.ceil(Number(refusal.wait_ms ?? 0) / DAY_MS) };
  return refusedText(refusal.reason, values) || errorText(error);
}

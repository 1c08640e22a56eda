// What requests about accounts and their sessions answer, and why they fail, in the player's language.

import { DAY_MS } from '../client/clock.js';
import { RefusedError } from '../client/refused-error.js';
import { errorText, refusalValues } from '../language/refusals.js';
import { write } from '../ui/dom.js';
import { refusedText, ty } from './texts.js';

/** @typedef {{ id: string, name: string, made_at: number }} Account */
/** Where somebody is signed in.
 * @typedef {{ id: string, label: string, made_at: number, seen_at: number, current: boolean }} Session */
/** @typedef {{ id: string, label: string, made_at: number, used_at: number | null }} Passkey */
/** @typedef {Passkey & { scopes: string[], expires_at: number }} Token */
/** @typedef {Account & { tokens: Token[] }} Bot */
/** @typedef {{ account: Account, sessions: Session[], recovery_codes_left: number, has_password: boolean, passkeys: Passkey[], oidc: Passkey[], tokens: Token[], operator?: boolean }} AccountAnswer */

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
  if (error instanceof DOMException)
    return error.name === 'InvalidStateError' ? ty('passkey_there') : ty('passkey_cancelled');
  if (!(error instanceof RefusedError)) return errorText(error);
  const { refusal } = error;
  // Some texts count days.
  const values = { ...refusalValues(refusal), count: Math.ceil(Number(refusal.wait_ms ?? 0) / DAY_MS) };
  return refusedText(refusal.reason, values) || errorText(error);
}

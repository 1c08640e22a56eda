// Passkeys: keys that the player's devices hold, and unlock by a finger, a face or a PIN.
//
// Browsers offer them only on encrypted pages and at localhost, and never at an address made of numbers.

import { request } from '../ui/http-request.js';

/** @typedef {{ challenge: string, options: { publicKey: any } }} Started */
/** @typedef {{ challenge: string, credential: object, label?: string }} PasskeyAnswer */

/** @type {Promise<{ domain: string | null, oidc?: string, email?: boolean }> | undefined} */
let ways;

/** How people can sign in here, and whether the server sends e-mail. Asked once; a failure is not remembered. */
export function signInWays() {
  ways ??= request('GET', 'passkeys').catch(() => {
    ways = undefined;
    return { domain: null };
  });
  return ways;
}

/** Whether passkeys work on this page: the browser has them, and the server's domain is this one. */
export async function passkeysWork() {
  return couldWork() && isOf((await signInWays()).domain);
}

function couldWork() {
  return 'PublicKeyCredential' in window && isSecureContext && !/^[\d.]+$|^\[/.test(location.hostname);
}

/** @param {string | null} domain */
function isOf(domain) {
  return !!domain && (location.hostname === domain || location.hostname.endsWith(`.${domain}`));
}

/**
 * Has the device make a passkey: of a new account by this name, or one more.
 * @param {{ for: 'sign_up', name: string } | { for: 'add' }} what
 * @param {string | null} [identity] of the guest that becomes an account
 * @returns {Promise<PasskeyAnswer>}
 */
export async function createPasskey(what, identity) {
  /** @type {Started} */
  const {
    challenge,
    options: { publicKey },
  } = await request('POST', 'passkeys/challenge', what, identity);
  const made = await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: bytes(publicKey.challenge),
      user: { ...publicKey.user, id: bytes(publicKey.user.id) },
      excludeCredentials: withBytes(publicKey.excludeCredentials),
    },
  });
  const { response } = /** @type {PublicKeyCredential} */ (made);
  const { attestationObject, clientDataJSON } = /** @type {AuthenticatorAttestationResponse} */ (response);
  return answer(challenge, made, { attestationObject: text(attestationObject), clientDataJSON: text(clientDataJSON) });
}

/**
 * Has the device use one of its passkeys.
 * @param {{ for: 'sign_in' | 'confirm' }} what
 * @returns {Promise<PasskeyAnswer>}
 */
export async function usePasskey(what) {
  /** @type {Started} */
  const {
    challenge,
    options: { publicKey },
  } = await request('POST', 'passkeys/challenge', what);
  const used = await navigator.credentials.get({
    publicKey: {
      ...publicKey,
      challenge: bytes(publicKey.challenge),
      allowCredentials: withBytes(publicKey.allowCredentials),
    },
  });
  const { response } = /** @type {PublicKeyCredential} */ (used);
  const { authenticatorData, clientDataJSON, signature, userHandle } = /** @type {AuthenticatorAssertionResponse} */ (
    response
  );
  return answer(challenge, used, {
    authenticatorData: text(authenticatorData),
    clientDataJSON: text(clientDataJSON),
    signature: text(signature),
    userHandle: userHandle && text(userHandle),
  });
}

/** @param {string} challenge @param {Credential | null} credential @param {object} response @returns {PasskeyAnswer} */
function answer(challenge, credential, response) {
  const { id, rawId } = /** @type {PublicKeyCredential} */ (credential);
  return { challenge, credential: { id, rawId: text(rawId), type: 'public-key', response, extensions: {} } };
}

/** @param {{ id: string, type: 'public-key' }[] | null | undefined} list */
function withBytes(list) {
  return list?.map((one) => ({ type: one.type, id: bytes(one.id) })) ?? [];
}

/** Reads base64url. @param {string} coded */
function bytes(coded) {
  return Uint8Array.from(atob(coded.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}

/** Writes base64url. @param {ArrayBuffer} buffer */
function text(buffer) {
  const letters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

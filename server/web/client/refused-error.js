// The error that a refused command fails with.

/** @import { Refusal } from './protocol-types.js' */

/** A refusal, as the error that a command or a request fails with. Its message is the server's English. */
export class RefusedError extends Error {
  /** @param {Refusal} refusal */
  constructor(refusal) {
    super(refusal.text);
    this.refusal = refusal;
  }
}

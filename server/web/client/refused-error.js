// The error that a refused command fails with.

/** @import { Refusal } from './protocol-types.js' */

/** A refusal, as the error of a command or a request. Its message is the server's English text. */
export class RefusedError extends Error {
  /** @param {Refusal} refusal */
  constructor(refusal) {
    super(refusal.text);
    this.refusal = refusal;
  }
}

// An SMTP server on a free port, which keeps the messages that it gets, and a server that sends its e-mail there.

import { createServer } from 'node:net';

import { you } from './accounts.mjs';
import { freePort, Server } from './harness.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { Settings } from './harness.mjs' */

/** A message as its reader sees it, if it is of ASCII or in quoted-printable (RFC 2045, section 6.7). @param {string} text */
function read(text) {
  if (!/^Content-Transfer-Encoding: quoted-printable\r$/m.test(text)) return text;
  const bytes = text
    .replaceAll('=\r\n', '')
    .replace(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

export class MailServer {
  /** Those that were not read yet. @type {string[]} */
  #messages = [];
  #server = createServer((socket) => this.#serve(socket));
  url = '';

  static async start() {
    const mail = new MailServer();
    await /** @type {Promise<void>} */ (new Promise((resolve) => mail.#server.listen(0, '127.0.0.1', () => resolve())));
    const { port } = /** @type {import('node:net').AddressInfo} */ (mail.#server.address());
    mail.url = `smtp://127.0.0.1:${port}`;
    return mail;
  }

  /** The next message. */
  async next() {
    for (let waits = 0; waits < 200; waits += 1) {
      const text = this.#messages.shift();
      if (text) return text;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('no message came');
  }

  /** What the next message has. @param {RegExp} what */
  async find(what) {
    const text = await this.next();
    const found = what.exec(text)?.[1];
    if (!found) throw new Error(`not in the message: ${text}`);
    return found;
  }

  close() {
    this.#server.close();
  }

  /** @param {import('node:net').Socket} socket */
  #serve(socket) {
    let [text, isMessage] = ['', false];
    const say = (/** @type {string} */ line) => socket.write(`${line}\r\n`);
    say('220 a server for tests');
    socket.on('error', () => {});
    socket.on('data', (data) => {
      text += data;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        if (isMessage) {
          const whole = text.indexOf('\r\n.\r\n');
          if (whole < 0) return;
          this.#messages.push(read(text.slice(0, whole + 2)));
          text = text.slice(whole + 5);
          isMessage = false;
          say('250 it is here');
          continue;
        }
        const command = text.slice(0, 4).toUpperCase();
        text = text.slice(end + 2);
        isMessage = command === 'DATA';
        say(isMessage ? '354 go on' : command === 'QUIT' ? '221 until then' : '250 yes');
      }
    });
  }
}

/** Starts a server that sends its e-mail here. @param {MailServer} mail @param {Settings} settings @param {string} [program] */
export async function startWithMail(mail, settings, program) {
  const port = await freePort();
  const url = { listen: `127.0.0.1:${port}`, 'public-url': `http://localhost:${port}` };
  return Server.start({ ...url, smtp: mail.url, 'mail-from': 'Fivefold <news@play.example>', ...settings }, program);
}

/** Confirms an address for the player of this page. @param {MailServer} mail @param {Page} page @param {string} address */
export async function confirmAddress(mail, page, address) {
  const dialog = await you(page);
  await dialog.getByText('E-mail', { exact: true }).click();
  await dialog.getByLabel('E-mail address').fill(address);
  await dialog.getByRole('button', { name: 'Send the link' }).click();
  const link = await mail.find(/(http:\S+#email=\S+)/);
  await page.goto('/');
  await page.goto(link);
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm the address' }).click();
  await page.locator('.toast').getByText('The address is confirmed.').waitFor();
}

// Signing up and in on the page by another site (OpenID Connect), against a small provider over HTTP.

import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { guest, named, own, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { freePort, openBrowser, PHONE, Server } from './harness.mjs';

/** @import { Browser } from 'playwright-core' */

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** @type {Map<string, string>} */
const nonces = new Map();
/** Who sits before the browser. */
const subject = 'ann-1';
const at = /** @type {{ server: Server, browser: Browser }} */ ({});
let issuer = '';

/** @param {object} value */
function coded(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const provider = createServer((request, response) => {
  const url = new URL(request.url ?? '', issuer);
  /** @param {object} value */
  const say = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  if (url.pathname.endsWith('openid-configuration')) {
    say({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
  } else if (url.pathname === '/keys') {
    say({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] });
  } else if (url.pathname === '/authorize') {
    const code = randomBytes(9).toString('hex');
    nonces.set(code, url.searchParams.get('nonce') ?? '');
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.search = String(new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }));
    response.writeHead(302, { location: String(back) }).end();
  } else {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const code = new URLSearchParams(body).get('code') ?? '';
      const now = Math.floor(Date.now() / 1000);
      const signed = `${coded({ alg: 'RS256', kid: 'one' })}.${coded({ iss: issuer, sub: subject, aud: 'fivefold', iat: now, exp: now + 300, nonce: nonces.get(code) })}`;
      const signature = sign('sha256', Buffer.from(signed), keys.privateKey).toString('base64url');
      say({ access_token: 'a', token_type: 'Bearer', id_token: `${signed}.${signature}` });
    });
  }
});

before(async () => {
  await new Promise((resolve) => {
    provider.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const address = provider.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  const port = await freePort();
  at.server = new Server({
    ...TRUST,
    'in-memory': true,
    log: 'warn',
    'no-demo': true,
    'public-url': `http://localhost:${port}`,
    'oidc-issuer': issuer,
    'oidc-client': 'fivefold',
    'oidc-name': 'The club',
  });
  await at.server.run(`127.0.0.1:${port}`);
  at.browser = await openBrowser();
});

after(async () => {
  await at.browser.close();
  await at.server.terminate();
  provider.close();
});

test('a new account by another site: a name, then its codes; out, and in again', async () => {
  const { page, complaints } = await guest(at, { ...PHONE }, 'Olga');
  const dialog = await you(page);
  await dialog.getByRole('button', { name: 'Continue with The club' }).click();
  await page.getByText('Choose a name for your account').waitFor();
  assert.equal(new URL(page.url()).search, '', 'the code is not in the address any more');
  assert.deepEqual(await faults(page), []);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('admin');
  await page.getByRole('button', { name: 'Create account', exact: true }).click();
  await page.getByText('Nobody can have this name').waitFor();
  await name.fill('Olga');
  await page.getByRole('button', { name: 'Create account', exact: true }).click();
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  await page.getByRole('button', { name: 'Copy and continue' }).click();
  await named(page, 'Olga');
  // The name is shown first, then the page where it began.
  await page.waitForURL(({ pathname }) => pathname === '/');
  const keysOf = await you(page);
  await keysOf.getByText('Other sites: 1').click();
  await keysOf.getByText('The club').first().waitFor();
  await keysOf.getByRole('button', { name: 'Sign out' }).click();
  await named(page, /^Guest/);

  const again = await you(page);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByRole('button', { name: 'Continue with The club' }).click();
  await named(page, 'Olga');
  await page.waitForURL(({ pathname }) => pathname === '/');
  assert.deepEqual(own(complaints), []);
});

test('who comes back without an answer reads why', async () => {
  const { page, complaints } = await guest(at);
  await page.goto('/oidc?error=access_denied');
  await page.getByRole('alert').filter({ hasText: 'The other site did not sign you in.' }).waitFor();
  await page.goto('/oidc?code=a&state=b');
  await page.getByRole('alert').filter({ hasText: 'or it belongs to another account' }).waitFor();
  assert.deepEqual(own(complaints), []);
});

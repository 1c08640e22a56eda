// Refusals in the player's language: every code of the protocol has a text, and English from the
// server is shown only for codes that the page does not know.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { texts as accountTexts } from '../../server/web/account/language/en.js';
import { texts as pageTexts } from '../../server/web/language/en.js';
import { texts as moderationTexts } from '../../server/web/moderation/language/en.js';
import { protocolGuide, stage, visitor } from './harness.mjs';

/** @type {object} */
const texts = { ...pageTexts, ...accountTexts, ...moderationTexts };
const at = stage();

test('the page has a text for every refusal of the protocol', async () => {
  const guide = await protocolGuide();
  const tables = [...guide.matchAll(/\n\| `?reason`? \|[\s\S]*?\n\n/g)].join('');
  const codes = tables
    .split('\n')
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code ?? ''));
  assert.ok(codes.length > 60, `${codes.length} codes in the table`);
  for (const code of codes) assert.ok(`refused_${code}` in texts || code === 'reason', code);
});

/** What the server answers to `join`, and what a page in Spanish shows. @type {[object, string][]} */
const REFUSALS = [
  [{ reason: 'room_full', text: 'The room is full.' }, 'La sala está llena. Inténtalo más tarde.'],
  [{ reason: 'of_a_later_version', text: 'The moon is full.' }, 'The moon is full.'],
];

test('a refusal is shown in the language of the player, or else as the server words it', async () => {
  for (const [refusal, shown] of REFUSALS) {
    const { page } = await visitor(at.browser, at.server, { locale: 'es-ES' });
    await page.routeWebSocket('**/ws', (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const { type, id } = JSON.parse(String(text));
        if (type === 'join') socket.send(JSON.stringify({ type: 'refused', id, ...refusal }));
        else server.send(text);
      });
    });
    await page.goto('/r/k7m2qpxw9abc');
    await page.locator('main').getByText(shown).waitFor();
  }
});

/** What the server answers to a text, and what a page in Russian shows.
 * @type {[number, string, string, string][]} */
const ANSWERS = [
  [
    400,
    'application/json',
    '{"reason":"occupied","text":"There is a stone."}',
    'Там уже стоит камень. Выберите другой пункт.',
  ],
  [429, 'text/plain', 'Too many questions.', 'Слишком быстро. Подождите немного и попробуйте ещё раз.'],
  [400, 'text/plain', 'line 3: no move', 'line 3: no move'],
  [500, 'text/plain', '', 'Не получилось. Попробуйте чуть позже.'],
];

test('a refusal over HTTP is shown in the language of the player', async () => {
  const { page } = await visitor(at.browser, at.server, { locale: 'ru-RU' });
  await page.route('**/engine/worker.js', (route) => route.abort());
  await page.goto('/analyse');
  await page.locator('.import > summary').click();
  for (const [status, contentType, body, shown] of ANSWERS) {
    await page.route('**/api/position', (route) => route.fulfill({ status, contentType, body }));
    await page.locator('.import textarea').fill(`h8 ${body}`);
    await page.locator('.import .primary').click();
    await page.locator('.file-status').getByText(shown).waitFor();
    await page.unroute('**/api/position');
  }
});

// Bots on the page: somebody makes one and a token for its program, everybody sees what it is, and games with
// the server's own bots find a player's level.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LEVEL_RATINGS } from '../../server/web/client/protocol.js';
import { guest, own, signUp, TRUST, you } from './accounts.mjs';
import { faults } from './axe.mjs';
import { begin, PHONE, stage } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const at = stage(TRUST);

/** Opens the part of the dialog “You” about bots. @param {Page} page */
async function botsOf(page) {
  const dialog = await you(page);
  await dialog.getByText('Bots', { exact: true }).click();
  const bots = dialog.locator('details', { has: page.getByText('Bots', { exact: true }) });
  await bots.getByText(/^A bot is an account for a program of yours/).waitFor();
  return bots;
}

/** The program of a bot enters a room, sits down and chats: in a page of its own. @param {Page} page @param {string} token @param {string} room */
function play(page, token, room) {
  return page.evaluate(
    ([secret, code]) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        const commands = [
          { type: 'hello', protocol: 1, token: secret },
          { type: 'join', room: code },
          { type: 'sit', room: code },
          { type: 'say', room: code, text: 'Good luck' },
        ].map((command, id) => ({ ...command, id: String(id) }));
        const next = () => socket.send(JSON.stringify(commands[0]));
        socket.onopen = next;
        socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
        socket.onmessage = ({ data }) => {
          const answer = JSON.parse(data);
          if (answer.id !== commands[0]?.id) return;
          commands.shift();
          if (answer.type === 'refused') reject(new Error(answer.text));
          else if (commands.length > 0) next();
          else resolve(undefined);
        };
      }),
    [token, room],
  );
}

test('somebody makes a bot, its program plays, and everybody sees what it is', async () => {
  const ann = await guest(at);
  await signUp(ann.page, 'Bella');
  const bots = await botsOf(ann.page);
  await bots.getByLabel('Name', { exact: true }).fill('engine');
  await bots.getByRole('button', { name: 'Make a bot' }).click();
  await bots.getByText('This name looks like a bot’s.').waitFor();
  await bots.getByLabel('Name', { exact: true }).fill('Zedd');
  await bots.getByRole('button', { name: 'Make a bot' }).click();
  await bots.getByRole('button', { name: 'Make a token' }).click();
  const token = await bots.getByLabel('Token', { exact: true }).inputValue();
  assert.match(token, /^ff_[0-9A-Za-z]{49}$/);
  assert.deepEqual(await faults(ann.page), []);

  const [eve, program] = [await guest(at, PHONE, 'Eve'), await guest(at)];
  await begin(eve.page, 'friend');
  await eve.page.waitForURL(/\/r\//);
  const room = new URL(eve.page.url()).pathname.split('/')[2] ?? '';
  await play(program.page, token, room);
  await eve.page.locator('.plate', { hasText: 'Bot “Zedd”' }).waitFor();
  await eve.page.locator('.chat', { hasText: 'Bot “Zedd”' }).first().waitFor({ state: 'attached' });
  await eve.page.goto('/player/zedd');
  await eve.page.getByRole('heading', { name: 'Bot “Zedd”', level: 1 }).waitFor();
  await eve.page.getByRole('link', { name: 'Bella' }).click();
  await eve.page.getByRole('heading', { name: 'Bella', level: 1 }).waitFor();

  // It gets another name, once, and the old one leads to it.
  await ann.page.keyboard.press('Escape');
  const again = await botsOf(ann.page);
  await again.getByText('Zedd', { exact: true }).click();
  const its = again.locator('details[open]');
  await its.getByLabel('Name', { exact: true }).fill('Zorro');
  await its.getByRole('button', { name: 'Change its name' }).click();
  await again.getByText('Zorro', { exact: true }).waitFor();
  await its.getByLabel('Name', { exact: true }).fill('Zedd');
  await its.getByRole('button', { name: 'Change its name' }).click();
  await its.getByText('This name can be changed again in 30 days.').waitFor();
  await eve.page.goto('/player/Zedd');
  await eve.page.getByRole('heading', { name: 'Bot “Zorro”', level: 1 }).waitFor();

  // Deleted by a second press.
  await again.getByRole('button', { name: 'Delete the bot' }).click();
  await again.getByRole('button', { name: 'Press again to delete Zorro and end its tokens' }).click();
  await again.getByText('Zorro', { exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual([...own(ann.complaints), ...own(eve.complaints)], []);
});

test('a player without ratings finds their level by games with bots, which have ratings', async () => {
  const { page, complaints } = await guest(at);
  await signUp(page, 'Nora');
  await page.goto('/player/Nora');
  await page.getByRole('heading', { name: 'Find your level' }).waitFor();
  await page.getByText('0 of 3 played').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.getByRole('button', { name: 'Play the bot (level 5)' }).click();
  await page.waitForURL(/\/r\//);
  await page
    .locator('.plate', { hasText: 'Bot, level 5' })
    .filter({ hasText: String(LEVEL_RATINGS[4]) })
    .waitFor();
  await page.locator('.plate', { hasText: 'Nora' }).locator('[role=timer]').first().waitFor();
  // Others are not asked to.
  await page.goto('/player/Bella');
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Find your level' }).count(), 0);
  await page.goto('/leaderboard');
  await page.getByRole('button', { name: 'Bots', exact: true }).click();
  await page.waitForURL(/pool=bot%2Fstandard%2F15%2Fnormal/);
  assert.deepEqual(await faults(page), []);
  assert.deepEqual(own(complaints), []);
});

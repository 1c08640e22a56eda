// Rated games on the page: who may choose one, what others see of it, and a newcomer's way to the first.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { elsewhere, guest, own, signUp, TRUST } from './accounts.mjs';
import { faults } from './axe.mjs';
import { firstRatedMove, waitingOpponent } from './first-rated-move.mjs';
import { PHONE, shoot, stage, visitor } from './harness.mjs';

const at = stage(TRUST);
const SCREENS = /** @type {const} */ ([
  ['desk', { viewport: { width: 1280, height: 800 } }],
  ['phone', { ...PHONE, viewport: { width: 360, height: 640 } }],
]);

test('from a fresh browser to the first rated move: four inputs', async (t) => {
  const other = await waitingOpponent(at, 'Wilma');
  const { inputs, seconds, complaints, context } = await firstRatedMove(at, other, 'Newell');
  assert.equal(inputs, 4);
  t.diagnostic(`${inputs} inputs, ${seconds.toFixed(1)} s to the first rated move`);
  assert.deepEqual([...own(complaints), ...own(other.complaints)], []);
  await Promise.all([context.close(), other.context.close()]);
});

for (const [size, options] of SCREENS) {
  test(`a game is offered as rated where it can be: ${size}`, async () => {
    const [ann, bob] = [await guest(at, options), await guest(at, options)];
    const [anns, bobs] = [`Ann-${size}`, `Bob-${size}`];
    await ann.page.goto('/lobby');
    const post = ann.page.locator('.post');
    const rated = post.getByLabel('Rated', { exact: true });
    await post.getByText('Rated games are for people with an account.').waitFor();
    assert.equal(await rated.isDisabled(), true);
    await signUp(ann.page, anns);
    await post.getByText('It counts for the ratings of both.').waitFor();
    await rated.check();
    // What cannot be rated says why, and the wish comes back.
    for (const [label, value, why] of [
      ['Board', '13', 'on boards of'],
      ['Other clock', '0', 'have a clock'],
      ['Opening', 'free', 'use the free opening'],
    ]) {
      const field = label === 'Other clock' ? undefined : post.getByLabel(label ?? '');
      const before = await field?.inputValue();
      if (field) await field.selectOption(value ?? '');
      else await post.getByText('No clock', { exact: true }).click();
      await post.getByText(why ?? '').waitFor();
      assert.deepEqual([await rated.isDisabled(), await rated.isChecked()], [true, false], why);
      if (field) await field.selectOption(before ?? '');
      else await post.getByText('5+3', { exact: true }).click();
      assert.deepEqual([await rated.isDisabled(), await rated.isChecked()], [false, true], why);
    }
    await rated.scrollIntoViewIfNeeded();
    await shoot(ann.page, `rated-post-${size}`);
    assert.deepEqual(await faults(ann.page), []);
    await ann.page.getByRole('button', { name: 'Post and wait' }).click();
    await ann.page.locator('.seek-panel').getByText('Rated').waitFor();
    await bob.page.goto('/lobby');
    const row = bob.page.locator('.open-seek', { hasText: anns });
    await row.getByText('Rated').waitFor();
    await bob.page.locator('.pools li', { hasText: '5+3' }).getByText('Rated').first().waitFor();
    await shoot(bob.page, `rated-lobby-${size}`);
    assert.deepEqual(await faults(bob.page), []);
    // A guest may not accept it, and learns why.
    await row.getByRole('button', { name: 'Accept' }).click();
    await bob.page.locator('.toast').getByText('Rated games are for people with an account.').waitFor();
    await ann.page.getByRole('button', { name: 'Cancel' }).first().click();
    await signUp(bob.page, bobs);
    await ann.page.getByLabel('Challenge somebody by name').fill(bobs);
    await ann.page.keyboard.press('Enter');
    const card = bob.page.locator('.ask').filter({ hasText: `${anns} challenges you` });
    await card.getByText('Rated').waitFor();
    await shoot(bob.page, `rated-challenge-${size}`);
    await card.getByRole('button', { name: 'Accept' }).click();
    for (const { page } of [ann, bob]) {
      await page.waitForURL('**/r/*');
      await page.locator('.about').getByText('Rated').waitFor({ state: 'attached' });
    }
    await shoot(ann.page, `rated-room-${size}`);
    // A spectator's dialog of a player has the choice, too.
    const eve = await visitor(at.browser, at.server, { ...options, ...elsewhere() }, 'Eve');
    await eve.page.goto(ann.page.url());
    await eve.page.locator('.plate').getByRole('button', { name: bobs }).click();
    await eve.page.locator('dialog').getByLabel('Rated', { exact: true }).waitFor();
    await eve.page.locator('dialog').getByLabel('Rated', { exact: true }).scrollIntoViewIfNeeded();
    await shoot(eve.page, `rated-dialog-${size}`);
    assert.deepEqual(await faults(eve.page), []);
    assert.deepEqual([...own(ann.complaints), ...own(bob.complaints), ...own(eve.complaints)], []);
    await Promise.all([ann, bob, eve].map(({ context }) => context.close()));
  });
}

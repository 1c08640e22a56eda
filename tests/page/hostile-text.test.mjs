// Hostile names and chat lines: nothing runs, nothing breaks the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stage, twoPlay } from './harness.mjs';

const at = stage();

/** Chat lines. */
const LINES = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  "'; alert(1); //",
  '${alert(1)} {{alert(1)}} {name}',
  '&lt;b&gt; &amp; &#60;i&#62;',
  '\u202Egnp.live\u202C and on',
  '\u2066\u2067isolates\u2069',
  'W'.repeat(280),
  'а\u0301'.repeat(140),
  'Z\u0361\u0321\u0316'.repeat(60),
  '👩‍👩‍👧‍👦'.repeat(20),
  '🏳️‍🌈🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'null\u0000byte',
  'tab\tnewline\nreturn\r',
  '\u0007\u001b[31mred\u001b[0m',
  '\uFEFF\u200B\u2060hidden',
  '\u0627\u0644\u0639\u0631\u0628\u064A\u0629 \u05E2\u05D1\u05E8\u05D9\u05EA',
  '﷽'.repeat(100),
  '__proto__',
  'constructor',
  '\\u003cscript\\u003e',
];
/** Chat lines that a session may send at once; each tab is a session. */
const LINES_AT_ONCE = 5;
/** Names, of at most 24 characters. */
const NAMES = [
  '<img src=x onerror=a()>',
  '"><script>a()</script>',
  'W'.repeat(24),
  '﷽'.repeat(24),
  '\u05E2\u05D1\u05E8',
  '👩‍👩‍👧‍👦 fam',
  '{name}',
  '__proto__',
];

/** @param {import('playwright-core').Page} page */
async function assertWhole(page) {
  const { wide, scripts, marks } = await page.evaluate(() => ({
    wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
    scripts: document.querySelectorAll('script:not([src])').length,
    marks: document.querySelectorAll('main img, main script, .chat-lines a, .plate svg').length,
  }));
  assert.deepEqual({ wide, scripts, marks }, { wide: 0, scripts: 0, marks: 0 });
}

for (const viewport of [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
]) {
  test(`no chat line breaks a page ${viewport.width} wide`, async () => {
    const { ann, bob, link } = await twoPlay(at, { viewport });
    for (const page of [ann.page, bob.page]) {
      page.on('dialog', () => assert.fail('something ran'));
    }
    // On a phone the last line leads to the chat.
    const talk = ann.page.locator('.talk');
    await talk.or(ann.page.locator('.chat-lines')).filter({ visible: true }).first().waitFor();
    const isPhone = await talk.isVisible();
    if (isPhone) await talk.click();
    for (let from = 0; from < LINES.length; from += LINES_AT_ONCE - 1) {
      const tab = await bob.context.newPage();
      await tab.goto(link);
      const field = tab.getByLabel('Send a message');
      for (const text of [...LINES.slice(from, from + LINES_AT_ONCE - 1), `the end of ${from}`]) {
        // Typing drops some of it; programs do not.
        await field.evaluate((input, said) => Object.assign(input, { value: said }), text);
        await tab.getByRole('button', { name: 'Send' }).click();
      }
      await ann.page.locator('.chat-lines').getByText(`the end of ${from}`).waitFor();
      await tab.close();
    }
    await assertWhole(ann.page);
    const said = await ann.page.locator('.chat-lines li').allTextContents();
    assert.ok(
      said.some((line) => line.includes('<img src=x onerror=alert(1)>')),
      'it is shown as it was written',
    );
    assert.ok(!/[\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc}/u.test(said.join('')), 'what turns text is gone');

    if (isPhone) {
      await ann.page.getByRole('button', { name: 'Close', exact: true }).click();
      await talk.getByText('the end of').waitFor();
      await assertWhole(ann.page);
    }
    for (const name of NAMES) {
      await bob.page.locator('.me').click();
      await bob.page.getByLabel('Your name').fill(name);
      await bob.page.getByRole('button', { name: 'Save' }).click();
      await Promise.race([
        bob.page.locator('dialog').waitFor({ state: 'detached' }),
        bob.page.locator('.toast').first().waitFor(),
      ]);
      await bob.page.keyboard.press('Escape');
      await assertWhole(bob.page);
    }
    await ann.page.locator('.plate .name', { hasText: '__proto__' }).waitFor();
    await assertWhole(ann.page);
    assert.deepEqual([...ann.complaints, ...bob.complaints], []);
  });
}

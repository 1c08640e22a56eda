// The page's styles in browsers of spring 2023, from which on it works: Safari 16.4, Chrome 111, Firefox 115.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { stage, visitor } from './harness.mjs';

const at = stage();
const web = fileURLToPath(new URL('../../server/web', import.meta.url));
const styles = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));

/** What some of these browsers do not know, so that a whole value, rule or element is lost. */
const UNKNOWN =
  /light-dark\(|::details-content|:popover-open|@starting-style|@scope|text-decoration:[^;]*(wavy|double|dotted)|anchor\(|oklch\(from|round\(|\blh\b/;

test('no style needs what older browsers do not know', async () => {
  const { page } = await visitor(at.browser, at.server);
  await page.goto('/');
  for (const name of styles) {
    const text = readFileSync(join(web, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    assert.doesNotMatch(text, UNKNOWN, name);
    const faults = await page.evaluate((source) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(source);
      /** @type {string[]} */
      const found = [];
      const look = (/** @type {CSSRuleList} */ rules, /** @type {boolean} */ within) => {
        for (const rule of rules) {
          const style = rule instanceof CSSStyleRule ? rule : undefined;
          if (style && within) found.push(`a rule within a rule: ${style.selectorText}`);
          // Firefox before 121 drops the whole rule, so nothing else may depend on it.
          if (
            style &&
            /:has\(/.test(style.selectorText) &&
            /,(?![^(]*\))/.test(style.selectorText.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '()'))
          )
            found.push(`:has() in a list: ${style.selectorText}`);
          if ('cssRules' in rule) look(/** @type {any} */ (rule).cssRules, within || !!style);
        }
      };
      look(sheet.cssRules, false);
      return found;
    }, text);
    assert.deepEqual(faults, [], name);
  }
});

test('without :has(), as in Firefox before 121, choices are seen, and an invitation is in sight', async () => {
  const { page, complaints } = await visitor(at.browser, at.server, { viewport: { width: 390, height: 844 } });
  await page.route('**/*.css', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replaceAll(/[^{}]*:has\([^{}]*\{[^{}]*\}/g, ''),
    });
  });
  await page.goto('/');
  await page.locator('.opponents label', { hasText: 'A friend' }).click();
  const ground = (/** @type {string} */ what) =>
    page
      .locator(what)
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundColor);
  assert.notEqual(await ground('.opponents input:checked'), await ground('.opponents input:not(:checked)'));
  await page.locator('.options .seg input:checked').waitFor();
  assert.notEqual(await ground('.options .seg input:checked'), await ground('.options .seg input:not(:checked)'));
  await page.locator('.start').click();
  await page.locator('.link').waitFor();
  assert.equal(await page.locator('.board-side .board').isVisible(), false);
  const box = await page.locator('.invitation .primary').boundingBox();
  assert.ok(box && box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box));
  assert.deepEqual(complaints, []);
});

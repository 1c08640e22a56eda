// The texts of each language: the same parameters as in English, and every plural form that the
// language has. That the keys are the same is checked by the types.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { texts as accountEn } from '../../server/web/account/language/en.js';
import { texts as accountEs } from '../../server/web/account/language/es.js';
import { texts as accountRu } from '../../server/web/account/language/ru.js';
import { texts as analysisEn } from '../../server/web/analysis/language/en.js';
import { texts as analysisEs } from '../../server/web/analysis/language/es.js';
import { texts as analysisRu } from '../../server/web/analysis/language/ru.js';
import { texts as en } from '../../server/web/language/en.js';
import { texts as moderationEn } from '../../server/web/moderation/language/en.js';
import { texts as operatorsEn } from '../../server/web/moderation/operators/language/en.js';
import { texts as es } from '../../server/web/language/es.js';
import { texts as moderationEs } from '../../server/web/moderation/language/es.js';
import { texts as operatorsEs } from '../../server/web/moderation/operators/language/es.js';
import { texts as ru } from '../../server/web/language/ru.js';
import { texts as moderationRu } from '../../server/web/moderation/language/ru.js';
import { texts as operatorsRu } from '../../server/web/moderation/operators/language/ru.js';
import { stage, visitor } from './harness.mjs';

/** @import { Plural } from '../../server/web/texts.js' */

/** @type {Record<string, Record<string, string | Plural>>} */
const LANGUAGES = {
  en: { ...prefixed(en, ''), ...prefixed(accountEn, 'account_'), ...prefixed(analysisEn, 'analysis_'), ...prefixed(moderationEn, 'moderation_'), ...prefixed(operatorsEn, 'operators_') },
  ru: { ...prefixed(ru, ''), ...prefixed(accountRu, 'account_'), ...prefixed(analysisRu, 'analysis_'), ...prefixed(moderationRu, 'moderation_'), ...prefixed(operatorsRu, 'operators_') },
  es: { ...prefixed(es, ''), ...prefixed(accountEs, 'account_'), ...prefixed(analysisEs, 'analysis_'), ...prefixed(moderationEs, 'moderation_'), ...prefixed(operatorsEs, 'operators_') },
};
const at = stage('--no-demo');

/** The texts of a file, with its name before the keys. @param {Record<string, string | Plural>} texts @param {string} name */
function prefixed(texts, name) {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [name + key, text]));
}

/** @param {string | Plural | undefined} text */
function forms(text = '') {
  return typeof text === 'string' ? [text] : Object.values(text);
}

/** The names of the parameters of a text. @param {string} form */
function parameters(form) {
  return [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
}

for (const [code, texts] of Object.entries(LANGUAGES)) {
  test(`the texts in ${code} have the parameters of the English ones`, () => {
    for (const [key, text] of Object.entries(texts)) {
      const expected = parameters(forms(LANGUAGES.en?.[key])[0] ?? '');
      for (const form of forms(text)) {
        assert.ok(form.length > 0, key);
        assert.deepEqual(parameters(form), expected, `${key}: ${form}`);
      }
    }
  });

  test(`the texts in ${code} have a form for each number`, () => {
    const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text === 'string') assert.ok(!text.includes('{count}'), `${key} depends on a number, but has one form`);
      else assert.deepEqual(Object.keys(text).sort(), [...pluralCategories].sort(), key);
    }
  });
}

test('numbers and dates follow the language', async () => {
  const cases = /** @type {const} */ ([['en-GB', '1 move', '2 moves', '5 moves'], ['ru-RU', '1 ход', '2 хода', '5 ходов'], ['es-ES', '1 jugada', '2 jugadas', '5 jugadas'], ['de-DE', '1 move', '2 moves', '5 moves']]);
  for (const [locale, ...expected] of cases) {
    const { page, complaints } = await visitor(at.browser, at.server, { locale });
    /** @type {string[]} */
    const loaded = [];
    page.on('request', (request) => loaded.push(...request.url().match(/language\/\w+/g) ?? []));
    for (const [at, moves] of ['h8', 'h8+i8', 'h8+i8+h9+i9+h10'].entries()) {
      await page.goto('about:blank');
      await page.goto(`/analyse#moves=${moves}`);
      await page.locator('.step-place').getByText(expected[at] ?? '', { exact: true }).waitFor();
    }
    assert.deepEqual([...new Set(loaded)], [`language/${locale === 'de-DE' ? 'en' : locale.slice(0, 2)}`]);
    assert.deepEqual(complaints, []);
  }
});

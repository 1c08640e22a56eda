// The texts of each language: the same parameters as in English, and every plural form that the
// language has, in every folder that has texts; and the terms of the dictionary beside them.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { stage, visitor } from './harness.mjs';

/** @import { Plural } from '../../server/web/language/texts.js' */

/** The folders with texts of their own; each has a file for each language. */
const FOLDERS = [
  'language',
  'account/language',
  'analysis/language',
  'board/keys/language',
  'embed/language',
  'game/rules/language',
  'learn',
  'lobby/language',
  'local/language',
  'moderation/language',
  'moderation/operators/language',
  'players/language',
  'puzzles/language',
  'replay/collections/language',
  'replay/language',
  'room/daily/language',
  'ui/embed/language',
  'ui/settings/language',
];
/** The texts of each language, by their folder and key. @type {Record<string, Record<string, string | Plural>>} */
const LANGUAGES = {};
for (const code of ['en', 'ru', 'es']) {
  LANGUAGES[code] = {};
  for (const folder of FOLDERS)
    Object.assign(LANGUAGES[code], named((await import(`../../server/web/${folder}/${code}.js`)).texts, folder));
}
const at = stage();

/**
 * The texts of a file by their names, the texts of a lesson and of other groups too.
 * @param {object} texts @param {string} name @returns {Record<string, string | Plural>}
 */
function named(texts, name) {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) =>
      typeof text === 'string' || 'other' in text
        ? [[`${name}/${key}`, text]]
        : Object.entries(named(text, `${name}/${key}`)),
    ),
  );
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
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(LANGUAGES.en ?? {}).sort());
    for (const [key, text] of Object.entries(texts)) {
      const expected = parameters(forms(LANGUAGES.en?.[key])[0] ?? '');
      for (const form of forms(text)) {
        // A lesson need not have a last sentence.
        assert.ok(form.length > 0 || /^learn\/lessons\/\w+\/2$/.test(key), key);
        assert.deepEqual(parameters(form), expected, `${key}: ${form}`);
      }
    }
  });

  test(`the texts in ${code} have a form for each number`, () => {
    const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text === 'string')
        assert.ok(!text.includes('{count}'), `${key} depends on a number, but has one form`);
      else assert.deepEqual(Object.keys(text).sort(), [...pluralCategories].sort(), key);
    }
  });
}

test('one thing has one name', async () => {
  const terms = await readFile(new URL('../../server/web/language/terms.md', import.meta.url), 'utf8');
  const banned = [...terms.matchAll(/`(en|ru|es): ([^`]+)`/g)];
  assert.ok(banned.length > 30, `${banned.length} names are found`);
  for (const [, code = '', name = ''] of banned) {
    for (const [key, text] of Object.entries(LANGUAGES[code] ?? {})) {
      for (const form of forms(text))
        assert.ok(
          !` ${form}`.toLowerCase().includes(` ${name.toLowerCase()}`),
          `${code} ${key} has “${name}”: ${form}`,
        );
    }
  }
});

test('numbers and dates follow the language', async () => {
  const cases = /** @type {const} */ ([
    ['en-GB', '1 move', '2 moves', '5 moves'],
    ['ru-RU', '1 ход', '2 хода', '5 ходов'],
    ['es-ES', '1 jugada', '2 jugadas', '5 jugadas'],
    ['de-DE', '1 move', '2 moves', '5 moves'],
  ]);
  for (const [locale, ...expected] of cases) {
    const { page, complaints } = await visitor(at.browser, at.server, { locale });
    /** @type {string[]} */
    const loaded = [];
    page.on('request', (request) => loaded.push(...(request.url().match(/language\/\w\w(?=\.)/g) ?? [])));
    for (const [at, moves] of ['h8', 'h8+i8', 'h8+i8+h9+i9+h10'].entries()) {
      await page.goto('about:blank');
      await page.goto(`/analyse#moves=${moves}`);
      await page
        .locator('.step-place')
        .getByText(expected[at] ?? '', { exact: true })
        .waitFor();
    }
    assert.deepEqual([...new Set(loaded)], [`language/${locale === 'de-DE' ? 'en' : locale.slice(0, 2)}`]);
    assert.deepEqual(complaints, []);
  }
});

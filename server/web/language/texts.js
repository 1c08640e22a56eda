// Looks up texts, numbers and dates in the player's language. Only that language's file is loaded;
// each language is a file in this folder, and English stands in for languages without one.

import { settings } from '../browser/settings.js';

/** @typedef {typeof import('./en.js').texts} English */
/** @typedef {keyof English} TextKey */
/** A text that depends on `{count}`, by the language's plural categories.
 * @typedef {{ other: string } & { [category in Intl.LDMLPluralRule]?: string }} Plural */
/** What the file of each language has to offer.
 * @typedef {{ [key in TextKey]: English[key] extends string ? string : Plural }} Texts */
/** @typedef {{ [name: string]: string | number } & { count?: number }} Values */

/** @type {Record<'en' | 'ru' | 'es', string>} */
export const LANGUAGES = { en: 'English', ru: 'Русский', es: 'Español' };

const wanted = settings.language === 'auto' ? navigator.languages : [settings.language];
/** The code of the language that the page uses until it is reloaded. */
export const languageCode = wanted.map(codeOf).find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? 'en';
/** The language with its region where the browser names one, such as `en-GB`. */
export const language = navigator.languages.find((tag) => codeOf(tag) === languageCode) ?? languageCode;

/** @type {{ texts: Texts }} */
const { texts } = await import(`./${languageCode}.js`);
const plurals = new Intl.PluralRules(language);
/** Seconds in each unit of time, with how it is written. */
const units = /** @type {const} */ ([
  [86_400, 'day', 'narrow'],
  [3_600, 'hour', 'narrow'],
  [60, 'minute', 'short'],
  [1, 'second', 'short'],
]).map(
  ([length, unit, unitDisplay]) =>
    /** @type {const} */ ([length, new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay })]),
);

/** @param {string} tag */
function codeOf(tag) {
  return tag.slice(0, 2).toLowerCase();
}

/**
 * Whether there is such a text.
 * @param {string} key
 * @returns {key is TextKey}
 */
export function hasText(key) {
  return Object.hasOwn(texts, key);
}

/**
 * A text, with values in place of `{name}`. `count` selects the plural form.
 * @param {TextKey} key
 * @param {Values} [values]
 */
export function t(key, values) {
  return worded(texts[key], values);
}

/** A text of any list. @param {string | Plural} text @param {Values} [values] */
export function worded(text, values = {}) {
  const form = typeof text === 'string' ? text : (text[plurals.select(values.count ?? 0)] ?? text.other);
  return form.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? formatDecimal(value) : value;
  });
}

/** Texts with dots between them, without those that are empty. @param {...(string | false | null | undefined)} parts */
export function dotted(...parts) {
  return parts.filter(Boolean).join(' · ');
}

/** @param {number} number @param {Intl.NumberFormatOptions} style */
export function formatNumber(number, style) {
  return new Intl.NumberFormat(language, style).format(number);
}

/** A number with its decimals, such as 3.5. */
export const formatDecimal = new Intl.NumberFormat(language).format;

/** A number with one decimal, such as 9.0. */
export const formatTenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  .format;

/** A length of time in at most two units, the largest ones, such as 2 min 5 sec or 2d 4h. @param {number} ms */
export function formatSpan(ms) {
  let rest = Math.max(0, Math.round(ms / 1000));
  const parts = [];
  for (const [length, format] of units) {
    if (rest >= length || (length === 1 && !parts.length)) parts.push(format.format(Math.floor(rest / length)));
    rest %= length;
  }
  return parts.slice(0, 2).join(' ');
}

/** A part of 1, such as 61%. */
export const formatPercent = new Intl.NumberFormat(language, { style: 'percent' }).format;

/**
 * @param {number} time in milliseconds since the Unix epoch
 * @param {Intl.DateTimeFormatOptions} style
 */
export function formatDate(time, style) {
  return new Intl.DateTimeFormat(language, style).format(time);
}

/** A day and a time. @param {number} time in milliseconds since the Unix epoch */
export function formatMoment(time) {
  return formatDate(time, { dateStyle: 'medium', timeStyle: 'short' });
}

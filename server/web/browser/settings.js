// The player's settings, kept in this browser.

import { siteStorage } from './browser-storage.js';

/**
 * @typedef {object} Settings
 * @property {'auto' | 'light' | 'dark' | 'contrast'} theme
 * @property {'auto' | 'en' | 'ru' | 'es'} language
 * @property {'kaya' | 'maple' | 'cherry' | 'walnut' | 'plain'} board of which wood it is
 * @property {boolean} sounds
 * @property {number} volume from 0 to 1
 * @property {boolean} confirm whether a touched point is confirmed before a stone is put there
 * @property {boolean} premoves whether a premove can be made on the opponent's turn; off for touch, where a stray touch would make one
 * @property {boolean} numbers whether stones show which move they are
 * @property {boolean} coordinates
 * @property {'shaded' | 'flat' | 'marks'} stones how stones look; `marks` are crosses and rings
 * @property {boolean} chat
 * @property {boolean} notify whether a tab out of sight shows notifications of the browser
 */

/** @type {Settings} */
const DEFAULTS = {
  theme: 'auto',
  language: 'auto',
  board: 'kaya',
  sounds: true,
  volume: 1,
  confirm: true,
  premoves: !matchMedia('(pointer: coarse)').matches,
  numbers: false,
  coordinates: true,
  stones: 'shaded',
  chat: true,
  notify: false,
};
const STORAGE_KEY = 'fivefold.settings';

/** @type {Settings} */
export const settings = { ...DEFAULTS, ...stored() };

/** @type {Set<() => void>} */
const listeners = new Set();

/**
 * @template {keyof Settings} K
 * @param {K} name
 * @param {Settings[K]} value
 */
export function change(name, value) {
  settings[name] = value;
  siteStorage.setItem(STORAGE_KEY, JSON.stringify(settings));
  for (const listener of listeners) listener();
}

/**
 * Calls the listener after every change. Returns a function that stops it.
 * @param {() => void} listener
 */
export function onSettings(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** @returns {Partial<Settings>} */
function stored() {
  try {
    return JSON.parse(siteStorage.getItem(STORAGE_KEY) ?? '{}');
  } catch {
    return {};
  }
}

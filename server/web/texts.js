// Every text that people see, in every language, from one table.

import { settings } from './settings.js';

/** @typedef {'en' | 'ru' | 'es'} Language */

/** @type {Record<Language, string>} */
export const LANGUAGES = { en: 'English', ru: 'Русский', es: 'Español' };
/** @type {Language[]} */
const ORDER = ['en', 'ru', 'es'];

/** Each text in English, Russian and Spanish. */
const TEXTS = {
  tagline: ['Five in a row, with anyone, in seconds.', 'Пять в ряд — с кем угодно, за секунды.', 'Cinco en línea, con cualquiera, en segundos.'],
  nothing_here: ['There is nothing here.', 'Здесь ничего нет.', 'Aquí no hay nada.'],
  to_start: ['To the start', 'На главную', 'Al inicio'],
  black: ['Black', 'Чёрные', 'Negras'],
  white: ['White', 'Белые', 'Blancas'],
  bot: ['Bot', 'Бот', 'Bot'],
  board: ['Board', 'Доска', 'Tablero'],
  board_empty: ['empty', 'пусто', 'vacío'],
  board_forbidden: ['forbidden to Black', 'запрещено чёрным', 'prohibido a Negras'],
  board_last: ['last move', 'последний ход', 'última jugada'],
  board_to_last: ['Last move (Home)', 'Последний ход (Home)', 'Última jugada (Inicio)'],
  board_winning: ['winning line', 'победный ряд', 'línea ganadora'],
  board_premove: ['your next move', 'ваш следующий ход', 'tu próxima jugada'],
  board_premove_set: ['{point} will be played at your turn', '{point} будет сыгран в ваш ход', '{point} se jugará en tu turno'],
  board_premove_gone: ['{point} will not be played', '{point} не будет сыгран', '{point} no se jugará'],
  board_fit: ['Show everything (0)', 'Показать всё (0)', 'Mostrar todo (0)'],
  board_in: ['Larger (+)', 'Крупнее (+)', 'Acercar (+)'],
  board_out: ['Smaller (−)', 'Мельче (−)', 'Alejar (−)'],
  board_touch: ['Tap a point, then tap it again', 'Коснитесь пункта, затем ещё раз', 'Toca un punto y tócalo otra vez'],
  board_confirm: ['Place on {point}', 'Поставить на {point}', 'Colocar en {point}'],
  board_confirm_premove: ['Place on {point} next', 'Затем поставить на {point}', 'Luego colocar en {point}'],
  board_type: ['Point, such as h8', 'Пункт, например h8', 'Punto, por ejemplo h8'],
  play_friend: ['Play a friend', 'Играть с другом', 'Jugar con un amigo'],
  play_bot: ['Play the bot', 'Играть с ботом', 'Jugar con el bot'],
  watch: ['Watch', 'Смотреть', 'Mirar'],
};

/** @typedef {keyof typeof TEXTS} TextKey */

/** @type {Language} */
let current = 'en';
choose();

/** The language that is spoken now. */
export function language() {
  return current;
}

/** Takes the language of the settings, or the browser's. */
export function choose() {
  const wanted = settings.language === 'auto' ? navigator.languages : [settings.language];
  const codes = wanted.map((tag) => tag.slice(0, 2).toLowerCase());
  current = codes.flatMap((code) => ORDER.filter((known) => known === code))[0] ?? 'en';
}

/**
 * A text, with what stands for `{name}` in it.
 * @param {TextKey} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const text = TEXTS[key][ORDER.indexOf(current)] ?? TEXTS[key][0] ?? key;
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));
}

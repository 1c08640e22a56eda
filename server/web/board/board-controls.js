// The controls of a board: the button that confirms a touched point, the field to type a point, the
// zoom buttons, and the arrow to stones out of sight.

import { t } from '../language/texts.js';
import { button, el, icon, set, write } from '../ui/dom.js';
import { parsePoint } from './board-geometry.js';

/** @import { Point, Bounds } from './board-geometry.js' */
/** @import { ICONS } from '../ui/icons.js' */

/** @typedef {'fit' | 'last' | 'in' | 'out'} ViewAction */
/**
 * @typedef {object} Callbacks
 * @property {() => void} confirm the shown stone is placed
 * @property {(point: Point) => void} typed a point was typed and confirmed
 * @property {(point: Point | null) => void} typing a point is being typed
 * @property {(text: string) => void} invalid the typed text is not a point
 * @property {() => void} cancelPremove the premove is cancelled
 * @property {() => Bounds} bounds
 * @property {(action: ViewAction) => void} view
 * @property {() => void} done the line is closed
 */
/**
 * @typedef {object} ControlsState
 * @property {{x: number, y: number, angle: number} | null} hint where and in which direction
 * @property {boolean} tools whether to show the zoom buttons
 * @property {boolean} last whether there is a last move to go to
 * @property {string | null} ghost the name of the point to confirm
 * @property {boolean} confirms whether touched points are confirmed now
 * @property {boolean} waits whether a stone would be a premove
 * @property {string | null} premoved the name of the premove's point
 */

const SIGNS = /** @type {const} */ ({ fit: 'fit', last: 'last', in: 'plus', out: 'minus' });

/** @param {HTMLElement} stage what the board is drawn in @param {HTMLElement | undefined} asks where a
 * touched point is confirmed, if stones can ever be put there @param {Callbacks} callbacks */
export function createBoardControls(stage, asks, callbacks) {
  /** @param {ViewAction} what @param {keyof typeof ICONS} [sign] */
  const tool = (what, kind = 'board-tool', sign = SIGNS[what]) => {
    const title = t(what === 'last' ? 'board_to_last' : `board_${what}`);
    return button(icon(sign), () => callbacks.view(what), { class: kind, title, 'aria-label': title });
  };
  const last = tool('last');
  const tools = el('div', { class: 'board-tools', hidden: true }, tool('in'), tool('out'), tool('fit'), last);
  const hint = set(tool('last', 'board-hint', 'arrow'), { hidden: true });

  const coarse = matchMedia('(pointer: coarse)').matches;
  const confirm = button('', () => callbacks.confirm(), { class: 'primary' });
  const advice = el('span', { class: 'board-advice' }, t('board_touch'));
  const said = el('span');
  const cancel = button(t('board_premove_cancel'), () => callbacks.cancelPremove());
  const premoved = el('div', { class: 'row premoved', hidden: true }, said, cancel);
  const touch = el('div', { class: 'board-touch', hidden: true }, advice, confirm, premoved);
  const line = createPointField(callbacks);
  stage.append(tools, hint, line.element);
  asks?.append(touch);

  return {
    /** @param {ControlsState} state */
    show({ hint: edge, tools: wanted, last: any, ghost, confirms, waits, premoved: next }) {
      tools.hidden = !wanted;
      last.disabled = !any;
      hint.hidden = !edge;
      if (edge) hint.style.transform = `translate(${edge.x}px, ${edge.y}px) rotate(${edge.angle}rad)`;
      touch.hidden = ghost === null && next === null && (!confirms || !coarse || waits);
      confirm.hidden = ghost === null;
      advice.hidden = !confirms || ghost !== null || waits || !coarse;
      premoved.hidden = next === null || ghost !== null;
      if (ghost !== null) write(confirm, t(waits ? 'board_confirm_premove' : 'board_confirm', { point: ghost }));
      if (next !== null) write(said, t('board_premove_set', { point: next }));
    },
    type: line.type,
  };
}

/** The field to type a point. @param {Callbacks} callbacks */
function createPointField({ bounds, done, invalid, typed, typing }) {
  const point = () => parsePoint(input.value, bounds());
  const close = () => {
    input.value = '';
    set(input, { 'aria-invalid': false });
  };
  const leave = () => {
    close();
    typing(null);
  };
  const input = el('input', {
    class: 'board-input',
    type: 'text',
    autocomplete: 'off',
    spellcheck: false,
    enterKeyHint: 'go',
    maxLength: 18,
    'aria-label': t('board_type'),
    placeholder: t('board_type'),
    oninput: () => {
      set(input, { 'aria-invalid': false });
      typing(point());
    },
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Escape') return;
      leave();
      done();
    },
    onblur: leave,
  });
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const found = point();
    if (!found) {
      set(input, { 'aria-invalid': 'true' });
      return invalid(input.value);
    }
    close();
    typed(found);
  };
  return {
    element: el('form', { class: 'board-line', onsubmit }, input),
    /** Begins a typed point. @param {string} text */
    type(text) {
      input.value = text;
      input.focus();
      typing(point());
    },
  };
}

// The controls of a board: the button that confirms a touched point, the field to type a point, the
// zoom buttons, and the arrow to stones out of sight.

import { parsePoint } from './board-geometry.js';
import { el, icon, set, write } from './dom.js';
import { t } from './texts.js';

/** @import { Point, Bounds } from './board-geometry.js' */

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

const ICONS = {
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  last: 'M12 5v3M12 16v3M5 12h3M16 12h3M12 12h.01',
  in: 'M12 5v14M5 12h14',
  out: 'M5 12h14',
};
const ARROW = 'M4 12h15M13 6l6 6-6 6';

/** @param {HTMLElement} whole @param {HTMLElement} stage what the board is drawn in
 * @param {boolean} playable whether stones can ever be put there @param {Callbacks} callbacks */
export function createBoardControls(whole, stage, playable, callbacks) {
  const tool = (/** @type {ViewAction} */ what) => {
    const label = t(what === 'last' ? 'board_to_last' : `board_${what}`);
    return el('button', {
      type: 'button', class: 'board-tool', title: label, 'aria-label': label, onclick: () => callbacks.view(what),
    }, icon(ICONS[what]));
  };
  const last = tool('last');
  const tools = el('div', { class: 'board-tools', hidden: true }, tool('in'), tool('out'), tool('fit'), last);
  const hint = el('button', {
    type: 'button', class: 'board-hint', hidden: true, title: t('board_to_last'), 'aria-label': t('board_to_last'),
    onclick: () => callbacks.view('last'),
  }, icon(ARROW));

  const confirm = el('button', { type: 'button', class: 'primary', onclick: () => callbacks.confirm() });
  const advice = el('span', { class: 'board-advice' }, t('board_touch'));
  const touch = el('div', { class: 'board-touch', hidden: true }, advice, confirm);
  const said = el('span');
  const premoved = el('div', { class: 'offer premoved', hidden: true }, said,
    el('button', { type: 'button', onclick: () => callbacks.cancelPremove() }, t('board_premove_cancel')));
  /** Whether the strip for confirmation is there, as style.css has it. */
  const strip = playable && matchMedia('(pointer: coarse)').matches;
  if (strip) touch.append(premoved);

  const input = el('input', {
    class: 'board-input', type: 'text', autocomplete: 'off', spellcheck: false, enterKeyHint: 'go', maxLength: 18,
    'aria-label': t('board_type'), placeholder: t('board_type'),
  });
  const line = el('form', { class: 'board-line' }, input);

  const typed = () => parsePoint(input.value, callbacks.bounds());
  const close = () => {
    input.value = '';
    set(input, { 'aria-invalid': false });
  };
  input.addEventListener('input', () => {
    set(input, { 'aria-invalid': false });
    callbacks.typing(typed());
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    close();
    callbacks.typing(null);
    callbacks.done();
  });
  input.addEventListener('blur', () => {
    close();
    callbacks.typing(null);
  });
  line.addEventListener('submit', (event) => {
    event.preventDefault();
    const point = typed();
    if (!point) {
      set(input, { 'aria-invalid': 'true' });
      callbacks.invalid(input.value);
      return;
    }
    close();
    callbacks.typed(point);
  });

  stage.append(tools, hint, line);
  if (playable) whole.append(touch);

  return {
    /** @param {ControlsState} state */
    show({ hint: edge, tools: wanted, last: any, ghost, confirms, waits, premoved: next }) {
      tools.hidden = !wanted;
      last.disabled = !any;
      hint.hidden = !edge;
      if (edge) hint.style.transform = `translate(${edge.x}px, ${edge.y}px) rotate(${edge.angle}rad)`;
      touch.hidden = !confirms && next === null;
      confirm.hidden = ghost === null;
      advice.hidden = ghost !== null || waits;
      premoved.hidden = next === null || (strip && ghost !== null);
      if (ghost !== null) write(confirm, t(waits ? 'board_confirm_premove' : 'board_confirm', { point: ghost }));
      if (next !== null) write(said, t('board_premove_set', { point: next }));
    },
    /** Shows the premove, where the strip has no place for it. */
    premoved: strip ? undefined : premoved,
    /** Begins a typed point. @param {string} text */
    type(text) {
      input.value = text;
      input.focus();
      callbacks.typing(typed());
    },
  };
}

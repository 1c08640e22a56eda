// The controls that belong to a board: the button that confirms a stone shown by touch, the line to
// type a point, the buttons of the view, and the arrow at the edge to what is out of sight.

import { el, icon, set, write } from './dom.js';
import { parsePoint } from './geometry.js';
import { t } from './texts.js';

/** @import { Point, Bounds } from './geometry.js' */

/** @typedef {'fit' | 'last' | 'in' | 'out'} ViewAction */
/**
 * @typedef {object} Asks
 * @property {() => void} confirm the stone that is shown is put for good
 * @property {(point: Point) => void} typed a point was typed and confirmed
 * @property {(point: Point | null) => void} typing a point is being typed
 * @property {(text: string) => void} nonsense what was typed and confirmed is no point
 * @property {() => void} unsay the move said beforehand is not to be made
 * @property {() => Bounds} bounds
 * @property {(action: ViewAction) => void} view
 * @property {() => void} done the line is closed
 */
/**
 * @typedef {object} BarState
 * @property {{x: number, y: number, angle: number} | null} hint where and in which direction
 * @property {boolean} tools whether the buttons of the view are wanted
 * @property {boolean} last whether there is a last move to go to
 * @property {string | null} ghost what the point to be confirmed is called
 * @property {boolean} confirms whether stones put by touch are confirmed, now
 * @property {boolean} waits whether a stone would be a move said beforehand
 * @property {string | null} premoved what the point of the move said beforehand is called
 */

const ICONS = {
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  last: 'M12 5v3M12 16v3M5 12h3M16 12h3M12 12h.01',
  in: 'M12 5v14M5 12h14',
  out: 'M5 12h14',
};
const ARROW = 'M4 12h15M13 6l6 6-6 6';

/** @param {HTMLElement} whole @param {HTMLElement} stage what the board is drawn in
 * @param {boolean} playable whether stones can ever be put there @param {Asks} asks */
export function createBar(whole, stage, playable, asks) {
  const tool = (/** @type {ViewAction} */ what) => {
    const label = t(what === 'last' ? 'board_to_last' : `board_${what}`);
    return el('button', {
      type: 'button', class: 'board-tool', title: label, 'aria-label': label, onclick: () => asks.view(what),
    }, icon(ICONS[what]));
  };
  const last = tool('last');
  const tools = el('div', { class: 'board-tools', hidden: true }, tool('in'), tool('out'), tool('fit'), last);
  const hint = el('button', {
    type: 'button', class: 'board-hint', hidden: true, title: t('board_to_last'), 'aria-label': t('board_to_last'),
    onclick: () => asks.view('last'),
  }, icon(ARROW));

  const confirm = el('button', { type: 'button', class: 'primary', onclick: () => asks.confirm() });
  const advice = el('span', { class: 'board-advice' }, t('board_touch'));
  const touch = el('div', { class: 'board-touch', hidden: true }, advice, confirm);
  const said = el('span');
  const premoved = el('div', { class: 'offer premoved', hidden: true }, said,
    el('button', { type: 'button', onclick: () => asks.unsay() }, t('board_premove_cancel')));
  /** Whether the strip for confirmation is there, as style.css has it. */
  const strip = playable && matchMedia('(pointer: coarse)').matches;
  if (strip) touch.append(premoved);

  const input = el('input', {
    class: 'board-input', type: 'text', autocomplete: 'off', spellcheck: false, enterKeyHint: 'go', maxLength: 18,
    'aria-label': t('board_type'), placeholder: t('board_type'),
  });
  const line = el('form', { class: 'board-line' }, input);

  const typed = () => parsePoint(input.value, asks.bounds());
  const close = () => {
    input.value = '';
    set(input, { 'aria-invalid': false });
  };
  input.addEventListener('input', () => {
    set(input, { 'aria-invalid': false });
    asks.typing(typed());
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    close();
    asks.typing(null);
    asks.done();
  });
  input.addEventListener('blur', () => {
    close();
    asks.typing(null);
  });
  line.addEventListener('submit', (event) => {
    event.preventDefault();
    const point = typed();
    if (!point) {
      set(input, { 'aria-invalid': 'true' });
      asks.nonsense(input.value);
      return;
    }
    close();
    asks.typed(point);
  });

  stage.append(tools, hint, line);
  if (playable) whole.append(touch);

  return {
    /** @param {BarState} state */
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
    /** What says the move said beforehand, where it has no place in the strip. */
    premoved: strip ? undefined : premoved,
    /** Begins a typed point. @param {string} text */
    type(text) {
      input.value = text;
      input.focus();
      asks.typing(typed());
    },
  };
}

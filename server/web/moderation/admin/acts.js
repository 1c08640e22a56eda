// What operators can do about the server: tell everybody something, pause new games at a node, close a room.

/** @import { Do } from './admin-view.js' */
/** @import { Overview } from './overview.js' */

import { CHAT_TEXT_MAX } from '../../client/protocol.js';
import { formatMoment } from '../../language/texts.js';
import { button, el, fill, write } from '../../ui/dom.js';
import { select } from '../../ui/form-fields.js';
import { faultText } from '../texts.js';
import { nodeName } from './server-facts.js';
import { ta } from './texts.js';

/** For how many hours an announcement may stand. */
const HOURS = [1, 4, 12, 24, 72, 168];

/**
 * Sends what a form says, and shows below it what became of that.
 * @param {HTMLFormElement} form @param {HTMLElement} line @param {() => Promise<void>} send
 */
function onSubmit(form, line, send) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await attempt(line, async () => {
      await send();
      form.reset();
    });
  });
}

/**
 * Does it, and says what became of that: the text that it returns, or that it is done.
 * @param {HTMLElement} line @param {() => Promise<string | void>} send
 */
export async function attempt(line, send) {
  try {
    write(line, (await send()) || ta('done'));
  } catch (error) {
    write(line, faultText(error));
  }
}

/** @param {Do} act */
export function announceForm(act) {
  const line = el('p', { class: 'hint', role: 'status' });
  const text = el('input', { name: 'text', required: true, maxLength: CHAT_TEXT_MAX, autocomplete: 'off' });
  const hours = select(
    ta('hours'),
    HOURS.map((hour) => [String(hour), ta('hours_of', { count: hour })]),
  );
  const form = el(
    'form',
    { class: 'row' },
    el('label', { class: 'field grow' }, el('span', null, ta('announce_text')), text),
    hours.label,
    el('button', null, ta('announce_send')),
  );
  onSubmit(form, line, () => act('announcement', { text: text.value, hours: Number(hours.field.value) }));
  const now = el('div', { class: 'announced' });
  const section = el('section', null, el('h2', null, ta('announce')), now, form, line);
  /** @param {Overview['announcement']} announcement */
  const show = (announcement) => {
    const key = announcement ? `${announcement.until} ${announcement.text}` : '';
    // The focus stays where it is.
    if (now.dataset.key === key) return;
    now.dataset.key = key;
    if (!announcement) return fill(now);
    const { text: said, until, by } = announcement;
    fill(
      now,
      el('blockquote', null, el('bdi', null, said)),
      el('p', { class: 'hint' }, ta('announced', { by, date: formatMoment(until) })),
      button(ta('announce_end'), () => void attempt(line, () => act('announcement/end', {}))),
    );
  };
  return { section, show };
}

/** @param {Do} act */
export function closeForm(act) {
  const line = el('p', { class: 'hint', role: 'status' });
  const room = el('input', {
    name: 'room',
    required: true,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: false,
  });
  const reason = el('input', { name: 'reason', required: true, maxLength: CHAT_TEXT_MAX, autocomplete: 'off' });
  const form = el(
    'form',
    { class: 'row' },
    el('label', { class: 'field' }, el('span', null, ta('room_code')), room),
    el('label', { class: 'field grow' }, el('span', null, ta('close_reason')), reason),
    el('button', { class: 'danger' }, ta('close_room')),
  );
  onSubmit(form, line, () => act(`rooms/${encodeURIComponent(codeOf(room.value))}/close`, { reason: reason.value }));
  const how = el('p', { class: 'hint' }, ta('close_how'));
  const section = el('section', null, el('h2', null, ta('close')), how, form, line);
  /** @param {string} code */
  const choose = (code) => {
    room.value = code;
    section.scrollIntoView({ block: 'center' });
    reason.focus();
  };
  return { section, choose };
}

/** The code of a room from what somebody pastes: the code, or a link to it. @param {string} text */
function codeOf(text) {
  return text
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/^.*\//, '')
    .toLowerCase();
}

/** Buttons that pause new games at each node. @param {Do} act */
export function pauseButtons(act) {
  const line = el('p', { class: 'hint', role: 'status' });
  const row = el('div', { class: 'row' });
  const section = el('section', null, el('p', { class: 'hint' }, ta('pause_how')), row, line);
  /** @param {Overview} overview */
  const show = ({ nodes }) => {
    const key = JSON.stringify(nodes.map(({ node, paused }) => [node, paused]));
    // The focus stays where it is.
    if (row.dataset.key === key) return;
    row.dataset.key = key;
    const focused = [...row.children].indexOf(/** @type {Element} */ (document.activeElement));
    const buttons = nodes.map((node) => {
      const text = ta(node.paused ? 'resume' : 'pause');
      const send = () => act(`nodes/${node.node}/pause`, { paused: !node.paused });
      return button(nodes.length > 1 ? `${text}: ${nodeName(node)}` : text, () => void attempt(line, send));
    });
    fill(row, ...buttons);
    buttons[focused]?.focus();
  };
  return { section, show };
}

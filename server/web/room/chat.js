// Chat in a room, among players and among spectators.

/** @import { Room } from '../game/room-state.js' */
/** @import { ChatLine, RoomNews } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { change, settings } from '../browser/settings.js';
import { memberName, personName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { CHAT_TEXT_MAX } from '../protocol.js';
import { el, fill, icon, write } from '../ui/dom.js';

/** Lines kept on the page. */
const LINES_MAX = 200;

/** @typedef {ChatLine & { apart: boolean }} Line */

/**
 * @param {App} app
 * @param {Room} room
 * @param {() => void} reveal brings the chat into sight
 */
export function createChat(app, room, reveal) {
  const list = el('ol');
  const log = el('div', { class: 'chat-lines', role: 'log', tabIndex: 0, 'aria-label': t('chat') }, list);
  const field = el('input', {
    maxLength: CHAT_TEXT_MAX,
    placeholder: t('chat_say'),
    'aria-label': t('chat_say'),
    enterKeyHint: 'send',
    autocomplete: 'off',
  });
  const form = el(
    'form',
    { class: 'row' },
    field,
    el('button', { type: 'submit', title: t('chat_send'), 'aria-label': t('chat_send') }, icon('arrow')),
  );
  /** The last line, and how many are new, where the chat itself is out of sight. */
  const last = el('span');
  const counts = [el('span', { class: 'chip now' }), el('span', { class: 'chip now' })];
  const line = el('button', { type: 'button', class: 'talk', onclick: reveal }, icon('talk'), last, counts[0]);
  const button = el(
    'button',
    { type: 'button', class: 'talk-too', onclick: reveal },
    icon('talk'),
    t('chat'),
    counts[1],
  );
  const note = el('p', { class: 'hint' });
  const allowed = el('input', { type: 'checkbox', onchange: () => send({ type: 'set_chat', on: allowed.checked }) });
  const host = el('label', { class: 'check' }, allowed, t('chat_allowed'));
  const element = el(
    'details',
    { class: 'chat card', open: settings.chat, ontoggle: () => change('chat', element.open) },
    el('summary', null, t('chat')),
    el('div', { class: 'chat-body' }, log, form, note, host),
  );
  /** @type {Map<number, Line>} */
  const lines = new Map();
  let usable = true;
  let playing = false;
  /** How many lines came while the chat was out of sight. */
  let fresh = 0;
  let inSight = false;
  const watch = new IntersectionObserver((entries) => {
    inSight = entries.at(-1)?.isIntersecting ?? false;
    if (inSight) fresh = 0;
    showFresh();
  });
  watch.observe(log);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === '') return;
    field.value = '';
    send({ type: 'say', text });
  });

  /** @param {import('../ui/protocol-types').RoomCommand} command */
  function send(command) {
    app.connection.send({ ...command, room: room.code }).catch(app.showError);
  }

  /** Loads the earlier lines. */
  async function load() {
    try {
      const answer = await app.connection.send({ type: 'chat', room: room.code });
      if (answer.type !== 'chat') return;
      usable = true;
      lines.clear();
      for (const line of answer.players) lines.set(line.number, { ...line, apart: false });
      for (const line of answer.spectators ?? []) lines.set(line.number, { ...line, apart: true });
    } catch {
      usable = false;
    }
    showLines();
    show();
  }

  function showLines() {
    const sorted = [...lines.values()].sort((a, b) => a.number - b.number).slice(-LINES_MAX);
    fill(
      list,
      ...(sorted.length > 0
        ? sorted.map((line) => lineOf(app, room, line))
        : [el('li', { class: 'hint' }, t('chat_quiet'))]),
    );
    log.scrollTop = log.scrollHeight;
    const latest = sorted.at(-1);
    fill(
      last,
      ...(latest
        ? [
            el('bdi', { class: 'name' }, latest.bot ? t('bot_kind', { kind: latest.name }) : memberName(latest.name)),
            ' ',
            el('bdi', null, latest.text),
          ]
        : [t('chat')]),
    );
  }

  function showFresh() {
    const text = t('chat_new', { count: fresh });
    for (const count of counts) {
      write(count, text);
      count.hidden = fresh === 0;
    }
  }

  function show() {
    const seated = !!room.seatOf(app.connection.you);
    const before = playing;
    playing = seated && room.phase === 'running';
    // Players get the spectators' lines after the game.
    if (before && !playing) void load();
    const { first, second } = room.seats;
    const alone = [first, second].some((player) => player && 'bot' in player) && room.spectators.count === 0;
    element.hidden = !usable || !app.connection.chat || (alone && lines.size === 0);
    line.hidden = button.hidden = element.hidden;
    host.hidden = room.host !== app.connection.you;
    allowed.checked = room.chat;
    form.hidden = !room.chat;
    note.hidden = room.chat && (seated || room.phase !== 'running');
    note.textContent = t(room.chat ? 'chat_apart' : 'chat_off');
  }

  showFresh();
  // Who is blocked from now on is left out.
  addEventListener('fivefold-listed', load);
  return {
    element,
    /** The last line, as a button that leads to the chat, and a shorter one. */
    line,
    button,
    load,
    show,
    /** @param {RoomNews} news */
    receive(news) {
      if (news.type !== 'player_said' && news.type !== 'spectator_said') return;
      // After a restart the server numbers lines from 1 again.
      if (lines.has(news.line.number)) lines.clear();
      lines.set(news.line.number, { ...news.line, apart: news.type === 'spectator_said' });
      showLines();
      if (news.line.member !== app.connection.you && !inSight) fresh += 1;
      showFresh();
    },
    remove() {
      watch.disconnect();
      removeEventListener('fivefold-listed', load);
    },
  };
}

/** @param {App} app @param {Room} room @param {Line} line */
function lineOf(app, room, { apart, number, member, name, bot, text }) {
  const opposed = room.phase === 'running' && !!room.seatOf(app.connection.you);
  const who = personName(app, { member, name, engine: bot }, { opposed, room: room.code, line: { number, text } });
  return el(
    'li',
    { class: apart ? 'apart' : '' },
    el('span', { class: 'name', title: apart ? t('spectator') : '' }, who),
    ' ',
    el('bdi', null, text),
  );
}

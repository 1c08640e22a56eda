// Chat in a room, among players and among spectators.

/** @import { Room } from '../client/room-state.js' */
/** @import { ChatLine, RoomCommand, RoomNews } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { change, settings } from '../browser/settings.js';
import { CHAT_TEXT_MAX } from '../client/protocol.js';
import { memberName, personName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { button, el, fill, icon, write } from '../ui/dom.js';

/** Lines kept on the page. */
const LINES_MAX = 200;

/** @typedef {ChatLine & { apart: boolean }} Line */

/**
 * @param {App} app
 * @param {Room} room
 * @param {() => void} reveal brings the chat into sight
 */
export function createChat(app, room, reveal) {
  const log = createLog(app, room);
  const fresh = createFreshCount(log.element);
  const [lineChip, buttonChip] = fresh.chips;
  const line = button([icon('talk'), log.last, lineChip], reveal, { class: 'talk' });
  const shortLine = button([icon('talk'), t('chat'), buttonChip], reveal, { class: 'talk-too' });
  const form = createForm((text) => send({ type: 'say', text }));
  const note = el('p', { class: 'hint' });
  const allowed = el('input', { type: 'checkbox', onchange: () => send({ type: 'set_chat', on: allowed.checked }) });
  const host = el('label', { class: 'check' }, allowed, t('chat_allowed'));
  const element = el(
    'details',
    { class: 'chat card', open: settings.chat, ontoggle: () => change('chat', element.open) },
    el('summary', null, t('chat')),
    el('div', { class: 'chat-body' }, log.element, form, note, host),
  );
  let usable = true;
  let playing = false;

  /** @param {RoomCommand} command */
  function send(command) {
    app.connection.send({ ...command, room: room.code }).catch(app.showError);
  }

  /** Loads the earlier lines. */
  async function load() {
    try {
      const answer = await app.connection.send({ type: 'chat', room: room.code });
      if (answer.type !== 'chat') return;
      usable = true;
      log.set(answer.players, answer.spectators);
    } catch {
      usable = false;
    }
    show();
  }

  function show() {
    const seated = !!room.seatOf(app.connection.you);
    const before = playing;
    playing = seated && room.phase === 'running';
    // Players get the spectators' lines after the game.
    if (before && !playing) void load();
    const { first, second } = room.seats;
    const alone = [first, second].some((player) => player && 'bot' in player) && room.spectators.count === 0;
    element.hidden = !usable || !app.connection.chat || (alone && log.isEmpty);
    line.hidden = shortLine.hidden = element.hidden;
    host.hidden = room.host !== app.connection.you;
    allowed.checked = room.chat;
    form.hidden = !room.chat;
    note.hidden = room.chat && (seated || room.phase !== 'running');
    note.textContent = t(room.chat ? 'chat_apart' : 'chat_off');
  }

  // Who is blocked from now on is left out.
  addEventListener('fivefold-listed', load);
  return {
    element,
    /** The last line, as a button that leads to the chat, and a shorter one. */
    line,
    button: shortLine,
    load,
    show,
    /** @param {RoomNews} news */
    receive(news) {
      if (news.type !== 'player_said' && news.type !== 'spectator_said') return;
      log.add({ ...news.line, apart: news.type === 'spectator_said' });
      if (news.line.member !== app.connection.you) fresh.add();
    },
    remove() {
      fresh.remove();
      removeEventListener('fivefold-listed', load);
    },
  };
}

/** @param {(text: string) => void} say */
function createForm(say) {
  const field = el('input', {
    maxLength: CHAT_TEXT_MAX,
    placeholder: t('chat_say'),
    'aria-label': t('chat_say'),
    enterKeyHint: 'send',
    autocomplete: 'off',
  });
  const label = t('chat_send');
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === '') return;
    field.value = '';
    say(text);
  };
  return el(
    'form',
    { class: 'row', onsubmit },
    field,
    el('button', { type: 'submit', title: label, 'aria-label': label }, icon('arrow')),
  );
}

/** The lines, and the last of them for where the chat itself is out of sight. @param {App} app @param {Room} room */
function createLog(app, room) {
  const list = el('ol');
  const element = el('div', { class: 'chat-lines', role: 'log', tabIndex: 0, 'aria-label': t('chat') }, list);
  const last = el('span');
  /** @type {Map<number, Line>} */
  const lines = new Map();

  function show() {
    const sorted = [...lines.values()].sort((a, b) => a.number - b.number).slice(-LINES_MAX);
    const quiet = sorted.length === 0 && el('li', { class: 'hint' }, t('chat_quiet'));
    fill(list, quiet, ...sorted.map((line) => lineOf(app, room, line)));
    element.scrollTop = element.scrollHeight;
    const latest = sorted.at(-1);
    if (!latest) return write(last, t('chat'));
    const name = latest.bot ? t('bot_kind', { kind: latest.name }) : memberName(latest.name);
    fill(last, el('bdi', { class: 'name' }, name), ' ', el('bdi', null, latest.text));
  }

  return {
    element,
    last,
    get isEmpty() {
      return lines.size === 0;
    },
    /** @param {readonly ChatLine[]} players @param {readonly ChatLine[]} [spectators] */
    set(players, spectators = []) {
      lines.clear();
      for (const line of players) lines.set(line.number, { ...line, apart: false });
      for (const line of spectators) lines.set(line.number, { ...line, apart: true });
      show();
    },
    /** @param {Line} line */
    add(line) {
      // After a restart the server numbers lines from 1 again.
      if (lines.has(line.number)) lines.clear();
      lines.set(line.number, line);
      show();
    },
  };
}

/** How many lines came while the chat was out of sight. @param {Element} log */
function createFreshCount(log) {
  const chips = [el('span', { class: 'chip now' }), el('span', { class: 'chip now' })];
  let count = 0;
  let inSight = false;
  const watch = new IntersectionObserver((entries) => {
    inSight = entries.at(-1)?.isIntersecting ?? false;
    if (inSight) show(0);
  });
  watch.observe(log);
  show(0);

  /** @param {number} now */
  function show(now) {
    count = now;
    for (const chip of chips) {
      write(chip, t('chat_new', { count }));
      chip.hidden = count === 0;
    }
  }

  return { chips, add: () => !inSight && show(count + 1), remove: () => watch.disconnect() };
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

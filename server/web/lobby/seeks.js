// The player's seeks and challenges. They go on while the player looks at other pages, over lost
// sockets and a reload, until a game is found.

/** @import { LobbyNews, Seat, SeekCommand } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { tabStorage } from '../browser/browser-storage.js';
import { playNotice } from '../browser/sounds.js';
import { eachSecond, waitText } from '../game/clock-display.js';
import { playerName, ratedName } from '../game/display-names.js';
import { opponent, Room } from '../game/room-state.js';
import { t } from '../language/texts.js';
import { el, fill, write } from '../ui/dom.js';

/** Time to see that somebody is there before another game is left. */
const LEAVE_MS = 5_000;
/** A reload within this time continues a seek. */
const RELOAD_MS = 10_000;
/** Key of the seeks that outlive a reload of their tab. */
const SEEKS_KEY = 'fivefold.seeks';

/**
 * A seek or a challenge.
 * @typedef {object} Seek
 * @property {string} id of its command: the same id is the same seek
 * @property {SeekCommand} command
 * @property {string} [name] of the challenged person
 * @property {string} [seek] the server's name for it
 * @property {number} since when it began, by our clock
 */

/** @typedef {ReturnType<typeof createSeeks>} Seeks */

/** @param {App} app */
export function createSeeks(app) {
  const { connection } = app;
  /** @type {Seek[]} */
  let seeks = [];
  /** The seek that found a game, and its room: it goes on if nobody comes. @type {[Seek, string] | undefined} */
  let found;
  /** The room of a game against a bot while waiting. */
  let botRoom = '';
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const time = el('span');
  const pill = el(
    'a',
    { class: 'seeking', href: '/', hidden: true, title: t('looking'), 'aria-label': t('looking') },
    dots(),
    time,
  );
  app.bar.querySelector('.games-pill')?.before(pill);
  eachSecond(showTime);

  function showTime() {
    const [first] = seeks;
    pill.hidden = !first;
    if (first) write(time, waitText(Date.now() - first.since));
  }

  function changed() {
    showTime();
    for (const listener of listeners) listener();
  }

  /** @param {Seek} seek */
  function stand(seek) {
    seeks = [...seeks.filter(({ id }) => id !== seek.id), seek];
    connection.repeat(
      seek.id,
      seek.command,
      (answer) => {
        if (answer.type !== 'seeking') return;
        // It was cancelled before the server had named it.
        if (!seeks.includes(seek)) return end(seek.id, answer.seek);
        seek.seek = answer.seek;
        seek.since = Date.now() - answer.waited_ms;
        changed();
      },
      (error) => {
        remove(seek);
        app.showError(error);
      },
    );
    changed();
  }

  /** @param {string} id @param {string} seek */
  function end(id, seek) {
    connection.end(id);
    connection.send({ type: 'cancel_seek', seek }).catch(app.showError);
  }

  /** @param {Seek} seek */
  function remove(seek) {
    seeks = seeks.filter((one) => one !== seek);
    changed();
  }

  /** @param {Extract<LobbyNews, { type: 'paired' }>} news */
  function paired({ seek, room, seat, rated }) {
    const own = seeks.find((one) => one.seek === seek);
    found = own?.command.type === 'seek' ? [own, room] : undefined;
    // The server has ended the others.
    for (const one of seeks) connection.end(one.id);
    seeks = [];
    changed();
    if (location.pathname === `/r/${room}`) return;
    playNotice();
    // A game that was found before says it in its room.
    const text = [t('opponent_found'), rated !== undefined && ratedName(rated)].filter(Boolean).join(' ');
    app.announce(text, true);
    app.notify(text, `/r/${room}`);
    // Another game is left after a moment, everything else at once.
    if (location.pathname.startsWith('/r/')) callAway(room, seat);
    else go(room);
  }

  /** @param {string} room */
  function go(room) {
    app.go(`/r/${room}`);
    if (botRoom) connection.send({ type: 'close', room: botRoom }).catch(() => {});
    botRoom = '';
  }

  /** @param {string} code @param {Seat} seat */
  function callAway(code, seat) {
    const room = new Room(code);
    const until = Date.now() + LEAVE_MS;
    const left = el('span', { class: 'hint' });
    const card = el('div', { class: 'ask', role: 'alert' });
    const leave = () => {
      stop();
      card.remove();
      if (location.pathname !== `/r/${code}`) go(code);
    };
    const stop = eachSecond(() => {
      write(left, t('game_soon', { count: Math.max(0, Math.ceil((until - Date.now()) / 1000)) }));
      if (Date.now() >= until) leave();
    });
    const show = () => {
      const text = t('somebody_here', { name: playerName(room.seats[opponent(seat)]) });
      fill(
        card,
        el('span', null, el('strong', null, text), left),
        el('button', { type: 'button', class: 'primary', onclick: leave }, t('go_now')),
      );
      app.asks.append(card);
      app.tab(`${text} – Fivefold`, 'yours');
    };
    connection.enter(code, {
      seq: () => room.after,
      playing: () => room.phase === 'running',
      joined(joined) {
        room.joined(joined);
        show();
      },
      receive: () => {},
      lost: () => {},
    });
  }

  /** @type {{ at?: number, seeks?: Seek[], found?: [Seek, string] }} */
  const kept = JSON.parse(tabStorage.getItem(SEEKS_KEY) ?? '{}');
  if (Date.now() - (kept.at ?? 0) < RELOAD_MS) {
    ({ found } = kept);
    kept.seeks?.forEach(stand);
  }
  addEventListener('pagehide', () => tabStorage.setItem(SEEKS_KEY, JSON.stringify({ at: Date.now(), seeks, found })));

  return {
    /** Those that wait. */
    list: () => seeks,
    /** Calls the listener after every change. Returns a function that ends it. @param {() => void} listener */
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** @param {SeekCommand} command @param {string} [name] of the challenged person */
    start(command, name) {
      found = undefined;
      stand({ id: connection.newId(), command, name, since: Date.now() });
    },
    /** @param {Seek} seek */
    cancel(seek) {
      remove(seek);
      if (seek.seek) end(seek.id, seek.seek);
    },
    /** Leaves this room for the game that is found. @param {string} room */
    playBot(room) {
      botRoom = room;
    },
    /** The opponent did not play in the room that was found there: the seek goes on. @param {string} room */
    aborted(room) {
      if (found?.[1] !== room) return;
      const [seek] = found;
      found = undefined;
      app.toast(t('opponent_missing'));
      app.go('/');
      stand(seek);
    },
    /** Seeks a game like the one that was found in a room. @param {string} room */
    another(room) {
      if (found?.[1] !== room) return;
      const [{ command }] = found;
      found = undefined;
      stand({ id: connection.newId(), command, since: Date.now() });
    },
    /** @param {LobbyNews} news */
    receive(news) {
      if (news.type === 'paired') return paired(news);
      if (news.type !== 'seek_over') return;
      const over = seeks.find(({ seek }) => seek === news.seek);
      if (!over) return;
      connection.end(over.id);
      remove(over);
      if (over.name && news.why !== 'cancelled') app.toast(t(`over_${news.why}`, { name: over.name }));
    },
  };
}

/** Five stones that are placed one after the other. */
export function dots() {
  return el('span', { class: 'dots', 'aria-hidden': 'true' }, ...Array.from({ length: 5 }, () => el('i')));
}

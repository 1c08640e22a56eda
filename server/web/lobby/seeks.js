// The player's seeks and challenges. They go on while the player looks at other pages, over lost
// sockets and a reload, until a game is found.

/** @import { LobbyNews, Seat, SeekCommand } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { tabStorage } from '../browser/browser-storage.js';
import { playNotice } from '../browser/sounds.js';
import { opponent, Room } from '../client/room-state.js';
import { eachSecond, waitText } from '../game/clock-display.js';
import { playerName, ratedName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { button, el, fill, write } from '../ui/dom.js';

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

export class Seeks {
  /** Those that wait. @type {Seek[]} */
  #seeks = [];
  /** The seek that found a game, and its room: it goes on if nobody comes. @type {[Seek, string] | undefined} */
  #found;
  /** The room of a game against a bot while waiting. */
  #botRoom = '';
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #time = el('span');
  #pill = el(
    'a',
    { class: 'seeking', href: '/', hidden: true, title: t('looking'), 'aria-label': t('looking') },
    dots(),
    this.#time,
  );

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    app.bar.querySelector('.games-pill')?.before(this.#pill);
    eachSecond(() => this.#showTime());
    /** @type {{ at?: number, seeks?: Seek[], found?: [Seek, string] }} */
    const kept = JSON.parse(tabStorage.getItem(SEEKS_KEY) ?? '{}');
    if (Date.now() - (kept.at ?? 0) < RELOAD_MS) {
      this.#found = kept.found;
      for (const seek of kept.seeks ?? []) this.#stand(seek);
    }
    addEventListener('pagehide', () => {
      const [seeks, found] = [this.#seeks, this.#found];
      tabStorage.setItem(SEEKS_KEY, JSON.stringify({ at: Date.now(), seeks, found }));
    });
  }

  list() {
    return this.#seeks;
  }

  /** Calls the listener after every change. Returns a function that ends it. @param {() => void} listener */
  listen(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @param {SeekCommand} command @param {string} [name] of the challenged person */
  start(command, name) {
    this.#found = undefined;
    this.#stand({ id: this.app.connection.newId(), command, name, since: Date.now() });
  }

  /** @param {Seek} seek */
  cancel(seek) {
    this.#remove(seek);
    if (seek.seek) this.#end(seek.id, seek.seek);
  }

  /** Leaves this room for the game that is found. @param {string} room */
  playBot(room) {
    this.#botRoom = room;
  }

  /** The opponent did not play in the room that was found there: the seek goes on. @param {string} room */
  aborted(room) {
    if (this.#found?.[1] !== room) return;
    const [seek] = this.#found;
    this.#found = undefined;
    this.app.toast(t('opponent_missing'));
    this.app.go('/');
    this.#stand(seek);
  }

  /** Seeks a game like the one that was found in a room. @param {string} room */
  another(room) {
    if (this.#found?.[1] === room) this.start(this.#found[0].command);
  }

  /** @param {LobbyNews} news */
  receive(news) {
    if (news.type === 'paired') return this.#paired(news);
    if (news.type !== 'seek_over') return;
    const over = this.#seeks.find(({ seek }) => seek === news.seek);
    if (!over) return;
    this.app.connection.end(over.id);
    this.#remove(over);
    if (over.name && news.why !== 'cancelled' && news.why !== 'refused')
      this.app.toast(t(`over_${news.why}`, { name: over.name }));
  }

  #showTime() {
    const [first] = this.#seeks;
    this.#pill.hidden = !first;
    if (first) write(this.#time, waitText(Date.now() - first.since));
  }

  #changed() {
    this.#showTime();
    for (const listener of this.#listeners) listener();
  }

  /** @param {Seek} seek */
  #stand(seek) {
    this.#seeks = [...this.#seeks.filter(({ id }) => id !== seek.id), seek];
    this.app.connection.repeat(
      seek.id,
      seek.command,
      (answer) => {
        if (answer.type !== 'seeking') return;
        // It was cancelled before the server had named it.
        if (!this.#seeks.includes(seek)) return this.#end(seek.id, answer.seek);
        seek.seek = answer.seek;
        seek.since = Date.now() - answer.waited_ms;
        this.#changed();
      },
      (error) => {
        this.#remove(seek);
        this.app.showError(error);
      },
    );
    this.#changed();
  }

  /** @param {string} id @param {string} seek */
  #end(id, seek) {
    const { connection, showError } = this.app;
    connection.end(id);
    connection.send({ type: 'cancel_seek', seek }).catch(showError);
  }

  /** @param {Seek} seek */
  #remove(seek) {
    this.#seeks = this.#seeks.filter((one) => one !== seek);
    this.#changed();
  }

  /** @param {Extract<LobbyNews, { type: 'paired' }>} news */
  #paired({ seek, room, seat, rated }) {
    const { app } = this;
    const own = this.#seeks.find((one) => one.seek === seek);
    this.#found = own?.command.type === 'seek' ? [own, room] : undefined;
    // The server has ended the others.
    for (const one of this.#seeks) app.connection.end(one.id);
    this.#seeks = [];
    this.#changed();
    if (location.pathname === `/r/${room}`) return;
    playNotice();
    // A game that was found before says it in its room.
    const text = [t('opponent_found'), rated !== undefined && ratedName(rated)].filter(Boolean).join(' ');
    app.announce(text, true);
    app.notify(text, `/r/${room}`);
    // Another game is left after a moment, everything else at once.
    if (location.pathname.startsWith('/r/')) callAway(app, room, seat, () => this.#go(room));
    else this.#go(room);
  }

  /** @param {string} room */
  #go(room) {
    this.app.go(`/r/${room}`);
    if (this.#botRoom) this.app.connection.send({ type: 'close', room: this.#botRoom }).catch(() => {});
    this.#botRoom = '';
  }
}

/** Asks the player away from another game. @param {App} app @param {string} code @param {Seat} seat @param {() => void} go */
function callAway(app, code, seat, go) {
  const room = new Room(code);
  const until = Date.now() + LEAVE_MS;
  const left = el('span', { class: 'hint' });
  const card = el('div', { class: 'ask', role: 'alert' });
  const leave = () => {
    stop();
    card.remove();
    if (location.pathname !== `/r/${code}`) go();
  };
  const stop = eachSecond(() => {
    write(left, t('game_soon', { count: Math.max(0, Math.ceil((until - Date.now()) / 1000)) }));
    if (Date.now() >= until) leave();
  });
  const show = () => {
    const text = t('somebody_here', { name: playerName(room.seats[opponent(seat)]) });
    fill(card, el('span', null, el('strong', null, text), left), button(t('go_now'), leave, { class: 'primary' }));
    app.asks.append(card);
    app.tab(`${text} – Fivefold`, 'yours');
  };
  app.connection.enter(code, {
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

/** Five stones that are placed one after the other. */
export function dots() {
  return el('span', { class: 'dots', 'aria-hidden': 'true' }, ...Array.from({ length: 5 }, () => el('i')));
}

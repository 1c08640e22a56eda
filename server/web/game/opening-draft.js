// A player's unfinished act in the opening: their choice, and the stones that they have placed but not
// confirmed. It knows no protocol: the server says in `ask` what may be done now.

/** @import { Act, Ask, Point, Seat, Zone } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { Room } from '../client/room-state.js' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { stoneAt } from '../client/room-state.js';
import { t } from '../language/texts.js';
import { nameOrYou } from './display-names.js';

/** What a player may be doing: choosing among several, or one of the parts of an act.
 * @typedef {'choose' | 'take' | 'put' | 'offer' | 'select'} Doing */

export class OpeningDraft {
  /** The part of the act that the player has chosen. @type {Doing | undefined} */
  chosen;
  /** Stones that are placed, or offered, and not confirmed. @type {Point[]} */
  stones = [];
  declared = 0;
  sending = false;
  /** The ask that the draft belongs to. */
  asked = '';

  /**
   * @param {App} app @param {Room} room
   * @param {{ say: (text: string) => void, changed: () => void, refused: () => void }} panel `say` tells what a player must know
   */
  constructor(app, room, panel) {
    this.app = app;
    this.room = room;
    this.panel = panel;
  }

  name = (/** @type {Seat} */ seat) => nameOrYou(this.app, this.room.seats[seat]);
  called = (/** @type {Point} */ point) => pointName(point, boundsOf(this.room.rules.size));

  /** The ask that this player must answer. */
  get ask() {
    const ask = this.room.opening?.ask;
    return ask && this.room.seatOf(this.app.connection.you) === ask.seat ? ask : undefined;
  }

  /** @param {Ask} ask */
  doing(ask) {
    return this.chosen ?? openTo(ask);
  }

  get ply() {
    return this.room.game?.moves.length ?? 0;
  }

  /** The zone of the next stone. @returns {Zone | undefined} */
  get zone() {
    const { ask } = this;
    return ask && this.doing(ask) === 'put' ? putOf(ask)[this.stones.length] : undefined;
  }

  /** Whether the next stone goes on the board. */
  get needsBoard() {
    const { ask, stones } = this;
    if (!ask || this.sending) return false;
    const now = this.doing(ask);
    return now === 'select' || !!this.zone || (now === 'offer' && stones.length < (ask.offer ?? 0));
  }

  /** Starts over when something else is asked. */
  renew() {
    const now = JSON.stringify([this.room.game?.number, this.ply, this.room.opening?.ask]);
    if (now === this.asked) return;
    this.asked = now;
    this.chosen = undefined;
    this.stones = [];
    this.declared = 0;
    this.sending = false;
    this.panel.say('');
  }

  /** Changes the draft. @param {Partial<Pick<OpeningDraft, 'chosen' | 'stones' | 'declared' | 'sending'>>} changes */
  change(changes, text = '') {
    Object.assign(this, changes);
    this.panel.say(text);
    this.panel.changed();
  }

  undo() {
    this.change({ stones: this.stones.slice(0, -1) });
  }

  /** @param {Act} act */
  send(act) {
    this.change({ sending: true });
    this.app.connection.send({ type: 'choose', room: this.room.code, ply: this.ply, act }).catch((error) => {
      this.app.showError(error);
      this.panel.refused();
      this.change({ sending: false });
    });
  }

  /** A point was chosen on the board. @param {Point} point */
  press(point) {
    const { ask } = this;
    if (!ask || this.sending) return this.panel.refused();
    const now = this.doing(ask);
    if (now === 'put') return this.#put(ask, point);
    if (now === 'offer') return this.#offer(ask, point);
    if (has(ask.select ?? [], point)) return this.send({ select: point });
    this.#refuse(t('opening_select_first', { point: this.called(point) }));
  }

  /** @param {string} text */
  #refuse(text) {
    this.panel.refused();
    this.change({}, text);
  }

  /** @param {Ask} ask @param {Point} point */
  #put(ask, point) {
    const { zone, room, called } = this;
    if (!zone) return this.#refuse(t('opening_all_placed'));
    if (!allows(zone, room, point))
      return this.#refuse(t('opening_outside_zone', { point: called(point), zone: zoneText(zone, room) }));
    const stones = [...this.stones, point];
    const total = putOf(ask).length;
    if (total === 1 && ask.declare === undefined) {
      this.stones = stones;
      return this.send({ put: stones });
    }
    this.app.announce(t('moved', { stone: t(stoneAt(this.ply + stones.length - 1)), point: called(point) }), true);
    const declares = stones.length === total && ask.declare !== undefined && !this.declared;
    this.change({ stones }, declares ? t('opening_declare_first') : '');
  }

  /** Offers a point, or takes it back. @param {Ask} ask @param {Point} point */
  #offer(ask, point) {
    let { stones } = this;
    const total = ask.offer ?? 0;
    if (has(stones, point)) stones = stones.filter((one) => String(one) !== String(point));
    else {
      const group = ask.same?.find((points) => has(points, point)) ?? [];
      const same = stones.findIndex((one) => has(group, one));
      if (same >= 0) return this.#refuse(t('opening_same', { number: same + 1 }));
      if (stones.length < total) stones = [...stones, point];
    }
    this.app.announce(t('opening_offered', { at: stones.length, total }), true);
    this.change({ stones });
  }
}

/** The stones that may be put, by their zones. @param {Ask} ask */
export function putOf(ask) {
  return ask.put ?? [];
}

/** The one thing that an ask leaves open, or a choice among several. @param {Ask} ask @returns {Doing} */
export function openTo(ask) {
  const ways = /** @type {const} */ (['take', 'put', 'offer', 'select']).filter((way) => ask[way]);
  return ways.length === 1 ? (ways[0] ?? 'choose') : 'choose';
}

/** The middle of the board that a zone is about: the largest distance in it. Nothing where a stone may go anywhere.
 * @param {Zone} zone @param {Room} room @returns {{ middle: Point, distance: number, beyond: boolean } | undefined} */
export function partOf(zone, { rules: { size } }) {
  if (zone === 'anywhere' || size === 'unbounded') return undefined;
  const beyond = 'beyond' in zone;
  return { middle: [(size[0] - 1) / 2, (size[1] - 1) / 2], distance: beyond ? zone.beyond - 1 : zone.within, beyond };
}

/** @param {{ distance: number }} part */
export function sideOf({ distance }) {
  return 2 * distance + 1;
}

/** @param {Zone} zone @param {Room} room */
export function zoneText(zone, room) {
  const part = partOf(zone, room);
  if (!part) return '';
  const side = sideOf(part);
  return side === 1 ? t('opening_centre') : t(part.beyond ? 'opening_beyond' : 'opening_within', { side });
}

/** Whether a zone has a point. @param {Zone} zone @param {Room} room @param {Point} point */
export function allows(zone, room, point) {
  const part = partOf(zone, room);
  if (!part) return true;
  const away = Math.max(Math.abs(point[0] - part.middle[0]), Math.abs(point[1] - part.middle[1]));
  return away <= part.distance !== part.beyond;
}

/** @param {readonly Point[]} points @param {Point} point */
function has(points, point) {
  return points.some((one) => String(one) === String(point));
}

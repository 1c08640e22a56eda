// A player's actions besides moving: resign, abort, offer, ask, answer, nudge, claim, and the ways on
// after the game. Giving up a game waits a few seconds for "Undo"; everything else is sent at once.

/** @import { Room } from '../client/room-state.js' */
/** @import { BareType, Seat } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { ICONS } from '../ui/icons.js' */
/** @import { TextKey } from '../language/texts.js' */

import { opponent, stoneOf } from '../client/room-state.js';
import { t } from '../language/texts.js';
import { button, el, fill, icon } from '../ui/dom.js';
import { createGameQuestions } from './game-questions.js';
import { canClose, closeRoom, hasOthers } from './own-rooms.js';

/** Time to undo that a game is given up. */
const UNDO_MS = 5_000;

/**
 * @param {App} app
 * @param {Room} room
 * @param {readonly HTMLElement[]} more buttons that stand beside a player's own while they play
 */
export function createGameActions(app, room, more) {
  const offers = el('div', { class: 'offers' });
  const again = el('div', { class: 'again' });
  const element = el('div', { class: 'actions' });
  const questions = createGameQuestions(app, room, send);
  /** The action that can still be undone.
   * @type {{ text: string, timer: ReturnType<typeof setTimeout> } | undefined} */
  let waiting;
  /** The shown state: buttons are rebuilt only when it changes. */
  let shown = '';
  /** @type {HTMLElement | false | undefined} */
  let sit;

  /** @param {BareType} type */
  function send(type) {
    app.connection.send({ type, room: room.code }).catch(app.showError);
  }

  /** @param {BareType} type @param {string} text */
  function later(type, text) {
    clearTimeout(waiting?.timer);
    const timer = setTimeout(() => {
      undo();
      send(type);
    }, UNDO_MS);
    waiting = { text, timer };
    show();
    offers.querySelector('button')?.focus();
  }

  function undo() {
    clearTimeout(waiting?.timer);
    waiting = undefined;
    show();
  }

  /** @param {HTMLElement | false | undefined} [sits] what takes a free seat, for a spectator */
  function show(sits = sit) {
    sit = sits;
    const seat = room.seatOf(app.connection.you);
    if (waiting && room.phase !== 'running') undo();
    const asked = seat ? questions.of(seat) : [];
    const acts = [...(seat ? ownActions(room, seat, more, send, later) : []), ...waysOut(app, room, seat, more)];
    const on = [sit, ...waysOn(app, room, seat, send)];
    const texts = [...acts, ...on].map(
      (one) => one && (more.includes(one) || [one.textContent, one.matches(':disabled')]),
    );
    const askedTexts = asked.map((one) => seat && questions.textOf(seat, one));
    const state = JSON.stringify([seat, room.phase, room.keptGame, waiting?.text, askedTexts, texts]);
    if (state === shown) return;
    shown = state;
    fill(offers, waiting && undoLine(waiting.text, undo), ...asked);
    fill(again, ...on);
    fill(element, ...acts);
  }

  return {
    /** Questions and countdowns, for the voice. */
    offers,
    /** The ways on after the game, for the voice. */
    again,
    /** What the player may do. */
    element,
    show,
    /** Updates the countdown, and shows what a player may do from now on. */
    tick() {
      const seat = room.seatOf(app.connection.you);
      if (seat && questions.tick(seat)) show();
    },
    /** The room is closed: only these ways are left. @param {...(HTMLElement | false | undefined)} ways */
    close(...ways) {
      fill(offers);
      fill(again, ...ways);
      fill(element);
    },
    remove: () => clearTimeout(waiting?.timer),
  };
}

/** @param {string} text @param {() => void} undo */
function undoLine(text, undo) {
  return el(
    'div',
    { class: 'offer undoable' },
    el('p', { class: 'say' }, text),
    el('div', { class: 'row' }, button(t('undo'), undo, { class: 'primary' })),
  );
}

/** @param {TextKey} label @param {keyof typeof ICONS} sign @param {() => void} press @param {Record<string, unknown>} [properties] */
function act(label, sign, press, properties) {
  return button([icon(sign), t(label)], press, properties);
}

/** @param {string} href @param {TextKey} label @param {keyof typeof ICONS} sign */
function way(href, label, sign) {
  return el('a', { class: 'button', href }, icon(sign), t(label));
}

/**
 * What a player may do while the game runs. What has no use now keeps its place.
 * @param {Room} room @param {Seat} seat @param {readonly HTMLElement[]} more
 * @param {(type: BareType) => void} send @param {(type: BareType, text: string) => void} later
 */
function ownActions(room, seat, more, send, later) {
  const { game, opening, phase, seats } = room;
  if (phase !== 'running' || !game) return [];
  const bot = 'bot' in (seats[opponent(seat)] ?? {});
  const own = game.moves.length > (stoneOf(seat, game.black) === 'black' ? 0 : 1);
  const takeback = { disabled: !own || !!opening || !!game.takeback_ask };
  const danger = { class: 'danger' };
  return [
    act('takeback', 'undo', () => send('ask_takeback'), takeback),
    !bot && act('draw', 'even', () => send('offer_draw'), { disabled: !!opening || !!game.draw_offer }),
    ...more,
    game.first_act
      ? act('abort', 'close', () => later('abort', t('aborting')), danger)
      : act('resign', 'flag', () => later('resign', t('resigning')), danger),
  ];
}

/** The ways on in the voice after a game: play again, or look at it.
 * @param {App} app @param {Room} room @param {Seat | undefined} seat @param {(type: BareType) => void} send */
function waysOn(app, { code, game, keptGame, paired, phase }, seat, send) {
  if (!game?.outcome) return [];
  const plays = seat && phase === 'finished';
  const seekAnother = async () => {
    (await app.seeks()).another(code);
    app.go('/');
  };
  return [
    plays && !game.rematch_ask && button(t('rematch'), () => send('rematch'), { class: 'primary' }),
    seat && paired && button(t('new_opponent'), seekAnother),
    keptGame && way(`/game/${keptGame}`, 'replay', 'graph'),
  ];
}

/** The ways out of the room. @param {App} app @param {Room} room @param {Seat | undefined} seat @param {readonly HTMLElement[]} more */
function waysOut(app, room, seat, more) {
  const { game, keptGame, paired, phase, seats } = room;
  const over = !!game?.outcome;
  if (!game || (seat && !over)) return [];
  const { you } = app.connection;
  const ours = over && !withOthers(app, room) && canClose({ host: room.host === you, phase, seats }, you);
  const share = () => app.share(`${location.origin}/game/${keptGame}`);
  return [
    ...more,
    over && act('share', 'share', share, { disabled: !keptGame }),
    over && !paired && way('/', 'change_rules', 'swap'),
    // Nobody else needs the room of a game against a bot.
    ours ? act('leave', 'previous', () => leaveRoom(app, room)) : way('/', 'leave', 'previous'),
  ];
}

/** Whether somebody else is or was here. A player without a seat is a spectator. @param {App} app @param {Room} room */
function withOthers(app, room) {
  const { you } = app.connection;
  const spectators = room.spectators.count - (room.seatOf(you) ? 0 : 1);
  return hasOthers({ seats: room.seats, spectators, ply: room.game?.moves.length ?? 0 }, you);
}

/** Closes the room, and leaves it. @param {App} app @param {Room} room */
export async function leaveRoom(app, room) {
  if (await closeRoom(app, room.code, withOthers(app, room))) app.go('/');
}

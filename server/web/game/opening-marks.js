// The marks of an opening on the board: the draft, the part where the next stone may go, and offered stones.
// Neither depends on color alone: the part has an edge, and offered stones are hollow and numbered.

/** @import { Context, Frame, Palette } from '../board/board-drawing.js' */
/** @import { Point } from '../ui/protocol-types' */
/** @import { Shown } from '../ui/view-types' */
/** @import { OpeningDraft } from './opening-draft.js' */

import { pixelOf } from '../board/board-drawing.js';
import { boundsOf } from '../board/board-geometry.js';
import { stoneAt } from '../client/room-state.js';
import { t } from '../language/texts.js';
import { allows, partOf } from './opening-draft.js';

/** How much of the wood covers what is not allowed. */
const DIMMED = 0.62;

/**
 * What the board shows of an opening, besides the game's moves: for the player who acts also the draft.
 * @param {OpeningDraft} draft @returns {Partial<Shown>}
 */
export function shownOpening(draft) {
  const { room, ask, stones, zone } = draft;
  if (!room.opening?.ask) return {};
  const doing = ask && draft.doing(ask);
  const moves = [...(room.game?.moves ?? []), ...(doing === 'put' ? stones : [])];
  const offered = doing === 'offer' ? stones : (room.opening.offered ?? []);
  const part = zone && partOf(zone, room);
  const bounds = boundsOf(room.rules.size);
  return {
    moves,
    numbered: true,
    turn: draft.needsBoard ? stoneAt(moves.length) : undefined,
    waiting: undefined,
    paint: (canvas, frame, palette) => {
      if (part && bounds) paintZone(canvas, frame, palette, part, bounds, moves);
      paintOffered(canvas, frame, palette, offered);
    },
    note: (point) => {
      const at = offered.findIndex((one) => String(one) === String(point));
      if (at >= 0) return t('opening_offered_point', { number: at + 1 });
      return zone && !allows(zone, room, point) ? t('opening_not_here') : undefined;
    },
  };
}

/**
 * Dims the points that are not allowed, and draws the edge between.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette
 * @param {{ middle: Point, distance: number, beyond: boolean }} zone up to this distance from the
 *   middle, or beyond it
 * @param {readonly [number, number]} bounds @param {readonly Point[]} stones they stay clear
 */
function paintZone(canvas, frame, palette, { middle: [x, y], distance, beyond }, bounds, stones) {
  const reach = distance + 0.5;
  const inner = box(frame, [x - reach, y - reach], [x + reach, y + reach]);
  const whole = box(frame, [-0.5, -0.5], [bounds[0] - 0.5, bounds[1] - 0.5]);
  canvas.beginPath();
  if (!beyond) canvas.rect(...whole);
  canvas.rect(...inner);
  for (const stone of stones) {
    if (Math.max(Math.abs(stone[0] - x), Math.abs(stone[1] - y)) <= distance !== beyond) continue;
    const [px, py] = pixelOf(frame, stone);
    canvas.moveTo(px + 0.5 * frame.step, py);
    canvas.arc(px, py, 0.5 * frame.step, 0, 2 * Math.PI);
  }
  canvas.globalAlpha = DIMMED;
  canvas.fillStyle = palette.wood;
  canvas.fill('evenodd');
  canvas.globalAlpha = 1;
  canvas.strokeStyle = palette.mark;
  canvas.lineWidth = Math.max(0.06 * frame.step, 1.5 * frame.ratio);
  canvas.setLineDash(beyond ? [0.3 * frame.step, 0.2 * frame.step] : []);
  canvas.strokeRect(...inner);
  canvas.setLineDash([]);
}

/**
 * Offered stones: hollow, with their numbers.
 * @param {Context} canvas @param {Frame} frame @param {Palette} palette @param {readonly Point[]} points
 */
function paintOffered(canvas, frame, palette, points) {
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  canvas.lineWidth = Math.max(0.08 * frame.step, 1.5 * frame.ratio);
  canvas.font = `700 ${0.44 * frame.step}px system-ui, sans-serif`;
  for (const [index, point] of points.entries()) {
    const [px, py] = pixelOf(frame, point);
    canvas.beginPath();
    canvas.arc(px + 0.5, py + 0.5, 0.4 * frame.step, 0, 2 * Math.PI);
    canvas.fillStyle = palette.wood;
    canvas.fill();
    canvas.strokeStyle = palette.black;
    canvas.stroke();
    canvas.fillStyle = palette['wood-ink'];
    canvas.fillText(`${index + 1}`, px + 0.5, py + 0.02 * frame.step);
  }
}

/** @param {Frame} frame @param {Point} from @param {Point} to @returns {[number, number, number, number]} */
function box(frame, from, to) {
  const [left, top] = [frame.x + from[0] * frame.step, frame.y + from[1] * frame.step];
  return [left, top, (to[0] - from[0]) * frame.step, (to[1] - from[1]) * frame.step];
}

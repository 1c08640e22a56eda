// The decisions of an opening, practised against the engine on this device: it places the first stones, and the
// reader picks a side, places more, or offers. A room that nothing keeps is the judge.

/** @import { Point } from '../ui/protocol-types' */
/** @import { App, Shown } from '../ui/view-types' */
/** @import { Lesson } from './lessons.js' */

import { Room } from '../client/room-state.js';
import { createOpeningPanel } from '../game/opening-panel.js';
import { errorText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { LocalConnection } from '../local/local-connection.js';

/** The level of the bot. */
const LEVEL = 6;

/**
 * @param {App} app @param {Lesson} lesson
 * @param {{ changed: () => void, focus: () => void, refused: () => void, over: (moves: readonly Point[]) => void }} board
 * @param {AbortSignal} signal
 */
export async function practiseOpening(app, lesson, board, signal) {
  const connection = new LocalConnection(false);
  signal.addEventListener('abort', () => connection.leave());
  const room = new Room('local');
  const panel = createOpeningPanel({ ...app, connection: /** @type {any} */ (connection) }, room, {
    ...board,
    changed,
  });
  let isOver = false;
  await connection.begin({
    rules: lesson.rules,
    opening: lesson.opening ?? 'free',
    time: { type: 'none' },
    names: [t('you')],
    bot: { kind: 'engine', level: LEVEL },
    colour: 'white',
  });
  connection.enter('local', {
    seq: () => room.after,
    playing: () => room.phase === 'running',
    joined: (joined) => {
      room.joined(joined);
      changed();
    },
    receive: (news) => room.receive(news) && changed(),
    lost: (refusal) => app.toast(errorText(refusal)),
  });
  changed();

  function changed() {
    if (isOver) return;
    isOver = room.seq > 0 && !!room.game && !room.opening;
    panel.update();
    board.changed();
    if (!isOver) return;
    connection.leave();
    board.over(room.game?.moves ?? []);
  }

  return {
    /** The panel with the choices. */
    element: panel.element,
    /** @returns {Shown} */
    shown: () => ({ size: lesson.rules.size, moves: room.game?.moves ?? [], ...panel.shown() }),
    press: panel.press,
  };
}

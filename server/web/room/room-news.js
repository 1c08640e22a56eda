// What is heard of a room's events: sounds, words for screen readers, short messages, and notifications.

/** @import { Room } from '../client/room-state.js' */
/** @import { NumberedEvent } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

import { boundsOf, pointName } from '../board/board-geometry.js';
import { playClick, playFinish, playNotice } from '../browser/sounds.js';
import { stoneAt, stoneOf } from '../client/room-state.js';
import { openingName, resultName, sideName, stoneName } from '../game/display-names.js';
import { t } from '../language/texts.js';

/** @param {App} app @param {Room} room @param {NumberedEvent['event']} event */
export function tellNews(app, room, event) {
  const seat = room.seatOf(app.connection.you);
  switch (event.type) {
    case 'played': {
      const stone = stoneName(stoneAt(event.ply), room.rules);
      playClick();
      app.announce(t('moved', { stone, point: pointName(event.point, boundsOf(room.rules.size)) }), true);
      break;
    }
    case 'started':
      playNotice();
      if (seat) {
        const text = room.hasColours
          ? t('game_begins', { stone: sideName(stoneOf(seat, event.black), room.rules) })
          : `${openingName(room.openingKind)}: ${t(`opening_${room.openingKind}_how`)}`;
        app.announce(text, true);
        app.notify(text);
      }
      break;
    case 'ended':
      playFinish();
      app.announce(resultName(event.outcome, room.black, room.rules), true);
      break;
    case 'taken_back':
      app.announce(t('taken_back'));
      break;
    case 'draw_declined':
    case 'takeback_refused':
    case 'rematch_declined':
      if (seat && event.by !== seat) app.toast(t(event.type));
      break;
    case 'draw_offered':
    case 'takeback_asked':
    case 'rematch_asked':
    case 'nudged':
      if (event.by !== seat) playNotice();
      break;
    default:
  }
}

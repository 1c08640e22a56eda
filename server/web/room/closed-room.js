// A room that is closed, or that does not let its visitor in: what the page says, and the ways on. Links to
// closed rooms lead to their last games, which the browser remembers.

/** @import { Room } from '../client/room-state.js' */
/** @import { Closed, Refused } from '../ui/protocol-types' */

import { siteStorage } from '../browser/browser-storage.js';
import { refusalText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { button, linkButton } from '../ui/dom.js';

/** Key of the last games of rooms. */
const ENDED_KEY = 'fivefold.ended';
const ENDED_MAX = 50;

/** The last ended game of each room that this player was in.
 * @returns {Record<string, string>} */
function endedGames() {
  try {
    return JSON.parse(siteStorage.getItem(ENDED_KEY) ?? '{}');
  } catch {
    return {};
  }
}

/** @param {string} code @param {string} id */
export function saveEndedGame(code, id) {
  const { [code]: known, ...others } = endedGames();
  if (known === id) return;
  const kept = [...Object.entries(others), [code, id]].slice(-ENDED_MAX);
  siteStorage.setItem(ENDED_KEY, JSON.stringify(Object.fromEntries(kept)));
}

/** @param {Room} room @param {Refused | Closed} refusal */
export function closedRoom(room, refusal) {
  const { type, reason, why } = refusal;
  const closed = type === 'closed' || reason === 'no_such_room' || reason === 'malformed';
  const game = room.keptGame ?? endedGames()[room.code];
  const restored = type === 'refused' && reason === 'no_such_room' && room.seq > 0;
  const gone = restored ? 'room_gone_or_restored' : room.seq > 0 || game ? 'room_gone_how' : 'no_room_how';
  return {
    title: t(!closed ? 'no_entry' : game ? 'room_gone' : 'no_room'),
    how:
      type === 'refused' && !closed
        ? refusalText(refusal)
        : typeof why === 'string'
          ? t('room_gone_why', { why })
          : t(gone),
    ways: [
      closed
        ? !!game && linkButton(`/game/${game}`, t('replay'), true)
        : button(t('try_again'), () => location.reload(), { class: 'primary' }),
      linkButton('/', t('find_opponent'), closed && !game),
      linkButton('/games', t('your_games')),
      closed && linkButton('/lobby', t('lobby')),
    ],
  };
}

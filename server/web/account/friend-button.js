// “Add friend” on a player's profile, loaded for visitors with an account.

import { el, fill } from '../ui/dom.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { fetchFriends, friendButtons } from './friends.js';
import { ty } from './texts.js';

/** @param {HTMLElement} place @param {{ member: string, name: string }} person */
export function showFriendButton(place, person) {
  const line = faultLine();
  /** @param {import('./friends.js').Standing | undefined} standing */
  const show = (standing) =>
    fill(
      place,
      standing && el('span', { class: 'hint' }, ty(standing === 'friends' ? 'friend' : `friend_${standing}`)),
      ...friendButtons(person, standing, line, show),
      line,
    );
  return attempt(line, async () => {
    const { friends } = await fetchFriends();
    show(friends.find(({ member }) => member === person.member)?.standing);
  });
}

// What a player can do about somebody who is a friend, or may become one.

import { button } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { attempt } from './account-requests.js';
import { ty } from './texts.js';

/** @typedef {'asks' | 'friends' | 'asked'} Standing */
/** Somebody on the list.
 * @typedef {{ member: string, name: string, standing: Standing, at: number, online: boolean, room?: string }} Friend */

/** @returns {Promise<{ friends: Friend[], online_to: string }>} */
export function fetchFriends() {
  return request('GET', 'friends');
}

/**
 * The buttons for somebody. After a press, `changed` gets how the two stand then; why a press failed is on the line.
 * @param {{ member: string, name: string }} person
 * @param {Standing | undefined} standing
 * @param {HTMLElement} line
 * @param {(standing: Standing | undefined) => void} changed
 */
export function friendButtons({ member, name }, standing, line, changed) {
  const ask = async () => changed((await request('POST', 'friends', { member })).standing);
  const leave = async () => {
    await request('DELETE', `friends/${member}`);
    changed(undefined);
  };
  /** @param {'friend_add' | 'friend_accept' | 'friend_decline' | 'friend_take_back' | 'friend_end'} key @param {() => Promise<void>} act */
  const choice = (key, act) => button(ty(key), () => void attempt(line, act), { 'aria-label': `${ty(key)}: ${name}` });
  if (standing === 'asks') return [choice('friend_accept', ask), choice('friend_decline', leave)];
  if (standing === 'asked') return [choice('friend_take_back', leave)];
  if (standing === 'friends') return [choice('friend_end', leave)];
  return [choice('friend_add', ask)];
}

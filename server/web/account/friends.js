// What a player can do about somebody who is a friend, or may become one.

/** @import { App } from '../ui/view-types' */
/** @import { GameSettings } from '../ui/protocol-types' */

import { isDaily } from '../client/clock.js';
import { button } from '../ui/dom.js';
import { reasonOf, request } from '../ui/http-request.js';
import { attempt } from './account-requests.js';
import { ty } from './texts.js';

/** @typedef {'asks' | 'friends' | 'asked'} Standing */
/** A challenge that waits between two friends.
 * @typedef {{ own: boolean, settings: GameSettings, at: number }} Challenge */
/** Somebody on the list.
 * @typedef {{ member: string, name: string, standing: Standing, at: number, online: boolean, room?: string, challenge?: Challenge }} Friend */

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
  /** @param {FriendAct} key @param {() => Promise<void>} act */
  const choice = (key, act) => friendButton(key, name, line, act);
  if (standing === 'asks') return [choice('friend_accept', ask), choice('friend_decline', leave)];
  if (standing === 'asked') return [choice('friend_take_back', leave)];
  if (standing === 'friends') return [choice('friend_end', leave)];
  return [choice('friend_add', ask)];
}

/** What a button does. @typedef {'friend_add' | 'friend_accept' | 'friend_decline' | 'friend_take_back' | 'friend_end'} FriendAct */

/** @param {FriendAct} key @param {string} name @param {HTMLElement} line @param {() => Promise<unknown>} act */
export function friendButton(key, name, line, act) {
  return button(ty(key), () => void attempt(line, act), { 'aria-label': `${ty(key)}: ${name}` });
}

/**
 * Leaves a challenge to a daily game for a friend, who may be offline. Whether it is left: not for others.
 * @param {App} app
 * @param {{ member: string, name: string }} person
 * @param {GameSettings} settings
 */
async function challengeFriend(app, { member, name }, settings) {
  try {
    await request('POST', `friends/${member}/challenge`, { settings });
  } catch (error) {
    if (reasonOf(error) === 'no_such_player') return false;
    throw error;
  }
  app.toast(ty('friend_challenged', { name }));
  return true;
}

/**
 * Challenges a person. A friend finds a challenge to a daily game also after being away.
 * @param {App} app
 * @param {{ member: string, name: string }} person
 * @param {GameSettings} settings
 */
export async function challenge(app, person, settings) {
  try {
    const mayWait = app.connection.account && isDaily(settings.time);
    if (mayWait && (await challengeFriend(app, person, settings))) return;
    (await app.seeks()).start({ type: 'challenge', member: person.member, settings }, person.name);
  } catch (error) {
    app.showError(error);
  }
}

// The part of the dialog “You” about friends: who is online, requests and challenges that wait, and who can see
// whether the player is online.

/** @import { Challenge, Friend } from './friends.js' */
/** @import { Frame } from './you-dialog.js' */

import { gameName } from '../game/display-names.js';
import { dotted, t } from '../language/texts.js';
import { button, el, fill, linkButton, loadStyle, write } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { fetchFriends, friendButton, friendButtons } from './friends.js';
import { storedChoice } from './stored-choice.js';
import { ty } from './texts.js';

await loadStyle('moderation/moderation.css').catch(() => {});

/** What the rows of the list need: the dialog, where faults are shown, and what shows the list again.
 * @typedef {{ frame: Frame, line: HTMLElement, load: () => Promise<void> }} Place */

/** @param {Frame} frame */
export function friendsFold(frame) {
  const line = faultLine();
  const list = el('ol', { class: 'people-list' });
  const choices = /** @type {const} */ ([
    ['friends', ty('friends')],
    ['nobody', ty('challenges_nobody')],
  ]);
  const online = storedChoice(ty('online_to'), choices, line, (to) => request('POST', 'friends/online', { to }));
  const load = () =>
    attempt(line, async () => {
      const { friends, online_to: to } = await fetchFriends();
      online.show(to);
      fill(list, ...friends.map((friend) => row({ frame, line, load }, friend)));
      if (friends.length === 0) write(line, ty('friends_none'));
    });
  const fold = el(
    'details',
    { name: 'account', ontoggle: () => void (fold.open && load()) },
    el('summary', null, ty('friends')),
    list,
    line,
    nameForm(load),
    online.label,
  );
  return fold;
}

/** Asks somebody by name. @param {() => Promise<void>} load */
function nameForm(load) {
  const input = el('input', { maxLength: 24, autocomplete: 'off', required: true });
  const line = faultLine();
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void attempt(line, async () => {
      await request('POST', 'friends', { name: input.value.trim() });
      input.value = '';
      await load();
    });
  };
  return el(
    'form',
    { class: 'account-form', onsubmit: submit },
    el('label', { class: 'field' }, el('span', null, ty('friend_name')), input),
    el('button', { class: 'primary' }, ty('friend_add')),
    line,
  );
}

/** @param {Place} place @param {Friend} friend */
function row(place, friend) {
  const { frame, line, load } = place;
  const { name, standing, online, room, challenge } = friend;
  const state = standing !== 'friends' ? standing : room ? 'playing' : online ? 'online' : 'offline';
  const openChallenge = () => {
    frame.close();
    frame.app.openPerson(friend);
  };
  return el(
    'li',
    null,
    el(
      'div',
      null,
      el('a', { href: `/player/${encodeURIComponent(name)}`, onclick: frame.close }, el('bdi', null, name)),
      el('span', { class: 'hint' }, dotted(ty(`friend_${state}`), challenge && challengeText(challenge))),
    ),
    room && linkButton(`/r/${room}`, t('watch'), true),
    standing === 'friends' &&
      !challenge &&
      button(t('challenge'), openChallenge, { 'aria-label': `${t('challenge')}: ${name}` }),
    ...(challenge ? answers(place, friend, challenge) : friendButtons(friend, standing, line, () => void load())),
  );
}

/** @param {Challenge} challenge */
function challengeText({ own, settings }) {
  return ty(own ? 'friend_challenge_own' : 'friend_challenge', { game: gameName(settings) });
}

/** The answers to a challenge that waits. @param {Place} place @param {Friend} friend @param {Challenge} challenge */
function answers({ frame, line, load }, { member, name }, { own }) {
  const path = `friends/${member}/challenge`;
  const end = async () => {
    await request('DELETE', path);
    await load();
  };
  const accept = async () => {
    const { room } = await request('POST', `${path}/accept`, {});
    frame.close();
    frame.app.go(`/r/${room}`);
  };
  if (own) return [friendButton('friend_take_back', name, line, end)];
  return [friendButton('friend_accept', name, line, accept), friendButton('friend_decline', name, line, end)];
}

// The part of the dialog “You” about friends: who is online, and the requests that wait.

/** @import { Friend } from './friends.js' */
/** @import { Frame } from './you-dialog.js' */

import { t } from '../language/texts.js';
import { button, el, fill, linkButton, loadStyle, write } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { request } from '../ui/http-request.js';
import { faultLine } from './account-form.js';
import { attempt } from './account-requests.js';
import { fetchFriends, friendButtons } from './friends.js';
import { ty } from './texts.js';

await loadStyle('moderation/moderation.css').catch(() => {});

/** @param {Frame} frame */
export function friendsFold({ app, close }) {
  const line = faultLine();
  const list = el('ol', { class: 'people-list' });
  const { field, label } = select(ty('online_to'), [
    ['friends', ty('friends')],
    ['nobody', ty('challenges_nobody')],
  ]);
  /** What the server has. */
  let stored = field.value;
  const load = () =>
    attempt(line, async () => {
      const { friends, online_to: to } = await fetchFriends();
      field.value = stored = to;
      fill(list, ...friends.map(row));
      if (friends.length === 0) write(line, ty('friends_none'));
    });
  field.addEventListener('change', () =>
    attempt(line, async () => {
      try {
        await request('POST', 'friends/online', { to: field.value });
        stored = field.value;
        write(line, ty('challenges_set'));
      } finally {
        field.value = stored;
      }
    }),
  );
  const input = el('input', { maxLength: 24, autocomplete: 'off', required: true });
  const addLine = faultLine();
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void attempt(addLine, async () => {
      await request('POST', 'friends', { name: input.value.trim() });
      input.value = '';
      await load();
    });
  };
  const add = el(
    'form',
    { class: 'account-form', onsubmit: submit },
    el('label', { class: 'field' }, el('span', null, ty('friend_name')), input),
    el('button', { class: 'primary' }, ty('friend_add')),
    addLine,
  );

  /** @param {Friend} friend */
  function row(friend) {
    const { name, standing, online, room } = friend;
    const state = standing !== 'friends' ? standing : room ? 'playing' : online ? 'online' : 'offline';
    const challenge = () => {
      close();
      app.openPerson(friend);
    };
    return el(
      'li',
      null,
      el(
        'div',
        null,
        el('a', { href: `/player/${encodeURIComponent(name)}`, onclick: close }, el('bdi', null, name)),
        el('span', { class: 'hint' }, ty(`friend_${state}`)),
      ),
      room && linkButton(`/r/${room}`, t('watch'), true),
      online && button(t('challenge'), challenge, { 'aria-label': `${t('challenge')}: ${name}` }),
      ...friendButtons(friend, standing, line, () => void load()),
    );
  }

  const fold = el(
    'details',
    { name: 'account', ontoggle: () => void (fold.open && load()) },
    el('summary', null, ty('friends')),
    list,
    line,
    add,
    label,
  );
  return fold;
}

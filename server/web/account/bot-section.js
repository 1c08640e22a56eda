// The bots of an account in the dialog “You”: makes, renames and deletes them, and the tokens of their programs.

/** @import { Bot } from './account-requests.js' */
/** @import { Frame } from './you-dialog.js' */

import { button, el, fill } from '../ui/dom.js';
import { request } from '../ui/http-request.js';
import { accountForm, faultLine, nameField } from './account-form.js';
import { attempt } from './account-requests.js';
import { change } from './confirm.js';
import { tokenSection } from './key-sections.js';
import { ty } from './texts.js';

/** @returns {Promise<{ bots: Bot[], most: number }>} */
const load = () => request('GET', 'account/bots');

/** Asks for the bots when it is unfolded. @param {Frame} frame */
export function botFold(frame) {
  const place = el('div');
  const line = faultLine();
  const fold = el(
    'details',
    {
      name: 'account',
      ontoggle: () => {
        if (fold.open) void attempt(line, async () => fill(place, ...botSection(frame, await load())));
      },
    },
    el('summary', null, ty('bots')),
    place,
    line,
  );
  return fold;
}

/** @param {Frame} frame @param {{ bots: Bot[], most: number }} answer */
function botSection(frame, { bots, most }) {
  const line = faultLine();
  const list = el('div', { class: 'own-bots' });
  const name = nameField('', true);
  const make = accountForm([name], ty('new_bot'), async ({ name: wanted }) => {
    const bot = /** @type {Bot} */ (await request('POST', 'account/bots', { name: wanted }));
    name.input.value = '';
    show([...bots, bot], bot.id);
  });

  /** @param {Bot} bot @param {string} [opened] */
  function part(bot, opened) {
    const path = `account/bots/${bot.id}`;
    const reload = async () => (await load()).bots.find(({ id }) => id === bot.id)?.tokens ?? [];
    const remove = button(
      ty('delete_bot'),
      () => {
        // The second press deletes it.
        if (!remove.classList.contains('sure')) {
          remove.classList.add('sure');
          remove.textContent = ty('delete_bot_sure', { name: bot.name });
          return;
        }
        void attempt(line, async () => {
          if (await change('DELETE', path)) show(bots.filter(({ id }) => id !== bot.id));
        });
      },
      { class: 'danger' },
    );
    const field = nameField(bot.name, true);
    const rename = accountForm([field], ty('rename_bot'), async ({ name: wanted }) => {
      const renamed = await change('POST', `${path}/name`, { name: wanted });
      if (renamed)
        show(
          bots.map((one) => (one.id === bot.id ? renamed : one)),
          bot.id,
        );
    });
    return el(
      'details',
      { name: 'bot', open: bot.id === opened },
      el('summary', null, el('bdi', null, bot.name)),
      el(
        'div',
        null,
        el('a', { href: `/player/${encodeURIComponent(bot.name)}`, onclick: frame.close }, ty('bot_profile')),
        tokenSection(bot, ty('bot_tokens_how'), `${path}/tokens`, reload),
        rename,
        el('div', { class: 'row' }, remove),
      ),
    );
  }

  /** @param {Bot[]} shown @param {string} [opened] the bot that is unfolded */
  function show(shown, opened) {
    bots = shown;
    fill(list, ...bots.map((bot) => part(bot, opened)));
    make.hidden = bots.length >= most;
  }
  show(bots);
  return [el('p', { class: 'hint' }, ty('bots_how', { most })), list, make, line];
}

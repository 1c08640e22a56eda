// The start: three ways in.

/** @import { Command, View } from './types' */

import { el } from './dom.js';
import { t } from './texts.js';

/** @type {View} */
export const view = (app, place) => {
  /** @param {Partial<Command>} command */
  const create = async (command) => {
    const answer = await app.connection.send({
      type: 'create', rules: { variant: 'freestyle', size: 15 }, seats: ['me', 'open'], ...command,
    });
    if (answer.type === 'joined') app.go(`/r/${answer.room}`);
  };
  place.append(
    el('p', null, t('tagline')),
    el('button', { onclick: () => create({}) }, t('play_friend')),
    el('button', { onclick: () => create({ seats: ['me', { bot: { kind: 'engine', strength: 3 } }] }) }, t('play_bot')),
  );
  return () => {};
};

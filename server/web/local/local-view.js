// Games on this device, without a server: against a bot, or two people at one board. The room's page shows
// them.

/** @import { BotSpec, Colour } from '../ui/protocol-types' */
/** @import { View } from '../ui/view-types' */

import { linkedPosition } from '../analysis/position-link.js';
import { ta } from '../analysis/texts.js';
import { stoneAt } from '../client/room-state.js';
import { createBotChoice, playText } from '../game/bot-choice.js';
import { rulesName } from '../game/display-names.js';
import { t } from '../language/texts.js';
import { createGameOptions } from '../lobby/game-options.js';
import { view as roomView } from '../room/room-view.js';
import { button, el, fill, write } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { hasKeptGame, LocalConnection } from './local-connection.js';
import { tl } from './texts.js';

/** Stands in for a room's code. */
const CODE = 'local';

/** @type {View} */
export const view = (app, place) => {
  let leave = () => {};
  const options = createGameOptions('local');
  /** The position from which the game goes on, if the address has one. */
  const from = linkedPosition(location.hash.slice(1));
  const own = select(t('colour'), [
    ['black', t('black')],
    ['white', t('white')],
  ]);
  if (from) own.field.value = stoneAt(from.moves.length);
  const bots = createBotChoice(showBot, from?.rules);
  const bot = button('', () => start([t('you')], bots.spec()));
  showBot();
  place.append(
    el(
      'div',
      { class: 'page' },
      el('h1', null, t('local')),
      el(
        'section',
        { class: 'card play' },
        el('p', { class: 'hint' }, tl('how'), ' ', el('a', { href: '/learn' }, t('learn'))),
        hasKeptGame() && button(tl('continue'), () => show((room) => room.goOn()), { class: 'primary' }),
        bots.element,
        from
          ? el(
              'div',
              { class: 'fields' },
              el('p', null, `${ta('play_from', { count: from.moves.length })} ${rulesName(from.rules)}`),
              own.label,
            )
          : options.element,
        el(
          'div',
          { class: 'row' },
          bot,
          button(tl('two'), () => start([1, 2].map((number) => tl('player', { number })))),
        ),
      ),
    ),
  );
  app.tab(`${t('local')} – Fivefold`);
  // From the home page without a connection: the game that was chosen there begins at once.
  if (location.hash === '#bot') {
    history.replaceState(history.state, '', '/local');
    const { colour = 'random' } = createGameOptions().command();
    void show((room) => room.begin({ ...createGameOptions().settings(), colour, names: [t('you')], bot: bots.spec() }));
  }

  function showBot() {
    const spec = bots.spec();
    options.offerTo(spec.kind);
    write(bot, playText(spec));
  }

  /** @param {string[]} names @param {BotSpec} [bot] */
  function start(names, bot) {
    const { colour = 'random' } = options.command();
    const setup = from
      ? { ...from, colour: /** @type {Colour} */ (own.field.value) }
      : { ...options.settings(), colour };
    void show((room) => room.begin({ ...setup, names, bot }));
  }

  /** Shows the room once it is open. @param {(room: LocalConnection) => Promise<void>} open */
  async function show(open) {
    const room = new LocalConnection();
    try {
      await open(room);
      fill(place);
      // The game does not miss the server.
      const lost = el('span', { hidden: true });
      leave = roomView({ ...app, lost, connection: /** @type {any} */ (room) }, place, CODE);
    } catch (error) {
      room.leave();
      app.showError(error);
    }
  }

  return () => leave();
};

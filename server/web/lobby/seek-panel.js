// What the player waits for: how long already, how long it usually takes, and a bot to play until then.

/** @import { Pool } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */
/** @import { Seek, Seeks } from './seeks.js' */

import { settings } from '../browser/settings.js';
import { botLevel, nearestLevel } from '../game/bots.js';
import { eachSecond, waitText } from '../game/clock-display.js';
import { gameName } from '../game/display-names.js';
import { formatSpan, t } from '../language/texts.js';
import { button, el, fill, write } from '../ui/dom.js';
import { dots } from './seeks.js';

/** @typedef {ReturnType<typeof createSeekPanel>} SeekPanel */

/**
 * @param {App} app
 * @param {Seeks} seeks
 * @param {(name: string) => Pool | undefined} poolOf
 * @param {() => void} onchange
 */
export function createSeekPanel(app, seeks, poolOf, onchange) {
  const rows = el('div', { class: 'waits' });
  const bot = button(t('bot_meanwhile'), playBot);
  const notify = button(t('notify'), () => askToNotify(app).then(show), { class: 'quiet' });
  const element = el('div', { class: 'seek-panel' }, rows, el('div', { class: 'row' }, bot, notify));
  /** @type {(() => void)[]} */
  let ticks = [];
  let level = botLevel();
  // Without an answer the last chosen level stays.
  ratedLevel(app).then(
    (found) => {
      if (!found) return;
      level = found;
      write(bot, t('bot_meanwhile_level', { level }));
    },
    () => {},
  );

  async function playBot() {
    bot.disabled = true;
    try {
      const { createBotRoom } = await import('../room/new-room.js');
      const room = await createBotRoom(app, level, {
        rules: { variant: 'freestyle', size: [15, 15] },
        time: { type: 'none' },
      });
      seeks.playBot(room);
      app.go(`/r/${room}`);
    } catch (error) {
      app.showError(error);
      bot.disabled = false;
    }
  }

  /** @param {Seek} seek */
  function row(seek) {
    const time = el('span', { role: 'timer', 'aria-live': 'off' });
    const { command } = seek;
    const pool = 'pool' in command ? poolOf(command.pool) : undefined;
    const game = pool ?? ('settings' in command ? command.settings : undefined);
    ticks.push(() => write(time, waitText(Date.now() - seek.since)));
    return el(
      'div',
      { class: 'wait' },
      dots(),
      el(
        'span',
        { class: 'grow' },
        el('strong', null, seek.name ? t('challenge_waits', { name: seek.name }) : t('looking')),
        el('span', { class: 'hint' }, game && gameName({ ...game, rated: game.rated && !!app.connection.account })),
        el(
          'span',
          { class: 'hint' },
          time,
          pool?.wait_ms !== undefined && ` · ${t('usual_wait', { time: formatSpan(pool.wait_ms) })}`,
        ),
      ),
      button(t('cancel'), () => seeks.cancel(seek)),
    );
  }

  function show() {
    const list = seeks.list();
    ticks = [];
    element.hidden = list.length === 0;
    notify.hidden = settings.notify || !('Notification' in window);
    fill(rows, ...list.map(row));
    for (const tick of ticks) tick();
    onchange();
  }

  const stops = [
    seeks.listen(show),
    eachSecond(() => {
      for (const tick of ticks) tick();
    }),
  ];
  show();
  return {
    element,
    show,
    playBot,
    remove: () => {
      for (const stop of stops) stop();
    },
  };
}

/** Asks the player whether the browser may tell them that an opponent was found. @param {App} app */
async function askToNotify(app) {
  const { allowNotifications } = await import('../browser/notifications.js');
  if (!(await allowNotifications())) return app.toast(t('notify_denied'));
  const { account, you = '' } = app.connection;
  // A push arrives even if this page is frozen or closed.
  if (account) void import('../account/pushes.js').then((pushes) => pushes.subscribeIfPossible(you)).catch(() => {});
}

/** The bot's level nearest to the rating that is surest, which the server knows of accounts. @param {App} app */
async function ratedLevel({ connection }) {
  if (!connection.account) return undefined;
  await connection.greeted();
  const { fetchProfile } = await import('../players/players-requests.js');
  const { ratings } = await fetchProfile(connection.name);
  const [surest] = ratings.toSorted((one, other) => one.deviation - other.deviation);
  return surest && nearestLevel(surest.rating);
}

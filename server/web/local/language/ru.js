// The Russian texts of games on the device, and of a page without a connection.

/** @type {import('../texts.js').Texts} */
export const texts = {
  needs_connection: 'Этой странице нужна связь; она загрузится, как только связь появится.',
  works_now: 'Без связи доступны:',
  how: 'Партия остаётся в этом браузере.',
  continue: 'Продолжить партию',
  two: 'Вдвоём за этой доской',
  player: 'Игрок {number}',
  bots: 'Боты',
};

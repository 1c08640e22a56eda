// The Russian texts of a page without a connection.

/** @type {import('../texts.js').Texts} */
export const texts = {
  needs_connection: 'Этой странице нужна связь; она загрузится, как только связь появится.',
  works_now: 'Без связи доступны:',
  bots: 'Боты',
};

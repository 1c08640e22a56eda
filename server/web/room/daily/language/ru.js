// The Russian texts of the room of a daily game.

/** @type {import('../texts.js').Texts} */
export const texts = {
  next_game: 'Следующая партия',
  next_game_how: 'Следующая заочная партия, где ваш ход (X)',
  no_next_game: 'Других заочных партий, где ваш ход, нет.',
};

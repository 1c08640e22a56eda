// The Russian texts of the room of a daily game.

/** @type {import('../texts.js').Texts} */
export const texts = {
  next_game: 'Следующая партия',
  next_game_how: 'Следующая заочная партия, где ваш ход (X)',
  no_next_game: 'Других заочных партий, где ваш ход, нет.',
  off: '{name} в отпуске до {date}. Часы этого игрока стоят.',
  off_you: 'У вас отпуск до {date}. Ваши часы стоят.',
};

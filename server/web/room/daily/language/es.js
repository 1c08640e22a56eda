// The Spanish texts of the room of a daily game.

/** @type {import('../texts.js').Texts} */
export const texts = {
  next_game: 'Siguiente partida',
  next_game_how: 'La siguiente partida diaria en la que te toca mover (X)',
  no_next_game: 'No te toca mover en ninguna otra partida diaria.',
  off: '{name} está de vacaciones hasta el {date}. Su reloj está parado.',
  off_you: 'Estás de vacaciones hasta el {date}. Tu reloj está parado.',
};

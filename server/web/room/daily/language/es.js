// The Spanish texts of the room of a daily game.

/** @type {import('../texts.js').Texts} */
export const texts = {
  next_game: 'Siguiente partida',
  next_game_how: 'La siguiente partida diaria en la que te toca mover (X)',
  no_next_game: 'No te toca mover en ninguna otra partida diaria.',
  off: '{name} está de vacaciones hasta el {date}. Su reloj está parado.',
  off_you: 'Estás de vacaciones hasta el {date}. Tu reloj está parado.',
  plan: 'Si juega… yo juego…',
  plan_how: 'Tu respuesta se juega en cuanto tu rival hace la jugada que esperas. Nadie más ve tus planes.',
  plan_add: 'Planear una respuesta',
  plan_wait: 'Puedes planear cuando le toca a tu rival.',
  plan_remove: 'Quitar {line}',
  plan_removed: '{line} se ha quitado.',
  plan_theirs: '¿Qué jugada esperas?',
  plan_mine: '¿Tu respuesta?',
  plan_more: 'Guárdalo, o pon la siguiente jugada que esperas.',
  plan_keep: 'Guardar',
};

// The Spanish texts of the room of a daily game.

/** @type {import('../texts.js').Texts} */
export const texts = {
  next_game: 'Siguiente partida',
  next_game_how: 'La siguiente partida diaria en la que te toca mover (X)',
  no_next_game: 'No te toca mover en ninguna otra partida diaria.',
  off: '{name} está de vacaciones hasta el {date}. Su reloj está parado.',
  off_you: 'Estás de vacaciones hasta el {date}. Tu reloj está parado.',
  plan: 'Si mi rival juega… yo juego…',
  plan_how: 'Tu respuesta se jugará en cuanto tu rival haga la jugada que esperas. Nadie más ve tus planes.',
  plan_add: 'Preparar una respuesta',
  plan_wait: 'Puedes preparar respuestas cuando le toque a tu rival.',
  plan_remove: 'Quitar {line}',
  plan_removed: 'Se ha quitado {line}.',
  plan_theirs: '¿Qué jugada esperas?',
  plan_mine: '¿Tu respuesta?',
  plan_more: 'Guarda esta línea o elige la siguiente jugada que esperas.',
  plan_keep: 'Guardar',
};

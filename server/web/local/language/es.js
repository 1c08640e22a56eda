// The Spanish texts of games on the device, and of a page without a connection.

/** @type {import('../texts.js').Texts} */
export const texts = {
  needs_connection: 'Esta página necesita conexión y se cargará en cuanto la haya.',
  works_now: 'Sin conexión puedes usar:',
  how: 'La partida se queda en este navegador.',
  continue: 'Continuar la partida',
  two: 'Dos jugadores en este dispositivo',
  player: 'Jugador {number}',
  bots: 'Bots',
};

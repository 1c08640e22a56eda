// The Spanish texts of TV and of boards on other sites.

/** @satisfies {import('../texts.js').Texts} */
export const texts = {
  open_on: 'Abrir en {host}',
  open_room: 'Abrir la sala',
  next_soon: 'La siguiente partida empieza en unos segundos.',
  no_board: 'Esta partida no existe o ya no está.',
};

// La lista de teclas en español.

/** @type {import('../texts.js').Texts} */
export const texts = {
  title: 'Teclas',
  move: 'Mover el cursor',
  pan: 'Mover el tablero, si es mayor que la ventana',
  steps: 'Una jugada atrás o adelante',
  variations: 'La variante anterior o siguiente',
  ends: 'Primera o última jugada',
  place: 'Poner una piedra en el cursor o en el punto escrito',
  type: 'Escribir un punto: su letra y luego su número',
  type_numbers: 'Escribir un punto: dos números, con menos si hace falta',
  cancel: 'Quitar lo que aún no está puesto',
  last: 'Ir a la última jugada',
  zoom: 'Más grande o más pequeño',
  fit: 'Mostrar todo',
  numbers: 'Números en las piedras',
  bot_move: 'El bot juega por ti, si se permite la ayuda',
  weight: 'El peso del punto del cursor, si se permite la ayuda',
  weights: 'Los pesos de todos los puntos, si se permite la ayuda',
  next_game: 'En una partida diaria: la siguiente en la que te toca mover',
  undo: 'Deshacer',
};

// The rules in a sentence each, in Spanish.

/** @type {typeof import('./en.js').texts} */
export const texts = {
  mnk: 'Gana quien alinea {k}.',
  freestyle: 'Gana quien alinea cinco o más.',
  standard: 'Gana quien alinea exactamente cinco; seis o más no sirven.',
  renju:
    'Gana quien alinea cinco. Como empiezan, las negras no pueden hacer a la vez dos treses o dos cuatros, ni seis en línea.',
  caro: 'Gana quien alinea exactamente cinco, salvo que el rival haya cerrado los dos extremos.',
  caro_overline: 'Gana quien alinea cinco, salvo que el rival haya cerrado los dos extremos. Seis o más ganan siempre.',
  unbounded: 'El tablero no tiene bordes: arrástralo para mirar alrededor.',
};

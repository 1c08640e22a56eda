// The Spanish texts of the list of finished games.

/** @type {import('../texts.js').Texts} */
export const texts = {
  finished_games: 'Partidas terminadas',
  collections: 'Tus colecciones',
  my_games: 'Mis partidas',
  public_games: 'Partidas públicas',
  search: 'Buscar: nombre, variante, fecha…',
  no_games: 'Aún no hay partidas.',
  no_match: 'No se ha encontrado nada.',
};

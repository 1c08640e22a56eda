// The Russian texts of the list of finished games.

/** @type {import('../texts.js').Texts} */
export const texts = {
  finished_games: 'Завершённые партии',
  collections: 'Ваши коллекции',
  my_games: 'Мои партии',
  public_games: 'Публичные партии',
  search: 'Поиск: имя, правила, дата…',
  no_games: 'Партий пока нет.',
  no_match: 'Ничего не найдено.',
};

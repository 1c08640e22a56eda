// The English texts of the list of finished games.

export const texts = {
  finished_games: 'Finished games',
  collections: 'Your collections',
  my_games: 'My games',
  public_games: 'Public games',
  search: 'Search by name, variant, date…',
  no_games: 'No games yet.',
  no_match: 'Nothing found.',
};

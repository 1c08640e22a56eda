// The English texts of a page without a connection.

export const texts = {
  needs_connection: 'This page needs a connection and loads as soon as there is one.',
  works_now: 'These work without it:',
  bots: 'Bots',
};

// The English texts of games on the device, and of a page without a connection.

export const texts = {
  needs_connection: 'This page needs a connection and loads as soon as there is one.',
  works_now: 'These work without it:',
  how: 'The game stays in this browser.',
  continue: 'Continue the game',
  two: 'Two people at this board',
  player: 'Player {number}',
  bots: 'Bots',
};

// The list of keys in English.

export const texts = {
  title: 'Keys',
  move: 'Move the cursor',
  pan: 'Move the board, where it is larger than the window',
  steps: 'One move back or on',
  variations: 'The variation before or after',
  ends: 'First or latest move',
  place: 'Place a stone at the cursor, or at the typed point',
  type: 'Type a point: its letter, then its number',
  type_numbers: 'Type a point: two numbers, each with a minus where needed',
  cancel: 'Take back what is not placed yet',
  last: 'Go to the last move',
  zoom: 'Larger or smaller',
  fit: 'Show everything',
  numbers: 'Numbers on the stones',
  bot_move: 'The bot moves for you, where help is allowed',
  weight: 'The weight of the point at the cursor, where help is allowed',
  weights: 'The weights of all points, where help is allowed',
  next_game: 'In a daily game: the next one that waits for your move',
  undo: 'Undo',
};

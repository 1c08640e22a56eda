// The English texts of the room of a daily game.

export const texts = {
  next_game: 'Next game',
  next_game_how: 'The next daily game that waits for your move (X)',
  no_next_game: 'No other daily game waits for your move.',
  off: '{name} has time off until {date}. Their clock stands still.',
  off_you: 'You have time off until {date}. Your clock stands still.',
};

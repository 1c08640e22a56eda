// The English texts of the room of a daily game.

export const texts = {
  next_game: 'Next game',
  next_game_how: 'The next daily game that waits for your move (X)',
  no_next_game: 'No other daily game waits for your move.',
  off: '{name} has time off until {date}. Their clock stands still.',
  off_you: 'You have time off until {date}. Your clock stands still.',
  plan: 'If they play… I play…',
  plan_how:
    'Your reply is played as soon as your opponent makes the move that you expect. Nobody else sees your plans.',
  plan_add: 'Plan a reply',
  plan_wait: 'You can plan replies on your opponent’s turn.',
  plan_remove: 'Remove {line}',
  plan_removed: '{line} is removed.',
  plan_theirs: 'Which move do you expect?',
  plan_mine: 'Your reply?',
  plan_more: 'Keep this line, or choose the next move that you expect.',
  plan_keep: 'Keep',
};

// The English texts of TV and of boards on other sites.

export const texts = {
  open_on: 'Open on {host}',
  open_room: 'Open the room',
  next_soon: 'The next game follows in a few seconds.',
  no_board: 'There is no such game, or it is gone.',
};

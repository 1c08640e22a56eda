// The English texts of TV and of boards on other sites.

export const texts = {
  open_on: 'Open on {host}',
  open_room: 'Open the room',
  next_soon: 'The next game follows in a few seconds.',
  no_board: 'There is no such game, or it is gone.',
  embed: 'Embed',
  embed_code: 'Code for your site',
  embed_how: 'Paste this code into a page of your site. The board is live while the game is running.',
  embed_theme: 'Colors',
  theme_auto: 'As the visitor’s device',
  theme_light: 'Light',
  theme_dark: 'Dark',
};

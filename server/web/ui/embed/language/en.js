// The English texts of the code that puts a board on another site.

export const texts = {
  embed: 'Embed',
  embed_code: 'Code for your site',
  embed_how: 'Paste this code into a page on your site. While the game is running, the board shows each move live.',
  embed_off: 'This server does not allow boards on other sites.',
  embed_theme: 'Colors',
  theme_auto: 'Same as the visitor’s device',
  theme_light: 'Light',
  theme_dark: 'Dark',
};

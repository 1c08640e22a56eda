// The English texts of the code that puts a board on another site.

export const texts = {
  embed: 'Embed',
  embed_code: 'Code for your site',
  embed_how: 'Paste this code into a page of your site. The board is live while the game is running.',
  embed_theme: 'Colors',
  theme_auto: 'As the visitor’s device',
  theme_light: 'Light',
  theme_dark: 'Dark',
};

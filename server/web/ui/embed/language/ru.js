// The Russian texts of the code that puts a board on another site.

/** @satisfies {import('../texts.js').Texts} */
export const texts = {
  embed: 'Встроить',
  embed_code: 'Код для вашего сайта',
  embed_how: 'Вставьте этот код в страницу своего сайта. Пока партия идёт, ходы видны на доске сразу.',
  embed_off: 'Этот сервер не разрешает показывать доски на других сайтах.',
  embed_theme: 'Цвета',
  theme_auto: 'Как на устройстве посетителя',
  theme_light: 'Светлые',
  theme_dark: 'Тёмные',
};

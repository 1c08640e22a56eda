// The Spanish texts of the code that puts a board on another site.

/** @satisfies {import('../texts.js').Texts} */
export const texts = {
  embed: 'Insertar',
  embed_code: 'Código para tu sitio',
  embed_how:
    'Pega este código en una página de tu sitio. Mientras se juega, el tablero muestra cada jugada al momento.',
  embed_off: 'Este servidor no permite mostrar tableros en otros sitios.',
  embed_theme: 'Colores',
  theme_auto: 'Como el dispositivo del visitante',
  theme_light: 'Claros',
  theme_dark: 'Oscuros',
};

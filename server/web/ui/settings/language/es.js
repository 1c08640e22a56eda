// The Spanish texts of the settings.

/** @type {import('../texts.js').Texts} */
export const texts = {
  theme: 'Tema',
  theme_auto: 'Igual que el sistema',
  theme_light: 'Claro',
  theme_dark: 'Oscuro',
  theme_contrast: 'Alto contraste',
  language: 'Idioma',
  language_auto: 'Igual que el navegador',
  stones: 'Piedras',
  stones_shaded: 'Con sombra',
  stones_flat: 'Planas',
  stones_marks: 'Cruces y aros',
  board_color: 'Color del tablero',
  board_kaya: 'Kaya',
  board_maple: 'Arce',
  board_cherry: 'Cerezo',
  board_walnut: 'Nogal',
  board_plain: 'Liso',
  volume: 'Volumen',
  test_sound: 'Probar sonido',
  sounds: 'Sonidos',
  confirm_touch: 'Tocar dos veces para colocar',
  premoves: 'Elegir mi jugada mientras piensa el rival',
  coordinates: 'Coordenadas',
  show_chat: 'Mostrar el chat',
};

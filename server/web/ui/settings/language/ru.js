// The Russian texts of the settings.

/** @type {import('../texts.js').Texts} */
export const texts = {
  theme: 'Тема',
  theme_auto: 'Как в системе',
  theme_light: 'Светлая',
  theme_dark: 'Тёмная',
  theme_contrast: 'Контрастная',
  language: 'Язык',
  language_auto: 'Как в браузере',
  stones: 'Камни',
  stones_shaded: 'Объёмные',
  stones_flat: 'Плоские',
  stones_marks: 'Крестики и нолики',
  board_color: 'Цвет доски',
  board_kaya: 'Кайя',
  board_maple: 'Клён',
  board_cherry: 'Вишня',
  board_walnut: 'Орех',
  board_plain: 'Без рисунка',
  volume: 'Громкость',
  test_sound: 'Проверить звук',
  sounds: 'Звуки',
  confirm_touch: 'Ставить камень двойным касанием',
  premoves: 'Выбирать ход заранее, пока думает соперник',
  coordinates: 'Координаты',
  show_chat: 'Показывать чат',
};

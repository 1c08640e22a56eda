// The Russian texts of the lobby.

/** @type {import('../texts.js').Texts} */
export const texts = {
  list_failed: 'Список не загрузился. Нет связи, или сервер не работает.',
  retry_now: 'Повторить сейчас',
  play_anyone: 'Играть с кем угодно',
  post_wait: 'Объявить и ждать',
  challenge_by_name: 'Бросить вызов по имени',
  name: 'Имя',
};

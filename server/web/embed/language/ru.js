// The Russian texts of TV and of boards on other sites.

/** @satisfies {import('../texts.js').Texts} */
export const texts = {
  open_on: 'Открыть на {host}',
  open_room: 'Открыть комнату',
  next_soon: 'Следующая партия начнётся через несколько секунд.',
  no_board: 'Такой партии нет, или она удалена.',
};

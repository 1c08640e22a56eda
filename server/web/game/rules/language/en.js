// The rules in a sentence each, in English, and with that the list of them.

export const texts = {
  mnk: '{k} in a row wins.',
  freestyle: 'Five or more in a row wins.',
  standard: 'Exactly five in a row wins; six or more does nothing.',
  renju:
    'Five in a row wins. To make up for moving first, Black may not make two threes or two fours at once, or six in a row.',
  caro: 'Exactly five in a row wins, unless the opponent has closed both ends.',
  caro_overline: 'Five in a row wins, unless the opponent has closed both ends. Six or more always wins.',
  unbounded: 'The board has no edges: drag it to look around.',
};

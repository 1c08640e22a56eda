// The texts of the lessons in English. Of a lesson: its title, what there is to see, and what to say at the end.

/** @type {{ [key: string]: readonly [string, string, string] }} */
const lessons = {
  tic_tac_toe: [
    'Tic-tac-toe',
    'Three in a row wins on a 3×3 board. Between careful players every game is a draw.',
    'On larger boards it takes more in a row.',
  ],
  freestyle: [
    'Gomoku (freestyle)',
    'Five in a row wins, and so does six or more. The gap in Black’s row is worth a look.',
    'Six in a row counts in freestyle.',
  ],
  standard: [
    'Gomoku (standard)',
    'Exactly five in a row wins. A row of six does nothing, so Black’s gap is worthless here. Where else can Black win?',
    'Exactly five: that counts everywhere.',
  ],
  renju: [
    'Renju',
    'Moving first is an advantage, so renju limits Black: no double three, no double four and no six. White may do all of that, and wins with six.',
    'The forbidden moves have their own lessons below.',
  ],
  caro: [
    'Caro',
    'A five whose two ends are closed by the opponent does not win. One of Black’s two rows is closed already.',
    'One free end is enough.',
  ],
  unbounded: [
    'Without borders',
    'The board goes on in all directions, and no edge helps to defend. Drag it to look around.',
    'Everything else is as in freestyle.',
  ],
  stop_four: [
    'A four',
    'Four in a row needs one more stone to win. This four has one free end: take it, or lose.',
    'A four with one free end can be stopped.',
  ],
  open_four: [
    'An open four',
    'A four with both ends free cannot be stopped: the opponent closes one end, and you win at the other.',
    'That is why a three with free ends is dangerous.',
  ],
  stop_three: [
    'An open three',
    'Three stones with free ends become an open four with one more stone. Answer now: one move later is too late.',
    'Your stone at either end leaves Black at most a four that can be stopped.',
  ],
  four_three: [
    'Four and three',
    'White has two open threes, so there is no time to lose. One stone makes a four and an open three at once: White can answer only one.',
    'The four forces White, and the three becomes an open four.',
  ],
  double_four: [
    'Double four',
    'One stone makes two fours. White can close only one of them.',
    'Two fours in different directions win like an open four.',
  ],
  double_three: [
    'Double three',
    'One stone makes two open threes. White can stop only one of them.',
    'It works while White has no four to gain time with. In renju it is forbidden for Black.',
  ],
  vcf: [
    'A chain of fours',
    'White has an open three, but every four must be answered. So play four after four, until one of them brings a second threat.',
    'Such a chain is called VCF: victory by continuous fours.',
  ],
  forbidden_double_three: [
    'Forbidden: double three',
    'Black may not make two open threes with one stone in renju.',
    'White may play there, and often should.',
  ],
  forbidden_double_four: [
    'Forbidden: double four',
    'Black may not make two fours with one stone in renju.',
    'A single four, also with a single three, is allowed.',
  ],
  forbidden_overline: [
    'Forbidden: six',
    'Black may not make six or more in a row in renju.',
    'So two of Black’s own rows can spoil each other.',
  ],
  five_first: [
    'A five comes first',
    'One point makes five in a row and two open threes. In renju a five wins whatever else the stone makes.',
    'Exactly five: six would still be forbidden.',
  ],
  renju_four_three: [
    'How Black wins in renju',
    'Double threes and fours are forbidden, but a four together with a three is not. It is Black’s usual way to win.',
    'Watch that neither row grows into a forbidden shape.',
  ],
  trap: [
    'The trap',
    'White makes a four, and Black must close it. Choose a four whose only answer is a point that is forbidden for Black.',
    'Black cannot answer. Such traps are White’s strength in renju.',
  ],
  swap: [
    'Swap',
    'Place three stones, Black, White, Black, so that both sides are worth the same. Your opponent picks a side.',
    '',
  ],
  swap2: [
    'Swap2',
    'Place three stones as in Swap. Your opponent also has a third choice, so an uneven position helps nobody.',
    '',
  ],
  pro: [
    'Pro',
    'Black’s first stone goes in the middle and the second one away from it. Place the first three stones.',
    '',
  ],
  long_pro: ['Long Pro', 'As Pro, but Black’s second stone goes still farther away. Place the first three stones.', ''],
  rif: [
    'RIF',
    'Renju begins near the middle: White’s stone beside the first one, Black’s second within 5×5. Turned and mirrored, there are 26 such openings.',
    '',
  ],
  yamaguchi: [
    'Yamaguchi',
    'The first three stones are those of RIF. Place them: you also say how many options for the fifth move Black offers.',
    '',
  ],
  soosyrv8: [
    'Soosyrv-8',
    'The first three stones are those of RIF. Place them: later, White says how many options for the fifth move Black offers.',
    '',
  ],
  taraguchi10: [
    'Taraguchi-10',
    'Each stone goes into a larger square than the one before, and the sides may change after each. Place the first three.',
    '',
  ],
};

export const texts = {
  lessons,
  lessons_list: 'Lessons',
  chapters: { rules: 'The rules', wins: 'How to win', forbidden: 'Forbidden in renju', openings: 'Openings' },
  rated: {
    title: 'Games for ratings',
    texts: [
      'Two accounts cannot collect points from each other. Their game is casual if both were used on one device, or at one address within the hour. After a game with fewer than 12 stones, or of less than a minute, a rematch is casual, until one of them has played somebody else. The second game of the same two on a day counts a half, the third one a third, and so on.',
      'While a rated game is running, nobody gets help here with its position, nor with one that differs from it by a stone or two. In a daily game, this applies only to its two players. Other programs, other servers and people beside you can still help: a server cannot prevent that. It looks at games after their end, and people decide.',
    ],
  },
  goals: {
    five: '{stone} to play: win at once.',
    win: '{stone} to play: win by force.',
    defend: '{stone} to play: stop the threat.',
    forbidden: 'Find the point that Black must not take.',
    place: 'Place stone {at} of {total}.',
  },
  wrong: {
    five: 'That does not win at once. Try another point.',
    win: 'Your opponent can answer that. Try another point.',
    defend: 'Your opponent still wins. Try another point.',
    forbidden: 'Black may play there. Try another point.',
  },
  decide: 'Now the other side: your opponent has placed the stones, and you decide.',
  practise: 'Practice the decision',
  engine_says: 'The engine says: {value}.',
  all_done: 'That was the last lesson. Play a game, or solve a puzzle.',
  right: 'Right.',
  answers: 'Right. {stone} answers at {point}. Go on.',
  try_point: 'Try {point}.',
  show: 'Show me',
  again: 'Start over',
  next: 'Next lesson',
  play_it: 'Play',
  learned: 'done',
};

// Opens files and texts with games: what was read and what not, the other games of a file, and a field for a text.

/** @import { Rules } from '../ui/protocol-types' */
/** @import { Analysis } from './kept-analyses.js' */
/** @import { ReadTree } from './tree-files.js' */

import { RefusedError } from '../client/refused-error.js';
import { errorText, refusalText } from '../language/refusals.js';
import { t } from '../language/texts.js';
import { button, el, fill } from '../ui/dom.js';
import { select } from '../ui/form-fields.js';
import { countMoves } from './move-tree.js';
import { ta } from './texts.js';
import { FileProblem, notesText, readTree } from './tree-files.js';

/**
 * @param {() => Rules} rules of games whose text does not say them
 * @param {(read: Analysis) => (() => void) | false} opened shows what was read, and returns the way back, if there is one
 */
export function createFileOpening(rules, opened) {
  /** Ends the reading of a file. */
  let reading = new AbortController();
  const status = el('p', { class: 'hint file-status', role: 'status', 'aria-live': 'polite' });
  const games = el('div', { class: 'file-games', hidden: true });
  const text = el('textarea', { rows: 4, spellcheck: false, 'aria-label': ta('text'), placeholder: ta('text') });
  const file = el('input', {
    type: 'file',
    hidden: true,
    accept: '.sgf,.psq,.lib,.txt,.json',
    'aria-label': ta('open_file'),
    onchange: () => {
      const [chosen] = file.files ?? [];
      if (chosen) void open(chosen);
      file.value = '';
    },
  });
  const readText = button(ta('read_text'), () => void open(text.value), { class: 'primary' });

  /** Says something below the buttons. @param {string} words @param {string | false} [label] of a button @param {() => void} [press] */
  function say(words, label, press) {
    fill(status, words, label && ' ', label && press && button(label, press));
  }

  /** Opens a file, or a text with a game, as an analysis of its own. @param {File | string} source
   * @param {number} [game] its number in a file with several */
  async function open(source, game = 1) {
    reading.abort();
    reading = new AbortController();
    const mine = reading.signal;
    const bar = el('progress', { 'aria-label': ta('reading') });
    say(ta('reading'), t('cancel'), () => reading.abort());
    status.append(bar);
    try {
      const read = await readTree(rules(), source, game, (done) => (bar.value = done), mine);
      const { tree } = read.analysis;
      if (countMoves(tree) === 0 && !read.why && !tree.comment) return say(ta('nothing'));
      const back = opened(read.analysis);
      offerGames(source, game, 1 + (read.notes.find(({ kind }) => kind === 'other_games')?.count ?? 0));
      say(openedText(read), back && ta('back'), back || undefined);
    } catch (error) {
      if (!mine.aborted) say(problemText(error));
      else if (mine === reading.signal) say('');
    }
  }

  /** Offers the other games of a file. @param {File | string} source @param {number} game @param {number} total */
  function offerGames(source, game, total) {
    games.hidden = total === 1;
    const choice = select(
      ta('game_of_file'),
      Array.from({ length: total }, (_, at) => [String(at + 1), ta('game_number', { number: at + 1, total })]),
    );
    choice.field.value = String(game);
    choice.field.addEventListener('change', () => void open(source, Number(choice.field.value)));
    games.replaceChildren(choice.label);
  }

  return {
    elements: [
      status,
      games,
      el('details', { class: 'import' }, el('summary', null, ta('read')), text, el('div', { class: 'row' }, readText)),
      file,
    ],
    say,
    open,
    /** The button to choose a file. @param {'open_file' | 'choose_file'} label */
    chooser: (label) => button(ta(label), () => file.click()),
    /** Ends the reading, and says nothing more of what was read. */
    reset() {
      reading.abort();
      say('');
      games.hidden = true;
    },
  };
}

/** What was opened, and what not. @param {ReadTree} read */
function openedText({ analysis, left, ply, why, notes }) {
  const words = why && refusalText(why);
  const unplayed =
    words && (left > 1 ? ta('left_out', { count: left, ply, why: words }) : ta('unplayed', { ply, why: words }));
  return [ta('opened', { count: countMoves(analysis.tree) }), unplayed, notesText(notes)].filter(Boolean).join(' ');
}

/** Why a file was not read or written. @param {unknown} error */
export function problemText(error) {
  if (error instanceof FileProblem) return error.message;
  const detail = error instanceof RefusedError && error.refusal.detail;
  return detail ? `${errorText(error)} (${detail})` : errorText(error);
}

// What a person's rated games show an operator: numbers, and marks on those that are a hint.

import { formatNumber, formatPercent } from '../language/texts.js';
import { button, el } from '../ui/dom.js';

/** @typedef {{ opponent: string, games: number, network: number, device: number }} Shared */
/** @typedef {{ opponent: string, games: number, won: number, day: number }} OneSided */
/** @typedef {{ firsts: number, loss: number, firsts_z: number, loss_z: number }} Usual */
/** @typedef {{ games: number, choices: number, firsts: number, loss: number, usual?: Usual }} Agreement */
/** @typedef {{ games: number, kinds: string[], shared: Shared[], one_sided: OneSided[], losses: number, given_away: number, aborted: number, times: { moves: number, mean_ms: number, variation: number }, agreement: Agreement }} Hints */
/** @typedef {import('../language/texts.js').Values} Values */

/**
 * @param {Hints} hints
 * @param {(key: string, values?: Values) => string} to the operator's texts
 * @param {(member: string) => void} open shows another person
 */
export function hintList(hints, to, open) {
  const { games, kinds, shared, one_sided: pairs, losses, given_away: away, aborted, times } = hints;
  const other = (/** @type {string} */ member) => button(member, () => open(member), { class: 'quiet' });
  const row = (/** @type {string} */ kind, /** @type {(Node | string)[][]} */ ...lines) => [
    el('dt', null, to(`hint_${kind}`), kinds.includes(kind) && el('span', { class: 'chip now' }, to('look'))),
    ...lines.map((line) => el('dd', null, ...line)),
  ];
  return el(
    'section',
    null,
    el('h3', null, to('rated_games', { count: games })),
    el('p', { class: 'hint' }, to('hints_how')),
    el(
      'dl',
      { class: 'hints' },
      ...(shared.length > 0
        ? row(
            'network',
            ...shared.map(({ opponent, games: count, network, device }) => [
              to('hint_network_of', { count, network, device }),
              ' ',
              other(opponent),
            ]),
          )
        : []),
      ...(pairs.length > 0
        ? row(
            'one_sided',
            ...pairs.map(({ opponent, games: count, won }) => [
              to('hint_one_sided_of', { count, won }),
              ' ',
              other(opponent),
            ]),
          )
        : []),
      ...row('given_away', [to('hint_given_away_of', { away, losses })]),
      ...row('aborts', [to('hint_aborts_of', { count: aborted })]),
      ...row('even_times', [
        to('hint_even_times_of', {
          count: times.moves,
          mean: seconds(times.mean_ms),
          variation: formatPercent(times.variation),
        }),
      ]),
      ...row('engine', ...agreement(hints.agreement, to)),
    ),
  );
}

/**
 * @param {Agreement} agreement
 * @param {(key: string, values?: Values) => string} to
 */
function agreement({ games, choices, firsts, loss, usual }, to) {
  const own = to('hint_engine_of', { firsts: formatPercent(firsts), choices, games, loss: small(loss) });
  if (!usual) return [[own], [to('hint_engine_few')]];
  const z = (/** @type {number} */ number) => formatNumber(number, { maximumFractionDigits: 1 });
  return [
    [own],
    [
      to('hint_engine_usual', {
        firsts: formatPercent(usual.firsts),
        loss: small(usual.loss),
        z: z(usual.firsts_z),
        loss_z: z(usual.loss_z),
      }),
    ],
  ];
}

/** @param {number} ms */
const seconds = (ms) => formatNumber(ms / 1000, { maximumFractionDigits: 1 });

/** @param {number} number */
const small = (number) => formatNumber(number, { maximumFractionDigits: 3 });

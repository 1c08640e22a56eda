// How the server is, as lists of facts: what holds for all of it, and for each node.

/** @import { Node, Overview } from './overview.js' */
/** @import { Child } from '../../ui/dom.js' */

import { formatMoment, formatNumber, formatSpan } from '../../language/texts.js';
import { el } from '../../ui/dom.js';
import { ta } from './texts.js';

/** Bytes in the units of disks. */
const UNITS = /** @type {const} */ ([
  [1e12, 'terabyte'],
  [1e9, 'gigabyte'],
  [1e6, 'megabyte'],
  [1e3, 'kilobyte'],
]);

/** A number of bytes, such as 4.2 GB. @param {number} bytes */
function formatBytes(bytes) {
  const [size, unit] = UNITS.find(([size]) => bytes >= size) ?? [1, 'byte'];
  return formatNumber(bytes / size, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 });
}

/** @param {[string, Child][]} rows */
function facts(rows) {
  return el(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => el('div', null, el('dt', null, name), el('dd', null, value))),
  );
}

/** Sums of all nodes. @param {Overview} overview @param {(node: Node) => number} count */
const total = ({ nodes }, count) => nodes.reduce((sum, node) => sum + count(node), 0);

/** What holds for the whole server. @param {Overview} overview */
export function serverFacts(overview) {
  const { readiness, disk, backups, unanswered } = overview;
  const online = total(overview, ({ online: { accounts, programs, guests } }) => accounts + programs + guests);
  /** @type {[string, Child][]} */
  const rows = [
    [
      ta('readiness'),
      readiness === 'ready' ? ta('ready') : el('b', { class: 'fault' }, ta('not_ready', { why: readiness })),
    ],
    [ta('online'), formatNumber(online, {})],
    [
      ta('running'),
      formatNumber(
        total(overview, ({ games }) => games),
        {},
      ),
    ],
  ];
  if (disk) {
    const { used, free, reserve } = disk;
    const text = ta('disk_of', { used: formatBytes(used), free: formatBytes(free), reserve: formatBytes(reserve) });
    rows.push([ta('disk'), free < reserve ? el('b', { class: 'fault' }, text) : text]);
  }
  if (backups) {
    const text = ta('backup_of', { age: formatSpan(backups.age), every: formatSpan(backups.every) });
    rows.push([ta('backup'), backups.is_old ? el('b', { class: 'fault' }, text) : text]);
  }
  if (unanswered.length > 0) rows.push([ta('unanswered'), unanswered.join(', ')]);
  return facts(rows);
}

/**
 * What one node says, with how much it did in each second since the answer before, or else since it started.
 * @param {Node} node @param {Overview} overview @param {Overview} [before]
 */
export function nodeFacts(node, { now, nodes }, before) {
  const { online, totals } = node;
  const earlier = before?.nodes.find((one) => one.node === node.node && one.started_at === node.started_at);
  const from = earlier && before ? before.now : node.started_at;
  const seconds = Math.max(1, (now - from) / 1000);
  /** @param {(of: Node['totals']) => number} count */
  const rate = (count) =>
    formatNumber((count(totals) - (earlier ? count(earlier.totals) : 0)) / seconds, { maximumFractionDigits: 1 });
  return [
    el(
      'h2',
      null,
      nodes.length > 1 ? nodeName(node) : ta('program'),
      ' ',
      node.paused && el('b', { class: 'chip now' }, ta('paused')),
    ),
    facts([
      [ta('version'), `${node.version} (${node.commit})`],
      [ta('up'), `${formatSpan(now - node.started_at)} · ${formatMoment(node.started_at)}`],
      [ta('online'), ta('online_of', { ...online })],
      [ta('rooms'), ta('rooms_of', { rooms: node.rooms, games: node.games })],
      [
        ta('rates'),
        ta('rates_of', {
          done: rate(({ done }) => done),
          refused: rate(({ refused }) => refused),
          http: rate(({ http }) => http),
        }),
      ],
    ]),
  ];
}

/** @param {Node} node */
export function nodeName({ node, name }) {
  return ta('node', { node, name: name ?? '' });
}

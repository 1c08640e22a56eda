// Games from text, as other programs write it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readGame } from '../../server/web/formats.js';
import { pointName } from '../../server/web/geometry.js';

/** @import { Size } from '../../server/web/types' */

/** What is read, in one line: size, variant, moves, and the first move that cannot be.
 * @param {string} text @param {Size} [size] */
function told(text, size = [15, 15]) {
  const read = readGame(text, size);
  if (!read) return 'nothing';
  const bounds = read.size === 'unbounded' ? null : read.size;
  const moves = read.moves.map((point) => pointName(point, bounds)).join(' ');
  return [String(read.size), read.variant, moves, read.left !== undefined && `but ${read.left}`].filter(Boolean).join(' | ');
}

/** @type {[string, string, string][]} */
const CASES = [
  ['SGF', '(;FF[4]GM[4]SZ[15]RU[renju]PB[Ann]PW[Bob];B[hh];W[ig];B[ao])', '15,15 | renju | h8 i9 a1'],
  ['SGF with a rectangle', '(;SZ[20:10];B[aa];W[tj])', '20,10 | a10 t1'],
  ['SGF: comments may look like moves', '(;SZ[15]C[a \\] ;B[aa\\]];B[hh]C[(;W[bb\\])];W[ig])', '15,15 | h8 i9'],
  ['SGF: the first of several lines of play', '(;SZ[15];B[hh](;W[ig];B[gg])(;W[aa]))', '15,15 | h8 i9 g9'],
  ['SGF: lower and upper case, space and names', ' (\n;SZ[15]\n;B [h8]\n;W[I9])', '15,15 | h8 i9'],
  ['SGF: stones set beforehand', '(;SZ[15]AB[hh][gg]AW[ig];W[aa];B[bb])', '15,15 | h8 i9 g9 a15 b14'],
  ['SGF: a point twice ends it', '(;SZ[15];B[hh];W[ig];B[hh];W[aa])', '15,15 | h8 i9 | but hh'],
  ['PSQ', 'Piskvorky 20x20, 11:11, 0\r\n11,11,0\r\n12,10,130\r\nann\r\nbob\r\n-1\r\n', '20,20 | k10 l11'],
  ['PSQ without times', 'Piskvorky 15x15, 0:0, 1\n8,8\n9,7\n0', '15,15 | h8 i9'],
  ['a list', 'h8 i9 g9', '15,15 | h8 i9 g9'],
  ['a list with numbers and commas', '1. h8, i9 2. G9', '15,15 | h8 i9 g9'],
  ['a list of numbers', '7,7 8,6; 6,6', '15,15 | h8 i9 g9'],
  ['a list that leaves the board', 'h8 z26 i9', '15,15 | h8 | but z26'],
  ['nothing', 'Good morning.', 'nothing'],
  ['half a file', '(;SZ[15];B[hh];W[i', '15,15 | h8'],
];
test('games are read as they are written elsewhere', () => {
  for (const [name, text, expected] of CASES) assert.equal(told(text), expected, name);
});

test('the board without borders has numbers', () => {
  assert.equal(told('0,0 1,-1 -12,300', 'unbounded'), 'unbounded | 0,0 1,-1 -12,300');
});

test('no text takes long to be read', () => {
  const began = performance.now();
  for (const text of ['(;'.repeat(200_000), '(;B[' + '\\'.repeat(200_000), '7,7 '.repeat(200_000), '(;' + 'A'.repeat(200_000)]) told(text);
  assert.ok(performance.now() - began < 3_000);
});

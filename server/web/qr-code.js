// Draws a link as a QR code. The page encodes it, not the server: some links hold a secret that the
// server must not see.

import { svg } from './dom.js';
import { encode } from './vendor/uqr.js';

/** The largest code that a phone reads off a screen with ease: 77 modules wide, 520 bytes. */
const VERSION_MAX = 15;
/** The white margin that the standard asks for, in modules. */
const MARGIN = 4;

/**
 * A picture of the code, or nothing if the text is too long for one.
 * @param {string} text
 */
export function qrPicture(text) {
  const rows = qrModules(text);
  if (!rows) return undefined;
  const side = rows.length;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  const picture = svg('svg', { viewBox: `0 0 ${side} ${side}`, class: 'qr', role: 'img', 'aria-label': 'QR' });
  picture.append(svg('rect', { width: side, height: side, fill: '#fff' }), svg('path', { d: path, fill: '#000' }));
  return picture;
}

/**
 * The code's modules with its margin, row by row; true is dark.
 * @param {string} text
 */
export function qrModules(text) {
  try {
    return encode(text, { ecc: 'L', border: MARGIN, maxVersion: VERSION_MAX }).data;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

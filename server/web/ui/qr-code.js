// Draws a link as a QR code. The page encodes it, not the server: some links hold a secret that the
// server must not see.

import { svg } from './dom.js';
import { encodeQr } from './qr-encoder.js';

/** The white margin that the standard asks for, in modules. */
const MARGIN = 4;

/**
 * A picture of the code, or nothing if the text is too long for one.
 * @param {string} text
 */
export function qrPicture(text) {
  const rows = encodeQr(text);
  if (!rows) return undefined;
  const side = rows.length + 2 * MARGIN;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  const picture = svg('svg', {
    viewBox: `${-MARGIN} ${-MARGIN} ${side} ${side}`,
    class: 'qr',
    role: 'img',
    'aria-label': 'QR',
  });
  picture.append(
    svg('rect', { x: -MARGIN, y: -MARGIN, width: side, height: side, fill: '#fff' }),
    svg('path', { d: path, fill: '#000' }),
  );
  return picture;
}

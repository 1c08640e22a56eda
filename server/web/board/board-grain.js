// The grain of the board's wood: one line of it, painted row after row with a slow wave. It depends on
// the place alone, so tiles fit together.

/** The length after which the line repeats, in CSS pixels. */
const LENGTH = 640;
/** Rows painted at once, in CSS pixels. */
const ROWS = 2;

/** The line, and what it was painted for. @type {{ key: string, line: HTMLCanvasElement }} */
let known = { key: '', line: document.createElement('canvas') };

/**
 * Covers a canvas with grain.
 * @param {CanvasRenderingContext2D} canvas
 * @param {{ x: number, y: number, ratio: number }} frame @param {string} colour
 */
export function paintGrain(canvas, { x, y, ratio }, colour) {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  if (alpha === 0) return;
  const key = `${colour} ${ratio}`;
  if (key !== known.key) known = { key, line: lineOf([red, green, blue], ratio) };
  const pattern = canvas.createPattern(known.line, 'repeat');
  if (!pattern) return;
  const { width, height } = canvas.canvas;
  const rows = Math.max(2, Math.round(ROWS * ratio));
  canvas.fillStyle = pattern;
  // Rows begin at the same places in all tiles.
  for (let row = -(((-y % rows) + rows) % rows); row < height; row += rows) {
    const at = (row - y) / ratio;
    const shift = Math.round((9 * Math.sin(at / 260 + 1) + 2.2 * Math.sin(at / 83)) * ratio + x);
    canvas.setTransform(1, 0, 0, 1, shift, row);
    canvas.fillRect(-shift, 0, width, rows);
  }
  canvas.setTransform(1, 0, 0, 1, 0, 0);
}

/** @param {[number, number, number]} colour @param {number} ratio */
function lineOf(colour, ratio) {
  const line = document.createElement('canvas');
  line.width = Math.round(LENGTH * ratio);
  line.height = 1;
  const canvas = line.getContext('2d');
  const dots = canvas?.createImageData(line.width, 1);
  if (!canvas || !dots) return line;
  for (let x = 0; x < line.width; x += 1) {
    const [at, part] = [x / ratio, x / line.width];
    // Its end passes into its beginning.
    const dark = darkness(at) * (1 - part) + darkness(at - LENGTH) * part;
    dots.data.set([...colour, 255 * dark], 4 * x);
  }
  canvas.putImageData(dots, 0, 0);
  return line;
}

/** How dark the grain is, from 0 to 0.3: broad bands and fine lines. @param {number} at */
function darkness(at) {
  const broad = 0.6 * smooth(at / 46 + 7) + 0.4 * smooth(at / 13 + 40);
  const fine = smooth(at / 1.3 + 90) * (0.35 + 0.65 * smooth(at / 7 + 11));
  return 0.13 * broad ** 2 + 0.15 * fine ** 1.6;
}

/** Noise from 0 to 1 without jumps. @param {number} at */
function smooth(at) {
  const whole = Math.floor(at);
  const part = at - whole;
  const ease = part * part * (3 - 2 * part);
  return noise(whole) * (1 - ease) + noise(whole + 1) * ease;
}

/** @param {number} seed */
function noise(seed) {
  const wild = Math.sin(seed * 127.1) * 43_758.5453;
  return wild - Math.floor(wild);
}

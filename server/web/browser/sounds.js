// Short synthesized sounds. No files are loaded.

import { settings } from './settings.js';

/** @type {AudioContext | undefined} */
let audio;

/** Browsers allow sound only after something was pressed, and some phones take it away for a call. */
for (const press of ['pointerdown', 'keydown']) {
  addEventListener(
    press,
    () => {
      if (!('AudioContext' in window)) return;
      audio ??= new AudioContext();
      if (audio.state !== 'running') audio.resume().catch(() => {});
    },
    { capture: true },
  );
}

/** A stone on wood. */
export function playClick() {
  if (!ready()) return;
  tone(1_900, 0.03, 0.25, 'triangle');
  tone(420, 0.07, 0.35, 'sine');
}

/** Time is short. */
export function playTick() {
  if (ready()) tone(1_200, 0.04, 0.12, 'square');
}

/** A game begins, or something is asked. */
export function playNotice() {
  if (!ready()) return;
  tone(660, 0.12, 0.15, 'sine');
  tone(880, 0.16, 0.15, 'sine', 0.1);
}

/** A game ended. */
export function playFinish() {
  if (!ready()) return;
  for (const [index, pitch] of [523, 659, 784].entries()) tone(pitch, 0.3, 0.12, 'sine', index * 0.09);
}

function ready() {
  return settings.sounds && settings.volume > 0 && audio?.state === 'running';
}

/**
 * @param {number} pitch in hertz
 * @param {number} length in seconds
 * @param {number} volume
 * @param {OscillatorType} shape
 * @param {number} later in seconds
 */
function tone(pitch, length, volume, shape, later = 0) {
  if (!audio) return;
  const begin = audio.currentTime + later;
  const [source, gain] = [audio.createOscillator(), audio.createGain()];
  source.type = shape;
  source.frequency.value = pitch;
  gain.gain.setValueAtTime(volume * Math.min(settings.volume, 1), begin);
  gain.gain.exponentialRampToValueAtTime(0.001, begin + length);
  source.connect(gain).connect(audio.destination);
  source.start(begin);
  source.stop(begin + length);
}

// Short synthesized sounds. No files are loaded.

import { settings } from './settings.js';

/** @type {AudioContext | undefined} */
let audio;
/** Whether it rests, or did and can be woken. */
let rests = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Browsers allow sound only after something was pressed, and some phones take it away for a call. */
addEventListener('pointerdown', wake, true);
addEventListener('keydown', wake, true);

function wake() {
  if (!settings.sounds || !('AudioContext' in window)) return;
  const device = (audio ??= new AudioContext());
  if (device.state !== 'running')
    device.resume().catch(() => {
      rests = false;
    });
  // After a second of silence the device rests: it costs a phone's battery.
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (device.state !== 'running') return;
    rests = true;
    device.suspend();
  }, 1_000);
}

/** A stone on wood. */
export function playClick() {
  tone(1_900, 0.03, 0.25, 'triangle');
  tone(420, 0.07, 0.35, 'sine');
}

/** Time is short. */
export function playTick() {
  tone(1_200, 0.04, 0.12, 'square');
}

/** A game begins, or something is asked. */
export function playNotice() {
  tone(660, 0.12, 0.15, 'sine');
  tone(880, 0.16, 0.15, 'sine', 0.1);
}

/** A game ended. */
export function playFinish() {
  tone(523, 0.3, 0.12, 'sine');
  tone(659, 0.3, 0.12, 'sine', 0.09);
  tone(784, 0.3, 0.12, 'sine', 0.18);
}

/**
 * @param {number} pitch in hertz
 * @param {number} length in seconds
 * @param {number} volume
 * @param {OscillatorType} shape
 * @param {number} later in seconds
 */
function tone(pitch, length, volume, shape, later = 0) {
  if (!audio || !(rests || audio.state === 'running') || !settings.sounds || settings.volume <= 0) return;
  wake();
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

// Receives dropped or pasted files and pasted text, and saves texts as files.

import { el } from '../ui/dom.js';

/**
 * @param {HTMLElement} element shows that files can be dropped @param {string} words what happens to them then
 * @param {(sources: (File | string)[]) => void} receive gets the files, or the text
 * @param {AbortSignal} signal
 */
export function receiveFiles(element, words, receive, signal) {
  const isFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
  addEventListener(
    'dragover',
    (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      element.dataset.drop = words;
    },
    { signal },
  );
  addEventListener(
    'dragleave',
    (event) => {
      if (!event.relatedTarget) delete element.dataset.drop;
    },
    { signal },
  );
  addEventListener(
    'drop',
    (event) => {
      delete element.dataset.drop;
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      receive(files);
    },
    { signal },
  );
  addEventListener(
    'paste',
    (event) => {
      if (event.target instanceof Element && event.target.closest('input, textarea')) return;
      const files = [...(event.clipboardData?.files ?? [])];
      const text = event.clipboardData?.getData('text/plain');
      if (files.length === 0 && !text) return;
      event.preventDefault();
      receive(files.length > 0 ? files : [String(text)]);
    },
    { signal },
  );
}

/** Saves a text as a file. @param {string} name @param {string} text */
export function saveText(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  el('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// The arrow keys of pages with a game to step through: they step wherever the focus is.

/** Where the arrows have another meaning. */
const OTHERS = 'input, textarea, dialog, [role=slider], [role=menu]';

/**
 * @param {(by: number) => void} step @param {(by: number) => void} besides goes to another variation
 * @param {AbortSignal} signal
 */
export function listenToArrows(step, besides, signal) {
  addEventListener(
    'keydown',
    (event) => {
      const { key, target } = event;
      if (event.defaultPrevented || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
      if (!(target instanceof Element) || target.closest(OTHERS)) return;
      const [along, across] = [{ ArrowLeft: -1, ArrowRight: 1 }[key], { ArrowUp: -1, ArrowDown: 1 }[key]];
      // A list of choices needs those.
      if (!along && (!across || target.closest('select'))) return;
      event.preventDefault();
      if (along) step(along);
      else besides(across ?? 0);
    },
    { signal },
  );
}

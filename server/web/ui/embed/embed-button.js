// The button that shows the code for another site.

import { button } from '../dom.js';
import { te } from './texts.js';

/** @param {() => string} board what is shown now, as `openEmbedDialog` takes it */
export function embedButton(board) {
  return button(te('embed'), async () => {
    const { openEmbedDialog } = await import('./embed-dialog.js');
    openEmbedDialog(board());
  });
}

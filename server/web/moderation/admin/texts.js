// The texts of the operators' page about the server, in the player's language.

import { loadTexts } from '../../language/folder-texts.js';
import { formatDate } from '../../language/texts.js';

export const ta = await loadTexts('moderation/admin');

/** A day and a time. @param {number} at */
export const moment = (at) => formatDate(at, { dateStyle: 'medium', timeStyle: 'short' });

// The texts of the operators' page about the server, in the player's language.

import { loadTexts } from '../../language/folder-texts.js';

export const ta = await loadTexts('moderation/admin');

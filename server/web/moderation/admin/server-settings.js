// The settings that can change while the server runs, and a button that lets it read them again.

/** @import { Do } from './admin-view.js' */
/** @import { Overview } from './overview.js' */

import { button, el, write } from '../../ui/dom.js';
import { attempt } from './acts.js';
import { ta } from './texts.js';

/** What became of it; faults name their places. @typedef {{ changed: string[], waiting: string[], faults: string[] }} SettingsRead */

/** @param {Do} act */
export function settingsPart(act) {
  const line = el('p', { class: 'hint read-settings', role: 'status' });
  const list = el('pre', { class: 'server-settings', tabIndex: 0, 'aria-label': ta('settings') });
  const read = async () => readText(await act('settings/read', {}));
  const section = el(
    'section',
    { hidden: true },
    el('h2', null, ta('settings')),
    el('p', { class: 'hint' }, ta('settings_how')),
    list,
    el(
      'div',
      { class: 'row' },
      button(ta('settings_read'), () => void attempt(line, read)),
    ),
    line,
  );
  /** @param {Overview} overview */
  const show = ({ settings }) => {
    section.hidden = !settings;
    write(list, settings?.join('\n') ?? '');
  };
  return { section, show };
}

/** @param {SettingsRead} read */
function readText({ changed, waiting, faults }) {
  if (faults.length > 0) return [ta('settings_faults'), ...faults].join('\n');
  const settings = (/** @type {string[]} */ keys) => ({ settings: keys.join(', ') });
  const lines = [changed.length > 0 ? ta('settings_changed', settings(changed)) : ta('settings_same')];
  if (waiting.length > 0) lines.push(ta('settings_waiting', settings(waiting)));
  return lines.join('\n');
}

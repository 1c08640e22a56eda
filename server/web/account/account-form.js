// Forms of the dialog “You”: fields with a line below that says how to fill them in, or why they were
// refused. The line has its place from the beginning, so nothing moves when it changes.

import { el, set, svg, write } from '../ui/dom.js';
import { reasonOf } from '../ui/http-request.js';
import { faultText } from './account-requests.js';
import { ty } from './texts.js';

/** Fewest characters of a password. */
const PASSWORD_MIN = 10;
/** Most letters of a name. */
const NAME_MAX = 20;
/** What a name is made of. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*$/u;
/** Alphabets whose letters look alike, and those that stand together in one language. The server knows the others. */
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u,
];

/** Which fields a refusal may concern; a form shows it at the first of them that it has.
 * @type {Record<string, FieldName[]>} */
const CONCERNED = {
  account_name: ['name'],
  name_taken: ['name'],
  name_reserved: ['name'],
  name_changed_lately: ['name'],
  password_length: ['new_password', 'password'],
  common_password: ['new_password', 'password'],
  wrong_password: ['password'],
  wrong_code: ['code'],
};

/** @typedef {'name' | 'password' | 'new_password' | 'code'} FieldName */
/**
 * @typedef {object} Field
 * @property {FieldName} name
 * @property {HTMLElement} element
 * @property {HTMLInputElement} input
 * @property {() => string} fault why its value cannot be right, or nothing
 * @property {(text: string) => void} say shows a fault, or without one how to fill it in
 */

let fields = 0;

/**
 * @param {FieldName} name
 * @param {string} text
 * @param {string} how
 * @param {Record<string, unknown>} properties of the input
 * @param {(value: string) => string} fault
 * @returns {Field}
 */
function createField(name, text, how, properties, fault) {
  fields += 1;
  const id = `account-field-${fields}`;
  const line = el('p', { class: 'hint', id: `${id}-how` }, how);
  const input = el('input', {
    id,
    name,
    autocapitalize: 'none',
    spellcheck: false,
    'aria-describedby': line.id,
    ...properties,
  });
  const show = el(
    'button',
    {
      type: 'button',
      hidden: input.type !== 'password',
      'aria-pressed': 'false',
      'aria-label': ty('show_password'),
      title: ty('show_password'),
    },
    eye(),
  );
  show.addEventListener('click', () => {
    const shown = input.type === 'password';
    input.type = shown ? 'text' : 'password';
    show.setAttribute('aria-pressed', String(shown));
  });
  const element = el(
    'div',
    { class: 'account-field' },
    el('label', { for: id }, text),
    el('div', { class: 'row' }, input, show),
    line,
  );
  // A name that cannot be right is marked while it is typed; what is too short yet is not.
  if (name === 'name') input.addEventListener('input', () => say(fault(input.value)));
  /** @param {string} why */
  const say = (why) => {
    write(line, why || how);
    line.classList.toggle('fault', !!why);
    set(input, { 'aria-invalid': !!why && 'true' });
  };
  return { name, element, input, fault: () => fault(input.value) || (input.value.trim() ? '' : ty('fill_in')), say };
}

function eye() {
  const picture = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon' });
  picture.append(
    svg('path', { d: 'M2.5 12C6 5.5 18 5.5 21.5 12 18 18.5 6 18.5 2.5 12M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6' }),
  );
  return picture;
}

/** The name of an account. @param {string} value @param {boolean} [isNew] */
export function nameField(value, isNew = false) {
  return createField(
    'name',
    ty('name'),
    isNew ? ty('account_name_how') : '',
    { value, maxLength: NAME_MAX, autocomplete: 'username' },
    (name) => (isNew ? nameFault(name.trim()) : ''),
  );
}

/** @param {string} name */
function nameFault(name) {
  const isName = NAME.test(name.normalize('NFKC')) && ALPHABETS.filter((letters) => letters.test(name)).length < 2;
  return !name || isName ? '' : ty('refused_account_name');
}

/** The account's password as it is. @param {string} [how] */
export function passwordField(how = '') {
  return createField('password', ty('password'), how, { type: 'password', autocomplete: 'current-password' }, () => '');
}

/** A password to be set. @param {'password' | 'new_password'} name */
export function newPasswordField(name) {
  return createField(name, ty(name), ty('password_how'), { type: 'password', autocomplete: 'new-password' }, (value) =>
    [...value].length < PASSWORD_MIN ? ty('password_how') : '',
  );
}

/** One of the recovery codes. */
export function codeField() {
  return createField('code', ty('code'), ty('code_how'), { class: 'code', autocomplete: 'off' }, () => '');
}

/** A line that shows, and says to screen readers, why something failed. It is empty until then. */
export function faultLine() {
  return el('p', { class: 'hint fault', role: 'alert' });
}

/**
 * A form that sends its fields.
 * @param {Field[]} fields
 * @param {string} text of its button
 * @param {(values: Record<FieldName, string>) => Promise<void>} send
 * @param {string} [kind] the button's class
 */
export function accountForm(fields, text, send, kind = 'primary') {
  const button = el('button', { class: kind }, text);
  const line = faultLine();
  const form = el(
    'form',
    { class: 'account-form', noValidate: true },
    ...fields.map(({ element }) => element),
    button,
    line,
  );
  let busy = false;

  /** @param {Field} field @param {string} why */
  function blame(field, why) {
    field.say(why);
    field.input.focus();
  }

  /** @param {unknown} error */
  function showRefusal(error) {
    const names = CONCERNED[reasonOf(error)] ?? [];
    const field = fields.find(({ name }) => names.includes(name));
    if (field) blame(field, faultText(error));
    else write(line, faultText(error));
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (busy) return;
    for (const field of fields) field.say('');
    write(line, '');
    const wrong = fields.find((field) => field.fault());
    if (wrong) return blame(wrong, wrong.fault());
    busy = true;
    form.ariaBusy = 'true';
    const values = /** @type {Record<FieldName, string>} */ (
      Object.fromEntries(fields.map(({ name, input }) => [name, input.value]))
    );
    try {
      await send({ ...values, ...(values.name && { name: values.name.trim() }) });
    } catch (error) {
      showRefusal(error);
    }
    busy = false;
    form.ariaBusy = null;
  });
  return form;
}

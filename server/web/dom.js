// Creates and updates elements. Text goes in as text, so that nothing people write is read as markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Creates an element. Properties that begin with `on` are listeners, `class` and those with a dash
 * or of SVG are attributes, the rest are properties of the element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown> | null} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  set(element, properties ?? {});
  element.append(...children.filter(shown));
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, unknown>} properties
 */
export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === 'class' || name.includes('-') || !(name in element)) attribute(element, name, value);
    else Object.assign(element, { [name]: value });
  }
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
function attribute(element, name, value) {
  if (value === false || value === null) element.removeAttribute(name);
  else element.setAttribute(name, String(value));
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Creates an icon from one path, 24 by 24.
 * @param {string} path
 */
export function icon(path) {
  const picture = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon' });
  picture.append(svg('path', { d: path }));
  return picture;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
export function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/**
 * Replaces an element's children.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter(shown));
}

/**
 * Changes a text only if it differs, to avoid needless layout and announcements.
 * @param {Node} node
 * @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * @param {Child} child
 * @returns {child is Node | string}
 */
function shown(child) {
  return child !== null && child !== undefined && child !== false;
}

/**
 * A page with a message and links to go on.
 * @param {string} title
 * @param {string} text
 * @param {...Child} ways
 */
export function messagePage(title, text, ...ways) {
  return el('section', { class: 'card' }, el('h1', null, title), text && el('p', null, text), el('div', { class: 'row' }, ...ways));
}

/**
 * A link that looks like a button.
 * @param {string} href
 * @param {string} text
 * @param {boolean} [first] whether it is the main choice
 */
export function linkButton(href, text, first) {
  return el('a', { class: `button${first ? ' primary' : ''}`, href }, text);
}

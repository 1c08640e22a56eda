// Creates and updates elements. Text goes in as text, so that nothing people write is read as markup.

import { ICONS } from './icons.js';

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
 * Changes properties, and returns the element.
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, unknown>} properties
 */
export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === 'class' || name.includes('-') || !(name in element)) attribute(element, name, value);
    else Object.assign(element, { [name]: value });
  }
  return element;
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

/** The styles that were asked for, by name. @type {Map<string, Promise<unknown>>} */
const styles = new Map();

/** Loads a style once; after a failure the next call tries again. @param {string} name below the page's folder */
export function loadStyle(name) {
  const style =
    styles.get(name) ??
    new Promise((resolve, reject) => {
      document.head.append(
        el('link', {
          rel: 'stylesheet',
          href: new URL(`../${name}`, import.meta.url).href,
          onload: resolve,
          onerror: reject,
        }),
      );
    });
  styles.set(name, style);
  style.catch(() => styles.delete(name));
  return style;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an icon. @param {keyof typeof ICONS} name */
export function icon(name) {
  const picture = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon' });
  picture.append(svg('path', { d: ICONS[name] }));
  return picture;
}

/** Creates the seal: five stones in a row on vermilion. */
export function seal() {
  const picture = svg('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true', class: 'seal' });
  picture.append(
    svg('rect', { width: 32, height: 32, rx: 6 }),
    svg('path', { d: 'M5 27 27 5' }),
    ...[6.4, 11.2, 16, 20.8, 25.6].map((at) => svg('circle', { cx: at, cy: 32 - at, r: 3 })),
  );
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
 * A button.
 * @param {Child | Child[]} content
 * @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, unknown>} [properties]
 */
export function button(content, onclick, properties) {
  return el('button', { type: 'button', onclick, ...properties }, ...[content].flat());
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

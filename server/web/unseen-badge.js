// Counts news that is out of sight, below the fold or in a folded chat, on a button in the bar that
// leads there.

/** @import { App } from './view-types' */

/** @typedef {ReturnType<typeof createUnseenBadge>} UnseenBadge */

/** @param {App} app */
export function createUnseenBadge(app) {
  /** News in each element, with the text to show once if the element is out of sight.
   * @type {Map<Element, { count: number, text: string }>} */
  const news = new Map();
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const unseen = news.get(target);
      if (isIntersecting) clear(target);
      else if (unseen?.text) app.toast(unseen.text, true);
      if (unseen) unseen.text = '';
    }
    show();
  }, { threshold: 0.5 });

  function show() {
    let sum = 0;
    for (const { count } of news.values()) sum += count;
    app.unseen(sum, () => {
      const first = [...news.keys()][0];
      const folded = first?.closest('details');
      if (folded) folded.open = true;
      first?.scrollIntoView({ block: 'center' });
      const focus = /** @type {HTMLElement | null | undefined} */ (first?.querySelector('button') ?? first);
      focus?.focus({ preventScroll: true });
    });
  }

  /** @param {Element} element */
  function clear(element) {
    watch.unobserve(element);
    if (news.delete(element)) show();
  }

  return {
    /** Adds news in an element. @param {Element} element
     * @param {string} text the text to show if the element is out of sight */
    add(element, text) {
      news.set(element, { count: (news.get(element)?.count ?? 0) + 1, text });
      // Observing again reports at once whether the element is in sight.
      watch.unobserve(element);
      watch.observe(element);
    },
    /** Removes the news of an element. */
    clear,
    remove() {
      watch.disconnect();
      app.unseen(0);
    },
  };
}

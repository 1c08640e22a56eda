// What has come where nobody looks, below the fold or in a chat that is folded away: a number on a
// button of the bar, which leads there.

/** @import { App } from './types' */

/** @typedef {ReturnType<typeof createUnseen>} Unseen */

/** @param {App} app */
export function createUnseen(app) {
  /** What has come to an element, and what to say of it once, should it be out of sight.
   * @type {Map<Element, { count: number, text: string }>} */
  const news = new Map();
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const unseen = news.get(target);
      if (isIntersecting) gone(target);
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
  function gone(element) {
    watch.unobserve(element);
    if (news.delete(element)) show();
  }

  return {
    /** Something came into an element. @param {Element} element
     * @param {string} text what to say if nobody sees it */
    came(element, text) {
      news.set(element, { count: (news.get(element)?.count ?? 0) + 1, text });
      // It tells at once whether the element is in sight.
      watch.unobserve(element);
      watch.observe(element);
    },
    /** It is there no more. */
    gone,
    remove() {
      watch.disconnect();
      app.unseen(0);
    },
  };
}

// The checks of axe-core on a page.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * What axe finds that is serious.
 * @param {import('playwright-core').Page} page
 */
export async function faults(page) {
  // By the debugger, which the page's policy does not hold back.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // @ts-expect-error axe is not part of the page.
    const { violations } = await window.axe.run();
    return violations
      .filter((/** @type {{ impact: string }} */ { impact }) => impact === 'serious' || impact === 'critical')
      .map(
        (/** @type {{ id: string, nodes: { html: string, failureSummary: string }[] }} */ { id, nodes }) =>
          `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      );
  });
}

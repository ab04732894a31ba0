import { waitFor } from '@mailproof/dev-house';
import type { Page } from 'playwright-core';

const jumps = 24;
const wheelSteps = 80;
const wheelPx = 900;
const rowsRegion = '[aria-label="Rows of the list"]';

/** The actions that a user performs on the results, in order. */
export const journeys: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async jumps(page) {
    for (let jump = 1; jump <= jumps; jump += 1) {
      // Jumps back and forth, and to the end last.
      const share = jump === jumps ? 1 : ((jump * 7) % jumps) / jumps;
      await page.evaluate(
        `(() => { const frame = document.querySelector('${rowsRegion}'); frame.scrollTop = (frame.scrollHeight - frame.clientHeight) * ${share}; })()`,
      );
      await untilRowsAreThere(page);
    }
  },
  async wheel(page) {
    await page.evaluate(`document.querySelector('${rowsRegion}').scrollTop = 0`);
    await page.locator(rowsRegion).hover();
    for (let step = 0; step < wheelSteps; step += 1) {
      await page.mouse.wheel(0, wheelPx);
    }
    await untilRowsAreThere(page);
  },
  async filters(page) {
    const chips = page.getByRole('group', { name: 'Filter rows' }).getByRole('button');
    const names = await chips.allInnerTexts();
    for (const index of [...names.keys(), 0]) {
      await chips.nth(index).click();
      await untilRowsAreThere(page);
    }
  },
};

/**
 * Waits until every visible row has its cells. It evaluates through the debugger, because the page's security policy
 * does not restrict that.
 */
async function untilRowsAreThere(page: Page): Promise<void> {
  const areThere = `(() => {
    const frame = document.querySelector('${rowsRegion}');
    return Boolean(frame?.querySelector('[role=cell] button') && !frame.querySelector('[class*=pending]'));
  })()`;
  await waitFor('the rows', () => page.evaluate<boolean>(areThere), { deadlineMs: 30_000 });
}

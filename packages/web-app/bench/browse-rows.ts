import { waitFor } from '@mailproof/dev-house';
import type { Page } from 'playwright-core';

const jumps = 24;
const wheelSteps = 80;
const wheelPx = 900;
const rowsRegion = '[aria-label="Rows of the list"]';

/** What a person does with results, one after the other. */
export const journeys: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async jumps(page) {
    for (let jump = 1; jump <= jumps; jump += 1) {
      // To and fro, and the very end last.
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
    const chips = page.getByRole('group', { name: 'Rows that are shown' }).getByRole('button');
    const names = await chips.allInnerTexts();
    for (const place of [...names.keys(), 0]) {
      await chips.nth(place).click();
      await untilRowsAreThere(page);
    }
  },
};

/** Every row that is seen has its cells. Asked through the debugger, which the page's policy does not hold back. */
async function untilRowsAreThere(page: Page): Promise<void> {
  const areThere = `(() => {
    const frame = document.querySelector('${rowsRegion}');
    return Boolean(frame?.querySelector('[role=cell] button') && !frame.querySelector('[class*=pending]'));
  })()`;
  await waitFor('the rows', () => page.evaluate<boolean>(areThere), { deadlineMs: 30_000 });
}

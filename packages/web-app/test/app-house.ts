import {
  type Customer,
  createCustomer,
  type House,
  type HouseOptions,
  sharedTestHouse,
  startTestHouse,
} from '@mailproof/dev-house';
import { look, type OpenPage, openChromium, openPage } from '@mailproof/dev-house/chromium';
import type { Browser, Locator, Page } from 'playwright-core';

export type { Customer };

/** The whole system, with the application in Chromium. */
export interface AppHouse {
  readonly house: House;
  /** The URL of the application, without a trailing slash. */
  readonly url: string;
  readonly browser: Browser;
  /** Creates an account with credits, and its owner. */
  customer(options?: { readonly plan?: string; readonly credits?: number }): Promise<Customer>;
  /** Opens a page without a session. */
  page(options?: Parameters<typeof openPage>[1]): Promise<OpenPage>;
  /** Opens a screen of the application on a page where the customer is signed in. */
  signedIn(customer: Customer, path: string, options?: Parameters<typeof openPage>[1]): Promise<OpenPage>;
  stop(): Promise<void>;
}

/** Starts the system with the services that a test needs; all services by default. */
export async function openAppHouse(options: Partial<HouseOptions> = {}): Promise<AppHouse> {
  const house = await startTestHouse({
    ...options,
    env: {
      ...options.env,
      gateway: {
        // All visitors of a test share one IP address.
        VISITOR_REQUESTS_PER_MINUTE_MAX: '10000',
        ...options.env?.gateway,
      },
    },
  });
  const browser = await openChromium().catch(async error => {
    await house.stop();
    throw error;
  });
  return appOn(house, browser);
}

let sharedBrowser: Promise<Browser> | undefined;

/**
 * Uses the house and the Chromium that all test files of a worker share. Prefer this unless a test changes or breaks
 * something. Both run until the worker ends.
 */
export async function openSharedAppHouse(): Promise<AppHouse> {
  const house = await sharedTestHouse();
  sharedBrowser ??= openChromium().catch(error => {
    sharedBrowser = undefined;
    throw error;
  });
  return { ...appOn(house, await sharedBrowser), stop: async () => undefined };
}

/** Returns the application of a running house in a running Chromium. */
export function appOn(house: House, browser: Browser): AppHouse {
  const origin = house.gatewayUrls[0] ?? '';
  const url = `${origin}/app`;
  return {
    house,
    url,
    browser,
    customer: ({ plan = 'custom', credits = 1_000 } = {}) => createCustomer(house, { plan, credits }),
    page: pageOptions => openPage(browser, pageOptions),
    async signedIn({ email, password }, path, pageOptions) {
      const opened = await openPage(browser, pageOptions);
      // Signs in through the API, with the cookies of the page: a separate test signs in through the form.
      const answer = await opened.context.request.post(`${url}/v1/session`, {
        data: { email, password },
        headers: { origin },
      });
      if (!answer.ok()) throw new Error(`Signing in was answered with ${answer.status()}.`);
      await opened.page.goto(`${url}${path}`);
      return opened;
    },
    async stop() {
      await browser.close();
      await house.stop();
    },
  };
}

/** Opens the menu of a phone, which has the navigation and the settings; a desk shows them at all times. */
export async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  const navigation = page.getByRole('navigation', { name: 'Main navigation' });
  await menu.or(navigation).waitFor();
  if (await menu.isVisible()) await menu.press('Enter');
  await navigation.waitFor();
}

/** Opens the filters of a search, which a phone hides at first. */
export async function openFilters(page: Page): Promise<void> {
  await page.getByRole('complementary', { name: 'Filters' }).waitFor();
  const reveal = page.getByRole('button', { name: /^(Show filters|Filters \(\d+\))$/ });
  if (await reveal.isVisible()) await reveal.press('Enter');
}

/** More tab stops than a journey passes on one screen: open filters have two for each value. */
const tabsMax = 300;

/** Presses Tab until an element has the focus, which shows that the keyboard alone can reach it. */
export async function tabTo(target: Locator): Promise<void> {
  await target.waitFor();
  const page = target.page();
  const focused = target.and(page.locator(':focus'));
  for (let presses = 0; presses <= tabsMax; presses += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${tabsMax} presses of Tab do not lead to ${target}.`);
}

/** Goes to an element by Tab, and presses a key there. */
export async function tabAndPress(target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press(key);
}

/** Goes to a field by Tab, and enters a text in place of what it contains. */
export async function tabAndType(target: Locator, text: string): Promise<void> {
  await tabAndPress(target, 'ControlOrMeta+a');
  await target.page().keyboard.insertText(text);
}

const phone = { width: 360, height: 740 };

/**
 * Checks a screen in the light and dark themes at desktop width, and at phone width, and returns its flaws: violations
 * found by axe, overflowing elements, and wrong headings. In the dark theme, only the contrast can differ.
 * Overflow and violations are saved as screenshots under `test-output/app/`.
 */
export async function flawsOf(page: Page, name: string): Promise<unknown[]> {
  const desk = page.viewportSize() ?? { width: 1280, height: 800 };
  const flaws: unknown[] = [];
  for (const [sight, viewport, colorScheme, rules] of [
    ['light', desk, 'light', {}],
    ['dark', desk, 'dark', { only: ['color-contrast'] }],
    // Colors do not depend on the width, and checking them takes longest.
    ['narrow', phone, 'light', { without: ['color-contrast'] }],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { overflow, violations } = await look(page, 'app', `${name}-${sight}`, rules);
    if (overflow > 0) flaws.push({ name, sight, overflow });
    flaws.push(...violations.map(violation => ({ name, sight, ...violation })));
  }
  await page.setViewportSize(desk);
  flaws.push(...(await headingFlaws(page)).map(flaw => ({ name, ...flaw })));
  return flaws;
}

/**
 * Checks that a screen has one `h1` and no two headings with the same text, because screen reader users navigate by a
 * list of headings.
 */
async function headingFlaws(
  page: Page,
): Promise<{ readonly h1: number; readonly repeated: readonly string[] }[]> {
  const h1 = await page.locator('h1:visible').count();
  const texts = await page.locator(':is(h1, h2, h3, h4):visible').allInnerTexts();
  const repeated = texts.filter((text, index) => texts.indexOf(text) < index);
  return h1 === 1 && repeated.length === 0 ? [] : [{ h1, repeated }];
}

/** To the page, the connection of its next upload seems to break when the whole answer has arrived. */
export const losesOneAnswer = `
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (...given) {
    XMLHttpRequest.prototype.open = open;
    this.addEventListener('load', event => {
      event.stopImmediatePropagation();
      this.dispatchEvent(new ProgressEvent('error'));
    });
    open.apply(this, given);
  };`;

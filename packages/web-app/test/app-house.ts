import {
  type Customer,
  createCustomer,
  type House,
  type HouseOptions,
  sharedTestHouse,
  startTestHouse,
} from '@mailproof/dev-house';
import { look, type OpenPage, openChromium, openPage } from '@mailproof/dev-house/chromium';
import type { Browser, Page } from 'playwright-core';

export type { Customer };

/** The whole system with its application in a Chromium. */
export interface AppHouse {
  readonly house: House;
  /** Of the application, without a slash at its end. */
  readonly url: string;
  readonly browser: Browser;
  /** An account with credits, and its owner. */
  customer(options?: { readonly plan?: string; readonly credits?: number }): Promise<Customer>;
  /** A page on which nobody has signed in. */
  page(options?: Parameters<typeof openPage>[1]): Promise<OpenPage>;
  /** A page on which the customer has signed in, at a screen of the application. */
  signedIn(customer: Customer, path: string, options?: Parameters<typeof openPage>[1]): Promise<OpenPage>;
  stop(): Promise<void>;
}

/** Opens it with the services that a test needs; all, unless it names them. */
export async function openAppHouse(options: Partial<HouseOptions> = {}): Promise<AppHouse> {
  const house = await startTestHouse({
    ...options,
    env: {
      ...options.env,
      gateway: {
        // Everybody in a test comes from one address.
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
 * On the house and in the Chromium that the files of a worker share: the first choice, unless a test changes or breaks
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

/** The application of a house that runs, in a Chromium that does. */
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
      // Through the API, with the cookies of the page: signing in by hand has a test of its own.
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

const phone = { width: 360, height: 740 };

/**
 * Looks at a screen as wide as it is in light and in dark, and as narrow as a telephone, and answers what is wrong with it:
 * what axe finds, and whatever does not fit. In the dark only the contrast can be another one. Pictures are left under
 * `test-output/app/`.
 */
export async function flawsOf(page: Page, name: string): Promise<unknown[]> {
  const desk = page.viewportSize() ?? { width: 1280, height: 800 };
  const flaws: unknown[] = [];
  for (const [sight, viewport, colorScheme, rules] of [
    ['light', desk, 'light', {}],
    ['dark', desk, 'dark', { only: ['color-contrast'] }],
    // Colours do not depend on the width, and looking at them takes longest.
    ['narrow', phone, 'light', { without: ['color-contrast'] }],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { overflow, violations } = await look(page, 'app', `${name}-${sight}`, rules);
    if (overflow > 0) flaws.push({ name, sight, overflow });
    flaws.push(...violations.map(violation => ({ name, sight, ...violation })));
  }
  await page.setViewportSize(desk);
  return flaws;
}

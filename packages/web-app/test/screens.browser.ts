import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type AppHouse, openSharedAppHouse } from './app-house.ts';

/** The heading of each route, and what its window title has before it; of a record that does not exist. */
const screens: Readonly<Record<string, string | readonly [heading: string, section: string]>> = {
  '/': 'Home',
  '/check': 'Check one address',
  '/validations': 'Validate lists',
  '/validations/new': 'Validate a list',
  '/validations/$jobId': 'List',
  '/people': 'Find people',
  '/people/new': 'New people search',
  '/people/$searchId': 'People search',
  '/companies': 'Find companies',
  '/companies/new': 'New company search',
  '/companies/$searchId': 'Company search',
  '/lookalikes': 'Lookalikes',
  '/lookalikes/$searchId': 'Lookalike search',
  '/saved': 'Saved people',
  '/saved/companies': 'Saved companies',
  '/saved/lists': 'Saved lists',
  '/saved/lists/$listId': 'Saved list',
  '/saved/imports': 'Import people',
  '/saved/imports/$importId': 'Import of people',
  '/exports': 'Exports',
  '/exports/$exportId': 'Export',
  '/integrations': 'Integrations',
  '/integrations/webhooks': 'Webhooks',
  '/integrations/webhooks/$endpointId': 'Webhook',
  '/integrations/delivery-reports': 'Delivery reports',
  '/integrations/delivery-reports/$sourceId': 'Source of delivery reports',
  '/integrations/profile-provider': 'Your own profile provider',
  '/integrations/imports/$importId': 'CRM import',
  '/integrations/crm/$connectionId': ['CRM', 'Imports'],
  '/integrations/crm/$connectionId/import': ['CRM', 'Import records'],
  '/integrations/crm/$connectionId/push': ['CRM', 'Push rows'],
  '/integrations/crm/$connectionId/properties': ['CRM', 'Properties'],
  '/usage': 'Usage',
  '/usage/statement': 'Statement',
  '/usage/receipts': 'Receipts',
  '/usage/receipts/$runId': 'Receipt',
  '/account': 'Plan',
  '/account/api-key': 'API keys',
  '/account/members': 'Members',
  '/account/security': 'Security',
  '/account/notices': 'Notice settings',
  '/account/details': 'Account details',
  '/sign-in': 'Sign in',
  '/sign-up': 'Create your account',
  '/forgot-password': 'Reset your password',
  '/confirm#token=t&for=password_reset': 'Set a new password',
  '/notices/stop#token=t': 'Stop mails of this kind',
  '/crm/callback': 'Connect a CRM',
  '/opt-out': 'Opt out',
  '/opt-out/domain': 'Exclude my mail host from probing',
};

const expected = Object.entries(screens).map(([path, words]) => {
  const [heading, section] = typeof words === 'string' ? [words] : words;
  return { path, heading, title: [section, heading, 'Mailproof'].filter(Boolean).join(' · ') };
});

/** Navigates as a link does, without loading the page again. The router is known to the page by this name. */
const go = (page: Page, path: string) =>
  page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(`/app${path.replaceAll(/\$\w+/g, 'none')}`)})`);

describe('each screen', () => {
  let app: AppHouse;

  beforeAll(async () => {
    app = await openSharedAppHouse();
  });

  afterAll(() => app?.stop());

  it.each([
    ['a desk', 1280],
    ['a phone', 390],
  ])('of %s has a title that no other has, and focuses its heading after a navigation', async (_, width) => {
    const viewport = { width, height: 844 };
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/', { viewport });
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const paths = await page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)');
    expect(expected.map(({ path }) => path.replace(/#.*/, '')).sort()).toEqual(paths.sort());
    expect(new Set(expected.map(({ title }) => title)).size).toBe(expected.length);

    const found: object[] = [];
    const wide: string[] = [];
    for (const { path, heading } of [...expected.slice(1), ...expected.slice(0, 1)]) {
      await go(page, path);
      const focused = page.locator('h1:focus', { hasText: new RegExp(`^${heading}$`) });
      await focused.waitFor({ timeout: 20_000 }).catch(() => {
        throw new Error(`The heading of ${path} has no focus.`);
      });
      found.push({ path, heading: await page.locator('h1').textContent(), title: await page.title() });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(overflow) > 0) wide.push(path);
    }
    expect(found).toEqual([...expected.slice(1), ...expected.slice(0, 1)]);
    expect(wide).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('of a record has its name, also in a new window, and an unknown URL says so', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/saved/lists');
    await page.getByRole('button', { name: 'Create list' }).press('Enter');
    await page.getByLabel('Name', { exact: true }).fill('Trade fair · May');
    await page.keyboard.press('Enter');
    const href = await page.getByRole('link', { name: 'Trade fair · May' }).getAttribute('href');
    await page.goto(new URL(href ?? '', app.url).href);
    await page.getByRole('heading', { level: 1, name: 'Trade fair · May' }).waitFor();
    expect(await page.title()).toBe('Trade fair · May · Mailproof');
    await go(page, '/no/such/page');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(await page.title()).toBe('Page not found · Mailproof');
    await context.close();
  });
});

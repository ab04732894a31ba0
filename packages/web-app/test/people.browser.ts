import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { type AppHouse, flawsOf, openFilters, openMenu, tabAndPress, tabAndType } from './app-house.ts';
import {
  holdRuns,
  longWord,
  oddDomain,
  openPeopleHouse,
  post,
  script,
  useUpPreviews,
} from './people-house.ts';

let app: AppHouse;

beforeAll(async () => {
  app = await openPeopleHouse();
}, 240_000);

afterAll(() => app?.stop());

/** Returns the number of matching people, after the count for the current filters has arrived. */
async function matchesOf(page: Page): Promise<number> {
  await page.locator('[aria-busy="false"] dd').first().waitFor();
  return numberIn(await page.locator('[aria-busy="false"] dd').first().textContent());
}

/** Whether the window shows the whole element as it is scrolled now. */
async function isInSight(element: Locator): Promise<boolean> {
  const { y = 0, height = 0 } = (await element.boundingBox()) ?? {};
  return height > 0 && y >= 0 && y + height <= (element.page().viewportSize()?.height ?? 0);
}

const until = (what: string, condition: () => Promise<boolean>) =>
  waitFor(what, condition, { deadlineMs: 20_000 });

async function untilFewerThan(page: Page, before: number): Promise<number> {
  let now = before;
  await until(`fewer people than ${before}`, async () => {
    now = await matchesOf(page);
    return now < before;
  });
  return now;
}

function numberIn(text: string | null): number {
  return Number((text ?? '').replace(/\D/g, ''));
}

/** Starts a search for people with odd names, outside the page. */
const begin = ({ request }: BrowserContext, name: string) =>
  post<{ search_id: string }>(app, request, '/people-searches', {
    name,
    filters: { company_domains: [oddDomain] },
  });

describe('finding people', () => {
  it('chooses filters by keyboard, previews, saves 50 with a receipt, and leaves them out the next time', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/people');
    await page.getByRole('heading', { name: 'No searches yet' }).waitFor();
    await page.getByText('100 of 100 free previews left').waitFor();
    expect(await flawsOf(page, 'people-empty')).toEqual([]);
    await tabAndPress(page.getByRole('link', { name: 'Create search' }));

    await page.getByRole('heading', { name: 'New people search' }).waitFor();
    const everybody = await matchesOf(page);
    expect(everybody).toBe(3_004);
    await openFilters(page);
    const titles = page.getByRole('textbox', { name: 'Search or add: Job title' });
    await tabAndType(titles, 'Manager');
    await page.keyboard.press('Enter');
    const managers = await untilFewerThan(page, everybody);
    const seniority = page.getByRole('list', { name: 'Seniority: values' }).getByRole('checkbox', {
      name: /^Manager/,
    });
    await tabAndPress(seniority, 'Space');
    await tabAndPress(page.getByRole('button', { name: 'Employees' }));
    await page.getByRole('list', { name: 'Employees: values' }).waitFor();
    expect(await matchesOf(page)).toBeLessThanOrEqual(managers);
    expect(await flawsOf(page, 'people-filters')).toEqual([]);

    await page.reload();
    await tabAndPress(page.getByRole('button', { name: 'Remove Seniority: Manager' }));
    await until('the filter to go', async () => (await matchesOf(page)) === managers);

    await tabAndType(page.getByLabel('Search name'), script);
    await tabAndPress(page.getByRole('button', { name: 'Show people' }));
    await page.getByRole('heading', { name: script }).waitFor();
    const people = page.getByRole('region', { name: 'People', exact: true });
    await people.getByRole('row').nth(10).waitFor();
    await page.getByText('All of them are synthetic demo data').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Show more people' }));
    await page.getByText(/^The first 100 of/).waitFor();
    await page.getByText('A preview shows at most 100 people.').waitFor();

    await tabAndType(page.getByLabel('How many'), '0');
    await page.getByText('Enter a whole number of at least 1.').waitFor();
    await tabAndPress(page.getByRole('button', { name: '50', exact: true }));
    await page.getByText('At most 50 credits').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Save 50 people' }));
    const run = page.getByRole('region', { name: 'Latest run' });
    await run.getByText('50 people saved for 50 credits').waitFor();
    expect(await run.getByRole('definition').allTextContents()).toEqual(['50', '50', '0']);
    await page.getByRole('link', { name: '950 credits available' }).first().waitFor();
    await page.getByText('50 people already saved will be skipped for free.').waitFor();
    await page.getByText('The first run locked the filters.').waitFor();
    await people.getByText('Saved', { exact: true }).first().waitFor();
    expect(await flawsOf(page, 'people-saved')).toEqual([]);

    await tabAndType(page.getByLabel('How many'), '3');
    await tabAndPress(page.getByRole('button', { name: 'Save 3 people' }));
    await page
      .getByRole('region', { name: 'Latest run' })
      .getByText('3 people saved for 3 credits')
      .waitFor();
    await page.getByText('1 earlier run', { exact: true }).press('Enter');
    const earlier = page.getByRole('region', { name: 'Earlier runs' });
    await earlier.getByRole('link', { name: 'Receipt' }).waitFor();

    await tabAndPress(page.getByRole('link', { name: 'Create search with these filters' }));
    await page.getByRole('button', { name: 'Remove Job title: Manager' }).waitFor();
    await openMenu(page);
    await tabAndPress(page.getByRole('link', { name: 'Find people' }));
    await page.getByText('99 of 100 free previews left').waitFor();
    const row = page.getByRole('row').filter({ hasText: script });
    await row.getByText(managers.toLocaleString('en')).waitFor();
    await row.getByText(/^3 people, /).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('finds people by name and by keyboard, and restores the name with the search', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/people/new');
    expect(await matchesOf(page)).toBe(3_004);
    await openFilters(page);
    const name = page.getByRole('textbox', { name: 'Search or add: Name', exact: true });
    await tabAndType(name, 'PERSON, ord');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Name: PERSON, ord' }).waitFor();
    await until('the one person', async () => (await matchesOf(page)) === 1);
    expect(await flawsOf(page, 'people-name')).toEqual([]);
    await page.reload();
    await until('the one person again', async () => (await matchesOf(page)) === 1);
    await tabAndPress(page.getByRole('button', { name: 'Show people' }));
    const people = page.getByRole('region', { name: 'People', exact: true });
    await people.getByText('Ordinary Person').waitFor();
    expect(await flawsOf(page, 'people-name-shown')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Remove Name: PERSON, ord' }).waitFor();
    await openMenu(page);
    await tabAndPress(page.getByRole('link', { name: 'Find people' }));
    await page.getByText('Name: PERSON, ord').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([1_280, 390])(
    'keeps the number of matches in sight of open filters, %i pixels wide',
    async width => {
      const { context, page, complaints } = await app.signedIn(await app.customer(), '/people/new', {
        viewport: { width, height: 800 },
      });
      const everybody = await matchesOf(page);
      await openFilters(page);
      await page.getByRole('textbox', { name: 'Search or add: Job title' }).focus();
      await page.keyboard.type('Manager');
      await page.keyboard.press('Enter');
      const managers = await untilFewerThan(page, everybody);
      const matches = page.getByRole('region', { name: 'Matches', exact: true });
      const number = managers.toLocaleString('en');
      const figure = matches.getByRole('definition').getByText(number, { exact: true });
      const show = page.getByRole('button', { name: /^Show .*match/ });
      await matches.getByRole('status').getByText(`${number} people match.`).waitFor();
      if (width === 390) {
        expect(await isInSight(figure)).toBe(false);
        expect(await show.textContent()).toBe(`Show ${number} matches`);
        expect(await isInSight(show)).toBe(true);
        expect(await flawsOf(page, 'people-show-matches')).toEqual([]);
        await show.press('Enter');
        await matches.and(page.locator(':focus')).waitFor();
        await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
        await page.keyboard.press('Tab');
        expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Remove Job title: Manager');
      }
      expect(await show.isVisible()).toBe(false);
      expect(await isInSight(figure)).toBe(true);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('keeps the last count legible while a filter has a fault', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/people/new');
    const everybody = await matchesOf(page);
    await openFilters(page);
    const name = page.getByRole('textbox', { name: 'Search or add: Name', exact: true });
    await name.fill('a b c d e f g h i');
    await name.press('Enter');
    await page.getByText('Some filters are not valid').waitFor();
    const behind = page.locator('[aria-busy="true"] dd').first();
    expect(numberIn(await behind.textContent())).toBe(everybody);
    expect(await flawsOf(page, 'people-fault')).toEqual([]);
    await context.close();
  });

  it('finds people by the year in which their company was founded, by keyboard, and restores the range', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/people/new');
    const everybody = await matchesOf(page);
    await openFilters(page);
    await page.getByRole('button', { name: 'Founded' }).focus();
    await page.keyboard.press('Enter');
    const years = page.getByRole('group', { name: 'Founded', exact: true });
    const from = years.getByLabel('From year');
    const to = years.getByLabel('To year');
    await from.focus();
    await page.keyboard.type('2000');
    const since = await untilFewerThan(page, everybody);
    expect(since).toBeGreaterThan(0);
    await page.keyboard.press('Tab');
    await page.keyboard.type('1999');
    await years.getByText('The end must not be below the start.').waitFor();
    await to.fill('20');
    await page.keyboard.press('Tab');
    await years.getByText('Enter a year from 1000 to 2100.').waitFor();
    expect(await matchesOf(page)).toBe(since);
    expect(await flawsOf(page, 'people-founded-fault')).toEqual([]);
    await to.fill('2015');
    const between = await untilFewerThan(page, since);
    expect(between).toBeGreaterThan(0);
    expect(await flawsOf(page, 'people-founded')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Remove Founded: from 2000 to 2015' }).waitFor();
    await until('the same people', async () => (await matchesOf(page)) === between);
    await openFilters(page);
    expect([await from.inputValue(), await to.inputValue()]).toEqual(['2000', '2015']);
    await page.getByRole('button', { name: 'Show people' }).click();
    await page.getByRole('region', { name: 'People', exact: true }).getByRole('row').nth(2).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Find people' }).click();
    await page.getByText('Founded: from 2000 to 2015').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('finds people by the technologies of their company, wanted and excluded', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/people/new');
    const everybody = await matchesOf(page);
    await openFilters(page);
    await page.getByRole('button', { name: 'Technology' }).click();
    const values = page.getByRole('list', { name: 'Technology: values' });
    await values.getByRole('checkbox', { name: /^Salesforce/ }).check();
    const users = await untilFewerThan(page, everybody);
    expect(users).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Exclude SAP' }).click();
    const others = await untilFewerThan(page, users);
    expect(others).toBeGreaterThan(0);
    expect(await flawsOf(page, 'people-technologies')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Remove Technology: Salesforce' }).waitFor();
    await until('the same people', async () => (await matchesOf(page)) === others);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keeps a list of domains, and finds the people there or all others', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/saved/lists');
    await page.getByRole('button', { name: 'Create list' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create list' });
    await dialog.getByLabel('Type').selectOption('companies');
    await dialog.getByLabel('Name').fill('Customers');
    await dialog.getByRole('button', { name: 'Create list' }).click();
    await page.getByRole('link', { name: 'Customers' }).click();
    const domains = page.getByRole('textbox', { name: 'Domains to add' });
    await domains.fill(`ada@${oddDomain}, nothing`);
    await page.getByText('1 entry has no domain: “nothing”').waitFor();
    expect(await page.getByRole('button', { name: 'Add 1 domain' }).isDisabled()).toBe(true);
    await domains.fill(`ada@${oddDomain}\nhttps://www.unknown.test/about`);
    await page.getByRole('button', { name: 'Add 2 domains' }).click();
    await page.getByRole('button', { name: 'Remove unknown.test' }).click();
    await page.getByText('unknown.test removed from the list.').waitFor();
    await page.getByRole('button', { name: `Remove ${oddDomain}` }).waitFor();
    expect(await flawsOf(page, 'list-domains')).toEqual([]);

    await page.goto(`${app.url}/people/new`);
    expect(await matchesOf(page)).toBe(3_004);
    await openFilters(page);
    await page.getByRole('button', { name: 'Saved list' }).click();
    await page.getByRole('button', { name: 'Exclude Customers' }).click();
    await until('all others', async () => (await matchesOf(page)) === 3_000);
    expect(await flawsOf(page, 'people-list')).toEqual([]);
    await page.getByRole('checkbox', { name: 'Customers' }).check();
    await until('the people there', async () => (await matchesOf(page)) === 4);
    await page.reload();
    await page.getByRole('button', { name: 'Remove Saved list: Customers' }).waitFor();
    await until('the same people', async () => (await matchesOf(page)) === 4);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('saves exactly the people who are chosen from the sorted preview, by keyboard', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/people');
    const { search_id } = await post<{ search_id: string }>(app, context.request, '/people-searches', {
      name: 'To choose from',
      filters: { seniorities: ['manager'] },
    });
    await page.goto(`${app.url}/people/${search_id}`);
    const table = page.getByRole('region', { name: 'People', exact: true });
    const names = async () => (await table.locator('strong').allTextContents()).slice(0, 5);
    await table.getByRole('row').nth(10).waitFor();
    const found = await names();
    await page.getByLabel('Sort the people shown by').focus();
    await page.keyboard.press('N');
    await until('the people to be sorted', async () => (await names()).join() !== found.join());
    const sorted = await names();
    expect(sorted).toEqual(sorted.toSorted((one, other) => one.localeCompare(other, 'en')));

    const boxes = table.getByRole('checkbox', { name: /^Select / });
    const box = (index: number) => boxes.nth(index + 1);
    await box(1).focus();
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await box(4).focus();
    await page.keyboard.press('Shift+Space');
    await page.getByText('4 selected').waitFor();
    await box(2).focus();
    await page.keyboard.press('Space');
    await page.getByText('3 selected').waitFor();
    await page.getByText('At most 3 credits for 3 people at 1 credit each').waitFor();
    expect(await flawsOf(page, 'people-chosen')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Save these 3 people' }));
    await page
      .getByRole('region', { name: 'Latest run' })
      .getByText('3 people saved for 3 credits')
      .waitFor();
    // The pressed button is gone.
    const heading = page.getByRole('heading', { level: 1, name: 'To choose from' });
    await heading.and(page.locator(':focus')).waitFor();
    await page.getByText('Select people to save only these.').waitFor();
    // People who are saved cannot be selected a second time.
    const all = boxes.first();
    await all.focus();
    await page.keyboard.press('Space');
    await page.getByText('47 selected').waitFor();
    await page.keyboard.press('Space');

    await page.goto(`${app.url}/saved?sort=name`);
    const saved = page.getByRole('region', { name: 'Saved people' }).getByRole('button');
    await saved.first().waitFor();
    expect((await saved.allTextContents()).toSorted()).toEqual([sorted[1], sorted[3], sorted[4]].toSorted());
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('continues while the page is reloaded, and returns the unspent credits when it is canceled', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/people');
    const { search_id } = await begin(context, 'Oddities');
    await page.goto(`${app.url}/people/${search_id}`);
    await page.getByRole('heading', { name: 'Oddities' }).waitFor();
    const release = await holdRuns(app);
    try {
      await page.getByLabel('How many').fill('3');
      await page.getByRole('button', { name: 'Save 3 people' }).click();
      const running = page.getByRole('region', { name: 'Saving people' });
      await running.getByRole('progressbar').waitFor();
      await page.reload();
      await running.getByRole('progressbar').waitFor();
      await page.getByText('The first run locked the filters.').waitFor();
      expect(await page.getByRole('button', { name: /^Save / }).count()).toBe(0);
      expect(await flawsOf(page, 'people-running')).toEqual([]);
      await running.getByRole('button', { name: 'Stop run' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop run' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    } finally {
      await release();
    }
    const ended = page.getByRole('region', { name: 'Latest run' });
    await ended.getByText('Canceled', { exact: true }).waitFor();
    const [reserved, spent, returned] = (await ended.getByRole('definition').allTextContents()).map(numberIn);
    expect(reserved).toBe(3);
    expect((spent ?? 0) + (returned ?? 0)).toBe(3);
    await page
      .getByRole('link', { name: `${(1_000 - (spent ?? 0)).toLocaleString('en')} credits available` })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('changes filters at the shown price, restores them for free, renames and deletes', async () => {
    const customer = await app.customer({ credits: 25 });
    const { context, page, complaints } = await app.signedIn(customer, '/people');
    const { search_id } = await begin(context, 'Oddities');
    await useUpPreviews(app, customer.accountId);
    await page.goto(`${app.url}/people/${search_id}`);
    await page.getByRole('heading', { name: 'Oddities' }).waitFor();
    await openFilters(page);
    await page.getByRole('button', { name: 'City', exact: true }).press('Enter');
    await page.getByRole('checkbox', { name: /^Odd Town/ }).press('Space');
    const changed = page.getByRole('region', { name: 'Filters changed' });
    await changed.getByText('0 of 100 free previews left').waitFor();
    await changed.getByText('At most 10 credits').waitFor();
    expect(await flawsOf(page, 'people-changed')).toEqual([]);
    await page.reload();
    await changed.getByRole('button', { name: 'Show people' }).press('Enter');
    await page.getByRole('link', { name: '15 credits available' }).first().waitFor();
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    await page.getByRole('button', { name: 'Remove City: Odd Town' }).press('Enter');
    await changed.getByRole('button', { name: 'Show people' }).press('Enter');
    await page.getByText('You previewed these filters before, so this was free.').waitFor();

    await page.getByRole('button', { name: 'Rename' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill(longWord.slice(0, 120));
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).press('Enter');
    await page.getByRole('heading', { name: longWord.slice(0, 120) }).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Find people' }).press('Enter');
    await page.getByRole('link', { name: longWord.slice(0, 120) }).waitFor();
    expect(await flawsOf(page, 'people-long-name')).toEqual([]);
    await page.getByRole('link', { name: longWord.slice(0, 120) }).press('Enter');
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete search' }).press('Enter');
    await page.getByRole('heading', { name: 'No searches yet' }).waitFor();
    await page.goto(`${app.url}/people/${search_id}`);
    await page.getByRole('heading', { name: 'Search not found' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('reports missing credits before anything starts, and shows markup as text', async () => {
    const customer = await app.customer({ credits: 2 });
    const { context, page, complaints } = await app.signedIn(customer, '/people/new');
    await openFilters(page);
    await page.getByRole('button', { name: 'Company domain' }).click();
    await page.getByRole('textbox', { name: 'Search or add: Company domain' }).fill(`https://${oddDomain}/x`);
    await page.keyboard.press('Enter');
    await page.getByText('must be a domain', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Remove Company domain: https://${oddDomain}/x` }).click();
    await page.getByRole('textbox', { name: 'Search or add: Company domain' }).fill(oddDomain);
    await page.keyboard.press('Enter');
    await until('the odd people', async () => (await matchesOf(page)) === 4);
    await page.getByRole('button', { name: 'Show people' }).click();
    await page.getByText(/2 credits short: you have 2/).waitFor();
    expect(await page.getByRole('button', { name: 'Save 4 people' }).isDisabled()).toBe(true);
    await page.getByRole('region', { name: 'People', exact: true }).getByText(script).first().waitFor();
    expect(await flawsOf(page, 'people-odd')).toEqual([]);
    await page.getByRole('button', { name: 'Maximum for your credits: 2' }).click();
    await page.getByRole('button', { name: 'Save 2 people' }).click();
    await page
      .getByRole('region', { name: 'Latest run' })
      .getByText('2 people saved for 2 credits')
      .waitFor();
    await page.getByText(/2 credits short: you have 0/).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows unknown values at their filter, the filter that excludes everyone, and errors', async () => {
    const filters = encodeURIComponent(
      JSON.stringify({ departments: ['engeneering'], cities: [longWord.slice(0, 190)], seniorities: 7 }),
    );
    const { context, page, complaints } = await app.signedIn(
      await app.customer(),
      `/people/new?filters=${filters}`,
    );
    await page
      .getByText(/"engeneering" is not one of|"engeneering" is unknown/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Show people' }).isDisabled()).toBe(true);
    expect(await flawsOf(page, 'people-unknown-values')).toEqual([]);
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await matchesOf(page);
    await openFilters(page);
    const titles = page.getByRole('textbox', { name: 'Search or add: Job title' });
    await titles.fill('Nobody at all, Somebody strange');
    await titles.press('Enter');
    await page.getByText('No one matches all of these filters').waitFor();
    expect(await page.getByRole('button', { name: 'Show people' }).isDisabled()).toBe(true);
    expect(await flawsOf(page, 'people-no-matches')).toEqual([]);
    await page.getByRole('button', { name: 'Remove job title', exact: true }).click();
    await until('all people again', async () => (await matchesOf(page)) === 3_004);
    await titles.fill('Director');
    await page.getByRole('button', { name: 'Exclude', exact: true }).click();
    await page.getByRole('button', { name: 'Remove Job title: not Director' }).waitFor();
    await untilFewerThan(page, 3_004);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { type AppHouse, flawsOf, tabAndPress, tabAndType } from './app-house.ts';
import {
  type LeadsHouse,
  longWord,
  openLeadsHouse,
  savePeople,
  script,
  untilRunEnded,
} from './leads-house.ts';

let leads: LeadsHouse;
let app: AppHouse;

beforeAll(async () => {
  leads = await openLeadsHouse();
  ({ app } = leads);
}, 240_000);

afterAll(() => app?.stop());

/** Holds back changes of the question until the returned function is called. */
async function holdQuestions(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route('**/question', async route => {
    await gate.promise;
    await route.continue();
  });
  return gate.resolve;
}

describe('companies like others', () => {
  it('goes from seeds to a free preview with reasons, to a run with its receipt, to the companies', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/lookalikes');
    await page.getByRole('heading', { name: 'Find companies like your best ones' }).waitFor();
    expect(await flawsOf(page, 'lookalikes-empty')).toEqual([]);

    await tabAndPress(page.getByRole('link', { name: 'Create search' }));
    const drawer = page.getByRole('dialog', { name: 'New lookalike search' });
    await tabAndPress(drawer.getByRole('button', { name: 'Show matches for free' }));
    await drawer.getByText('Enter a company, or a description below.').waitFor();
    const seeds = drawer.getByLabel('Like these companies', { exact: true });
    await tabAndType(
      seeds,
      `https://www.${leads.seeds[0]}/about?x=1, ${leads.seeds[1]} not-a-domain unknown.test`,
    );
    await seeds.press('Enter');
    await drawer.getByText('not-a-domain is not a valid domain.').waitFor();
    await tabAndPress(drawer.getByRole('button', { name: 'Show matches for free' }));
    await tabAndPress(drawer.getByRole('button', { name: 'Remove not-a-domain' }));
    // The pressed button is gone; the next one is where it was.
    await drawer.getByRole('button', { name: 'Remove unknown.test' }).and(page.locator(':focus')).waitFor();
    await tabAndPress(drawer.getByText('Narrow the companies (optional)'));
    await tabAndPress(drawer.getByText('Employees', { exact: true }));
    await drawer.getByRole('checkbox', { name: '11-50' }).waitFor();
    expect(await flawsOf(page, 'lookalikes-new')).toEqual([]);
    await tabAndType(drawer.getByLabel('Name', { exact: true }), script);
    await tabAndPress(drawer.getByRole('button', { name: 'Show matches for free' }));

    await page.getByRole('heading', { name: script }).waitFor();
    await page.getByText('Free Preview').waitFor();
    await page.getByText('One company is not used').waitFor();
    await page.getByText(/^unknown\.test is not in the store\. Use another company/).waitFor();
    await page.getByRole('heading', { name: /strongest matches, free/ }).waitFor();
    expect(await page.getByRole('list', { name: 'Why it matches' }).count()).toBeGreaterThan(5);
    expect(await flawsOf(page, 'lookalikes-preview')).toEqual([]);

    const matches = page.getByRole('list', { name: 'Matches', exact: true }).getByRole('heading');
    const before = (await matches.first().textContent()) ?? '';
    // The second change is made before the first is answered.
    const second = (await matches.nth(1).textContent()) ?? '';
    const release = await holdQuestions(page);
    for (const name of [before, second]) {
      await tabAndPress(page.getByRole('button', { name: `Refine the search with ${name}`, exact: true }));
      await page.getByRole('menuitem', { name: 'Less like this' }).press('Enter');
    }
    release();
    await page.getByText(`Added to “less like”: ${second}.`).waitFor();
    for (const name of [before, second]) {
      await page.getByRole('list', { name: 'Less like' }).getByText(name).waitFor();
    }

    await page.route('**/question', route => route.fulfill({ status: 429 }), { times: 1 });
    const last = page.getByRole('button', { name: /^Refine the search with/ }).last();
    await tabAndPress(last);
    await page.getByRole('menuitem', { name: 'More like this' }).press('Enter');
    await page.getByText('The search was not changed.').waitFor();
    await page.getByRole('alert').getByText('The server responded with status 429').waitFor();
    await last.and(page.locator(':focus')).waitFor();

    await tabAndPress(page.getByRole('radio', { checked: true }), 'ArrowUp');
    expect(await page.getByLabel('Another number').isChecked()).toBe(true);
    await tabAndType(page.getByLabel('Exact number of companies'), '0');
    await page.getByText(/Enter a whole number from 1/).waitFor();
    await tabAndType(page.getByLabel('Exact number of companies'), '4');
    await page.getByText('At most 20 credits').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Fetch 4 companies' }));

    const receipt = page.getByRole('region', { name: 'Latest run' });
    await receipt.getByText('Done').waitFor();
    expect(await receipt.getByRole('definition').allTextContents()).toEqual(['20', '20', '0']);
    await page.getByRole('link', { name: '980 credits available' }).waitFor();
    const table = page.getByRole('region', { name: 'Fetched companies' });
    await table.getByRole('row').nth(4).waitFor();
    await page.getByText(/locked the seeds and filters/).waitFor();
    expect(await page.getByRole('link', { name: 'Change', exact: true }).count()).toBe(0);
    expect(await flawsOf(page, 'lookalikes-delivered')).toEqual([]);

    await tabAndPress(table.getByRole('row').nth(1).getByRole('button'));
    await page.getByRole('dialog').getByText('Employees', { exact: true }).waitFor();
    expect(await flawsOf(page, 'lookalikes-company')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('region', { name: 'Latest run' }).getByText('Done').waitFor();
    await tabAndPress(page.getByRole('link', { name: 'Next matches' }));
    await page.getByRole('list', { name: 'Matches', exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('offers companies of the store to try a search with, by keyboard', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/lookalikes?begin=true');
    const drawer = page.getByRole('dialog', { name: 'New lookalike search' });
    const use = drawer.getByRole('button', { name: 'Use these companies' });
    await use.waitFor();
    expect(await flawsOf(page, 'lookalikes-examples')).toEqual([]);
    await tabAndPress(use);
    await drawer
      .getByRole('button', { name: /^Remove .*\.example$/ })
      .nth(2)
      .waitFor();
    await tabAndPress(drawer.getByRole('button', { name: 'Show matches for free' }));
    await page.getByRole('heading', { name: /strongest match/ }).waitFor();
    expect(await page.getByText(/not used/).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows the first matches without scrolling, also with many seeds and filters', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/lookalikes', {
      viewport: { width: 1280, height: 800 },
    });
    const { post } = leads.ask(context);
    const seeds = [...leads.seeds, ...[1, 2, 5, 6, 7, 8].map(index => `haulier-${index}.test`)];
    const { search_id } = await post<{ search_id: string }>('/lookalike-searches', {
      name: 'Many seeds',
      seed_domains: seeds,
      unlike_domains: ['haulier-9.test'],
      filters: {
        countries: ['DE', 'FR'],
        excluded_domains: Array.from({ length: 7 }, (_, index) => `customer-${index}.test`),
      },
    });
    await page.goto(`${app.url}/lookalikes/${search_id}`);
    const matches = page.getByRole('list', { name: 'Matches', exact: true }).getByRole('heading');
    await matches.first().waitFor();
    await page.getByRole('list', { name: 'Filters' }).getByText('Germany').waitFor();
    const bottomOf = async (heading: typeof matches) => {
      const { y = 0, height = 0 } = (await heading.boundingBox()) ?? {};
      return y + height;
    };
    expect(await bottomOf(matches.first())).toBeLessThan(800);
    const like = page.getByRole('list', { name: 'Like', exact: true }).getByRole('listitem');
    expect(await like.count()).toBeLessThan(seeds.length);
    await tabAndPress(page.getByRole('button', { name: `Show all ${seeds.length}: like` }));
    expect(await like.count()).toBe(seeds.length);
    expect(await flawsOf(page, 'lookalikes-many-seeds')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Show fewer: like' }));
    expect(await like.count()).toBeLessThan(seeds.length);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('says which seeds are of no use, and keeps what was entered', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/lookalikes?begin=true');
    const drawer = page.getByRole('dialog');
    await tabAndType(drawer.getByLabel('Like these companies', { exact: true }), 'nobody.test');
    await tabAndPress(drawer.getByRole('button', { name: 'Show matches for free' }));
    await drawer.getByText('None of these can be compared').waitFor();
    await drawer.getByText('nobody.test is not in the store.').waitFor();
    expect(await flawsOf(page, 'lookalikes-unknown-seed')).toEqual([]);
    await context.close();
  });

  it('finds companies like a description, and says why one cannot be compared', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/lookalikes?begin=true');
    const drawer = page.getByRole('dialog');
    const text = drawer.getByLabel('Or describe the companies');
    await tabAndType(text, 'Qwerty');
    await tabAndPress(drawer.getByRole('button', { name: 'Show matches for free' }));
    await drawer.getByText('The text has too few words.').waitFor();
    expect(await flawsOf(page, 'lookalikes-unknown-text')).toEqual([]);
    const description = 'Subscription billing software for finance departments and product teams.';
    await tabAndType(text, description);
    await tabAndPress(drawer.getByRole('button', { name: 'Show matches for free' }));
    await page.getByRole('heading', { name: `Like “${description.slice(0, 40)}”` }).waitFor();
    await page.getByRole('list', { name: 'Description' }).getByText(description.slice(0, 40)).waitFor();
    await page.getByRole('heading', { name: /strongest match/ }).waitFor();
    expect(await flawsOf(page, 'lookalikes-text')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows names that are markup as text, and offers what can be paid', async () => {
    const { context, page, complaints } = await app.signedIn(
      await app.customer({ credits: 12 }),
      '/lookalikes',
    );
    const { post } = leads.ask(context);
    const name = longWord.slice(0, 120);
    const { search_id } = await post<{ search_id: string }>('/lookalike-searches', {
      name,
      seed_domains: [leads.haulier, 'haulier-2.test'],
    });
    await page.reload();
    await tabAndPress(page.getByRole('link', { name }));
    await page.getByRole('heading', { name: script }).waitFor();
    await page.getByText(/credits short: you have 12/).waitFor();
    expect(await flawsOf(page, 'lookalikes-too-few-credits')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Choose 2 companies instead' }));
    await tabAndPress(page.getByRole('button', { name: 'Fetch 2 companies' }));
    await page.getByRole('region', { name: 'Latest run' }).getByText('Done').waitFor();

    // By keyboard: the focus is in the field, and afterward returns to where it was.
    const more = page.getByRole('button', { name: 'More' });
    await more.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Hauliers');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Hauliers', level: 1 }).waitFor();
    await more.and(page.locator(':focus')).waitFor();
    await tabAndPress(page.getByRole('button', { name: 'More' }));
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.getByRole('heading', { name: 'Find companies like your best ones' }).waitFor();
    await page.goto(`${app.url}/lookalikes/${search_id}`);
    await page.getByRole('heading', { name: 'Search not found' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('fixes the question while a run is active, shows its progress, and stops it', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/');
    const { search_id } = await leads.ask(context).post<{ search_id: string }>('/lookalike-searches', {
      name: 'Hauliers',
      seed_domains: [leads.haulier],
      filters: { countries: ['DE'] },
    });
    const store = new pg.Client({
      connectionString: app.house.databaseUrls['enrichment']?.databaseUrl ?? '',
    });
    await store.connect();
    try {
      // A lock on the companies keeps the run from delivering them.
      await store.query('BEGIN');
      await store.query('SELECT FROM enrichment.company FOR UPDATE');
      await page.goto(`${app.url}/lookalikes/${search_id}`);
      await page.getByRole('list', { name: 'Filters' }).getByText('Germany').waitFor();
      await tabAndPress(page.getByRole('button', { name: /^Fetch \d+ companies$/ }));
      const fetching = page.getByRole('region', { name: 'Fetching companies' });
      await fetching.getByRole('progressbar', { name: 'Fetching companies' }).waitFor();
      await page.getByText(/locked the seeds and filters/).waitFor();
      expect(await page.getByRole('link', { name: 'Change', exact: true }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /^Refine the search with/ }).count()).toBe(0);
      await page.reload();
      await tabAndPress(fetching.getByRole('button', { name: 'Stop run' }));
      await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Continue run' }));
      expect(await flawsOf(page, 'lookalikes-running')).toEqual([]);
      await tabAndPress(page.getByRole('button', { name: 'More' }));
      expect(
        await page
          .getByRole('menuitem', { name: 'Delete (cancel the run first)' })
          .getAttribute('aria-disabled'),
      ).toBe('true');
      await page.keyboard.press('Escape');
      await tabAndPress(fetching.getByRole('button', { name: 'Stop run' }));
      await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Stop run' }));
    } finally {
      await store.query('ROLLBACK');
      await store.end();
    }
    const receipt = page.getByRole('region', { name: 'Latest run' });
    // A chunk that was in progress may have been the last one.
    await receipt.getByText(/^(Canceled|Done)$/).waitFor();
    const [reserved, spent, returned] = (await receipt.getByRole('definition').allTextContents()).map(Number);
    expect(Number(spent) + Number(returned)).toBe(reserved);
    const left = (1_000 - Number(spent)).toLocaleString('en');
    await page.getByRole('link', { name: `${left} credits available` }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('saved people and lists', () => {
  it('says what would be there', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/saved');
    await page.getByRole('heading', { name: 'No saved people yet' }).waitFor();
    expect(await flawsOf(page, 'saved-empty')).toEqual([]);
    await tabAndPress(page.getByRole('link', { name: 'Lists', exact: true }));
    await page.getByRole('heading', { name: 'No lists yet' }).waitFor();
    await page.goto(`${app.url}/saved/lists/list_00000000000000000000000000000000`);
    await page.getByRole('heading', { name: 'List not found' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('finds people, says where each field comes from, puts them on a list and removes them', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/saved');
    const asking = leads.ask(context);
    await savePeople(asking, 5, { company_domains: [leads.haulier] });
    await savePeople(asking, 120);
    await page.reload();
    const table = page.getByRole('region', { name: 'Saved people' });
    await table.getByText('Synthetic').first().waitFor();
    expect(await flawsOf(page, 'saved-people')).toEqual([]);

    // The next page is loaded when its position becomes visible.
    await table.focus();
    await waitFor(
      'the person who was saved first',
      async () => {
        await page.keyboard.press('End');
        return page.getByRole('button', { name: 'Driver 0', exact: true }).isVisible();
      },
      { deadlineMs: 20_000 },
    );

    await tabAndType(page.getByLabel('Name, title or company'), 'driver');
    await page.waitForURL(/text=driver/);
    await tabAndPress(page.getByRole('button', { name: script }));
    const drawer = page.getByRole('dialog', { name: script });
    await drawer.getByText('Data set: Register of hauliers · CC0-1.0 · Mar 1, 2026').first().waitFor();
    expect(await flawsOf(page, 'saved-person')).toEqual([]);
    await page.reload();
    await drawer.getByRole('heading', { name: 'Data and sources' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    await page.getByLabel('Select Driver 0').check();
    await tabAndPress(page.getByLabel('Select Driver 1'), 'Space');
    await page.getByText('2 selected').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Add to list' }));
    const dialog = page.getByRole('dialog');
    await tabAndType(dialog.getByLabel('Name of the new list'), script);
    await tabAndPress(dialog.getByRole('button', { name: 'Add to list' }));
    await page.getByText(`2 records added to “${script}”.`).waitFor();

    await tabAndPress(page.getByRole('button', { name: 'Select all' }));
    await page.getByLabel('Select Driver 0').uncheck();
    await page.getByLabel('Select Driver 1').uncheck();
    const remove = page.getByRole('button', { name: 'Remove' });
    await remove.click();
    await dialog.getByText(/Nothing is refunded/).waitFor();
    await page.route('**/removals', route => route.fulfill({ status: 409 }), { times: 1 });
    const removal = dialog.getByRole('button', { name: 'Remove' });
    await removal.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await removal.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await remove.and(page.locator(':focus')).press('Enter');
    // The earlier error is not shown in the new dialog.
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await removal.press('Enter');
    await page.getByText('3 people removed.').waitFor();
    await page.getByLabel('Select Driver 2').waitFor({ state: 'detached' });

    await tabAndType(page.getByLabel('Name, title or company'), 'nobody is called that');
    await page.getByRole('heading', { name: 'No matching people' }).waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Clear filters' }).last());
    await table.waitFor();
    expect(await page.getByLabel('Name, title or company').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe('');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('selects a range, the rows shown, or everyone who matches, by keyboard', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/saved');
    const asking = leads.ask(context);
    await savePeople(asking, 120);
    await page.reload();
    const table = page.getByRole('region', { name: 'Saved people' });
    await table.getByRole('row').nth(5).waitFor();
    await page.getByLabel('Sort by').focus();
    await page.keyboard.press('J');
    await page.waitForURL(/sort=job_title/);
    await table.getByRole('row').nth(5).waitFor();
    const boxes = table.getByRole('checkbox');
    await boxes.nth(2).focus();
    await page.keyboard.press('Space');
    await boxes.nth(5).focus();
    await page.keyboard.press('Shift+Space');
    await page.getByText('4 selected').waitFor();
    const exporting = page.getByRole('button', { name: 'Export selected' });
    await exporting.press('Enter');
    await page.getByRole('dialog', { name: 'Export 4 records' }).waitFor();
    expect(await flawsOf(page, 'saved-export-selected')).toEqual([]);
    await page.keyboard.type('Four drivers');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Export', exact: true });
    await drawer.getByText('From “Four drivers”').waitFor();
    await drawer.getByText(/^4 rows with/).waitFor();
    for (const way of ['Webhook', 'CRM']) await drawer.getByRole('tab', { name: way }).waitFor();
    const downloading = page.waitForEvent('download');
    await drawer.getByRole('button', { name: 'Download file' }).press('Enter');
    expect((await downloading).suggestedFilename()).toMatch(/^Four drivers \d{4}-\d\d-\d\d\.csv$/);
    await page.keyboard.press('Escape');
    // The selection stays, and so does the place of the keyboard.
    await exporting.and(page.locator(':focus')).waitFor();
    await page.getByText('4 selected').waitFor();
    // Another selection does not become a part of the list.
    await boxes.nth(8).focus();
    await page.keyboard.press('Space');
    await page.getByText('5 selected').waitFor();
    await exporting.press('Enter');
    const another = page.getByRole('dialog', { name: 'Export 5 records' });
    await another.waitFor();
    await page.keyboard.type('Four drivers');
    await page.keyboard.press('Enter');
    await another.getByRole('alert').waitFor();
    expect(await drawer.count()).toBe(0);
    await page.keyboard.press('Escape');
    await another.waitFor({ state: 'detached' });
    await boxes.first().focus();
    await page.keyboard.press('Space');
    await page.getByText('100 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 120' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('120 selected').waitFor();
    expect(await flawsOf(page, 'saved-all-selected')).toEqual([]);
    await exporting.press('Enter');
    // Everyone is a source of exports already, so no list is made.
    await drawer.getByText(/^120 rows with/).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add to list' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('List', { exact: true }).selectOption('New list…');
    await dialog.getByLabel('Name of the new list').fill('Everyone');
    await dialog.getByRole('button', { name: 'Add to list' }).press('Enter');
    await page.getByText('120 records added to “Everyone”.').waitFor();

    await page.getByRole('link', { name: 'Lists', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'Everyone' }).press('Enter');
    await page.getByRole('button', { name: 'Select all 120' }).press('Enter');
    await page.getByRole('button', { name: 'Remove from list' }).press('Enter');
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('120 records removed from the list.').waitFor();
    await page.getByRole('link', { name: 'Choose from saved people' }).press('Enter');
    await page.getByRole('button', { name: 'Select all 120' }).press('Enter');
    await page.getByRole('button', { name: 'Remove' }).press('Enter');
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('120 people removed.').waitFor();
    await page.getByRole('heading', { name: 'No saved people yet' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('makes, names, tags and deletes lists of people and of companies', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/saved/lists');
    await tabAndPress(page.getByRole('button', { name: 'Create list' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type', { exact: true }).selectOption('companies');
    await tabAndType(dialog.getByLabel('Name', { exact: true }), longWord.slice(0, 120));
    await tabAndType(dialog.getByLabel('Tags (optional)', { exact: true }), `${script.slice(0, 40)}, spring`);
    await tabAndPress(dialog.getByLabel('Tags (optional)', { exact: true }));
    await tabAndPress(dialog.getByRole('button', { name: 'Create list' }));
    await page.getByRole('table').getByText('spring').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Create list' }));
    await tabAndType(dialog.getByLabel('Name', { exact: true }), 'Drivers');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Drivers' }).waitFor();
    expect(await flawsOf(page, 'saved-lists')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Create list' }));
    await tabAndType(dialog.getByLabel('Name', { exact: true }), 'Drivers');
    await tabAndPress(dialog.getByRole('button', { name: 'Create list' }));
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Tag', { exact: true }).selectOption('spring');
    await page.getByRole('link', { name: 'Drivers' }).waitFor({ state: 'detached' });

    const asking = leads.ask(context);
    const { lists } = await asking.get<{ lists: { list_id: string; kind: string }[] }>('/saved-lists');
    const list = lists.find(({ kind }) => kind === 'companies')?.list_id;
    const search = await asking.post<{ search_id: string }>('/lookalike-searches', {
      name: 'Hauliers',
      seed_domains: [leads.haulier, 'haulier-2.test'],
    });
    const run = await asking.post<{ run_id: string }>(`/lookalike-searches/${search.search_id}/runs`, {
      companies: 'all',
      list_id: list,
    });
    await untilRunEnded(asking, run.run_id);
    await page.goto(`${app.url}/saved/lists/${list}`);
    const table = page.getByRole('region', { name: 'Companies' });
    await tabAndPress(table.getByRole('button', { name: script }));
    await page
      .getByRole('dialog', { name: script })
      .getByText(/Register of hauliers/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Select Haulier 7').check();
    expect(await flawsOf(page, 'saved-list')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Remove from list' }));
    await tabAndPress(dialog.getByRole('button', { name: 'Remove' }));
    await page.getByLabel('Select Haulier 7').waitFor({ state: 'detached' });

    await tabAndPress(page.getByRole('button', { name: 'Edit' }));
    await tabAndType(dialog.getByLabel('Name', { exact: true }), 'Hauliers');
    await tabAndPress(dialog.getByRole('button', { name: 'Remove spring' }));
    await tabAndPress(dialog.getByRole('button', { name: 'Save' }));
    await page.getByRole('heading', { name: 'Hauliers', level: 1 }).waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Delete' }));
    await dialog.getByText(/stay saved/).waitFor();
    await tabAndPress(dialog.getByRole('button', { name: 'Delete' }));
    await tabAndPress(page.getByRole('link', { name: 'Drivers' }));
    await page.getByRole('heading', { name: 'No people on this list yet' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

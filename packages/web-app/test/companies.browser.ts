import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import type { Page } from 'playwright-core';
import { type AppHouse, flawsOf, openFilters, openMenu, tabAndPress, tabAndType } from './app-house.ts';
import { openPeopleHouse, post, script } from './people-house.ts';

let app: AppHouse;

beforeAll(async () => {
  app = await openPeopleHouse();
}, 240_000);

afterAll(() => app?.stop());

/** Returns the number of matching companies, after the count for the current filters has arrived. */
async function matchesOf(page: Page): Promise<number> {
  const count = page.locator('[aria-busy="false"] dd').first();
  await count.waitFor();
  return Number((await count.textContent())?.replace(/\D/g, ''));
}

async function untilFewerThan(page: Page, before: number): Promise<number> {
  let now = before;
  await waitFor(
    `fewer companies than ${before}`,
    async () => {
      now = await matchesOf(page);
      return now < before;
    },
    { deadlineMs: 20_000 },
  );
  return now;
}

describe('finding companies', () => {
  it('counts by filters, previews, saves 10 with a receipt, lists them, and skips them the next time', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/companies');
    await page.getByRole('heading', { name: 'No searches yet' }).waitFor();
    expect(await flawsOf(page, 'companies-empty')).toEqual([]);
    await tabAndPress(page.getByRole('link', { name: 'Create search' }));
    await page.getByRole('heading', { name: 'New company search' }).waitFor();
    await page.getByText('No filters yet: all companies match.').waitFor();
    const all = await matchesOf(page);
    expect(all).toBeGreaterThan(100);
    // No filter of a person is there.
    expect(await page.getByRole('button', { name: 'Seniority' }).count()).toBe(0);

    await openFilters(page);
    const sizes = page.getByRole('list', { name: 'Employees: values' });
    await tabAndPress(sizes.getByRole('checkbox', { name: /^51-200/ }), 'Space');
    const medium = await untilFewerThan(page, all);
    await tabAndPress(page.getByRole('button', { name: 'Technology', exact: true }));
    await tabAndPress(page.getByRole('button', { name: 'Exclude SAP', exact: true }));
    const others = await untilFewerThan(page, medium);
    expect(others).toBeGreaterThan(10);
    await page.getByRole('region', { name: 'Data coverage' }).getByText('Annual revenue').waitFor();
    expect(await flawsOf(page, 'companies-filters')).toEqual([]);
    await tabAndType(page.getByLabel('Search name'), script);
    await page.reload();
    await page.getByRole('button', { name: 'Remove Employees: 51-200' }).waitFor();
    await waitFor('the same companies', async () => (await matchesOf(page)) === others, {
      deadlineMs: 20_000,
    });

    expect(await page.getByLabel('Search name').inputValue()).toBe(script);
    await tabAndPress(page.getByRole('button', { name: 'Show companies' }));
    await page.getByRole('heading', { name: script }).waitFor();
    const preview = page.getByRole('region', { name: 'Companies', exact: true });
    await preview.getByRole('row').nth(10).waitFor();
    expect(await flawsOf(page, 'companies-preview')).toEqual([]);

    await tabAndType(page.getByLabel('How many'), '10');
    await page.getByText('At most 50 credits').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Save 10 companies' }));
    const run = page.getByRole('region', { name: 'Latest run' });
    await run.getByText('10 companies saved for 50 credits').waitFor();
    await page.getByText('10 companies already saved will be skipped for free.').waitFor();
    await page.getByText('The first run locked the filters.').waitFor();
    await preview.getByText('Saved', { exact: true }).first().waitFor();
    expect(await flawsOf(page, 'companies-saved')).toEqual([]);

    await tabAndPress(run.getByRole('link', { name: 'View saved companies' }));
    await page.getByRole('heading', { name: 'Saved companies' }).waitFor();
    const saved = page.getByRole('region', { name: 'Companies', exact: true });
    await saved.getByRole('row').nth(10).waitFor();
    expect(await saved.getByRole('row').count()).toBe(11);
    expect(await flawsOf(page, 'companies-of-account')).toEqual([]);
    await tabAndPress(saved.getByRole('row').nth(1).getByRole('button').first());
    const details = page.getByRole('dialog');
    await details.getByText('Employees').waitFor();
    await page.keyboard.press('Escape');

    const boxes = saved.getByRole('checkbox');
    await tabAndPress(boxes.nth(2), 'Space');
    await boxes.nth(4).focus();
    await page.keyboard.press('Shift+Space');
    await page.getByText('3 selected').waitFor();
    const exporting = page.getByRole('button', { name: 'Export selected' });
    await tabAndPress(exporting);
    await page.getByRole('dialog', { name: 'Export 3 records' }).waitFor();
    expect(await flawsOf(page, 'companies-export-selected')).toEqual([]);
    await page.keyboard.type('Three companies');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Export', exact: true });
    await drawer.getByText('From “Three companies”').waitFor();
    await drawer.getByText(/^3 rows with/).waitFor();
    const downloading = page.waitForEvent('download');
    await tabAndPress(drawer.getByRole('button', { name: 'Download file' }));
    expect((await downloading).suggestedFilename()).toMatch(/^Three companies \d{4}-\d\d-\d\d\.csv$/);
    await page.keyboard.press('Escape');
    // All of them are a source of an export already, and need no list.
    await tabAndPress(page.getByRole('button', { name: 'Select all 10' }));
    await tabAndPress(exporting);
    await drawer.getByText('From saved companies').waitFor();
    await drawer.getByText(/^10 rows with/).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    await openMenu(page);
    await tabAndPress(page.getByRole('link', { name: 'Find companies' }));
    const row = page.getByRole('row').filter({ hasText: script });
    await row.getByText('More available').waitFor();
    await row.getByText(others.toLocaleString('en'), { exact: true }).waitFor();
    await row.getByText(/^10 companies, /).waitFor();
    await row.getByText('Employees: 51-200 · Technology: not SAP').waitFor();
    expect(await flawsOf(page, 'companies-searches')).toEqual([]);
    await openMenu(page);
    await tabAndPress(page.getByRole('link', { name: 'Home' }));
    await tabAndPress(page.getByRole('link', { name: 'Companies saved from a search' }));
    await page.getByRole('heading', { name: script }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('saves exactly the companies that are chosen, and shows the page of a search that is gone', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/companies/new');
    await matchesOf(page);
    await tabAndPress(page.getByRole('button', { name: 'Show companies' }));
    await page.getByRole('heading', { name: 'All companies' }).waitFor();
    const preview = page.getByRole('region', { name: 'Companies', exact: true });
    await preview.getByRole('row').nth(3).waitFor();
    for (const at of [1, 3]) {
      await tabAndPress(preview.getByRole('row').nth(at).getByRole('checkbox'), 'Space');
    }
    await tabAndPress(page.getByRole('button', { name: 'Save these 2 companies' }));
    await page.getByText('2 companies saved for 10 credits').first().waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Delete' }));
    await tabAndPress(page.getByRole('button', { name: 'Delete search' }));
    await page.getByRole('heading', { name: 'No searches yet' }).waitFor();
    await page.goto(`${app.url}/saved/companies`);
    const saved = page.getByRole('region', { name: 'Companies', exact: true });
    await saved.getByRole('row').nth(2).waitFor();
    expect(await saved.getByRole('row').count()).toBe(3);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('sorts previews and saved companies, and picks all that match, by keyboard', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/');
    const ask = <Answer>(path: string, body: object) => post<Answer>(app, context.request, path, body);
    const { facets } = await ask<{ facets: { industries: { values: { value: string; count: number }[] } } }>(
      '/company-counts',
      { filters: {} },
    );
    // More than the first page of a preview, and few enough to pay for.
    const industries: string[] = [];
    let found = 0;
    for (const { value, count } of facets.industries.values) {
      if (found > 50) break;
      industries.push(value);
      found += count;
    }
    const { search_id: ofIndustry } = await ask<{ search_id: string }>('/company-searches', {
      name: 'Of some industries',
      filters: { industries },
    });

    await page.goto(`${app.url}/companies/${ofIndustry}`);
    const preview = page.getByRole('region', { name: 'Companies', exact: true });
    await preview.getByRole('row').nth(50).waitFor();
    const namesIn = async () =>
      (await preview.getByRole('strong').allTextContents()).map(text => text.trim());
    const inSearch = await namesIn();
    const order = page.getByLabel('Sort the companies shown by');
    // What is paid for does not show in the order either.
    expect(await order.getByRole('option').allTextContents()).toEqual([
      'Order of the search',
      'Name',
      'Industry',
    ]);
    await order.selectOption('Name');
    const sorted = inSearch.toSorted((one, other) => one.localeCompare(other, 'en'));
    expect(await namesIn()).toEqual(sorted);
    await tabAndPress(page.getByRole('button', { name: `Select all ${found}` }));
    await page.getByText(`${found} selected`).waitFor();
    await page
      .getByText(`At most ${5 * found} credits`)
      .first()
      .waitFor();
    expect(await flawsOf(page, 'companies-preview-all')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: `Save all ${found} companies` }));
    await page
      .getByText(`${found} companies saved for ${5 * found} credits`)
      .first()
      .waitFor();

    // More than a page of saved companies.
    const { search_id: ofAll } = await ask<{ search_id: string }>('/company-searches', {
      name: 'All',
      filters: {},
    });
    await ask(`/company-searches/${ofAll}/runs`, { companies: 110 });
    await page.goto(`${app.url}/companies/${ofAll}`);
    await page.getByText('110 companies saved for 550 credits').first().waitFor();
    const all = found + 110;

    await page.goto(`${app.url}/saved/companies`);
    const saved = page.getByRole('region', { name: 'Companies', exact: true });
    await saved.getByRole('row').nth(5).waitFor();
    await page.getByLabel('Sort by').selectOption('Company size');
    await page.waitForURL(/sort=company_size/);
    const sizes = async () => {
      const rows = await saved.getByRole('row').all();
      const cells = await Promise.all(
        rows.slice(1, 12).map(row => row.getByRole('cell').nth(5).textContent()),
      );
      return cells.map(text => Number.parseInt(text?.replaceAll(',', '') ?? '', 10));
    };
    await waitFor(
      'the largest companies first',
      async () => {
        const shown = await sizes();
        return (
          (shown[0] ?? 0) > 1_000 && shown.every((size, at) => at === 0 || size <= Number(shown[at - 1]))
        );
      },
      { deadlineMs: 20_000 },
    );
    expect(await flawsOf(page, 'companies-by-size')).toEqual([]);
    await page.getByLabel('Sort by').selectOption('Last updated');
    await saved.getByText('Updated', { exact: true }).waitFor();

    await tabAndPress(page.getByRole('button', { name: `Select all ${all}` }));
    await page.getByText(`${all} selected`).waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Add to list' }));
    const dialog = page.getByRole('dialog', { name: `Add ${all} records to a list` });
    await tabAndType(dialog.getByLabel('Name of the new list'), 'All of them');
    await tabAndPress(dialog.getByRole('button', { name: 'Add to list' }));
    await page.getByText(`${all} records added to “All of them”`).first().waitFor();
    await tabAndPress(page.getByRole('link', { name: 'Lists', exact: true }));
    await tabAndPress(page.getByRole('link', { name: 'All of them' }));
    await page.getByText(`${all} entries`).waitFor();
    await tabAndPress(page.getByRole('button', { name: `Select all ${all}` }));
    await tabAndPress(page.getByRole('button', { name: 'Remove from list' }));
    const removal = page.getByRole('dialog', { name: `Remove ${all} records from this list?` });
    await removal.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'No companies on this list yet' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HubSpotSimulator, openHubSpot } from '@mailproof/crm-lab';
import { operate, waitFor } from '@mailproof/dev-house';
import type { OpenPage } from '@mailproof/dev-house/chromium';
import type { Download, Page } from 'playwright-core';
import { type AppHouse, type Customer, flawsOf, tabAndPress, tabAndType } from './app-house.ts';
import {
  ask,
  count,
  type ExportsHouse,
  image,
  jobName,
  openDrawer,
  openExportsHouse,
  outcome,
  people,
  script,
} from './exports-house.ts';

let house: ExportsHouse;
let app: AppHouse;
let owner: Customer;
let hubspot: HubSpotSimulator;
const redirectUris: string[] = [];

beforeAll(async () => {
  hubspot = await openHubSpot({ redirectUris, hubDomain: 'ordinary.example' });
  house = await openExportsHouse({
    also: ['enrichment'],
    enrichment: { PEOPLE_INDEX_REFRESH_MS: '200' },
    dispatcher: {
      HUBSPOT_CLIENT_ID: hubspot.clientId,
      HUBSPOT_CLIENT_SECRET: hubspot.clientSecret,
      HUBSPOT_APP_BASE_URL: hubspot.baseUrl,
      HUBSPOT_API_BASE_URL: hubspot.baseUrl,
    },
  });
  ({ app, owner } = house);
  redirectUris.push(`${app.house.environments['webhook-dispatcher']['PUBLIC_BASE_URL']}/crm/callback`);
}, 120_000);

afterAll(async () => {
  await house?.stop();
  await hubspot?.close();
});

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), 'utf8');
}

describe('exports', () => {
  it('begin with what would fill the list', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/exports');
    await page.getByRole('heading', { name: 'No exports yet' }).waitFor();
    expect(await flawsOf(page, 'exports-empty')).toEqual([]);
    await page.getByLabel('Status').selectOption('Done');
    await page.getByRole('heading', { name: 'No matching exports' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'No matching exports' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: 'Create export' }).first().click();
    await page.getByRole('heading', { name: 'No validated lists yet' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('find lists that are older than the newest ones', async () => {
    const { context, page } = await app.signedIn(owner, '/exports');
    await page.route('**/app/v1/validation-jobs?limit=50*', async route => {
      const answer = await route.fetch({ url: `${app.url}/v1/validation-jobs?limit=50` });
      const { jobs } = (await answer.json()) as { jobs: object[] };
      const isFirst = !route.request().url().includes('cursor=older');
      await route.fulfill({
        json: isFirst
          ? { jobs: jobs.map(job => ({ ...job, state: 'ready' })), next_cursor: 'older' }
          : { jobs },
      });
    });
    await page.getByRole('button', { name: 'Create export' }).first().click();
    await page.getByText('None of the latest 1 list has been started yet.').waitFor();
    await page.getByRole('button', { name: 'Show older lists' }).click();
    await page.getByRole('dialog').getByRole('button', { name: jobName }).waitFor();
    await context.close();
  });

  it('say that there is no such export', async () => {
    const { context, page, complaints } = await app.signedIn(
      owner,
      '/exports/exp_00000000000000000000000000000000',
    );
    await page.getByRole('heading', { name: 'Export not found' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('a file', () => {
  it('is chosen, previewed and downloaded, and can be downloaded again', async () => {
    const { context, page, complaints } = await app.signedIn(owner, '/exports');
    await openDrawer(page);
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByText(/^1 row with/).waitFor();
    expect(await drawer.getByLabel('Usable only').isChecked()).toBe(true);
    await tabAndPress(drawer.getByLabel('Usable only'), 'ArrowDown');
    await drawer.getByText(`${people} rows with`).waitFor();
    await drawer.getByText('Your column valid is exported as input_valid').waitFor();
    await drawer.getByText(image, { exact: true }).first().waitFor();
    expect(await flawsOf(page, 'exports-drawer-file')).toEqual([]);
    await tabAndType(drawer.getByLabel('Name'), script);
    await tabAndPress(drawer.getByLabel('Format'), 'C');
    await tabAndPress(drawer.getByLabel('Delimiter'), 'S');
    await tabAndPress(drawer.getByLabel('For Excel'), 'Space');
    const [first] = await Promise.all([
      page.waitForEvent('download'),
      tabAndPress(drawer.getByRole('button', { name: 'Download file' })),
    ]);
    const lines = (await textOf(first)).split('\r\n');
    expect(lines[0]?.startsWith('\ufeff')).toBe(true);
    expect(lines[0]?.slice(1).split(';')).toEqual([
      'name',
      'input_valid',
      'note><script>alert(1)</script>',
      'mail',
      'email',
      'result_status',
      'valid',
      'mx_domain',
      'mx_provider',
      'email_type',
    ]);
    expect(lines[1]).toMatch(
      /^<img src=x onerror=alert\(1\)>;yes;'=1\+1;ada@ordinary\.example;ada@ordinary\.example;ok;/,
    );
    expect(lines[2]).toContain(';+49 30 901820;this is no address;');
    expect(lines.filter(line => line !== '')).toHaveLength(people + 1);
    await tabAndPress(drawer.getByRole('link', { name: 'View export' }));
    await page.getByRole('heading', { name: script }).waitFor();
    await outcome(page).getByText('Done', { exact: true }).waitFor();
    expect(await flawsOf(page, 'exports-file')).toEqual([]);
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      tabAndPress(page.getByRole('link', { name: 'Download file' })),
    ]);
    expect((await textOf(again)).split('\r\n')).toEqual(lines);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('a file whose connection breaks each time', () => {
  let cutting: Server;

  beforeAll(async () => {
    cutting = createServer((_request, response) => {
      response.write('name,email\r\n', () => response.destroy());
    });
    await once(cutting.listen(0, '127.0.0.1'), 'listening');
  });

  afterAll(() => {
    cutting?.close();
  });

  const files = '**/app/v1/exports/*/file?*';
  const cut = (page: Page) =>
    page.route(files, route =>
      route.continue({ url: `http://127.0.0.1:${(cutting.address() as AddressInfo).port}/file` }),
    );

  it('is not saved, says so in the drawer and on the page, and is downloaded again by keyboard', async () => {
    const { context, page } = await app.signedIn(owner, '/exports');
    const saved: Download[] = [];
    page.on('download', each => saved.push(each));
    await openDrawer(page);
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByText(/^1 row with/).waitFor();
    await cut(page);
    await drawer.getByRole('button', { name: 'Download file' }).click();
    await drawer.getByText(/The connection broke. Downloading/).waitFor();
    await drawer.getByText('The download was interrupted').waitFor();
    expect(await flawsOf(page, 'exports-drawer-interrupted')).toEqual([]);
    await page.unroute(files);
    await drawer.getByRole('button', { name: 'Try again' }).press('Enter');
    await drawer.getByText('Your file is downloaded').waitFor();
    expect(saved).toHaveLength(1);
    await drawer.getByRole('link', { name: 'View export' }).click();
    await outcome(page).getByText('Done', { exact: true }).waitFor();

    await cut(page);
    await page.getByRole('link', { name: 'Download file' }).press('Enter');
    const list = page.getByRole('region', { name: 'Downloads' });
    await list.getByText('The download was interrupted').waitFor();
    expect(await flawsOf(page, 'exports-interrupted')).toEqual([]);
    await page.getByRole('link', { name: 'All exports' }).click();
    await page.unroute(files);
    await list.getByRole('button', { name: 'Try again' }).press('Enter');
    await list.waitFor({ state: 'detached' });
    expect(saved).toHaveLength(2);
    expect(await textOf(saved[1] as Download)).toContain('ada@ordinary.example');
    await context.close();
  });
});

describe('a file that is too large for the memory of the page', () => {
  it('is downloaded by the browser, which the drawer and the page say', async () => {
    const { context, page, complaints } = await app.signedIn(owner, '/exports');
    const files = '**/app/v1/exports/*/file?*';
    const saysTooLarge = () =>
      page.route(
        files,
        async route => {
          const headers = { 'content-disposition': 'attachment; filename="large.csv"' };
          await route.fulfill({ headers: { ...headers, 'content-length': '200000001' }, body: 'name' });
        },
        { times: 1 },
      );
    await openDrawer(page);
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByText(/^1 row with/).waitFor();
    await saysTooLarge();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      drawer.getByRole('button', { name: 'Download file' }).press('Enter'),
    ]);
    // The file is that of the server, not the one of which the page read the beginning.
    expect(await textOf(saved)).toContain('ada@ordinary.example');
    await drawer.getByText('Your browser downloads the file').waitFor();
    await drawer.getByText('This page has no room for large.csv').waitFor();
    expect(await flawsOf(page, 'exports-drawer-large')).toEqual([]);
    await drawer.getByRole('link', { name: 'View export' }).click();
    await outcome(page).getByText('Done', { exact: true }).waitFor();
    const list = page.getByRole('region', { name: 'Downloads' });
    await list.getByText('This page has no room for large.csv').waitFor();
    expect(await flawsOf(page, 'exports-large')).toEqual([]);
    await list.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await list.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('the drawer', () => {
  it('cannot start until the chosen rows are counted', async () => {
    const { context, page } = await app.signedIn(owner, '/exports');
    await openDrawer(page);
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByText(/^1 row with/).waitFor();
    let answer = () => {};
    const held = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route('**/app/v1/export-surveys', async route => {
      await held;
      await route.continue();
    });
    await drawer.getByLabel('All rows').check();
    await drawer.getByRole('button', { name: 'Download file', disabled: true }).waitFor();
    answer();
    await drawer.getByRole('button', { name: 'Download file', disabled: false }).waitFor();
    await drawer.getByText(`${people} rows with`).waitFor();
    await context.close();
  });

  it('says why a file could not be created', async () => {
    const { context, page } = await app.signedIn(owner, '/exports');
    await openDrawer(page);
    await page.route('**/app/v1/exports/exp_*', async route => {
      const record = (await (await route.fetch()).json()) as object;
      const failure = { reason: 'source_gone', detail: 'The list was deleted meanwhile.' };
      const ended_at = new Date().toISOString();
      await route.fulfill({ json: { ...record, status: 'failed', failure, ended_at } });
    });
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByRole('button', { name: 'Download file' }).click();
    await drawer.getByText('The list was deleted meanwhile.').waitFor();
    expect(await drawer.getByText('Creating your file').count()).toBe(0);
    await context.close();
  });

  it('exports saved people and a list of them', async () => {
    const customer = await app.customer();
    const opened = await app.signedIn(customer, '/exports');
    const { context, page, complaints } = opened;
    await page.getByRole('button', { name: 'Create export' }).first().click();
    await page.getByRole('tab', { name: 'Saved people' }).click();
    await page.getByRole('button', { name: 'All saved people' }).click();
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByText('There is nothing to export yet.').waitFor();
    await page.keyboard.press('Escape');

    await savePeople(opened, 'Friends');
    await page.getByRole('button', { name: 'Create export' }).first().click();
    await page.getByRole('tab', { name: 'Saved people' }).click();
    await page.getByRole('button', { name: 'Friends' }).click();
    await drawer.getByText(/^2 rows with/).waitFor();
    expect(await flawsOf(page, 'exports-drawer-people')).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      drawer.getByRole('button', { name: 'Download file' }).click(),
    ]);
    const lines = (await textOf(file)).trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines.slice(1).join()).toMatch(/Ada Odd|Grace Odd/);
    await drawer.getByRole('link', { name: 'View export' }).click();
    await page.getByRole('link', { name: 'a list of saved people' }).click();
    await page.getByRole('heading', { name: 'Friends' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

/** Loads two people, and saves them to a list of the customer. */
async function savePeople(opened: OpenPage, list: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-people-'));
  try {
    const rows = ['Ada Odd', 'Grace Odd'].map((name, at) => ({
      name,
      profile_url: `https://www.linkedin.com/in/odd-${at}`,
      job_title: 'Engineer',
      company: 'Odd Names',
      company_domain: 'odd-names.test',
    }));
    const path = join(folder, 'people.ndjson');
    await writeFile(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
    const said = ['--source', 'Odd register', '--licence', 'CC0-1.0', '--date', '2026-03-01'];
    await operate(app.house, ['import', 'people', path, ...said, '--json']);
  } finally {
    await rm(folder, { recursive: true });
  }
  const filters = { company_domains: ['odd-names.test'] };
  await waitFor(
    'the people to be found',
    async () => (await ask(app, opened, 'POST', '/people-counts', { filters }))['total'] === 2,
    { deadlineMs: 60_000 },
  );
  const { list_id } = await ask(app, opened, 'POST', '/saved-lists', { name: list, kind: 'people' });
  const search = await ask(app, opened, 'POST', '/people-searches', { name: 'Odd', filters });
  const run = await ask(app, opened, 'POST', `/people-searches/${search['search_id']}/runs`, {
    people: 'all',
    list_id,
  });
  await waitFor(
    'the people to be saved',
    async () => (await ask(app, opened, 'GET', `/discovery-runs/${run['run_id']}`))['delivered'] === 2,
    { deadlineMs: 60_000 },
  );
}

describe('a push to a CRM', () => {
  it('shows the created records, and undoes them', async () => {
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    const exportId = await pushToHubSpot(opened);
    await page.goto(`${app.url}/exports/${exportId}`);
    await outcome(page).getByText('Done', { exact: true }).waitFor();
    expect(await count(page, 'Created').textContent()).toBe('1');
    await page.getByRole('table').getByText('Created', { exact: true }).waitFor();
    expect(hubspot.records('contacts')).toHaveLength(1);
    await page.getByRole('button', { name: 'Undo 1 new record' }).click();
    await page
      .getByRole('dialog', { name: 'Undo this push?' })
      .getByRole('button', { name: 'Undo push' })
      .click();
    await page.getByText('Undo complete').waitFor();
    await page.getByRole('table').getByText('Created, deleted').waitFor();
    expect(hubspot.records('contacts')).toEqual([]);
    expect(await flawsOf(page, 'exports-undone')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

/** Connects HubSpot as a browser would, and starts a push of the deliverable rows. */
async function pushToHubSpot(opened: OpenPage): Promise<string> {
  const { authorization_url } = await ask(app, opened, 'POST', '/crm-connections', { provider: 'hubspot' });
  const shown = await fetch(String(authorization_url), { redirect: 'manual' });
  await shown.body?.cancel();
  const given = Object.fromEntries(new URL(shown.headers.get('location') ?? '').searchParams);
  const { connection_id } = await ask(app, opened, 'POST', '/crm-connections/completion', given);
  const started = await ask(app, opened, 'POST', '/exports', {
    source: { kind: 'validation_job', job_id: house.jobId, results: ['ok'] },
    target: 'crm',
    options: {
      connection_id,
      object: 'contact',
      fields: [
        { column: 'name', property: 'lastname', policy: 'overwrite' },
        { column: 'email', property: 'email', policy: 'overwrite' },
      ],
    },
  });
  return String(started['export_id']);
}

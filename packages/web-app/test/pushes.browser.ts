import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ReceivedRequest, type WebhookReceiver, waitFor } from '@mailproof/dev-house';
import type { OpenPage } from '@mailproof/dev-house/chromium';
import { Redis } from 'ioredis';
import { type AppHouse, type Customer, flawsOf } from './app-house.ts';
import {
  ask,
  count,
  type ExportsHouse,
  image,
  longWord,
  openDrawer,
  openExportsHouse,
  outcome,
  people,
  script,
} from './exports-house.ts';

let house: ExportsHouse;
let app: AppHouse;
let receiver: WebhookReceiver;
let owner: Customer;

beforeAll(async () => {
  house = await openExportsHouse();
  ({ app, receiver, owner } = house);
}, 120_000);

afterAll(() => house?.stop());

beforeEach(() => receiver.react(() => ({ status: 200 })));

/** A push of all rows that has begun, a few rows a second. */
async function beginPush(opened: OpenPage, path: string, perSecond: number, name?: string): Promise<string> {
  const begun = await ask(app, opened, 'POST', '/exports', {
    source: { kind: 'validation_job', job_id: house.jobId },
    target: 'webhook',
    options: { rows_per_second_max: perSecond },
    destination: { url: `${receiver.url}${path}` },
    ...(name && { name }),
  });
  return String(begun['export_id']);
}

const receivedAt = (path: string): readonly ReceivedRequest[] =>
  receiver.requests.filter(request => request.path === path);

describe('a push to a webhook', () => {
  it('shows what a test row came to, by keyboard, and then sends every row', async () => {
    receiver.react(({ number }) => ({ status: 202, body: `Thank you, ${number}. ${script}` }));
    const { context, page, complaints } = await app.signedIn(owner, '/exports');
    await openDrawer(page);
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByLabel('All rows').check();
    await drawer.getByText(`${people} rows with`).waitFor();
    await drawer.getByRole('tab', { name: 'File' }).focus();
    await page.keyboard.press('ArrowRight');
    await drawer.getByLabel('Receiver').selectOption('Clay');
    await drawer.getByText('takes 50,000 rows in its life').waitFor();
    await drawer.getByLabel('Webhook URL').focus();
    await page.keyboard.type('http://127.0.0.1:1/nobody');
    await page.keyboard.press('Enter');
    // Ports below 1024 are none that rows go to.
    await drawer.getByRole('alert').waitFor();
    await drawer.getByLabel('Webhook URL').fill(`${receiver.url}/clay`);
    await drawer.getByLabel('Send a header with each row').focus();
    await page.keyboard.press('Space');
    await drawer.getByLabel('Header value').fill('Bearer of news');
    await page.keyboard.press('Enter');
    await drawer.getByText(/^The row arrived: answered with 202/).waitFor();
    await drawer.getByText(`Thank you, ${receivedAt('/clay')[0]?.number}. ${script}`).waitFor();
    const [test] = receivedAt('/clay');
    expect(test?.headers).toMatchObject({
      authorization: 'Bearer of news',
      'webhook-id': expect.stringMatching(/^test_/),
    });
    await drawer.getByText('The row as it was sent').click();
    expect(await flawsOf(page, 'exports-drawer-webhook')).toEqual([]);
    await drawer.getByRole('button', { name: `Push ${people} rows` }).click();
    await drawer.getByText('The push has begun').waitFor();
    await drawer.getByRole('link', { name: 'Follow the push' }).click();
    await outcome(page).getByText('Done', { exact: true }).waitFor();
    expect(await count(page, 'Delivered').textContent()).toBe(String(people));
    const rows = receivedAt('/clay').slice(1);
    expect(new Set(rows.map(({ headers }) => headers['webhook-id'])).size).toBe(people);
    expect(JSON.parse(rows.find(({ body }) => body.includes(image))?.body ?? 'null')).toMatchObject({
      name: image,
      input_valid: 'yes',
      result_status: 'ok',
    });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lists the rows that failed with what went wrong, and takes them along as a file', async () => {
    receiver.react(({ body }) => ({ status: body.includes('"name":"Person 1') ? 422 : 200 }));
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    await beginPush(opened, '/picky', 50, `Picky ${longWord.slice(0, 110)}`);
    await page.reload();
    await page.getByRole('link', { name: 'Picky' }).click();
    await outcome(page).getByText('Done, some rows failed').waitFor();
    expect(await count(page, 'Failed').textContent()).toBe('10');
    await page.getByLabel('State').selectOption({ label: 'Failed (10)' });
    await page.waitForURL(/rows=failed/);
    await page.reload();
    const rows = page.getByRole('table').getByRole('row');
    await waitFor('failed rows alone', async () => (await rows.count()) === 11, { deadlineMs: 10_000 });
    expect(await rows.nth(1).textContent()).toMatch(
      /^10FailedThe receiver does not take this row\.4221 time/,
    );
    expect(await flawsOf(page, 'exports-failed-rows')).toEqual([]);
    const [failed] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download failed rows' }).click(),
    ]);
    const lines = (await readFile(await failed.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/,failed_attempts,failed_status_code,failed_reason$/);
    expect(lines).toHaveLength(11);
    expect(lines[1]).toMatch(/^Person 10,.*,1,422,The receiver does not take this row\.$/);
    await page.getByRole('link', { name: 'All exports' }).click();
    await page.getByRole('table', { name: 'Exports' }).or(page.getByRole('table')).first().waitFor();
    await page.getByText('10 failed').waitFor();
    expect(await flawsOf(page, 'exports-list')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is paused, goes on after a reload, is stopped, and deleted', async () => {
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    const exportId = await beginPush(opened, '/slow', 0.4);
    await page.goto(`${app.url}/exports/${exportId}`);
    await page.getByRole('progressbar').waitFor();
    await waitFor('a row has arrived', () => receivedAt('/slow').length > 0, { deadlineMs: 20_000 });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Somebody paused it. Resume it to go on.').waitFor();
    expect(await flawsOf(page, 'exports-paused')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Resume' }).click();
    const before = receivedAt('/slow').length;
    await waitFor('it goes on', () => receivedAt('/slow').length > before, { deadlineMs: 20_000 });
    await page.getByRole('button', { name: 'Cancel push' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this push?' });
    await dialog.getByRole('button', { name: 'Cancel push' }).click();
    await page.getByText('Somebody cancelled it.').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${app.url}/exports`);
    expect(await page.locator(`a[href$="${exportId}"]`).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('tells that its receiver asks it to wait', async () => {
    receiver.react(() => ({ status: 429, headers: { 'retry-after': '40' } }));
    const opened = await app.signedIn(owner, '/exports');
    const { context, page } = opened;
    const exportId = await beginPush(opened, '/busy', 50);
    await page.goto(`${app.url}/exports/${exportId}`);
    await page.getByText(/^It goes on in \d+ seconds\.$/).waitFor();
    expect(await flawsOf(page, 'exports-waiting')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel push' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel push' }).click();
    await page.getByText('Somebody cancelled it.').waitFor();
    await context.close();
  });

  it('asks again where the rows go when that was lost, and sends the rest under the same ids', async () => {
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    const exportId = await beginPush(opened, '/lost', 4);
    await page.goto(`${app.url}/exports/${exportId}`);
    await waitFor('some rows have arrived', () => receivedAt('/lost').length > 2, { deadlineMs: 20_000 });
    const redis = new Redis(app.house.redisUrl);
    expect(await redis.del(`mailproof:destination:${exportId}`)).toBe(1);
    await redis.quit();
    await page.getByRole('heading', { name: 'Say again where the rows go' }).waitFor();
    expect(await flawsOf(page, 'exports-lost')).toEqual([]);
    await page.getByLabel('Webhook URL').fill('http://8.8.8.8/');
    await page.getByRole('button', { name: /^Send \d+ rows/ }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/found`);
    await page.getByRole('button', { name: /^Send \d+ rows/ }).click();
    // Nobody has typed a secret, so one was made up, and has to be told.
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await outcome(page).getByText('Done', { exact: true }).waitFor();
    const ids = [...receivedAt('/lost'), ...receivedAt('/found')].map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(people);
    expect(receivedAt('/found').length).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

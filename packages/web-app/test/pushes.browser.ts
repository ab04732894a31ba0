import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ReceivedRequest, type WebhookReceiver, waitFor } from '@mailproof/dev-house';
import type { OpenPage } from '@mailproof/dev-house/chromium';
import { Redis } from 'ioredis';
import { type AppHouse, type Customer, flawsOf, tabAndPress, tabAndType } from './app-house.ts';
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

/** Starts a push of all rows at a few rows per second. */
async function beginPush(opened: OpenPage, path: string, perSecond: number, name?: string): Promise<string> {
  const started = await ask(app, opened, 'POST', '/exports', {
    source: { kind: 'validation_job', job_id: house.jobId },
    target: 'webhook',
    options: { rows_per_second_max: perSecond },
    destination: { url: `${receiver.url}${path}` },
    ...(name && { name }),
  });
  return String(started['export_id']);
}

const receivedAt = (path: string): readonly ReceivedRequest[] =>
  receiver.requests.filter(request => request.path === path);

describe('a push to a webhook', () => {
  it('shows what a test row came to, by keyboard, and then sends every row', async () => {
    receiver.react(({ number }) => ({ status: 202, body: `Thank you, ${number}. ${script}` }));
    const { context, page, complaints } = await app.signedIn(owner, '/exports');
    await openDrawer(page);
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await tabAndPress(drawer.getByLabel('Usable only'), 'ArrowDown');
    await drawer.getByText(`${people} rows with`).waitFor();
    await tabAndPress(drawer.getByRole('tab', { name: 'File' }), 'ArrowRight');
    await drawer.getByLabel('Receiver').selectOption('Clay');
    await drawer.getByText('accepts 50,000 rows over its lifetime').waitFor();
    await tabAndType(drawer.getByLabel('Webhook URL'), 'http://127.0.0.1:1/none');
    await page.keyboard.press('Enter');
    // Rows are not sent to ports below 1024.
    await drawer.getByRole('alert').waitFor();
    await tabAndType(drawer.getByLabel('Webhook URL'), `${receiver.url}/clay`);
    await tabAndPress(drawer.getByLabel('Add a header to each request'), 'Space');
    await tabAndType(drawer.getByLabel('Header value'), 'Bearer of news');
    await page.keyboard.press('Enter');
    await drawer.getByText(/^Row delivered: status 202/).waitFor();
    await drawer.getByText(`Thank you, ${receivedAt('/clay')[0]?.number}. ${script}`).waitFor();
    const [test] = receivedAt('/clay');
    expect(test?.headers).toMatchObject({
      authorization: 'Bearer of news',
      'webhook-id': expect.stringMatching(/^test_/),
    });
    await drawer.getByText('Row as sent').press('Enter');
    expect(await flawsOf(page, 'exports-drawer-webhook')).toEqual([]);
    // The button keeps the focus while it is busy.
    const again = drawer.getByRole('button', { name: 'Send another test row', disabled: false });
    await tabAndPress(again);
    await waitFor('another test row', async () => receivedAt('/clay').length === 2, { deadlineMs: 20_000 });
    await again.and(page.locator(':focus')).waitFor();
    await tabAndPress(drawer.getByRole('button', { name: `Push ${people} rows` }));
    await drawer.getByText('Push started').waitFor();
    await tabAndPress(drawer.getByRole('link', { name: 'View push' }));
    await outcome(page).getByText('Done', { exact: true }).waitFor();
    expect(await count(page, 'Delivered').textContent()).toBe(String(people));
    const rows = receivedAt('/clay').slice(2);
    expect(new Set(rows.map(({ headers }) => headers['webhook-id'])).size).toBe(people);
    expect(JSON.parse(rows.find(({ body }) => body.includes(image))?.body ?? 'null')).toMatchObject({
      name: image,
      input_valid: 'yes',
      result_status: 'ok',
    });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lists failed rows with their errors, and downloads them', async () => {
    receiver.react(({ body }) => ({ status: body.includes('"name":"Person 1') ? 422 : 200 }));
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    await beginPush(opened, '/picky', 50, `Picky ${longWord.slice(0, 110)}`);
    await page.reload();
    await page.getByRole('link', { name: 'Picky' }).click();
    await outcome(page).getByText('Done, some rows failed').waitFor();
    expect(await count(page, 'Failed').textContent()).toBe('10');
    await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Failed (10)' });
    await page.waitForURL(/rows=failed/);
    await page.reload();
    const rows = page.getByRole('table').getByRole('row');
    await waitFor('failed rows alone', async () => (await rows.count()) === 11, { deadlineMs: 10_000 });
    expect(await rows.nth(1).textContent()).toMatch(
      /^10person 10 has noneFailedThe receiver rejected this row\.4221/,
    );
    expect(await flawsOf(page, 'exports-failed-rows')).toEqual([]);
    const [failed] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download failed rows' }).click(),
    ]);
    const lines = (await readFile(await failed.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/,failed_attempts,failed_status_code,failed_reason$/);
    expect(lines).toHaveLength(11);
    expect(lines[1]).toMatch(/^Person 10,.*,1,422,The receiver rejected this row\.$/);
    await page.getByRole('link', { name: 'All exports' }).click();
    await page.getByRole('table', { name: 'Exports' }).or(page.getByRole('table')).first().waitFor();
    await page.getByText('10 failed').waitFor();
    expect(await flawsOf(page, 'exports-list')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('sends failed rows again, by keyboard, in another push', async () => {
    receiver.react(({ body, path }) => ({
      status: path === '/picky-too' && body.includes('"name":"Person 2') ? 422 : 200,
    }));
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    const exportId = await beginPush(opened, '/picky-too', 50, 'Picky too');
    await page.goto(`${app.url}/exports/${exportId}`);
    await outcome(page).getByText('Done, some rows failed').waitFor();
    const failed = Number(await count(page, 'Failed').textContent());
    expect(failed).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Resend failed rows' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Resend failed rows' });
    await dialog.getByLabel('Webhook URL', { exact: true }).fill(`${receiver.url}/resent`);
    expect(await flawsOf(page, 'exports-resend')).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole('button', { name: 'Done', exact: true }).press('Enter');
    await page.waitForURL(url => !url.pathname.endsWith(exportId));
    await outcome(page).getByText('Done', { exact: true }).waitFor();
    expect(await count(page, 'Delivered').textContent()).toBe(String(failed));
    expect(receivedAt('/resent')).toHaveLength(failed);
    await page.getByRole('link', { name: 'an earlier push' }).press('Enter');
    await page.waitForURL(url => url.pathname.endsWith(exportId));
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is paused, continues after a reload, is stopped, and deleted', async () => {
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    const exportId = await beginPush(opened, '/slow', 0.4);
    await page.goto(`${app.url}/exports/${exportId}`);
    await page.getByRole('progressbar').waitFor();
    await waitFor('a row has arrived', () => receivedAt('/slow').length > 0, { deadlineMs: 20_000 });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The export was paused. Resume it to continue.').waitFor();
    expect(await flawsOf(page, 'exports-paused')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Resume' }).click();
    const before = receivedAt('/slow').length;
    await waitFor('it continues', () => receivedAt('/slow').length > before, { deadlineMs: 20_000 });
    await page.getByRole('button', { name: 'Cancel push' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this push?' });
    await dialog.getByRole('button', { name: 'Cancel push' }).click();
    await page.getByText('The export was canceled.').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${app.url}/exports`);
    expect(await page.locator(`a[href$="${exportId}"]`).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows that its receiver is rate limiting it', async () => {
    receiver.react(() => ({ status: 429, headers: { 'retry-after': '40' } }));
    const opened = await app.signedIn(owner, '/exports');
    const { context, page } = opened;
    const exportId = await beginPush(opened, '/busy', 50);
    await page.goto(`${app.url}/exports/${exportId}`);
    await page.getByText(/^Continues in \d+ seconds\.$/).waitFor();
    expect(await flawsOf(page, 'exports-waiting')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel push' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel push' }).click();
    await page.getByText('The export was canceled.').waitFor();
    await context.close();
  });

  it('asks for the webhook URL again if it was lost, and sends the rest with the same ids', async () => {
    const opened = await app.signedIn(owner, '/exports');
    const { context, page, complaints } = opened;
    const exportId = await beginPush(opened, '/lost', 4);
    await page.goto(`${app.url}/exports/${exportId}`);
    await waitFor('some rows have arrived', () => receivedAt('/lost').length > 2, { deadlineMs: 20_000 });
    const redis = new Redis(app.house.redisUrl);
    expect(await redis.del(`mailproof:destination:${exportId}`)).toBe(1);
    await redis.quit();
    await page.getByRole('heading', { name: 'Enter the webhook URL again' }).waitFor();
    expect(await flawsOf(page, 'exports-lost')).toEqual([]);
    await page.getByLabel('Webhook URL', { exact: true }).fill('http://8.8.8.8/');
    await page.getByRole('button', { name: /^Send \d+ rows/ }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Webhook URL', { exact: true }).fill(`${receiver.url}/found`);
    await page.getByRole('button', { name: /^Send \d+ rows/ }).click();
    // No secret was typed, so one was generated and must be shown.
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

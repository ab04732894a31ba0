import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver, waitFor } from '@mailproof/dev-house';
import { type AppHouse, openAppHouse, tabAndPress, tabAndType, tabTo } from './app-house.ts';

const csv = `Name;E-mail;City
Ada;ada@ordinary.example;London
Nobody;nobody@ordinary.example;
Ada again;ADA@ordinary.example;Turin
Grace;ada@google-workspace.example;Arlington
`;

describe('a new user', () => {
  let app: AppHouse;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await openWebhookReceiver();
    app = await openAppHouse({
      only: ['gateway', 'credit-ledger', 'validation-engine', 'enrichment', 'webhook-dispatcher'],
      env: { 'webhook-dispatcher': { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8' } },
    });
  });

  afterAll(async () => {
    await app?.stop();
    await receiver?.close();
  });

  it('validates a file and pushes what is usable to a webhook, by keyboard alone', async () => {
    const customer = await app.customer();
    const { context, page, complaints } = await app.page();
    const startedAt = Date.now();
    await page.goto(app.url);
    await tabAndType(page.getByLabel('Email address'), customer.email);
    await tabAndType(page.getByLabel('Password', { exact: true }), customer.password);
    await page.keyboard.press('Enter');
    await tabAndPress(page.getByRole('main').getByRole('link', { name: 'Validate a list' }).first());

    const choosing = page.waitForEvent('filechooser');
    await tabAndPress(page.getByRole('button', { name: /choose/i }));
    await (await choosing).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByText('At most 3 credits').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Start validation' }));
    await page.getByText('Done', { exact: true }).waitFor();

    await tabAndPress(page.getByRole('button', { name: 'Export' }));
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await tabTo(drawer.getByRole('tab', { name: 'File' }));
    await page.keyboard.press('ArrowRight');
    await tabAndType(drawer.getByLabel('Webhook URL'), receiver.url);
    await page.keyboard.press('Enter');
    await drawer.getByText(/Row delivered/).waitFor();
    await tabAndPress(drawer.getByRole('button', { name: 'Push 3 rows', exact: true }));
    await tabAndPress(drawer.getByRole('link', { name: 'View push' }));
    await page.getByText('Done', { exact: true }).first().waitFor();
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    process.stderr.write(`From the first page to the last row: ${seconds} s.\n`);

    // The test row and the three usable rows, one of them a duplicate.
    await waitFor('Every row has arrived', async () => receiver.requests.length >= 4, { deadlineMs: 20_000 });
    const rows = receiver.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(rows.slice(1).map(({ Name, result_status }) => [Name, result_status])).toEqual([
      ['Ada', 'ok'],
      ['Ada again', 'ok'],
      ['Grace', 'ok'],
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

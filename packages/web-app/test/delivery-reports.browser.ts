import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulatedProviders } from '@mailproof/dev-house';
import { type AppHouse, flawsOf, openSharedAppHouse } from './app-house.ts';

describe('delivery reports', () => {
  let app: AppHouse;

  beforeAll(async () => {
    app = await openSharedAppHouse();
  });

  afterAll(() => app?.stop());

  it('are set up, received, counted with reasons, and their URL is replaced', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/integrations');
    await page.getByRole('link', { name: 'Manage delivery reports' }).click();
    await page.getByText('No sources yet').waitFor();
    expect(await flawsOf(page, 'delivery-reports-none')).toEqual([]);

    // A key that is none of the provider's is refused at its field.
    await page.getByLabel('ARN of the SNS topic').fill('my topic');
    await page.getByRole('button', { name: 'Add source' }).click();
    await page.getByText('must be the ARN of a standard SNS topic').waitFor();
    await page.getByLabel('Email service').selectOption('Twilio SendGrid');
    const provider = simulatedProviders.sendgrid();
    await page.getByLabel('Verification key').fill(provider.key);
    await page.getByLabel('Description (optional)').fill('Newsletters');
    await page.getByRole('button', { name: 'Add source' }).click();
    const shown = (await page.getByTestId('source-url').textContent()) ?? '';
    expect(shown).toMatch(/\/inbound\/v1\/[\w-]{43}$/);
    await page.getByText('Enter this URL as Post URL', { exact: false }).waitFor();
    expect(await flawsOf(page, 'delivery-reports-added')).toEqual([]);

    const url = new URL(new URL(shown).pathname, page.url()).href;
    const send = async (events: unknown, by = provider) =>
      (await fetch(url, { method: 'POST', ...by.post(events) })).status;
    const timestamp = Math.floor(Date.now() / 1_000) - 60;
    const reason = '550 5.1.1 User unknown';
    const events = [
      { event: 'delivered', email: 'ada@a.example', timestamp },
      { event: 'bounce', type: 'bounce', email: 'bob@a.example', timestamp, reason },
      { event: 'processed', email: 'eve@a.example', timestamp },
    ];
    expect(await send(events)).toBe(200);
    expect(await send(events)).toBe(200);
    expect(await send(events, simulatedProviders.sendgrid())).toBe(401);

    await page.getByRole('link', { name: 'Newsletters' }).click();
    await page.getByRole('heading', { name: 'Newsletters', level: 1 }).waitFor();
    expect(await page.content()).not.toContain(shown);
    await page.getByText('Bounced: no such mailbox').waitFor();
    await page.getByText('Refusing', { exact: true }).waitFor();
    await page.getByText('The signature or the password does not match').waitFor();
    await page.getByText('It says nothing about the mailbox').waitFor();
    expect(await flawsOf(page, 'delivery-reports')).toEqual([]);

    await page.getByLabel('New verification key').fill('x');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be the verification key').waitFor();
    await page.getByLabel('New verification key').fill('');
    await page.getByLabel('Description (optional)').fill('Mailings');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Mailings', level: 1 }).waitFor();
    expect(await send(events)).toBe(200);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Receiving', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Replace URL…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace URL' }).click();
    expect(await page.getByTestId('source-url').textContent()).not.toBe(shown);
    await page.getByText('The previous URL works until').waitFor();
    expect(await send(events)).toBe(200);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete source' }).click();
    await page.getByText('No sources yet').waitFor();
    expect(await send(events)).toBe(404);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

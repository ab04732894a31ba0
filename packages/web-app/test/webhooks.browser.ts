import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import { type AppHouse, flawsOf, openSharedAppHouse } from './app-house.ts';

describe('webhooks', () => {
  let app: AppHouse;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await openWebhookReceiver();
    app = await openSharedAppHouse();
  });

  afterAll(async () => {
    await app?.stop();
    await receiver?.close();
  });

  it('are added, tested, resent, rotated, disabled and deleted', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/integrations');
    await page.getByRole('link', { name: 'Manage webhooks' }).click();
    await page.getByText('No endpoints yet').waitFor();
    expect(await flawsOf(page, 'webhooks-none')).toEqual([]);

    // A URL that is not allowed is refused at its field.
    await page.getByLabel('URL').fill('http://169.254.169.254/latest');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByText('must not be a private address').waitFor();
    await page.getByLabel('URL').fill(`${receiver.url}/events`);
    await page.getByLabel('Description (optional)').fill('Production');
    await page.getByLabel('Credits are below the threshold').uncheck();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const secret = (await page.getByTestId('signing-secret').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('spinbutton', { name: 'Threshold' }).fill('500');
    await page.getByRole('button', { name: 'Save threshold' }).click();
    await page.getByText('Threshold saved.').waitFor();
    expect(await flawsOf(page, 'webhooks')).toEqual([]);

    await page.getByRole('link', { name: 'Production' }).click();
    await page.getByRole('heading', { name: 'Production', level: 1 }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.getByLabel('Credits are below the threshold').isChecked()).toBe(false);
    receiver.react(() => ({ status: 500 }));
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('Waiting', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show Test event' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('status 500').first().waitFor();
    await drawer
      .getByText('The endpoint responded that it cannot accept the event right now.')
      .first()
      .waitFor();
    expect(await flawsOf(page, 'webhook-delivery')).toEqual([]);
    receiver.react(() => ({ status: 204 }));
    await drawer.getByRole('button', { name: 'Resend' }).click();
    // An automatic retry may have succeeded, too.
    await drawer.getByText('status 204').first().waitFor();
    await drawer.getByText('Delivered', { exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    const sent = receiver.requests.at(-1);
    expect(sent?.headers['webhook-id']).toMatch(/^evt_/);
    expect(sent?.headers['webhook-id']).toBe(receiver.requests[0]?.headers['webhook-id']);

    await page.getByLabel('Test event').selectOption({ label: 'Credits are below the threshold' });
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('button', { name: 'Show Credits are below the threshold (test)' }).click();
    await drawer.getByText('"threshold": 100').waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Rotate secret…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const rotated = (await page.getByTestId('signing-secret').textContent()) ?? '';
    expect(rotated).not.toBe(secret);
    await page.getByText('The previous secret is valid until').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('This endpoint is disabled').waitFor();
    expect(await page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true);
    expect(await flawsOf(page, 'webhook')).toEqual([]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText('No endpoints yet').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

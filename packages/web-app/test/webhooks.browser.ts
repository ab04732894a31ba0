import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import { type AppHouse, flawsOf, openSharedAppHouse, tabAndPress, tabAndType } from './app-house.ts';

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
    await tabAndPress(page.getByRole('link', { name: 'Manage webhooks' }));
    await page.getByText('No endpoints yet').waitFor();
    expect(await flawsOf(page, 'webhooks-none')).toEqual([]);

    // A URL that is not allowed is refused at its field.
    await tabAndType(page.getByLabel('URL'), 'http://169.254.169.254/latest');
    await tabAndPress(page.getByRole('button', { name: 'Add endpoint' }));
    await page.getByText('must not be a private address').waitFor();
    await tabAndType(page.getByLabel('URL'), `${receiver.url}/events`);
    await tabAndType(page.getByLabel('Description (optional)'), 'Production');
    await tabAndPress(page.getByLabel('Credits are below the threshold'), 'Space');
    await tabAndPress(page.getByRole('button', { name: 'Add endpoint' }));
    const secret = (await page.getByTestId('signing-secret').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await tabAndType(page.getByRole('spinbutton', { name: 'Threshold' }), '500');
    await tabAndPress(page.getByRole('button', { name: 'Save threshold' }));
    await page.getByText('Threshold saved.').waitFor();
    expect(await flawsOf(page, 'webhooks')).toEqual([]);

    await tabAndPress(page.getByRole('link', { name: 'Production' }));
    await page.getByRole('heading', { name: 'Production', level: 1 }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.getByLabel('Credits are below the threshold').isChecked()).toBe(false);
    receiver.react(() => ({ status: 500 }));
    await tabAndPress(page.getByRole('button', { name: 'Send test event' }));
    await page.getByText('Waiting', { exact: true }).waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Show Test event' }));
    const drawer = page.getByRole('dialog');
    await drawer.getByText('status 500').first().waitFor();
    await drawer
      .getByText('The endpoint responded that it cannot accept the event right now.')
      .first()
      .waitFor();
    expect(await flawsOf(page, 'webhook-delivery')).toEqual([]);
    receiver.react(() => ({ status: 204 }));
    await tabAndPress(drawer.getByRole('button', { name: 'Resend' }));
    // An automatic retry may have succeeded, too.
    await drawer.getByText('status 204').first().waitFor();
    await drawer.getByText('Delivered', { exact: true }).waitFor();
    await tabAndPress(drawer.getByRole('button', { name: 'Close' }));
    const sent = receiver.requests.at(-1);
    expect(sent?.headers['webhook-id']).toMatch(/^evt_/);
    expect(sent?.headers['webhook-id']).toBe(receiver.requests[0]?.headers['webhook-id']);

    await page.getByLabel('Test event').selectOption({ label: 'Credits are below the threshold' });
    await tabAndPress(page.getByRole('button', { name: 'Send test event' }));
    await tabAndPress(page.getByRole('button', { name: 'Show Credits are below the threshold (test)' }));
    await drawer.getByText('"threshold": 100').waitFor();
    await tabAndPress(drawer.getByRole('button', { name: 'Close' }));

    await tabAndPress(page.getByRole('button', { name: 'Rotate secret…' }));
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }));
    const rotated = (await page.getByTestId('signing-secret').textContent()) ?? '';
    expect(rotated).not.toBe(secret);
    await page.getByText('The previous secret is valid until').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Disable' }));
    await page.getByText('This endpoint is disabled').waitFor();
    expect(await page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true);
    expect(await flawsOf(page, 'webhook')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Delete' }));
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }));
    await page.getByText('No endpoints yet').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('are added once by a double click', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/integrations/webhooks');
    await page.getByLabel('URL').fill(`${receiver.url}/events`);
    await page.getByRole('button', { name: 'Add endpoint' }).dblclick();
    await page.getByTestId('signing-secret').waitFor();
    await page.reload();
    const endpoints = page.getByRole('list', { name: 'Endpoints' }).getByRole('listitem');
    await endpoints.first().waitFor();
    expect(await endpoints.count()).toBe(1);
    await context.close();
  });
});

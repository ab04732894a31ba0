import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { oauthScopes } from '@mailproof/shared-types';
import { type AppHouse, flawsOf, openAppHouse } from './app-house.ts';
import { connectAssistant } from './connect-assistant.ts';

const firefoxOnLinux = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const safariOnMac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';

const image = '<img src=x onerror=alert(1)>';
const script = '"><script>alert(1)</script>';

/** Starts a profile provider on loopback that knows one profile and requires a key. */
function openProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    const isKnown = request.url?.includes('ada') === true;
    const isAllowed = request.headers['x-provider-key'] === 'canary-provider-secret';
    const person = { person: { first: 'Ada', last: script, employer: image } };
    response
      .writeHead(isAllowed ? (isKnown ? 200 : 404) : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify(isAllowed && isKnown ? person : {}));
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe('assistants and a provider of profiles', () => {
  let app: AppHouse;
  let provider: Server;

  beforeAll(async () => {
    provider = await openProvider();
    app = await openAppHouse({
      only: ['gateway', 'credit-ledger', 'enrichment', 'mcp-server', 'webhook-dispatcher'],
      env: {
        gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
        enrichment: { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32' },
      },
    });
  });

  afterAll(async () => {
    await app?.stop();
    await new Promise(resolve => provider?.close(resolve));
  });

  it('lists an assistant that a user has connected, with any name, and disconnects it', async () => {
    const customer = await app.customer();
    const { context, page, complaints } = await app.signedIn(customer, '/integrations');
    const toolServer = app.house.toolServerUrls[0] ?? '';
    await page.getByText(`${toolServer}/mcp`, { exact: true }).waitFor();
    const name = `${image}${'y'.repeat(50)}`;
    let client: string | undefined;
    for (const userAgent of [firefoxOnLinux, safariOnMac]) {
      const elsewhere = await app.page({ userAgent });
      client = await connectAssistant(app, customer, name, elsewhere, client);
      await elsewhere.context.close();
    }
    await page.reload();
    await page.getByText(name).first().waitFor();
    await page.getByText(oauthScopes['validation.run'], { exact: true }).first().waitFor();
    expect(await flawsOf(page, 'integrations-assistants')).toEqual([]);
    // The same client on another machine stays connected.
    await page.getByRole('button', { name: `Disconnect ${name} in Firefox on Linux` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('in Firefox on Linux').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Disconnect ${name} in Safari on Mac` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No assistants connected').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('sets up a provider of profiles, tries it, and never shows its secret again', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/integrations');
    await page.getByRole('link', { name: 'Set up a provider' }).click();
    await page.getByLabel('Name', { exact: true }).fill(`People ${script}`);
    const { port } = provider.address() as AddressInfo;
    await page.getByLabel('URL').fill(`http://127.0.0.1:${port}/people?profile={profile_url}`);
    await page.getByRole('button', { name: 'Add header' }).click();
    const header = page.getByRole('group', { name: 'Header 1' });
    await header.getByLabel('Name').fill('X-Provider-Key');
    await header.getByLabel('Value').fill('not the secret');
    await page.getByLabel('First name').fill('person.first');
    await page.getByLabel('Last name').fill('person.last');
    await page.getByLabel('Company', { exact: true }).fill('person.employer');
    await page.getByLabel('Headline').fill('person..');
    await page.getByRole('button', { name: 'Set up provider' }).click();
    await page.getByRole('alert').waitFor();
    expect(await flawsOf(page, 'integrations-provider-form')).toEqual([]);
    await page.getByLabel('Headline').fill('');
    await page.getByRole('button', { name: 'Set up provider' }).click();
    const profile = page.getByLabel('Profile URL', { exact: true });
    await profile.fill('https://profiles.example/in/nobody');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await page.content()).not.toContain('not the secret');
    expect(await header.getByLabel('Value').inputValue()).toBe('');

    await profile.fill('https://github.com/ada');
    await page.getByRole('button', { name: 'Test provider' }).click();
    await page.getByText('check the secret headers').first().waitFor();
    await header.getByLabel('Value').fill('canary-provider-secret');
    // Waits for the response, because the toast of the first save may still be visible.
    const saved = page.waitForResponse(response => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await saved).status()).toBe(200);
    await profile.fill('https://github.com/nobody');
    await page.getByRole('button', { name: 'Test provider' }).click();
    await page.getByText('Profile not found at the provider').waitFor();
    await profile.fill('https://github.com/ada');
    await page.getByRole('button', { name: 'Test provider' }).click();
    await page.getByText('Found', { exact: true }).waitFor();
    await page.getByText(image, { exact: true }).waitFor();
    expect(await flawsOf(page, 'integrations-provider')).toEqual([]);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove provider' }).click();
    await page.getByRole('link', { name: 'Set up a provider' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

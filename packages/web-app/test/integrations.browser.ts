import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { oauthScopes } from '@mailproof/shared-types';
import { type AppHouse, flawsOf, openAppHouse, tabAndPress, tabAndType } from './app-house.ts';
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
    await tabAndPress(page.getByRole('button', { name: `Disconnect ${name} in Firefox on Linux` }));
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }));
    await page.getByText('in Firefox on Linux').first().waitFor({ state: 'detached' });
    await tabAndPress(page.getByRole('button', { name: `Disconnect ${name} in Safari on Mac` }));
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }));
    await page.getByText('No assistants connected').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('sets up a provider of profiles, tries it, and never shows its secret again', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/integrations');
    await tabAndPress(page.getByRole('link', { name: 'Set up a provider' }));
    await tabAndType(page.getByLabel('Name', { exact: true }), `People ${script}`);
    const { port } = provider.address() as AddressInfo;
    await tabAndType(page.getByLabel('URL'), `http://127.0.0.1:${port}/people?profile={profile_url}`);
    await tabAndPress(page.getByRole('button', { name: 'Add header' }));
    const header = page.getByRole('group', { name: 'Header 1' });
    await tabAndType(header.getByLabel('Name'), 'X-Provider-Key');
    await tabAndType(header.getByLabel('Value'), 'not the secret');
    await tabAndType(page.getByLabel('First name'), 'person.first');
    await tabAndType(page.getByLabel('Last name'), 'person.last');
    await tabAndType(page.getByLabel('Company', { exact: true }), 'person.employer');
    await tabAndType(page.getByLabel('Headline'), 'person..');
    await tabAndPress(page.getByRole('button', { name: 'Set up provider' }));
    await page.getByRole('alert').waitFor();
    expect(await flawsOf(page, 'integrations-provider-form')).toEqual([]);
    await page.getByLabel('Headline').fill('');
    await tabAndPress(page.getByRole('button', { name: 'Set up provider' }));
    const profile = page.getByLabel('Profile URL', { exact: true });
    await tabAndType(profile, 'https://profiles.example/in/nobody');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await page.content()).not.toContain('not the secret');
    expect(await header.getByLabel('Value').inputValue()).toBe('');

    await tabAndType(profile, 'https://github.com/ada');
    await tabAndPress(page.getByRole('button', { name: 'Test provider' }));
    await page.getByText('check the secret headers').first().waitFor();
    await tabAndType(header.getByLabel('Value'), 'canary-provider-secret');
    // Waits for the response, because the toast of the first save may still be visible.
    const saved = page.waitForResponse(response => response.request().method() === 'PUT');
    await tabAndPress(page.getByRole('button', { name: 'Save' }));
    expect((await saved).status()).toBe(200);
    await tabAndType(profile, 'https://github.com/nobody');
    await tabAndPress(page.getByRole('button', { name: 'Test provider' }));
    await page.getByText('Profile not found at the provider').waitFor();
    await tabAndType(profile, 'https://github.com/ada');
    await tabAndPress(page.getByRole('button', { name: 'Test provider' }));
    await page.getByText('Found', { exact: true }).waitFor();
    await page.getByText(image, { exact: true }).waitFor();
    expect(await flawsOf(page, 'integrations-provider')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Remove', exact: true }));
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Remove provider' }));
    await page.getByRole('link', { name: 'Set up a provider' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

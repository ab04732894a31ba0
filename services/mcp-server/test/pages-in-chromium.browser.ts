import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { look, openChromium, openPage } from '@mailproof/dev-house/chromium';
import { oauthScopeNames, oauthScopes } from '@mailproof/shared-types';
import type { Browser, Page } from 'playwright-core';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import { freePort } from './loopback-proxy.ts';
import { authorizationUrl, newProof, redeem, register } from './oauth-client.ts';

const sights = [
  { name: 'phone-light', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { name: 'phone-dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  { name: 'desktop-light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { name: 'desktop-dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
] as const;

describe('the pages in Chromium', () => {
  let house: ToolHouse;
  let customer: Customer;
  let browser: Browser;
  let assistant: http.Server;
  let redirectUri: string;

  beforeAll(async () => {
    house = await openToolHouse();
    customer = await house.customer();
    browser = await openChromium();
    const port = await freePort();
    redirectUri = `http://127.0.0.1:${port}/callback`;
    assistant = http.createServer((_request, response) => response.end('The assistant has its answer.'));
    assistant.listen(port, '127.0.0.1');
  });

  afterAll(async () => {
    await browser?.close();
    assistant?.close();
    await house?.stop();
  });

  async function begin(redirect = redirectUri, overrides: Readonly<Record<string, string>> = {}) {
    const client = await register(house.url, { client_name: 'Example assistant', redirect_uris: [redirect] });
    const proof = newProof();
    return { client, proof, address: (await authorizationUrl(house.url, client, proof, overrides)).href };
  }

  /** Checks the page in its current state. */
  async function expectSound(page: Page, name: string): Promise<void> {
    expect({ name, ...(await look(page, 'sign-in-pages', name)) }).toEqual({
      name,
      overflow: 0,
      violations: [],
    });
  }

  it.each(sights)('$name: signs in and allows, and nothing breaks the policy', async ({ name, ...sight }) => {
    const { context, page, complaints } = await openPage(browser, sight);
    const { client, proof, address } = await begin(redirectUri, { scope: oauthScopeNames.join(' ') });
    await page.goto(address);
    await expectSound(page, `sign-in-${name}`);
    await page.getByLabel('Email address').fill(customer.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await expectSound(page, `sign-in-refused-${name}`);
    await page.getByLabel('Password').fill(customer.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    for (const words of Object.values(oauthScopes)) await page.getByText(words).waitFor();
    await expectSound(page, `consent-${name}`);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(url => url.href.startsWith(redirectUri));
    const code = new URL(page.url()).searchParams.get('code');
    expect((await redeem(house.url, client, String(code), proof.verifier)).status).toBe(200);
    expect(complaints).toEqual([]);

    await page.goto(`${house.url}/authorize?client_id=nobody`);
    await expectSound(page, `fault-${name}`);
    await context.close();
  });

  it('need no mouse', async () => {
    const { context, page, complaints } = await openPage(browser, {});
    const { address } = await begin();
    await page.goto(address);
    // The page moves the focus there shortly after it has loaded.
    await page.locator('#email:focus').waitFor();
    await page.keyboard.type(customer.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(customer.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await tabTo(page, 'allow');
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.href.startsWith(redirectUri));
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('let the user refuse, and show a web URL without a warning', async () => {
    const { context, page } = await openPage(browser, { viewport: { width: 360, height: 740 } });
    const { address } = await begin('https://claude.ai/api/mcp/auth_callback');
    await page.goto(address);
    await page.getByLabel('Email address').fill(customer.email);
    await page.getByLabel('Password').fill(customer.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await expectSound(page, 'consent-web');
    expect(await page.getByText('Another program').count()).toBe(0);
    const sent = page.waitForRequest(/^https:\/\/claude\.ai\//);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(new URL((await sent).url()).searchParams.get('error')).toBe('access_denied');
    await context.close();
  });

  it('lead to an app that owns a scheme, which their policy has to name', async () => {
    const { context, page, complaints } = await openPage(browser, {});
    const { address } = await begin('cursor://anysphere.cursor-mcp/oauth/callback');
    await page.goto(address);
    await page.getByLabel('Email address').fill(customer.email);
    await page.getByLabel('Password').fill(customer.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Another program that uses the same kind of link').waitFor();
    const resumed = page.waitForResponse(response =>
      new URL(response.url()).pathname.startsWith('/authorize/'),
    );
    await page.getByRole('button', { name: 'Allow' }).click();
    expect((await resumed).headers()['location']).toMatch(
      /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=/,
    );
    // Chromium tries the redirect, but finds no app on this machine. It would not try a redirect that the policy
    // forbids.
    await waitFor('The browser has tried the app', async () => complaints.length > 0, { deadlineMs: 60_000 });
    expect(complaints).toEqual([expect.stringMatching(/^cursor:\/\/\S+ failed$/)]);
    await context.close();
  });

  it('let a client in a page of the user’s own machine do everything, as the Inspector does', async () => {
    const { context, page, complaints } = await openPage(browser, {});
    const { client, proof, address } = await begin();
    await page.goto(address);
    await page.getByLabel('Email address').fill(customer.email);
    await page.getByLabel('Password').fill(customer.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(url => url.href.startsWith(redirectUri));
    const code = new URL(page.url()).searchParams.get('code');
    // The page is now the assistant's, whose origin differs from the tool server's.
    const seen = await page.evaluate<unknown>(
      clientInPage({
        url: house.url,
        clientId: client.clientId,
        verifier: proof.verifier,
        redirectUri,
        code,
      }),
    );
    expect(seen).toEqual({
      challenge: expect.stringContaining('resource_metadata='),
      issuer: house.url,
      registered: 201,
      token: 200,
      called: 200,
      ok: true,
    });
    // Chromium reports only the expected 401.
    expect(complaints).toEqual([]);
    await context.close();
  });

  /** Presses Tab until the focused element has this name as its id or value. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 20; presses += 1) {
      const focused = await page.evaluate<{ id: string; value?: string }>(
        '({ id: document.activeElement.id, value: document.activeElement.value })',
      );
      if (focused.id === name || focused.value === name) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`The keyboard does not reach "${name}".`);
  }
});

/** The script of a client in a page: every request is cross-origin. */
function clientInPage(facts: Readonly<Record<string, string | null>>): string {
  return `(async ({ url, clientId, verifier, redirectUri, code }) => {
    const json = { 'content-type': 'application/json' };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_get_account_status', arguments: {} } };
    const ask = headers => fetch(url + '/mcp', {
      method: 'POST',
      headers: { ...json, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25', ...headers },
      body: JSON.stringify(call),
    });
    const challenge = (await ask({})).headers.get('www-authenticate');
    const resource = await (await fetch(url + '/.well-known/oauth-protected-resource/mcp')).json();
    const [server] = resource.authorization_servers;
    const metadata = await (await fetch(server + '/.well-known/oauth-authorization-server')).json();
    const registered = await fetch(metadata.registration_endpoint, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ redirect_uris: ['http://localhost:6274/oauth/callback'], token_endpoint_auth_method: 'none' }),
    });
    const token = await fetch(metadata.token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code', code, code_verifier: verifier, client_id: clientId, redirect_uri: redirectUri,
      }),
    });
    const { access_token } = await token.json();
    const called = await ask({ authorization: 'Bearer ' + access_token });
    const text = await called.text();
    return {
      challenge, issuer: metadata.issuer, registered: registered.status, token: token.status, called: called.status,
      ok: /"ok":true/.test(text),
    };
  })(${JSON.stringify(facts)})`;
}

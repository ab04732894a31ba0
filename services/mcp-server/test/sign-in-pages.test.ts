import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { defaultOauthScopes, oauthScopes, prices } from '@mailproof/shared-types';
import { authorizationPath, newProof, register } from './oauth-steps.ts';
import { allow, type Page, signIn, TestBrowser } from './page-browser.ts';
import { person, publicUrl, startToolServers, type ToolServers } from './tool-server.ts';

let servers: ToolServers;

beforeAll(async () => {
  servers = await startToolServers();
});
afterAll(() => servers?.stop());
beforeEach(() => {
  Object.assign(servers.gateway, { access: 'ready', check: 'as typed', signInIsOver: false });
});

async function openSignIn(
  metadata: object = {},
  asked: Readonly<Record<string, string>> = {},
): Promise<{ browser: TestBrowser; page: Page }> {
  const uris = (metadata as { redirect_uris?: string[] }).redirect_uris;
  const clientId = await register(servers, metadata);
  const browser = new TestBrowser(servers);
  const parameters = { ...(uris?.[0] !== undefined && { redirect_uri: uris[0] }), ...asked };
  return { browser, page: await browser.open(authorizationPath(clientId, newProof(), parameters)) };
}

async function openConsent(
  metadata: object = {},
  asked: Readonly<Record<string, string>> = {},
): Promise<{ browser: TestBrowser; page: Page }> {
  const { browser, page } = await openSignIn(metadata, asked);
  return { browser, page: await signIn(browser, page) };
}

const csrfOf = (page: Page) => page.document.querySelector('input[name=csrf]')?.attributes['value'] ?? 'none';

describe('every page', () => {
  it('runs no script, loads only its icon, cannot be framed, and is not cached', async () => {
    const { page } = await openSignIn();
    const { page: consent } = await openConsent();
    for (const { headers, document } of [page, consent]) {
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src 'self'; form-action 'self' http:\/\/127\.0\.0\.1:45454; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(document.querySelectorAll('script, img, iframe')).toEqual([]);
      expect(document.querySelectorAll('link').map(link => link.attributes['rel'])).toEqual(['icon']);
      expect(document.querySelector('html')?.attributes['lang']).toBe('en');
      expect(document.querySelectorAll('main h1')).toHaveLength(1);
    }
  });

  it('keeps its cookies to this host, to TLS and to HTTP', async () => {
    const clientId = await register(servers);
    const response = await servers.send(authorizationPath(clientId, newProof()));
    const cookies = response.headers.getSetCookie();
    expect(cookies).toHaveLength(4);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Secure-mailproof_sign_in(_resume)?(\.sig)?=/);
      expect(cookie).toMatch(/; path=\/(sign-in|authorize)\/[\w-]+;.*; samesite=lax; secure; httponly$/i);
    }
    const { browser } = await openConsent();
    expect([...browser.cookies.keys()].filter(name => name.startsWith('__Host-'))).toEqual([
      expect.stringMatching(/^__Host-mailproof_consent_[0-9a-f]{16}$/),
      '__Host-mailproof_device',
    ]);
    expect([...browser.cookies.keys()].join()).not.toContain('session');
  });
});

describe('the sign-in page', () => {
  it('names its fields and says where to sign up', async () => {
    const { page } = await openSignIn({ client_name: 'Editor <b>' });
    expect(page.text).toContain('Sign in to connect “Editor <b>”');
    expect(page.document.querySelector('h1 b')).toBeNull();
    for (const id of ['email', 'password']) {
      expect(page.document.querySelector(`label[for=${id}]`)).not.toBeNull();
    }
  });

  it('says in words that the password is wrong, and keeps the address', async () => {
    const { browser, page } = await openSignIn();
    const again = await browser.submit(page, '/sign-in', { email: '"><x>@y', password: 'wrong' });
    expect([again.status, again.text.includes('The email address or the password is wrong.')]).toEqual([
      422,
      true,
    ]);
    expect(again.document.querySelector('#email')?.getAttribute('value')).toBe('"><x>@y');
    expect(again.document.querySelector('#email')?.attributes['aria-describedby']).toBe('fault');
    expect(again.document.querySelector('#password')?.attributes['value']).toBeUndefined();
    const after = await signIn(browser, again);
    expect(after.text).toContain(person.email);
  });

  it.each(['sign-in', 'decision', 'other-account'])(
    'is there again for a tab restored at /%s',
    async step => {
      const { browser, page } = await openSignIn();
      const again = await browser.open(`${page.path}/${step}`);
      expect([again.status, again.path, csrfOf(again)]).toEqual([200, page.path, csrfOf(page)]);
      expect((await servers.send(`/sign-in/..%2f..%2fevil/${step}`)).headers.get('location')).toBe(
        '/sign-in/..%2F..%2Fevil',
      );
    },
  );

  it('says for how long signing in is locked', async () => {
    const { browser, page } = await openSignIn();
    servers.gateway.check = { lockedForMs: 61_000, count: 'user' };
    const locked = await signIn(browser, page);
    expect([locked.status, locked.text.includes('Try again in 2 minutes')]).toEqual([429, true]);
    expect(locked.text).toContain('reset your password');
    servers.gateway.check = { lockedForMs: 61_000, count: 'network' };
    const ofNetwork = await signIn(browser, locked);
    expect([ofNetwork.status, ofNetwork.text.includes('from your network')]).toEqual([429, true]);
    // A new password does not help.
    expect(ofNetwork.text).not.toContain('reset the password');
  });

  it('says so when the gateway is away, without a stack', async () => {
    const { browser, page } = await openSignIn();
    servers.gateway.access = 'away';
    const away = await signIn(browser, page);
    expect([away.status, away.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(away.text).toContain('temporarily unavailable');
    expect(away.text).not.toMatch(/at .*\.ts/);
  });
});

describe('the consent page', () => {
  it('shows who asks for what, where the answer goes and who is asked', async () => {
    const { page } = await openConsent({ client_name: 'Editor' });
    for (const shown of [
      '“Editor”',
      '127.0.0.1',
      person.email,
      person.accountName,
      ...defaultOauthScopes.map(scope => oauthScopes[scope]),
    ]) {
      expect(page.text).toContain(shown);
    }
    expect(page.text).toContain('Mailproof has not verified it');
    expect(page.document.querySelectorAll('button').map(({ text }) => text)).toEqual([
      'Allow',
      'Cancel',
      'Use another account',
    ]);
  });

  it('shows every scope that is asked for in words, with its price, and no other', async () => {
    const { page } = await openConsent({}, { scope: 'lists.run profiles.enrich leads.search' });
    const shown = page.document.querySelectorAll('li').map(({ text }) => text);
    expect(shown).toEqual([
      oauthScopes['lists.run'],
      oauthScopes['profiles.enrich'],
      oauthScopes['leads.search'],
    ]);
    const [lists, profiles, leads] = shown;
    expect(lists).toContain(`costs ${prices.validation} credit.`);
    expect(profiles).toContain(`costs ${prices.profileEnrichment} credit.`);
    expect(leads).toContain(`costs ${prices.peoplePreview} credits.`);
  });

  it.each([
    ['http://localhost:33418/', 'Another program on that computer'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'Another program that uses the same kind of link'],
    ['https://claude.ai/api/mcp/auth_callback', undefined],
  ])('for a redirect to %s warns: %j', async (uri, warning) => {
    const { page } = await openConsent({ redirect_uris: [uri] });
    expect(page.document.querySelector('.note')?.text.includes(warning ?? '') ?? false).toBe(
      warning !== undefined,
    );
  });

  it.each([
    'http://localhost:33418/callback',
    'http://127.0.0.1:33418/callback',
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'http://localhost:6274/oauth/callback',
    'https://vscode.dev/redirect',
  ])('leads back to %s', async uri => {
    const { browser, page } = await openConsent({ redirect_uris: [uri] });
    const { sentTo } = await allow(browser, page);
    expect(sentTo?.href.startsWith(`${uri}?`)).toBe(true);
    expect(sentTo?.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('takes a no to the client', async () => {
    for (const { browser, page } of [await openConsent(), await openSignIn()]) {
      const { sentTo } = await browser.submit(page, '/decision', { decision: 'cancel' });
      expect(sentTo?.searchParams.get('error')).toBe('access_denied');
      expect(sentTo?.searchParams.get('iss')).toBe(publicUrl);
    }
  });

  it('lets another user sign in', async () => {
    const { browser, page } = await openConsent();
    const other = await browser.submit(page, '/other-account');
    expect(other.document.querySelector('input[type=password]')).not.toBeNull();
    // The page that was already open no longer works.
    expect((await allow(browser, page)).status).toBe(403);
  });

  it('asks for the password again when the sign-in was made void meanwhile', async () => {
    const { browser, page } = await openConsent();
    servers.gateway.signInIsOver = true;
    const again = await allow(browser, page);
    expect(again.text).toContain('Your sign-in has expired. Sign in again.');
    servers.gateway.signInIsOver = false;
    const { sentTo } = await allow(browser, await signIn(browser, again));
    expect(sentTo?.searchParams.has('code')).toBe(true);
  });

  it('asks the account again: a plan that lapsed while the page was open ends in access_denied', async () => {
    const { browser, page } = await openConsent();
    servers.gateway.access = 'no_active_plan';
    const { sentTo } = await allow(browser, page);
    expect(sentTo?.searchParams.get('error')).toBe('access_denied');
  });

  it('connects nothing that the gateway could not write down', async () => {
    const { browser, page } = await openConsent();
    servers.gateway.access = 'away';
    expect((await allow(browser, page)).status).toBe(503);
    servers.gateway.access = 'ready';
    expect((await allow(browser, page)).sentTo?.searchParams.has('code')).toBe(true);
  });
});

describe('a form', () => {
  it.each([
    ['without a token', undefined],
    ['with a wrong one', 'x'.repeat(43)],
  ])('%s is refused', async (_name, csrf) => {
    const signInPage = await openSignIn();
    const consent = await openConsent();
    const { email, password } = person;
    const refused = [
      await signInPage.browser.post(`${signInPage.page.path}/sign-in`, { csrf, email, password }),
      await consent.browser.post(`${consent.page.path}/decision`, { csrf, decision: 'allow' }),
      await consent.browser.post(`${consent.page.path}/other-account`, { csrf }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('cannot use the token of another request, or of the page before signing in', async () => {
    const { browser, page } = await openSignIn();
    const other = await openConsent();
    const foreign = await browser.post(`${page.path}/sign-in`, { csrf: csrfOf(other.page), ...person });
    expect(foreign.status).toBe(403);
    const consent = await signIn(browser, page);
    const early = await browser.post(`${consent.path}/decision`, { csrf: csrfOf(page), decision: 'allow' });
    expect(early.status).toBe(403);
  });

  it('is refused from a browser that has the request’s cookie but was not the one that signed in', async () => {
    const { browser, page } = await openConsent();
    const thief = new TestBrowser(servers);
    for (const [name, value] of browser.cookies) {
      if (!name.includes('consent')) thief.cookies.set(name, value);
    }
    const seen = await thief.open(page.path);
    expect(seen.document.querySelector('input[type=password]')).not.toBeNull();
    expect(
      (await thief.post(`${page.path}/decision`, { csrf: csrfOf(page), decision: 'allow' })).status,
    ).toBe(403);
  });

  it('larger than a form can be is refused', async () => {
    const { browser, page } = await openSignIn();
    const large = await browser.submit(page, '/sign-in', { email: 'x'.repeat(20_000), password: 'x' });
    expect(large.status).toBe(413);
  });
});

describe('a sign-in that is over', () => {
  it('shows an error without its cookie, or if it is completed, unknown or lost', async () => {
    const { browser, page } = await openConsent();
    const stranger = await new TestBrowser(servers).open(page.path);
    const forged = new TestBrowser(servers);
    for (const [name, value] of browser.cookies) {
      forged.cookies.set(name, name.endsWith('.sig') ? 'x'.repeat(27) : value);
    }
    const wrongSignature = await forged.open(page.path);
    const otherAddress = await browser.open('/sign-in/another-request');
    await allow(browser, page);
    const answered = await browser.open(page.path);
    const lost = await openConsent();
    await servers.redis.flushdb();
    const gone = await allow(lost.browser, lost.page);
    for (const over of [stranger, wrongSignature, otherAddress, answered, gone]) {
      expect([over.status, over.text.includes('This sign-in has expired')]).toEqual([410, true]);
    }
    const { uid } = { uid: lost.page.path.split('/').at(-1) };
    const resumed = await lost.browser.open(`/authorize/${uid}`);
    expect([resumed.status, resumed.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  });
});

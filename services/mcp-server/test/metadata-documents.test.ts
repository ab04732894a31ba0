import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAddressGuard } from '@mailproof/service-kit';
import { decodeJwt } from 'jose';
import { createMetadataDocuments } from '../src/adapters/undici/fetch-metadata-document.ts';
import {
  type DocumentSite,
  documentOf,
  goodDocument,
  openDocumentSite,
  type Published,
} from './document-site.ts';
import { authorizationPath, connect, newProof, refresh } from './oauth-steps.ts';
import { signIn, TestBrowser } from './page-browser.ts';
import { startToolServers, type ToolServers } from './tool-server.ts';

let site: DocumentSite;
let origin: string;
let ca: string;
let servers: ToolServers;
let published: Published;
let fetched: string[] = [];

beforeAll(async () => {
  site = await openDocumentSite(path => {
    fetched.push(path);
    return published;
  });
  ({ origin, ca } = site);
  servers = await startToolServers({ replicas: 2, overrides: { extraCa: ca } });
});

afterAll(async () => {
  await servers?.stop();
  await site?.close();
});

beforeEach(() => {
  fetched = [];
  published = goodDocument;
});

const open = (clientId: string) => new TestBrowser(servers).open(authorizationPath(clientId, newProof()));

describe('a client with a metadata document', () => {
  it('connects without having registered, at a loopback port of its choice', async () => {
    const clientId = `${origin}/editor.json`;
    const connection = await connect(servers, { clientId });
    expect(decodeJwt(connection.access_token)).toMatchObject({ client_id: clientId });
    expect(fetched).toEqual(['/editor.json']);
  });

  it('is not told to discard its connection while the host of its document does not answer', async () => {
    const clientId = `${origin}/away.json`;
    const { refresh_token } = await connect(servers, { clientId });
    published = { ...goodDocument, status: 502 };
    const away = await refresh(servers, { clientId, refresh_token }, {}, 1);
    expect([away.status, await away.json()]).toEqual([
      503,
      expect.objectContaining({ error: 'temporarily_unavailable' }),
    ]);
    // The other replica has just read the document, and the token is still valid.
    expect((await refresh(servers, { clientId, refresh_token })).status).toBe(200);
  });

  it('is shown by the host that published it', async () => {
    const browser = new TestBrowser(servers);
    const page = await browser.open(authorizationPath(`${origin}/shown.json`, newProof()));
    const consent = await signIn(browser, page);
    expect(consent.text).toContain(`It is published by ${new URL(origin).host},`);
  });

  it.each<[string, Partial<Published>]>([
    ['is not found', { status: 404 }],
    ['leads elsewhere', { status: 302, headers: { location: '/other.json' } }],
    ['is no JSON', { body: () => '<html>' }],
    ['names another client', { body: () => documentOf('https://other.example/client.json') }],
    [
      'is too large',
      { body: url => documentOf(url, { client_uri: `https://${'x'.repeat(20_000)}.example` }) },
    ],
    ['holds a secret', { body: url => documentOf(url, { client_secret: 'secret' }) }],
    [
      'wants a shared secret',
      { body: url => documentOf(url, { token_endpoint_auth_method: 'client_secret_post' }) },
    ],
    [
      'redirects over plain HTTP',
      { body: url => documentOf(url, { redirect_uris: ['http://example.com/'], application_type: 'web' }) },
    ],
    ['redirects to a script', { body: url => documentOf(url, { redirect_uris: ['javascript:alert(1)'] }) }],
  ])('is refused on our own page when it %s', async (name, otherwise) => {
    published = { ...goodDocument, ...otherwise };
    const page = await open(`${origin}/${encodeURIComponent(name)}.json`);
    expect([page.status >= 400 && page.status < 500, page.sentTo]).toEqual([true, undefined]);
    expect(fetched).toHaveLength(1);
  });

  it.each([
    'http://localhost/client.json',
    'https://user@localhost/client.json',
    'https://[::1]/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/client.json',
  ])('is not even asked for at %s', async clientId => {
    const page = await open(clientId);
    expect([page.status, page.text.includes('invalid_client'), fetched]).toEqual([400, true, []]);
  });

  it('is not asked for at an address longer than a client id may be', async () => {
    const page = await open(`${origin}/${'x'.repeat(512)}.json`);
    expect([page.status, page.text.includes('invalid_client'), fetched]).toEqual([400, true, []]);
  });
});

describe('fetching', () => {
  const lookAt = (allowedRanges: readonly string[], url: string, deadlineMs = 5_000) => {
    const documents = createMetadataDocuments({
      guard: createAddressGuard(allowedRanges),
      deadlineMs,
      extraCa: ca,
    });
    return documents.fetch(url).finally(() => documents.close());
  };

  it('connects to no private address that is not allowed, whether a name or the URL says it', async () => {
    const { port } = new URL(origin);
    await expect(lookAt([], `${origin}/client.json`)).rejects.toThrow();
    await expect(lookAt([], `https://127.0.0.1:${port}/client.json`)).rejects.toThrow('that is not allowed');
    await expect(lookAt([], `https://[::ffff:127.0.0.1]:${port}/client.json`)).rejects.toThrow(
      'that is not allowed',
    );
    expect(fetched).toEqual([]);
    expect((await lookAt(['127.0.0.0/8'], `${origin}/client.json`)).status).toBe(200);
  });

  it('wants a certificate that is believed', async () => {
    const guard = createAddressGuard(['127.0.0.0/8']);
    const documents = createMetadataDocuments({ guard, deadlineMs: 5_000 });
    await expect(documents.fetch(`${origin}/client.json`)).rejects.toThrow();
    await documents.close();
  });

  it('keeps what concerns us and drops the rest', async () => {
    const response = await lookAt(['127.0.0.0/8'], `${origin}/client.json`);
    expect(Object.keys((await response.json()) as object)).not.toContain('scope');
  });
});

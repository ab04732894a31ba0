import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestHouse, type TestHouse } from './house.ts';

const documents = ['/livez', '/no-such-page', '/%zz'];
const ofGateway = [
  ...documents,
  '/app',
  '/docs',
  '/docs/errors',
  '/openapi.json',
  '/confirm',
  '/api/v1/me',
  '/app/v1/session',
];
const ofToolServer = [...documents, '/mcp', '/.well-known/oauth-authorization-server', '/authorize'];

/** The `Strict-Transport-Security` header of each answer, by path. */
async function strictTransportOf(
  url: string,
  paths: readonly string[],
): Promise<Record<string, string | null>> {
  const answers = paths.map(async path => {
    const { headers } = await fetch(`${url}${path}`, { redirect: 'manual' });
    return [path, headers.get('strict-transport-security')] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/**
 * The header in answers that no application code writes: to an oversized request head, and to input that is not HTTP.
 */
async function strictTransportOfClientErrors(url: string): Promise<readonly (string | null)[]> {
  const { port, hostname } = new URL(url);
  const answers = [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'NONSENSE\r\n\r\n'].map(
    async sent => {
      const answer = await text(connect(Number(port), hostname).end(sent));
      const [status] = /^HTTP\/1\.1 (431|400) /.exec(answer) ?? [];
      expect(status).toBeDefined();
      return /^strict-transport-security: (.*)\r$/im.exec(answer)?.[1] ?? null;
    },
  );
  return Promise.all(answers);
}

describe.each([
  ['https', 'max-age=31536000'],
  ['http', null],
])('an installation whose public addresses begin with %s', (scheme, expected) => {
  let test: TestHouse;

  beforeAll(async () => {
    const toolServer = { MCP_PUBLIC_BASE_URL: `${scheme}://tools.example.com` };
    test = await openTestHouse({
      only: ['gateway', 'credit-ledger', 'mcp-server'],
      env: { gateway: { PUBLIC_BASE_URL: `${scheme}://mailproof.example.com` }, 'mcp-server': toolServer },
    });
  });

  afterAll(() => test.stop());

  it('sends HSTS for pages, documents, problems and malformed requests if it uses https, and never otherwise', async () => {
    for (const [url = '', paths] of [
      [test.house.gatewayUrls[0], ofGateway],
      [test.house.toolServerUrls[0], ofToolServer],
    ] as const) {
      expect(await strictTransportOf(url, paths)).toEqual(
        Object.fromEntries(paths.map(path => [path, expected])),
      );
      expect(await strictTransportOfClientErrors(url)).toEqual([expected, expected]);
    }
  });
});

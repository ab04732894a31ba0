import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';
import { mountWebApp } from './web-app.ts';

const script = "console.log('the application');".repeat(40);

describe('the web application', () => {
  let folder: string;
  let app: Express;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mailproof-web-app-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(
      join(folder, 'index.html'),
      '<meta property="csp-nonce" nonce="%CSP_NONCE%"><div id="root">',
    );
    writeFileSync(join(folder, 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    writeFileSync(join(folder, 'manifest.json'), '{}');
    writeFileSync(join(folder, 'assets', 'index-abc.js'), script);
    writeFileSync(join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(script));
    app = express();
    app.use((_request, response, next) => {
      // As every service does for its answers.
      response.set('cache-control', 'no-store');
      next();
    });
    mountWebApp(app, folder);
    app.use((_request, response) => response.status(404).send('nothing'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function visit(path: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8') {
    return request(app).get(path).set('accept', accept);
  }

  it.each(['/app', '/app/', '/app/validations', '/app/usage/receipts/req_1?from=home'])(
    'is one page for every screen: %s',
    async path => {
      const { status, text } = await visit(path);
      expect([status, text]).toEqual([200, expect.stringContaining('<div id="root">')]);
    },
  );

  it('gives each visit its own nonce, which the policy names', async () => {
    const visits = await Promise.all([visit('/app'), visit('/app')]);
    const nonces = visits.map(({ text }) => /nonce="([^"%]+)"/.exec(text)?.[1]);
    expect(nonces[0]).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(nonces[1]).not.toBe(nonces[0]);
    expect(visits[0]?.headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonces[0]}'`);
  });

  it('allows no other scripts, no markup from text, and no framing', async () => {
    const { headers } = await visit('/app');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('serves built files compressed and cacheable permanently, since their names change with their content', async () => {
    const { status, headers, text } = await visit('/app/assets/index-abc.js').set('accept-encoding', 'br');
    expect([status, headers['content-encoding'], headers['cache-control'], text]).toEqual([
      200,
      'br',
      'public,max-age=31536000,immutable',
      script,
    ]);
  });

  it.each(['/app/assets/index-old.js', '/app/v1/no-such-operation', '/app/assets/../../package.json'])(
    'has no page for %s, which is no screen',
    async path => {
      expect((await visit(path)).status).toBe(404);
    },
  );

  it.each([
    ['application/json', 404],
    ['*/*', 200],
  ])('is for clients that accept HTML: %s is answered with %d', async (accept, status) => {
    expect((await visit('/app/validations', accept)).status).toBe(status);
  });

  it('says what to do where it has not been built', async () => {
    const unbuilt = express();
    mountWebApp(unbuilt, join(folder, 'nowhere'));
    const { status, text } = await request(unbuilt).get('/app');
    expect([status, text]).toEqual([503, expect.stringContaining('npx pnpm build')]);
  });
});

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';
import { mountDocsSite } from './docs-site.ts';

const script = 'document.documentElement.classList.add("dark")';
const guide = `<title>A guide</title><script id="theme">${script}</script><script src="/docs/assets/app.js"></script>`;

describe('the documentation', () => {
  let parent: string;
  let folder: string;
  let app: Express;

  function build(text = guide): void {
    mkdirSync(join(folder, 'docs/assets'), { recursive: true });
    writeFileSync(join(folder, 'docs/index.html'), text);
    writeFileSync(join(folder, 'docs/guide.html'), text);
    writeFileSync(join(folder, 'docs/guide.html.br'), brotliCompressSync(text));
    writeFileSync(join(folder, 'docs/guide.md'), '# A guide, naïve');
    writeFileSync(join(folder, 'docs/reference.html'), text);
    writeFileSync(join(folder, 'docs/assets/app.abc.js'), script);
    writeFileSync(join(folder, 'llms.txt'), '# Mailproof');
  }

  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'mailproof-docs-'));
    folder = join(parent, 'dist');
    writeFileSync(join(parent, 'secret.html'), 'secret');
    app = express();
    app.use((_request, response, next) => {
      response.set('cache-control', 'no-store');
      next();
    });
    mountDocsSite(app, folder);
    app.use((_request, response) => response.status(404).json({ code: 'route_not_found' }));
  });

  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  const visit = (path: string, accept = 'text/html,*/*;q=0.8') =>
    request(app).get(path).set('accept', accept).redirects(0);

  it('says what to do where it has not been built, and is served as soon as it is', async () => {
    const { status, text } = await visit('/docs/guide');
    expect([status, text]).toEqual([503, expect.stringContaining('npx pnpm build')]);
    build();
    expect((await visit('/docs/guide')).text).toBe(guide);
  });

  it('is asked for again each time, and compressed; files that are named by their content are kept', async () => {
    const { headers, text } = await visit('/docs/guide').set('accept-encoding', 'br');
    expect([headers['cache-control'], headers['content-encoding'], text]).toEqual(['no-cache', 'br', guide]);
    const unchanged = await visit('/docs/guide')
      .set('accept-encoding', 'br')
      .set('if-none-match', headers['etag'] ?? '');
    expect([unchanged.status, unchanged.headers['cache-control']]).toEqual([304, 'no-cache']);
    const asset = await visit('/docs/assets/app.abc.js');
    expect(asset.headers['cache-control']).toBe('public,max-age=31536000,immutable');
  });

  it('answers HEAD like GET, without a body', async () => {
    const { status, headers, text } = await request(app).head('/docs/guide');
    expect([status, headers['content-type'], text]).toEqual([200, 'text/html;charset=utf-8', undefined]);
  });

  it('allows the scripts within its pages by their hash, and no others', async () => {
    const hash = createHash('sha256').update(script).digest('base64');
    for (const [path, styles] of [
      ['/docs/guide', "style-src 'self'"],
      ['/docs/reference', "style-src 'self' 'unsafe-inline'"],
    ] as const) {
      const policy = String((await visit(path)).headers['content-security-policy']).split('; ');
      const scripts = path === '/docs/guide' ? `script-src 'self' 'sha256-${hash}'` : "script-src 'self'";
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          scripts,
          styles,
          "connect-src 'self'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(policy.join()).not.toMatch(/https?:|\*|unsafe-eval/);
    }
  });

  it('serves each page as Markdown in UTF-8 too', async () => {
    const { headers, text } = await visit('/docs/guide.md');
    expect([headers['content-type'], text]).toEqual(['text/markdown; charset=utf-8', '# A guide, naïve']);
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs/app', '/docs/reference/app'],
  ])('keeps the address %s, which leads to %s', async (path, to) => {
    const { status, headers } = await visit(path);
    expect([status, headers['location']]).toEqual([308, to]);
  });

  it.each(['/docs/no-such-page', '/docs/..%2f..%2fsecret', '/docs/%2e%2e/%2e%2e/secret.html'])(
    'has a page for people at %s, which does not exist, and leaves programs to the problem',
    async path => {
      const { status, text, headers } = await visit(path);
      expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
      expect(text).toContain('<h1>Page not found</h1>');
      expect((await visit(path, '*/*')).body).toEqual({ code: 'route_not_found' });
    },
  );

  it('serves a new build without a restart', async () => {
    rmSync(folder, { recursive: true });
    build('<title>Another guide</title>');
    expect((await visit('/docs/guide')).text).toBe('<title>Another guide</title>');
  });
});

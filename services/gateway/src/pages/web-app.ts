import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, Request, Response } from 'express';
import sirv from 'sirv';
import { layout } from './layout.ts';

/** The path of the application; its requests go to `/app/v1` below it. */
const root = '/app';

/** Names of built files change with their content. */
const assetAgeSeconds = 31_536_000;

/**
 * Mounts the built web application. Every address below `/app` that is not a file is a screen, which the application
 * resolves itself; a request for anything but a page gets a 404.
 */
export function mountWebApp(app: Express, folder = builtWebApp()): void {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) {
    app.get(root, (_request, response) => sendUnbuilt(response));
    return;
  }
  const html = readFileSync(page, 'utf8');
  app.use(
    `${root}/assets`,
    sirv(join(folder, 'assets'), { brotli: true, etag: true, maxAge: assetAgeSeconds, immutable: true }),
  );
  app.get(`${root}/mark.svg`, (_request, response) => response.sendFile('mark.svg', { root: folder }));
  app.get([root, `${root}/*path`], (request, response, next) =>
    isScreen(request) ? sendScreen(response, html) : next(),
  );
}

/** The build output folder of the application's package. */
function builtWebApp(): string {
  const manifest = createRequire(import.meta.url).resolve('@mailproof/web-app/package.json');
  return join(dirname(manifest), 'dist');
}

function isScreen(request: Request): boolean {
  const isBelow = (path: string): boolean =>
    request.path === `${root}${path}` || request.path.startsWith(`${root}${path}/`);
  return request.accepts(['html', 'json']) === 'html' && !isBelow('/v1') && !isBelow('/assets');
}

function sendScreen(response: Response, html: string): void {
  const nonce = randomBytes(16).toString('base64');
  response
    .set('content-security-policy', contentSecurityPolicy(nonce))
    .set('referrer-policy', 'no-referrer')
    .set('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()')
    .set('cross-origin-opener-policy', 'same-origin')
    .type('html')
    .send(html.replace('%CSP_NONCE%', nonce));
}

/**
 * The application loads its own files and calls only this installation. No text can become markup or script: the
 * browser refuses it (W3C Trusted Types).
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function sendUnbuilt(response: Response): void {
  response
    .status(503)
    .type('html')
    .send(
      layout(
        'Not built',
        '<h1>The application has not been built</h1><p>Run <code>npx pnpm build</code>, then start the gateway again.</p>',
      ),
    );
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Express, Request, Response } from 'express';
import { builtFiles, builtFolder, readPage, sendUnbuilt } from './built-files.ts';

/** The path of the application; its requests go to `/app/v1` below it. */
const root = '/app';

/**
 * Mounts the built web application. Every address below `/app` that is not a file is a screen, which the application
 * resolves itself; a request for anything but a page gets a 404.
 */
export function mountWebApp(app: Express, folder = builtFolder('@mailproof/web-app')): void {
  if (!existsSync(join(folder, 'index.html'))) {
    const remedy = 'Run <code>npx pnpm build</code>, then start the gateway again.';
    app.get(root, (_request, response) => sendUnbuilt(response, 'The application', remedy));
    return;
  }
  const html = readPage(folder, 'index.html');
  app.use(`${root}/assets`, builtFiles(join(folder, 'assets'), /./));
  app.get(`${root}/mark.svg`, (_request, response) => response.sendFile('mark.svg', { root: folder }));
  app.get([root, `${root}/*path`], (request, response, next) =>
    isScreen(request) ? sendScreen(response, html) : next(),
  );
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

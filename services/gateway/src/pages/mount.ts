import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { buildAppDocument, buildRestDocument, type ProblemCode, problemKinds } from '@mailproof/shared-types';
import type { Express, Response } from 'express';
import { mountCrmCallback } from './crm-callback.ts';
import { errorListPage, errorPage } from './error-pages.ts';
import { referencePage, referenceScript, references } from './reference-page.ts';
import { mountWebApp } from './web-app.ts';

/** The reference loads its own files and calls only this installation. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Mounts the OpenAPI documents, a reference page made from each, and a page for each error code. */
export function mountPages(app: Express): void {
  const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

  app.get('/', (_request, response) => response.redirect('/app'));
  mountCrmCallback(app);
  mountWebApp(app);
  for (const [path, buildDocument] of [
    ['/openapi.json', buildRestDocument],
    ['/openapi-app.json', buildAppDocument],
  ] as const) {
    let text: string | undefined;
    app.get(path, (_request, response) => {
      // Built on demand: it takes as long as the rest of the startup, and most processes never need it.
      text ??= JSON.stringify(buildDocument(), null, 2);
      response.set({ 'access-control-allow-origin': '*' }).type('application/json').send(text);
    });
  }
  for (const reference of references) {
    app.get(reference.page, (_request, response) => sendPage(response, referencePage(reference)));
  }
  app.get('/docs/reference.js', (_request, response) => {
    response.type('text/javascript').send(referenceScript());
  });
  app.get('/docs/errors', (_request, response) => sendPage(response, errorListPage()));
  app.get('/docs/errors/:code', (request, response, next) => {
    const { code } = request.params;
    return Object.hasOwn(problemKinds, code) ? sendPage(response, errorPage(code as ProblemCode)) : next();
  });
  // The address in mails. The browser keeps the fragment, which holds the link's token, across the redirect (RFC 9110,
  // section 10.2.2).
  app.get('/confirm', (_request, response) => {
    response.set('referrer-policy', 'no-referrer').redirect('/app/confirm');
  });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    app.get(`/docs/assets/${file}`, (_request, response) => {
      response.sendFile(file, {
        root: swaggerUi,
        cacheControl: false,
        headers: { 'cache-control': 'public, max-age=86400' },
      });
    });
  }
}

function sendPage(response: Response, html: string): void {
  response.set('content-security-policy', contentSecurityPolicy).type('html').send(html);
}

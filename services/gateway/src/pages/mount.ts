import { buildAppDocument, buildRestDocument, type ProblemCode, problemKinds } from '@mailproof/shared-types';
import type { Express } from 'express';
import { mountCrmCallback } from './crm-callback.ts';
import { mountDocsSite } from './docs-site.ts';
import { errorPage } from './error-pages.ts';
import { sendPage } from './layout.ts';
import { mountStatusPage, type Parts } from './status-page.ts';
import { mountWebApp } from './web-app.ts';

/** Mounts the application, the documentation, the OpenAPI documents, a page for each error code, and the status. */
export function mountPages(app: Express, parts: Parts): void {
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
  app.get('/docs/errors/:code', (request, response, next) => {
    const { code } = request.params;
    return Object.hasOwn(problemKinds, code) ? sendPage(response, errorPage(code as ProblemCode)) : next();
  });
  mountStatusPage(app, parts);
  mountDocsSite(app);
  // The address in mails. The browser keeps the fragment, which holds the link's token, across the redirect (RFC 9110,
  // section 10.2.2).
  app.get('/confirm', (_request, response) => {
    response.set('referrer-policy', 'no-referrer').redirect('/app/confirm');
  });
  // The `List-Unsubscribe` URL of a mail: mail programs post to it, and others open it in a browser (RFC 8058).
  app.get('/app/v1/notice-mail/:token', (request, response) => {
    const token = encodeURIComponent(request.params.token);
    response.set('referrer-policy', 'no-referrer').redirect(`/app/notices/stop#token=${token}`);
  });
}

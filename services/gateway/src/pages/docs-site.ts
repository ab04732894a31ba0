import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Express, RequestHandler } from 'express';
import { builtFiles, builtFolder, readPage, sendUnbuilt } from './built-files.ts';
import { sendPage } from './layout.ts';

/** What the site's build makes: everything below `/docs`, a file of icons, and the list for assistants. */
const ofSite = /^\/(docs\/.*|vp-icons\.css|llms\.txt)$/;
/** A file that each build writes. */
const ofEachBuild = 'llms.txt';
const buildAdvice =
  'If Mailproof was just started for the first time, load this page again in half a minute. Otherwise run <code>npx pnpm build</code>.';
const assets = /^\/docs\/assets\//;
const ofReference = /^\/docs\/reference(\/app)?$/;

/** The files of one build. */
interface Site {
  readonly builtAtMs: number;
  readonly serve: RequestHandler;
}

/**
 * Mounts the built documentation: guides as HTML and as Markdown, and the API references. They load their own files and
 * call only this installation. A build that ends while the gateway runs is served from the next request on.
 */
export function mountDocsSite(app: Express, folder = builtFolder('@mailproof/docs-site')): void {
  let site: Site | undefined;
  // The addresses before the guides were served here.
  app.get(/^\/docs$/, (_request, response) => response.redirect(308, '/docs/'));
  app.get('/docs/app', (_request, response) => response.redirect(308, '/docs/reference/app'));
  app.get(
    ofSite,
    (request, response, next) => {
      const builtAtMs = statSync(join(folder, ofEachBuild), { throwIfNoEntry: false })?.mtimeMs;
      if (builtAtMs === undefined) return sendUnbuilt(response, 'The documentation', buildAdvice);
      if (site?.builtAtMs !== builtAtMs) site = { builtAtMs, serve: serveSite(folder) };
      site.serve(request, response, next);
    },
    (request, response, next) => {
      if (request.accepts(['json', 'html']) !== 'html') return next();
      sendPage(response.status(404), missing);
    },
  );
}

function serveSite(folder: string): RequestHandler {
  const policies = policiesFor(readPage(folder, 'docs/index.html'));
  return builtFiles(folder, assets, (response, path) => {
    if (path.endsWith('.md')) response.type('text/markdown');
    if (path.endsWith('.txt')) response.type('text/plain');
    response.set({
      'content-security-policy': ofReference.test(path) ? policies.reference : policies.guide,
      'referrer-policy': 'no-referrer',
    });
  });
}

const missing = {
  title: 'Page not found',
  description: 'The documentation has no such page.',
  main: '<h1>Page not found</h1>\n<p>The documentation has no page at this address. <a href="/docs/">All guides</a></p>',
};

/** The scripts within a page are those that set its colors before it is shown; all pages have the same. */
function policiesFor(page: string): { readonly guide: string; readonly reference: string } {
  const inline = [...page.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return {
    // Highlighted code has its colors in attributes.
    guide: policy(["'self'", ...inline].join(' '), "'self'; style-src-attr 'unsafe-inline'"),
    // The renderer writes its styles into the page.
    reference: policy("'self'", "'self' 'unsafe-inline'"),
  };
}

function policy(scripts: string, styles: string): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

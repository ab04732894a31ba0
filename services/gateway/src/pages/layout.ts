import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { escapeHtml } from '../domain/escape-html.ts';

const style = `
:root { color-scheme: light dark; --ink: #15201d; --canvas: #fff; --line: #dde3df; --accent: #0f6b5c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9efec; --canvas: #0e1312; --line: #2b3734; --accent: #4fc4ab; }
}
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 0 1rem; color: var(--ink); background: var(--canvas); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; align-items: center; padding: 1rem 0; border-bottom: 1px solid var(--line); }
nav a:first-child { display: flex; gap: 0.5rem; align-items: center; font-weight: 600; color: inherit; }
nav a { text-decoration: none; }
a { color: var(--accent); }
h1 { font-size: 1.6rem; line-height: 1.3; margin: 2rem 0 1rem; }
code { font: 0.95em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.6rem 1rem 0.6rem 0; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page without scripts and outside files but the icon, readable at any width, light and dark. */
export interface Page {
  readonly title: string;
  /** A sentence for search engines. */
  readonly description: string;
  /** The content of `main`, as HTML. */
  readonly main: string;
}

export function sendPage(response: Response, { title, description, main }: Page): void {
  response
    .set('content-security-policy', policy)
    .type('html')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)} · Mailproof</title>
<link rel="icon" type="image/svg+xml" href="/docs/mark.svg">
<style>${style}</style>
</head>
<body>
<nav aria-label="Documentation"><a href="/docs/"><img src="/docs/mark.svg" alt="" width="24" height="24">Mailproof</a> <a href="/docs/">Guides</a> <a href="/docs/reference">API reference</a> <a href="/docs/errors">Error codes</a> <a href="/status">Status</a> <a href="/app">Application</a></nav>
<main>
${main}
</main>
</body>
</html>
`);
}

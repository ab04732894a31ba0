import escapeHtml from 'escape-html';
import type { Response } from 'express';
import { pageIcon } from './icons.ts';
import { style, styleSource } from './style.ts';

/** One page: what its head says, and the content of its `main`, which is HTML already. */
export interface Page {
  readonly title: string;
  readonly main: string;
  /** Where the answer to a form of this page can lead besides this service; Chromium holds redirects to it too. */
  readonly formActions?: readonly string[];
}

/** Sends a page that runs no script, loads nothing but its icon, and cannot be framed, kept or named to others. */
export function sendPage(response: Response, status: number, page: Page): void {
  response
    .status(status)
    .set(pageHeaders(page.formActions ?? []))
    .type('html')
    .send(htmlOf(page));
}

export function pageHeaders(formActions: readonly string[]): Record<string, string> {
  const formAction = ["'self'", ...formActions].join(' ');
  return {
    'content-security-policy': `default-src 'none'; style-src ${styleSource}; img-src 'self'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

export function htmlOf({ title, main }: Page): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="${pageIcon.path}" type="${pageIcon.mimeType}">
<title>${escapeHtml(title)} · Mailproof</title>
<style>${style}</style>
</head>
<body>
<header>Mailproof</header>
<main>
${main}
</main>
<footer>You are at Mailproof’s tool server. Check the address before you type a password.</footer>
</body>
</html>
`;
}

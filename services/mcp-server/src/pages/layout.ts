import { createHash } from 'node:crypto';
import escapeHtml from 'escape-html';
import type { Response } from 'express';
import { pageIcon } from './icons.ts';

/** A page: the contents of its head, and of its `main` as HTML. */
export interface Page {
  readonly title: string;
  readonly main: string;
  /**
   * Other destinations to which the response to a form can redirect; Chromium also checks redirects against the policy.
   */
  readonly formActions?: readonly string[];
}

/** Sends a page that runs no script, loads only its icon, cannot be framed or cached, and sends no referrer. */
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
<footer>This is Mailproof’s sign-in page for assistants. Check the URL before you enter your password.</footer>
</body>
</html>
`;
}

/** The style of the pages. Each page contains it, so that a page loads none. */
const style = `
:root{color-scheme:light dark;--text:#1c2127;--soft:#4a5560;--page:#f4f6f8;--card:#fff;--line:#8492a0;--act:#0b57c2;--on-act:#fff;--bad:#a3151f;--bad-page:#fdecee;--warn:#6b4800;--warn-page:#fff4d6}
@media (prefers-color-scheme:dark){:root{--text:#e8ecf0;--soft:#b3bec9;--page:#14181c;--card:#1e242a;--line:#75838f;--act:#8ab8ff;--on-act:#0a1b33;--bad:#ffb3b8;--bad-page:#41171b;--warn:#ffd98a;--warn-page:#3b2e0c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
header,main,footer{max-width:28rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:2rem;font-weight:700}
main{background:var(--card);border-radius:.75rem;padding:1.5rem;margin:1rem auto;overflow-wrap:anywhere}
main>:last-child{margin-bottom:0}
footer{color:var(--soft);font-size:.875rem;padding-bottom:2rem}
@media (max-width:30rem){main{border-radius:0}}
h1{font-size:1.375rem;line-height:1.3;margin:0 0 1rem;text-wrap:balance}
h2{font-size:1rem;margin:1.25rem 0 .25rem}
p,ul,dl{margin:0 0 1rem}
ul{padding-left:1.25rem}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0 0 .5rem}
label{display:block;font-weight:600;margin-bottom:.25rem}
input{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.375rem;padding:.625rem;margin-bottom:1rem}
input[aria-invalid]{border-color:var(--bad)}
a{color:var(--act)}
code{background:var(--page);border-radius:.25rem;padding:.125rem .25rem;user-select:all}
.links{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.75rem}
button,.button{font:inherit;font-weight:600;border-radius:.375rem;padding:.625rem 1.25rem;min-height:2.75rem;cursor:pointer;border:1px solid var(--act);background:var(--act);color:var(--on-act)}
.button{display:inline-flex;align-items:center;text-decoration:none}
button.wide{display:block;width:100%;margin:0 0 .75rem}
button.quiet{background:none;color:var(--act)}
button.link{background:none;border:0;padding:0;min-height:1.5rem;color:var(--act);text-decoration:underline;font-weight:400}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
.row{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0}
.row button{flex:1 1 8rem}
.note{border-radius:.375rem;padding:.75rem;background:var(--warn-page);color:var(--warn)}
.bad{border-radius:.375rem;padding:.75rem;background:var(--bad-page);color:var(--bad)}
.soft{color:var(--soft);font-size:.875rem}
`;

/** The source of the style in the pages' policy, so that no other style can be injected. */
const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

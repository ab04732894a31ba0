import { type ProblemCode, problemCodes, problemKinds } from '@mailproof/shared-types';
import { escapeHtml } from '../domain/escape-html.ts';
import { layout } from './layout.ts';

/** The page that a problem's `type` points to. */
export function errorPage(code: ProblemCode): string {
  const { status, title, remedy } = problemKinds[code];
  return layout(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>Code <code>${code}</code>, HTTP status ${status}.</p>
<p>${inlineCode(remedy)}</p>`,
  );
}

export function errorListPage(): string {
  const rows = problemCodes.map(
    code =>
      `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${problemKinds[code].status}</td><td>${escapeHtml(problemKinds[code].title)}</td></tr>`,
  );
  return layout(
    'Error codes',
    `<h1>Error codes</h1>
<p>Every error response is a problem document (RFC 9457) with one of these codes.</p>
<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`,
  );
}

/** Backticks in the catalog's sentences mark code. */
function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

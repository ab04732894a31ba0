import { type ProblemCode, problemKinds } from '@mailproof/shared-types';
import { escapeHtml } from '../domain/escape-html.ts';
import type { Page } from './layout.ts';

/** The page that a problem's `type` points to. */
export function errorPage(code: ProblemCode): Page {
  const { status, title, remedy } = problemKinds[code];
  return {
    title,
    description: `What the error code ${code} means, and what to do.`,
    main: `<h1>${escapeHtml(title)}</h1>
<p>Code <code>${code}</code>, HTTP status ${status}.</p>
<p>${inlineCode(remedy)}</p>
<p><a href="/docs/errors#${code}">All error codes</a></p>`,
  };
}

/** Backticks in the catalog's sentences mark code. */
function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

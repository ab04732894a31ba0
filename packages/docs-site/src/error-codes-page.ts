import { problemCodes, problemKinds } from '@mailproof/shared-types';
import { type Page, pageOf } from './pages.ts';

/** All error codes on one page, so that the search finds them; a problem's `type` points to a page of the gateway. */
export function errorCodesPage(): Page {
  const codes = problemCodes.map(code => {
    const { status, title, remedy } = problemKinds[code];
    return `## \`${code}\`\n\n[${title}](/docs/errors/${code}), HTTP status ${status}. ${remedy}`;
  });
  const intro =
    'Every error response is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)) with one of these codes.';
  return pageOf('/docs/errors', ['# Error codes', intro, ...codes].join('\n\n'));
}

import { ProblemError, problemOf } from '../../api/problem.ts';
import { noteRefusal } from '../../api/session-end.ts';
import { accountHeaders } from '../../api/shown-user.ts';
import type { Job } from './job-search.ts';

export interface Upload {
  readonly path: '/validation-jobs' | '/validation-jobs/pasted';
  readonly query: Readonly<Record<string, string>>;
  readonly body: Blob | string;
  readonly mediaType: 'text/csv' | 'text/plain';
}

/** A connection on which nothing moves for so long, neither rows nor the answer to them, is given up. */
const stillMsMax = 120_000;

/**
 * Sends rows and answers the job. `fetch` does not say how much of a body has left, so this is the older way.
 *
 * @param onSent is told the octets that have left
 * @throws ProblemError where it was refused or the connection broke; an `AbortError` where the signal ended it
 */
export function sendRows(
  { path, query, body, mediaType }: Upload,
  { onSent, signal }: { readonly onSent: (octets: number) => void; readonly signal: AbortSignal },
): Promise<Job> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/app/v1${path}?${new URLSearchParams(query)}`);
    request.setRequestHeader('content-type', mediaType);
    for (const [name, value] of Object.entries(accountHeaders())) request.setRequestHeader(name, value);
    let givingUp: ReturnType<typeof setTimeout>;
    function moved(): void {
      clearTimeout(givingUp);
      givingUp = setTimeout(() => {
        reject(brokenOff());
        request.abort();
      }, stillMsMax);
    }
    request.upload.addEventListener('progress', ({ loaded }) => {
      moved();
      onSent(loaded);
    });
    request.addEventListener('load', () => answered(request).then(resolve, reject));
    request.addEventListener('error', () => reject(brokenOff()));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => clearTimeout(givingUp));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    moved();
    request.send(body);
  });
}

async function answered(request: XMLHttpRequest): Promise<Job> {
  if (request.status === 201) return JSON.parse(request.responseText) as Job;
  const headers = Object.fromEntries(
    ['content-type', 'retry-after'].flatMap(name => {
      const value = request.getResponseHeader(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const problem = await problemOf(new Response(request.responseText, { status: request.status, headers }));
  noteRefusal(problem);
  throw problem;
}

function brokenOff(): ProblemError {
  return new ProblemError({
    title: 'The list did not arrive',
    detail:
      'The connection broke off ahead of its end. Check your connection, and that the list has no more than 50,000 rows; then send it again. Nothing was charged.',
  });
}

/** Whether somebody stopped it, which is no fault. */
export function wasStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

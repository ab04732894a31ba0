import { limits } from '@mailproof/shared-types';
import { accountHeaders, noteRefusal } from '../../api/browser-session.ts';
import { mayPass } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { ProblemError, problemOf } from '../../api/problem.ts';
import { formatOctets } from '../../design/format.ts';
import type { Job } from './job-search.ts';

export interface Upload {
  readonly path: '/validation-jobs' | '/validation-jobs/pasted' | '/people-imports';
  readonly query: Readonly<Record<string, string>>;
  readonly body: Blob | string;
  readonly mediaType: 'text/csv' | 'text/plain' | 'application/x-ndjson';
  /** The `Idempotency-Key`: with the same one, a repeated upload finds what the first one made, if its answer was lost. */
  readonly key: string;
}

/** A new upload of a file whose format is detected, unless `reading` says how to read it. */
export function fileUpload(file: File, reading: Readonly<Record<string, string>> = {}): Upload {
  const name = file.name.replace(/\p{C}/gu, '').trim().slice(0, limits.jobNameCharactersMax);
  return {
    path: '/validation-jobs',
    query: { ...(name && { name }), ...reading },
    body: file,
    mediaType: 'text/csv',
    key: newIdempotencyKey(),
  };
}

/** Says that a file is too large to be uploaded; undefined if it is not. */
export function tooLargeWords({ size }: File): string | undefined {
  return size <= limits.jobUploadBytesMax
    ? undefined
    : `The file has ${formatOctets(size)}; the limit is ${formatOctets(limits.jobUploadBytesMax)}. Remove columns that you do not need, or split the file.`;
}

/** How long a connection may transfer no data in either direction before it is aborted. */
const stillMsMax = 120_000;

/**
 * Uploads rows and returns the answer. It uses `XMLHttpRequest`, because `fetch` does not report upload progress.
 *
 * @param onSent receives the number of octets sent so far
 * @throws ProblemError if the upload is refused or interrupted; the reason of `signal`, an `AbortError`, if it aborts
 */
export function sendRows<Answer = Job>(
  { path, query, body, mediaType, key }: Upload,
  { onSent, signal }: { readonly onSent: (octets: number) => void; readonly signal: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/app/v1${path}?${new URLSearchParams(query)}`);
    request.setRequestHeader('content-type', mediaType);
    request.setRequestHeader('idempotency-key', key);
    for (const [name, value] of Object.entries(accountHeaders())) request.setRequestHeader(name, value);
    let givingUp: ReturnType<typeof setTimeout>;
    function moved(): void {
      clearTimeout(givingUp);
      givingUp = setTimeout(() => {
        reject(uploadInterrupted());
        request.abort();
      }, stillMsMax);
    }
    request.upload.addEventListener('progress', ({ loaded }) => {
      moved();
      onSent(loaded);
    });
    request.addEventListener('load', () => answered<Answer>(request).then(resolve, reject));
    request.addEventListener('error', () => reject(uploadInterrupted()));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => clearTimeout(givingUp));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    moved();
    request.send(body);
  });
}

async function answered<Answer>(request: XMLHttpRequest): Promise<Answer> {
  if (request.status === 201) return JSON.parse(request.responseText) as Answer;
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

function uploadInterrupted(): ProblemError {
  return new ProblemError({
    title: 'The upload failed',
    detail:
      'The upload was interrupted. Check your connection, and that the list has at most 50,000 rows, then upload it again. Nothing was charged.',
  });
}

const repeatableCodes = new Set(['request_timeout', 'too_many_unstarted_jobs', 'idempotency_key_in_use']);

/** Whether the same upload may succeed later. */
export function canSendAgain(problem: ProblemError): boolean {
  return mayPass(problem) || repeatableCodes.has(problem.code ?? '');
}

/** Whether the user stopped the upload, which is not an error. */
export function wasStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

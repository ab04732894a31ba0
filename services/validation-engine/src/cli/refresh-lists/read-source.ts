import { resolve } from 'node:path';
import { deadlineAfter } from '../../domain/deadline.ts';
import type { ListPorts } from '../../domain/lists/list-ports.ts';

/** The list could not be fetched, and why, in a sentence. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** Bounds on what is fetched: thirty times the longest list of today, and time for it over a slow line. */
export const listBounds = { requestTimeoutMs: 60_000, bodyOctetsMax: 64 * 1_024 * 1_024 } as const;

export type SourceReader = Omit<ListPorts, 'folder'> & { readonly signal: AbortSignal };

export type Source = { readonly url: URL } | { readonly path: string };

/** Tells an address on the web from a file; says what is wrong with an address that is not read. */
export function findSource(text: string, workingDirectory: string): Source | { readonly fault: string } {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    return text === '' ? { fault: 'names nothing' } : { path: resolve(workingDirectory, text) };
  }
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') {
    // Over anything else, whoever sits on the way decides which of our users' addresses are thrown away.
    return { fault: 'is read over https only' };
  }
  if (url.port !== '' || url.username !== '' || url.password !== '') {
    return { fault: 'may hold neither a port nor a name to log in with' };
  }
  return { url };
}

/**
 * Reads a list whole.
 *
 * @throws SourceError where it cannot be read, is longer than the bounds allow, or is no UTF-8 text
 */
export async function readSource(source: Source, reader: SourceReader): Promise<string> {
  const octets = 'url' in source ? await fetchList(source.url, reader) : await readFile(source.path, reader);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch (cause) {
    throw new SourceError('It is no UTF-8 text.', { cause });
  }
}

async function fetchList(url: URL, { web, clock, signal }: SourceReader): Promise<Uint8Array> {
  const deadline = deadlineAfter(clock, listBounds.requestTimeoutMs, signal);
  const question = {
    host: url.hostname,
    path: `${url.pathname}${url.search}`,
    accept: 'text/plain, */*;q=0.5',
  };
  const outcome = await web.get(question, deadline);
  switch (outcome.kind) {
    case 'no_such_host':
      throw new SourceError(`There is no host ${url.hostname}.`);
    case 'failure':
      throw new SourceError(
        `${url.hostname} did not send it: no connection, no valid certificate, more than ${listBounds.bodyOctetsMax} octets, or slower than ${listBounds.requestTimeoutMs / 1_000} seconds.`,
      );
    case 'response':
      if (outcome.status !== 200) {
        throw new SourceError(`${url.hostname} answers ${outcome.status}. Redirects are not followed.`);
      }
      return outcome.body;
  }
}

async function readFile(path: string, { readFileUpTo, signal }: SourceReader): Promise<Uint8Array> {
  const octets = await readFileUpTo(path, listBounds.bodyOctetsMax, signal).catch((cause: Error) => {
    throw new SourceError(`${path} cannot be read: ${cause.message}.`, { cause });
  });
  if (octets === undefined) {
    throw new SourceError(`${path} is longer than ${listBounds.bodyOctetsMax} octets.`);
  }
  return octets;
}

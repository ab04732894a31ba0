import { resolve } from 'node:path';
import { deadlineAfter } from '../../domain/concurrency/deadline.ts';
import type { ListPorts } from '../../domain/lists/list-kinds.ts';

/** The list could not be fetched; the message is a sentence that says why. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** Limits on a fetched list: thirty times the longest list today, and enough time for it on a slow line. */
export const listBounds = { requestTimeoutMs: 60_000, bodyOctetsMax: 64 * 1_024 * 1_024 } as const;

export type SourceReader = Omit<ListPorts, 'folder'> & { readonly signal: AbortSignal };

export type Source = { readonly url: URL } | { readonly path: string };

/** Tells a web address from a file, and says what is wrong with an unsupported address. */
export function findSource(text: string, workingDirectory: string): Source | { readonly fault: string } {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    return text === '' ? { fault: 'is empty' } : { path: resolve(workingDirectory, text) };
  }
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') {
    // Over any other protocol, an attacker on the path decides which addresses count as disposable.
    return { fault: 'must use https' };
  }
  if (url.port !== '' || url.username !== '' || url.password !== '') {
    return { fault: 'must contain neither a port nor credentials' };
  }
  return { url };
}

/**
 * Reads a complete list.
 *
 * @throws SourceError if the list cannot be read, is too long, or is not UTF-8 text
 */
export async function readSource(source: Source, reader: SourceReader): Promise<string> {
  const octets = 'url' in source ? await fetchList(source.url, reader) : await readFile(source.path, reader);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch (cause) {
    throw new SourceError('The list is not valid UTF-8.', { cause });
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
      throw new SourceError(`Host ${url.hostname} not found.`);
    case 'failure':
      throw new SourceError(
        `Download from ${url.hostname} failed: no connection, an invalid certificate, more than ${listBounds.bodyOctetsMax} octets, or slower than ${listBounds.requestTimeoutMs / 1_000} seconds.`,
      );
    case 'response':
      if (outcome.status !== 200) {
        throw new SourceError(
          `${url.hostname} responded with ${outcome.status}. Redirects are not followed.`,
        );
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

import { Problem, type RequestContext, unavailable } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { DownloadPlaces } from '../domain/exports/download-places.ts';

/** Sends a file from a place of the account's, which is free again when the file is over or its reader has gone. */
export function inDownloadPlace(
  places: DownloadPlaces,
  accountId: AccountId,
  { signal }: Pick<RequestContext<unknown>, 'signal'>,
  pieces: AsyncIterable<string>,
): AsyncIterable<string> {
  const leave = places.enter(accountId);
  if (leave === 'taken_by_account') {
    throw new Problem('too_many_downloads', { headers: { 'retry-after': '5' } });
  }
  if (leave === 'all_taken') {
    throw unavailable('Too many files are downloaded at this moment.');
  }
  // Whether or not anybody begins to read.
  signal.addEventListener('abort', leave, { once: true });
  return leavingAfter(pieces, leave);
}

async function* leavingAfter(pieces: AsyncIterable<string>, leave: () => void): AsyncGenerator<string> {
  try {
    yield* pieces;
  } finally {
    leave();
  }
}

import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, uploadOutcomes, uploadOutcomesSignedIn } from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import { type OutcomeUpload, UploadFault } from '../domain/outcomes/upload-outcomes.ts';
import type { SessionGuard } from './guards/session-guard.ts';

/** Takes an upload in and tells what became of its rows. */
export type UploadOutcomes = (
  accountId: AccountId,
  csv: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => Promise<OutcomeUpload>;

export function uploadOutcomesRoute(guard: Guard<Account>, upload: UploadOutcomes): Route {
  return route(uploadOutcomes, guard, ({ body }, { caller, signal }) =>
    uploadFor(caller, upload, body, signal),
  );
}

/** The same by a person who has signed in. */
export function uploadOutcomesSignedInRoute(guardOf: SessionGuard, upload: UploadOutcomes): Route {
  return route(uploadOutcomesSignedIn, guardOf(uploadOutcomesSignedIn), ({ body }, { caller, signal }) =>
    uploadFor(caller.account, upload, body, signal),
  );
}

async function uploadFor(
  { accountId }: Account,
  upload: UploadOutcomes,
  csv: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<OutcomeUpload> {
  try {
    return await upload(accountId, csv, signal);
  } catch (error) {
    throw error instanceof UploadFault ? problemOf(error) : error;
  }
}

function problemOf(fault: UploadFault): Problem {
  const detail = `${fault.message} Rows ahead of this are recorded; when the file is sent again, they count once.`;
  return new Problem(fault.kind === 'too_many_rows' ? 'body_too_large' : 'invalid_request', {
    detail,
    cause: fault,
  });
}

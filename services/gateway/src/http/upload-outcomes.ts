import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, uploadOutcomes } from '@mailproof/shared-types';
import type { Account } from '../domain/account.ts';
import { type OutcomeUpload, UploadFault } from '../domain/outcomes/upload-outcomes.ts';

export function uploadOutcomesRoute(
  guard: Guard<Account>,
  upload: (
    accountId: AccountId,
    csv: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) => Promise<OutcomeUpload>,
): Route {
  return route(uploadOutcomes, guard, async ({ body }, { caller, signal }) => {
    try {
      return await upload(caller.accountId, body, signal);
    } catch (error) {
      throw error instanceof UploadFault ? problemOf(error) : error;
    }
  });
}

function problemOf(fault: UploadFault): Problem {
  const detail = `${fault.message} Rows ahead of this are recorded; when the file is sent again, they count once.`;
  return new Problem(fault.kind === 'too_many_rows' ? 'body_too_large' : 'invalid_request', {
    detail,
    cause: fault,
  });
}

import {
  type Guard,
  Problem,
  publicRequestId,
  type Route,
  readRequestKey,
  route,
} from '@mailproof/service-kit';
import { createCrmImport, forwarded, limits } from '@mailproof/shared-types';
import type { CreateImportOutcome, WantedImport } from '../domain/crm/imports/create-import.ts';
import type { CrmImport } from '../domain/crm/imports/crm-import.ts';
import { crmImportAnswer } from './crm-import-answer.ts';
import { orCrmProblem } from './crm-problem.ts';

const operation = forwarded(createCrmImport);

export function createCrmImportRoute(
  guard: Guard<unknown>,
  create: (wanted: WantedImport, signal: AbortSignal) => Promise<CreateImportOutcome>,
): Route {
  return route(operation, guard, async ({ params: { accountId, userId }, body }, context) => {
    const { connection_id: connectionId, name, ...request } = body;
    const wanted = {
      accountId,
      userId,
      requestId: publicRequestId(context),
      keyHash: readRequestKey(createCrmImport, accountId, null, context)?.hash ?? null,
      connectionId,
      name,
      request,
    };
    return crmImportAnswer(recordOrProblem(await orCrmProblem(create(wanted, context.signal))));
  });
}

function recordOrProblem(outcome: CreateImportOutcome): CrmImport {
  switch (outcome.kind) {
    case 'created':
    case 'repeated':
      return outcome.record;
    case 'keyReused':
      throw new Problem('idempotency_key_reused');
    case 'tooMany':
      throw new Problem('too_many_crm_imports', {
        detail: `At most ${limits.activeCrmImportsMax} imports read records at once.`,
      });
    case 'noConnection':
      throw new Problem('crm_connection_not_found');
    case 'nothingToImport':
      throw new Problem('nothing_to_import');
    case 'noSuchSegment':
      throw notValid('The CRM has no such segment.', [
        { pointer: '/selection/segment_id', detail: 'There is no such segment.' },
      ]);
    case 'notValid':
      throw notValid('Properties are not there, or cannot be written.', outcome.faults);
    case 'tooLarge':
      throw new Problem('crm_import_too_large', {
        detail: `The selection has more than ${outcome.recordsMax.toLocaleString('en')} records.`,
      });
  }
}

function notValid(detail: string, errors: readonly { pointer: string; detail: string }[]): Problem {
  return new Problem('crm_selection_not_valid', {
    detail,
    ...(errors.length > 0 && { extra: { errors: [...errors] } }),
  });
}

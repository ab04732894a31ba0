import {
  type Guard,
  Problem,
  publicRequestId,
  type Route,
  readRequestKey,
  route,
} from '@mailproof/service-kit';
import {
  type AccountId,
  createExport,
  type ExportId,
  forwarded,
  limits,
  type PushBeginning,
  type WebhookDestination,
} from '@mailproof/shared-types';
import type { PushToPrepare } from '../domain/crm/push/prepare-push.ts';
import type { CreateOutcome, ExportRequest } from '../domain/exports/create-export.ts';
import type { Export } from '../domain/exports/export.ts';
import { orDestinationProblem } from './destination-problem.ts';
import { exportAnswer } from './export-answer.ts';
import { orMappingProblem } from './mapping-problem.ts';

const operation = forwarded(createExport);

/** What an export to a CRM needs besides. */
export interface CreateCrmPush {
  prepare(accountId: AccountId, push: PushToPrepare): Promise<void>;
}

/** What an export to a webhook needs besides. */
export interface CreatePush {
  keepDestination(exportId: ExportId, wanted: WebhookDestination): Promise<void>;
  beginningOf(record: Export): Promise<PushBeginning | undefined>;
}

export function createExportRoute(
  guard: Guard<unknown>,
  push: CreatePush,
  crmPush: CreateCrmPush,
  create: (request: ExportRequest) => Promise<CreateOutcome>,
): Route {
  return route(operation, guard, async ({ params: { accountId, userId }, body }, context) => {
    const { source } = body;
    const mapping = body.target === 'crm' ? body.options : undefined;
    const destination = body.target === 'webhook' ? body.destination : undefined;
    const request: ExportRequest = {
      accountId,
      userId,
      requestId: publicRequestId(context),
      keyHash: readRequestKey(createExport, accountId, null, context)?.hash ?? null,
      source,
      name: body.name,
      target: body.target,
      options: body.options ?? {},
      ...(destination && { keepDestination: exportId => push.keepDestination(exportId, destination) }),
      ...(mapping && {
        prepare: columns =>
          orMappingProblem(crmPush.prepare(accountId, { source, columns, options: mapping }), '/options'),
      }),
    };
    const record = recordOrProblem(await orDestinationProblem(create(request)));
    const beginning = destination && (await push.beginningOf(record));
    return { ...exportAnswer(record), ...(beginning && { push: beginning }) };
  });
}

function recordOrProblem(outcome: CreateOutcome): Export {
  switch (outcome.kind) {
    case 'created':
    case 'repeated':
      return outcome.record;
    case 'keyReused':
      throw new Problem('idempotency_key_reused');
    case 'tooMany':
      throw new Problem('too_many_exports', {
        detail: `At most ${limits.activeExportsMax} exports are under way at once.`,
      });
    case 'nothingToExport':
      throw new Problem('nothing_to_export');
    case 'tooLarge': {
      const [rows, rowsMax] = [outcome.rows, limits.exportRowsMax].map(count => count.toLocaleString('en'));
      throw new Problem('export_too_large', {
        detail: `The source has ${rows} rows; one export takes ${rowsMax} at most.`,
      });
    }
  }
}

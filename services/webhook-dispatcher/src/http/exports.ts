import {
  type Follow,
  type Handlers,
  Problem,
  publicRequestId,
  readCursor,
  readRequestKey,
  writeCursor,
} from '@mailproof/service-kit';
import {
  type AccountId,
  createExport,
  crmOptions,
  type ExportId,
  type ExportSource,
  type ExportTarget,
  limits,
  type PushBeginning,
  resendFailedRows,
  type WebhookDestination,
} from '@mailproof/shared-types';
import { z } from 'zod';
import type { PushToPrepare } from '../domain/crm/push/prepare-push.ts';
import type { CreateOutcome, ExportRequest, ExportSurvey } from '../domain/exports/create-export.ts';
import { type Export, hasEnded } from '../domain/exports/export.ts';
import type { ExportStore } from '../domain/exports/export-ports.ts';
import { labelsOf, type RowSources } from '../domain/exports/row-sources.ts';
import { orMappingProblem } from './crm-pushes.ts';
import { exportAnswer, exportRowAnswer, findExport } from './export-answer.ts';
import { orDestinationProblem } from './webhook-pushes.ts';

export interface ExportHandlerPorts {
  readonly exports: Pick<ExportStore, 'findOf' | 'list' | 'listRows'>;
  readonly sources: Pick<RowSources, 'read'>;
  readonly survey: (accountId: AccountId, source: ExportSource) => Promise<ExportSurvey>;
  readonly create: (request: ExportRequest) => Promise<CreateOutcome>;
  readonly push: CreatePush;
  readonly crmPush: CreateCrmPush;
  readonly remove: (accountId: AccountId, exportId: ExportId) => Promise<boolean>;
  readonly follow: Follow;
}

/** Exports: their records and rows. */
export function exportHandlers({
  exports,
  sources,
  survey,
  create,
  push,
  crmPush,
  remove,
  follow,
}: ExportHandlerPorts) {
  async function start({ destination, ...request }: StartedExport) {
    const { accountId, source, target } = request;
    const mapping = target === 'crm' ? crmOptions.parse(request.options) : undefined;
    const created = create({
      ...request,
      ...(destination && { keepDestination: exportId => push.keepDestination(exportId, destination) }),
      ...(mapping && {
        prepare: columns =>
          orMappingProblem(crmPush.prepare(accountId, { source, columns, options: mapping }), '/options'),
      }),
    });
    const record = recordOrProblem(await orDestinationProblem(created));
    const beginning = destination && (await push.beginningOf(record));
    return { ...exportAnswer(record), ...(beginning && { push: beginning }) };
  }

  return {
    surveyExport: ({ params: { accountId }, body: { source } }) => survey(accountId, source),

    createExport: ({ params: { accountId, callerId: creatorId }, body }, context) =>
      start({
        accountId,
        creatorId,
        requestId: publicRequestId(context),
        keyHash: readRequestKey(createExport, accountId, null, context)?.hash ?? null,
        source: body.source,
        name: body.name,
        target: body.target,
        options: body.options ?? {},
        destination: body.target === 'webhook' ? body.destination : undefined,
      }),

    async resendFailedRows({ params, body: { destination, name } }, context) {
      const { accountId, callerId: creatorId } = params;
      const failed = await findExport(exports, params);
      const { source, target, options } = failed;
      if (!hasEnded(failed)) {
        throw new Problem('export_in_progress');
      }
      const fault = destinationFault(target, destination);
      if (fault !== undefined) {
        throw new Problem('destination_not_valid', {
          extra: { errors: [{ pointer: '/destination', detail: fault }] },
        });
      }
      return start({
        accountId,
        creatorId,
        requestId: publicRequestId(context),
        keyHash: readRequestKey(resendFailedRows, accountId, null, context)?.hash ?? null,
        source,
        failedRowsOf: failed,
        name: name ?? failed.name,
        target,
        options,
        destination,
      });
    },

    async listExports({ params: { accountId }, query }) {
      const page = await exports.list(accountId, query);
      return { exports: page.exports.map(exportAnswer), next_cursor: page.nextCursor };
    },

    getExport: async ({ params }) => exportAnswer(await findExport(exports, params)),

    async followExport({ params }, context) {
      await findExport(exports, params);
      return follow(params.accountId, context, {
        find: () => exports.findOf(params.accountId, params.export_id),
        hasEnded,
        event: 'export',
        answer: exportAnswer,
      });
    },

    async deleteExport({ params: { accountId, export_id: exportId } }) {
      if (!(await remove(accountId, exportId))) {
        throw new Problem('export_not_found');
      }
      return { deleted: true as const };
    },

    async listExportRows({ params, query: { state, action, cursor, limit } }) {
      const afterRowNo = cursor === undefined ? 0 : readCursor(rowNumber, cursor);
      const record = await findExport(exports, params);
      const rows = await exports.listRows(record.exportNo, { state, action, afterRowNo, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const keys = shown.map(({ recordKey }) => recordKey);
      const labels = await labelsOf(sources, record, keys, AbortSignal.timeout(labelsMsMax));
      return {
        rows: shown.map(row => exportRowAnswer(row, labels.get(row.recordKey))),
        next_cursor: last && writeCursor(last.rowNo),
      };
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

type StartedExport = Omit<ExportRequest, 'keepDestination' | 'prepare'> & {
  readonly destination: WebhookDestination | undefined;
};

/** What is wrong with the destination of rows that are sent again, as a sentence. */
function destinationFault(target: ExportTarget, destination: object | undefined): string | undefined {
  if (target === 'webhook' && destination === undefined) {
    return 'Enter the destination again: it was deleted when the push ended.';
  }
  return target !== 'webhook' && destination !== undefined
    ? 'Only a push to a webhook has a destination.'
    : undefined;
}

/** The additional functions for an export to a CRM. */
interface CreateCrmPush {
  prepare(accountId: AccountId, push: PushToPrepare): Promise<void>;
}

/** The additional functions for an export to a webhook. */
interface CreatePush {
  keepDestination(exportId: ExportId, wanted: WebhookDestination): Promise<void>;
  beginningOf(record: Export): Promise<PushBeginning | undefined>;
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
        detail: `At most ${limits.activeExportsMax} exports can be in progress.`,
      });
    case 'nothingToExport':
      throw new Problem('nothing_to_export');
    case 'tooLarge': {
      const [rows, rowsMax] = [outcome.rows, limits.exportRowsMax].map(count => count.toLocaleString('en'));
      throw new Problem('export_too_large', {
        detail: `The source has ${rows} rows; an export can have at most ${rowsMax}.`,
      });
    }
  }
}

/** Time for the labels of a page of rows, in milliseconds; the page comes without those that take longer. */
const labelsMsMax = 4_000;

const rowNumber = z.int32().nonnegative();

import { type Handlers, Problem } from '@mailproof/service-kit';
import {
  type AccountId,
  deliveryFaults,
  type ExportId,
  type WebhookDestination,
  webhookOptions,
} from '@mailproof/shared-types';
import { type Export, rowsLeft } from '../domain/exports/export.ts';
import type { RowSources } from '../domain/exports/row-sources.ts';
import { DestinationFault, pushBeginningOf } from '../domain/push/begin-push.ts';
import type { TestRow, TestRowOutcome } from '../domain/push/send-test-row.ts';
import type { replaceDestination, Steered, SteerFault } from '../domain/push/steer-push.ts';
import { exportAnswer } from './export-answer.ts';

type Steer = (accountId: AccountId, exportId: ExportId) => Promise<Steered>;

export interface WebhookPushPorts {
  readonly sources: RowSources;
  readonly sendTest: (test: TestRow) => Promise<TestRowOutcome>;
  readonly pause: Steer;
  readonly resume: Steer;
  readonly cancel: Steer;
  readonly replace: (
    accountId: AccountId,
    exportId: ExportId,
    wanted: WebhookDestination,
  ) => ReturnType<typeof replaceDestination>;
}

/** Exports to webhooks: test rows, pause, resume, cancel, and a new destination. */
export function webhookPushHandlers({ sources, sendTest, pause, resume, cancel, replace }: WebhookPushPorts) {
  return {
    async testWebhookRow({ params: { accountId }, body }, { signal }) {
      const { source, destination, options = {} } = body;
      const { total: rows, keys } = await sources.list(accountId, source, undefined, signal);
      const page =
        keys.length > 0 ? await sources.read(accountId, source, keys.slice(0, 1), signal) : undefined;
      const [row] = page?.rows ?? [];
      if (!page || !row) {
        throw new Problem('nothing_to_export');
      }
      const test = { destination, options, rows, columns: page.columns, values: row.values };
      const { statusCode, fault, elapsedMs, ...sent } = await orDestinationProblem(sendTest(test));
      return {
        ...sent,
        status_code: statusCode,
        failure: fault && { reason: fault, detail: deliveryFaults[fault] },
        elapsed_ms: elapsedMs,
      };
    },

    pauseExport: async ({ params: { accountId, export_id: exportId } }) =>
      exportAnswer(steeredExport(await pause(accountId, exportId))),

    resumeExport: async ({ params: { accountId, export_id: exportId } }) =>
      exportAnswer(steeredExport(await resume(accountId, exportId))),

    cancelExport: async ({ params: { accountId, export_id: exportId } }) =>
      exportAnswer(steeredExport(await cancel(accountId, exportId))),

    async putExportDestination({ params, body }) {
      const { accountId, export_id: exportId } = params;
      const replaced = await orDestinationProblem(replace(accountId, exportId, body.destination));
      const record = steeredExport(replaced);
      if (!replaced.destination) {
        throw new Error('The destination that was just replaced does not exist.');
      }
      const options = webhookOptions.parse(record.options);
      return {
        export: exportAnswer(record),
        push: pushBeginningOf(options, replaced.destination, rowsLeft(record)),
      };
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

const problems = {
  not_found: 'export_not_found',
  ended: 'export_ended',
  no_push: 'export_is_no_push',
  too_many: 'too_many_exports',
} as const satisfies Record<SteerFault, string>;

/** Returns the changed export, or throws the problem that explains why it could not be changed. */
function steeredExport(steered: Steered): Export {
  if (steered.kind !== 'done') {
    throw new Problem(problems[steered.kind]);
  }
  return steered.record;
}

/** Converts an invalid destination to a problem, whose errors point into the body without repeating its contents. */
export async function orDestinationProblem<Result>(
  work: Promise<Result>,
  pointer = '/destination/',
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DestinationFault) {
      throw new Problem('destination_not_valid', {
        extra: {
          errors: error.issues.map(({ path, message }) => ({
            pointer: `${pointer}${path.replaceAll('.', '/')}`,
            detail: message,
          })),
        },
      });
    }
    throw error;
  }
}

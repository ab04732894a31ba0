import { type Guard, type Route, route } from '@mailproof/service-kit';
import {
  type AccountId,
  type ExportId,
  forwarded,
  putExportDestination,
  type WebhookDestination,
  webhookOptions,
} from '@mailproof/shared-types';
import { rowsLeft } from '../domain/exports/export.ts';
import { pushBeginningOf } from '../domain/push/begin-push.ts';
import type { replaceDestination } from '../domain/push/steer-push.ts';
import { orDestinationProblem } from './destination-problem.ts';
import { exportAnswer } from './export-answer.ts';
import { steeredExport } from './steered-export.ts';

export function putExportDestinationRoute(
  guard: Guard<unknown>,
  replace: (
    accountId: AccountId,
    exportId: ExportId,
    wanted: WebhookDestination,
  ) => ReturnType<typeof replaceDestination>,
): Route {
  return route(forwarded(putExportDestination), guard, async ({ params, body }) => {
    const { accountId, export_id: exportId } = params;
    const replaced = await orDestinationProblem(replace(accountId, exportId, body.destination));
    const record = steeredExport(replaced);
    if (!replaced.destination) {
      throw new Error('A destination was replaced and is not there.');
    }
    const options = webhookOptions.parse(record.options);
    return {
      export: exportAnswer(record),
      push: pushBeginningOf(options, replaced.destination, rowsLeft(record)),
    };
  });
}

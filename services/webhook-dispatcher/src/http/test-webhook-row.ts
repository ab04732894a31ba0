import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { deliveryFaults, forwarded, testWebhookRow } from '@mailproof/shared-types';
import type { RowSources } from '../domain/exports/row-sources.ts';
import type { TestRow, TestRowOutcome } from '../domain/push/send-test-row.ts';
import { orDestinationProblem } from './destination-problem.ts';

export function testWebhookRowRoute(
  guard: Guard<unknown>,
  sources: RowSources,
  send: (test: TestRow) => Promise<TestRowOutcome>,
): Route {
  return route(forwarded(testWebhookRow), guard, async ({ params: { accountId }, body }, { signal }) => {
    const { source, destination, options = {} } = body;
    const { total: rows, keys } = await sources.list(accountId, source, undefined, signal);
    const page =
      keys.length > 0 ? await sources.read(accountId, source, keys.slice(0, 1), signal) : undefined;
    const [row] = page?.rows ?? [];
    if (!page || !row) {
      throw new Problem('nothing_to_export');
    }
    const test = { destination, options, rows, columns: page.columns, values: row.values };
    const { statusCode, fault, elapsedMs, ...sent } = await orDestinationProblem(send(test));
    return {
      ...sent,
      status_code: statusCode,
      failure: fault && { reason: fault, detail: deliveryFaults[fault] },
      elapsed_ms: elapsedMs,
    };
  });
}

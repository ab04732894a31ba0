import { type Route, route } from '@mailproof/service-kit';
import { viewStatement } from '@mailproof/shared-types';
import { describeEntry } from '../domain/statement/describe-entry.ts';
import type { StatementPort } from '../domain/statement/statement-port.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { withOpenCursor, withSealedCursor } from './page-cursors.ts';

export function viewStatementRoute(guardOf: SessionGuard, ledger: Pick<StatementPort, 'entries'>): Route {
  return route(viewStatement, guardOf(viewStatement), async ({ query }, { caller }) => {
    const { entries, nextCursor } = await ledger.entries(
      caller.account.accountId,
      await withOpenCursor(query, caller.cursors),
    );
    const page = {
      entries: entries.map(entry => ({
        entry_id: entry.entryId,
        at: entry.at,
        kind: entry.kind,
        description: describeEntry(entry),
        operation: entry.cause,
        run_id: entry.runId,
        request_id: entry.requestId,
        change: entry.availableChange,
        held_change: entry.heldChange,
        balance_after: entry.availableAfter,
        held_after: entry.heldAfter,
      })),
      next_cursor: nextCursor,
    };
    return withSealedCursor(page, caller.cursors);
  });
}

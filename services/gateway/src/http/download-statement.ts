import { type Route, route } from '@mailproof/service-kit';
import { downloadStatement, limits } from '@mailproof/shared-types';
import { statementCsv } from '../domain/statement/statement-csv.ts';
import type { StatementPort } from '../domain/statement/statement-port.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export function downloadStatementRoute(guardOf: SessionGuard, ledger: Pick<StatementPort, 'entries'>): Route {
  return route(downloadStatement, guardOf(downloadStatement), async ({ query }, { caller, setHeader }) => {
    const { accountId } = caller.account;
    // The first page here, so that a refusal is answered as one.
    const first = await ledger.entries(accountId, { ...query, limit: limits.pageRowsMax });
    setHeader('content-disposition', 'attachment; filename="statement.csv"');
    return statementCsv(
      async cursor =>
        cursor === undefined
          ? first
          : ledger.entries(accountId, { ...query, cursor, limit: limits.pageRowsMax }),
      limits.statementDownloadRowsMax,
    );
  });
}

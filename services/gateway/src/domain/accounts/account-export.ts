import type { AccountId, ExportedRow, ServiceName } from '@mailproof/shared-types';
import { type NameNumber, withNamedNumbers } from './number-names.ts';

/** Reads a page of one service's data about an account. */
export type ReadShare = (
  accountId: AccountId,
  cursor: string | undefined,
) => Promise<{ readonly rows: readonly ExportedRow[]; readonly nextCursor?: string | undefined }>;

/** A service that stores account data, and how to read it. */
export interface AccountShare {
  readonly service: ServiceName;
  readonly readPage: ReadShare;
}

/**
 * Writes all data about an account, one JSON object per line, with one page in memory at a time. Reads the first page
 * of every service before writing a line, so an unavailable service makes the export fail instead of truncating it.
 */
export async function* exportLines(
  shares: readonly AccountShare[],
  accountId: AccountId,
  at: Date,
  nameNumber: NameNumber,
): AsyncGenerator<string> {
  const opened = await Promise.all(
    shares.map(async share => ({ ...share, first: await share.readPage(accountId, undefined) })),
  );
  yield line({ export: 'mailproof-account', version: 1, account_id: accountId, at: at.toISOString() });
  let rows = 0;
  for (const { service, readPage, first } of opened) {
    for (let page = first; ; page = await readPage(accountId, page.nextCursor)) {
      rows += page.rows.length;
      if (page.rows.length > 0) {
        yield page.rows
          .map(({ table, row }) =>
            line({ service, table, row: withNamedNumbers(row, accountId, nameNumber) }),
          )
          .join('');
      }
      if (page.nextCursor === undefined) {
        break;
      }
    }
  }
  yield line({ complete: true, rows });
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

import type { OperationClient } from '@mailproof/service-kit';
import {
  getAllowances,
  getBalance,
  getReceipt,
  listEntries,
  listGrants,
  listReceipts,
  sumUsage,
} from '@mailproof/shared-types';
import type { NameNumber } from '../../domain/accounts/number-names.ts';
import type { StatementPort } from '../../domain/statement/statement-port.ts';

/** Reads statements from the credit ledger over HTTP. */
export function createLedgerStatements(
  client: OperationClient,
  deadlineMs: number,
  nameNumber: NameNumber,
): StatementPort {
  const options = { deadlineMs };
  return {
    balance: accountId => client.call(getBalance, { params: { accountId }, body: undefined }, options),
    async grants(accountId) {
      const { grants } = await client.call(listGrants, { params: { accountId }, body: undefined }, options);
      return grants;
    },
    async allowances(accountId) {
      const request = { params: { accountId }, body: undefined };
      return (await client.call(getAllowances, request, options)).allowances;
    },
    async entries(accountId, query) {
      const page = await client.call(listEntries, { params: { accountId }, query, body: undefined }, options);
      const named = page.entries.map(entry => ({
        ...entry,
        entryId: nameNumber(accountId, 'entry', entry.entryId),
      }));
      return { ...page, entries: named };
    },
    receipts: (accountId, query) =>
      client.call(listReceipts, { params: { accountId }, query, body: undefined }, options),
    receipt: (accountId, runId) =>
      client.call(getReceipt, { params: { accountId, runId }, body: undefined }, options),
    async usage(accountId, query) {
      const { days } = await client.call(
        sumUsage,
        { params: { accountId }, query, body: undefined },
        options,
      );
      return days;
    },
  };
}

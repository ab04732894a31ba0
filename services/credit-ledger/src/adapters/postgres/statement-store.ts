import type { RowOf, SqlResult } from '@mailproof/service-kit';
import type {
  AccountId,
  CreditGrantId,
  EntryKind,
  GrantKind,
  HoldId,
  HoldState,
  RefundId,
  RequestId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  DayOfUsage,
  Entry,
  GrantInUse,
  Page,
  PageRequest,
  Receipt,
  StatementRequest,
  StatementStore,
  UsageDays,
} from '../../domain/statement.ts';
import { sql } from './ledger.sql.ts';
import type { StoreOptions } from './ledger-store.ts';

/** The most grants in one answer, so that no account can make it unbounded. */
const grantsMax = 1_000;

export function createStatementStore(pool: Pool, options: StoreOptions = {}): StatementStore {
  return {
    async entriesOf(request): Promise<Page<Entry>> {
      const { shown, ...end } = await pageOf(entriesOf(request), request);
      return { rows: shown.map(entryOf), ...end };
    },

    async receiptsOf(request): Promise<Page<Receipt>> {
      const { shown, ...end } = await pageOf(sql.receipts(pool, pageValues(request)), request);
      return { rows: shown.map(receiptOf), ...end };
    },

    async receiptOf(accountId, runId) {
      const { rows } = await sql.receipt(pool, { account_id: accountId, run_id: runId });
      return rows[0] && receiptOf(rows[0]);
    },

    async grantsOf(accountId) {
      const values = { account_id: accountId, now: options.now?.(), rows_max: grantsMax };
      return (await sql.grants_in_use(pool, values)).rows.map(grantOf);
    },
  };

  function entriesOf(request: StatementRequest): Promise<SqlResult<EntryRow>> {
    switch (request.movements) {
      case 'spending':
        return sql.entries_of_spending(pool, pageValues(request));
      case 'grants':
        return sql.entries_of_grants(pool, pageValues(request));
      case undefined:
        return sql.entries(pool, pageValues(request));
    }
  }
}

/** Sums the credits spent by settlements, by day. */
export function createUsageReader(pool: Pool) {
  return async (accountId: AccountId, { from, until }: UsageDays): Promise<DayOfUsage[]> => {
    const { rows } = await sql.usage_by_day(pool, {
      account_id: accountId,
      from_day: from,
      until_day: until,
    });
    return rows.map(({ day, cause, spent }) => ({ day, cause, spent: Number(spent) }));
  };
}

/** Reads one row more than the limit, to learn whether there is another page. */
function pageValues({ accountId, from, until, below, limit }: PageRequest) {
  return { account_id: accountId, from, until, below, rows_max: limit + 1 };
}

async function pageOf<Row extends { readonly entry_id: string }>(
  read: Promise<SqlResult<Row>>,
  { limit }: PageRequest,
) {
  const { rows } = await read;
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, ...(rows.length > limit && last && { endedWith: Number(last.entry_id) }) };
}

type EntryRow = RowOf<typeof sql.entries>;

function entryOf(row: EntryRow): Entry {
  return {
    entryId: Number(row.entry_id),
    kind: row.kind as EntryKind,
    cause: row.cause,
    runId: row.run_id,
    requestId: row.request_id as RequestId | null,
    grantId: row.grant_id as CreditGrantId | null,
    holdId: row.hold_id as HoldId | null,
    refundId: row.refund_id as RefundId | null,
    availableChange: Number(row.available_change),
    heldChange: Number(row.held_change),
    availableAfter: Number(row.available_after),
    heldAfter: Number(row.held_after),
    at: row.created_at,
  };
}

type RunHold = RowOf<typeof sql.receipt>;

function receiptOf(hold: RunHold): Receipt {
  const reserved = Number(hold.amount);
  const spent = Number(hold.settled);
  return {
    runId: hold.runId,
    holdId: hold.holdId as HoldId,
    cause: hold.cause,
    requestId: hold.requestId as RequestId | null,
    state: hold.state as HoldState,
    reserved,
    spent,
    returned: hold.resolvedAt === null ? 0 : reserved - spent,
    refunded: Number(hold.refunded),
    openedAt: hold.createdAt,
    closedAt: hold.resolvedAt,
  };
}

function grantOf(row: RowOf<typeof sql.grants_in_use>): GrantInUse {
  return {
    grantId: row.grant_id as CreditGrantId,
    kind: row.kind as GrantKind,
    amount: Number(row.amount),
    available: Number(row.available),
    held: Number(row.held),
    spent: Number(row.spent),
    expired: Number(row.expired),
    cause: row.cause,
    grantedAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

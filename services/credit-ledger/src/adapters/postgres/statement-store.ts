import {
  type CreditGrantId,
  type EntryKind,
  type GrantKind,
  type HoldId,
  type HoldState,
  type Movements,
  movements,
  type RefundId,
  type RequestId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  Entry,
  GrantInUse,
  Page,
  PageRequest,
  Receipt,
  StatementStore,
} from '../../domain/statement.ts';
import type { StoreOptions } from './call.ts';
import type { PrismaClient } from './generated/client.ts';

/** Grants of one answer at most, so that no account can make it endless. */
const grantsMax = 1_000;

export function createStatementStore(
  pool: Pool,
  prisma: PrismaClient,
  options: StoreOptions = {},
): StatementStore {
  async function pageOf<Row extends { readonly entry_id: string }>(query: string, request: PageRequest) {
    const { accountId, from, until, below, limit } = request;
    // One row more than asked for tells whether there is another page.
    const values = [accountId, from ?? null, until ?? null, below ?? null, limit + 1];
    const { rows } = await pool.query<Row>(query, values);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return { shown, ...(rows.length > limit && last && { endedWith: Number(last.entry_id) }) };
  }

  return {
    async entriesOf(request): Promise<Page<Entry>> {
      const { shown, ...end } = await pageOf<EntryRow>(entriesQuery(request.movements), request);
      return { rows: shown.map(entryOf), ...end };
    },

    async receiptsOf(request): Promise<Page<Receipt>> {
      const { shown, ...end } = await pageOf<ReceiptRow>(receiptsQuery, request);
      return { rows: shown.map(receiptOf), ...end };
    },

    async receiptOf(accountId, runId) {
      const hold = await prisma.hold.findUnique({ where: { runId, accountId } });
      return hold ? receiptOf(hold) : undefined;
    },

    async grantsOf(accountId) {
      const { rows } = await pool.query<GrantRow>(grantsQuery, [
        accountId,
        options.now?.() ?? null,
        grantsMax,
      ]);
      return rows.map(grantOf);
    },
  };
}

/** Where an account has fewer entries than the biggest number, the page begins at the newest. */
const paging = `
  entry.account_id = $1 AND entry.entry_id < coalesce($4::bigint, 9223372036854775807)
  AND entry.created_at >= coalesce($2::timestamptz, '-infinity')
  AND entry.created_at < coalesce($3::timestamptz, 'infinity')
  ORDER BY entry.entry_id DESC LIMIT $5`;

/** An entry that expires credits has no run and no request, though its grant may have had both. */
function entriesQuery(wanted: Movements | undefined): string {
  // Words of ours and no parameters, by which the planner knows the index that has the grants alone.
  const kinds = wanted && movements[wanted].map(kind => `'${kind}'`).join(', ');
  return `
  SELECT entry.*, credit_grant.refund_id,
    coalesce(hold.run_id, credit_grant.run_id) AS run_id,
    coalesce(hold.request_id, credit_grant.request_id) AS request_id
  FROM entry
  LEFT JOIN hold ON hold.hold_id = entry.hold_id
  LEFT JOIN credit_grant ON credit_grant.grant_id = entry.grant_id AND entry.kind = 'grant'
  WHERE ${kinds ? `entry.kind IN (${kinds}) AND` : ''} ${paging}`;
}

const receiptsQuery = `
  SELECT entry.entry_id, hold.run_id AS "runId", hold.hold_id AS "holdId", hold.cause, hold.request_id AS "requestId",
    hold.state, hold.amount, hold.settled, hold.refunded, hold.created_at AS "createdAt", hold.resolved_at AS "resolvedAt"
  FROM entry JOIN hold ON hold.hold_id = entry.hold_id
  WHERE entry.kind = 'hold' AND ${paging}`;

/** What is due counts as expired, though no sweep may have been by. */
const grantsQuery = `
  SELECT grant_id, kind, amount, held, spent, cause, created_at, expires_at,
    available - due AS available, expired + due AS expired
  FROM credit_grant, LATERAL (
    SELECT CASE WHEN expires_at <= coalesce($2, now()) THEN available ELSE 0 END AS due
  ) AS by_now
  WHERE account_id = $1 AND open AND (held > 0 OR available > due)
  ORDER BY expires_at, created_at, grant_id LIMIT $3`;

/** Postgres writes its 64-bit integers as text. */
interface EntryRow {
  readonly entry_id: string;
  readonly kind: EntryKind;
  readonly cause: string;
  readonly run_id: string | null;
  readonly request_id: RequestId | null;
  readonly grant_id: CreditGrantId | null;
  readonly hold_id: HoldId | null;
  readonly refund_id: RefundId | null;
  readonly available_change: string;
  readonly held_change: string;
  readonly available_after: string;
  readonly held_after: string;
  readonly created_at: Date;
}

function entryOf(row: EntryRow): Entry {
  return {
    entryId: Number(row.entry_id),
    kind: row.kind,
    cause: row.cause,
    runId: row.run_id,
    requestId: row.request_id,
    grantId: row.grant_id,
    holdId: row.hold_id,
    refundId: row.refund_id,
    availableChange: Number(row.available_change),
    heldChange: Number(row.held_change),
    availableAfter: Number(row.available_after),
    heldAfter: Number(row.held_after),
    at: row.created_at,
  };
}

/** A hold as Prisma reads it, or with 64-bit integers as text as `pg` does. */
interface RunHold {
  readonly runId: string;
  readonly holdId: string;
  readonly cause: string;
  readonly requestId: string | null;
  readonly state: string;
  readonly amount: bigint | string;
  readonly settled: bigint | string;
  readonly refunded: bigint | string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
}

interface ReceiptRow extends RunHold {
  readonly entry_id: string;
}

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

interface GrantRow {
  readonly grant_id: CreditGrantId;
  readonly kind: GrantKind;
  readonly amount: string;
  readonly available: string;
  readonly held: string;
  readonly spent: string;
  readonly expired: string;
  readonly cause: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

function grantOf(row: GrantRow): GrantInUse {
  return {
    grantId: row.grant_id,
    kind: row.kind,
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

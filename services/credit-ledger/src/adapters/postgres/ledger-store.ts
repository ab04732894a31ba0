import type { AccountId, HoldId, HoldState, RequestId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  Balance,
  Hold,
  HoldOutcome,
  HoldRequest,
  LedgerStore,
  ResolveOutcome,
} from '../../domain/ledger.ts';
import { type Answered, type CallFunction, createCall, type StoreOptions } from './call.ts';
import { createHoldLanes } from './hold-lanes.ts';

/** Postgres writes its 64-bit integers as text. */
interface BalanceRow {
  readonly outcome: 'granted' | 'id_reused' | 'not_found' | 'exceeds_spent';
  readonly available: string;
  readonly held: string;
}

interface HoldRow {
  readonly outcome: string;
  readonly hold_id: string;
  readonly account_id: string;
  readonly run_id: string;
  readonly amount: string;
  readonly cause: string;
  readonly request_id: string | null;
  readonly state: HoldState;
  readonly settled: string;
  readonly expires_at: Date;
  readonly available: string;
}

/** The ledger on Postgres: each operation is one call of one function, so no lock outlives a round trip (ADR 0020). */
export function createLedgerStore(pool: Pool, options: StoreOptions = {}): LedgerStore {
  const call = createCall(pool, options);
  return {
    async balanceOf(accountId) {
      const { rows } = await pool.query<{ available: string; held: string }>({
        name: 'balance',
        text: balanceQuery,
        values: [accountId, options.now?.() ?? null],
      });
      return balanceOf(accountId, rows[0] ?? { available: '0', held: '0' });
    },
    ...grantCalls(call),
    ...holdCalls(call),
    async expireOne(accountId) {
      const row = await call<HoldRow>('expire_hold_v1', accountId ?? null);
      return row.outcome === 'none' ? undefined : holdOf(row);
    },
    async expireCredits(accountId) {
      const row = await call<{ account_id: string | null; credits: string }>(
        'expire_credits_v1',
        accountId ?? null,
      );
      return row.account_id === null
        ? undefined
        : { accountId: row.account_id as AccountId, credits: Number(row.credits) };
    },
  };
}

/** What is due is not available, though no sweep may have been by. */
const balanceQuery = `
  SELECT account.held, account.available - coalesce((
    SELECT sum(credit_grant.available) FROM credit_grant
    WHERE credit_grant.account_id = account.account_id AND open AND expires_at <= coalesce($2, now())
  ), 0) AS available
  FROM account WHERE account_id = $1`;

function grantCalls(call: CallFunction): Pick<LedgerStore, 'grant' | 'openCycle' | 'refund'> {
  return {
    async grant(grant) {
      const row = await call<BalanceRow>(
        'grant_credits_v1',
        ...[grant.grantId, grant.accountId, grant.kind, grant.amount, grant.expiresAt],
        ...[grant.cause, grant.requestId ?? null],
      );
      return row.outcome === 'granted'
        ? { kind: 'granted', balance: balanceOf(grant.accountId, row) }
        : { kind: 'idReused' };
    },
    async openCycle(cycle) {
      const row = await call<BalanceRow>(
        'open_billing_cycle_v1',
        ...[cycle.accountId, cycle.startsAt, cycle.endsAt, cycle.credits, JSON.stringify(cycle.allowances)],
        ...[cycle.grantId, cycle.cause, cycle.requestId ?? null],
      );
      return row.outcome === 'granted'
        ? { kind: 'granted', balance: balanceOf(cycle.accountId, row) }
        : { kind: 'idReused' };
    },
    async refund(refund) {
      const row = await call<BalanceRow>(
        'refund_credits_v1',
        ...[refund.refundId, refund.grantId, refund.accountId, refund.runId, refund.amount, refund.validDays],
        ...[refund.cause, refund.requestId ?? null],
      );
      switch (row.outcome) {
        case 'granted':
          return { kind: 'granted', balance: balanceOf(refund.accountId, row) };
        case 'id_reused':
          return { kind: 'idReused' };
        case 'not_found':
          return { kind: 'notFound' };
        case 'exceeds_spent':
          return { kind: 'exceedsSpent' };
      }
    },
  };
}

function holdCalls(call: CallFunction): Pick<LedgerStore, 'hold' | 'renew' | 'settle' | 'release'> {
  const hold = createHoldLanes<HoldRequest, HoldRow & Answered>(requests =>
    call.all(
      'create_holds_v1',
      requests.map(({ holdId }) => holdId),
      requests.map(({ accountId }) => accountId),
      requests.map(({ runId }) => runId),
      requests.map(({ amount }) => amount),
      requests.map(({ cause }) => cause),
      requests.map(({ requestId }) => requestId ?? null),
      requests.map(({ expiresInMs }) => expiresInMs),
    ),
  );
  return {
    async hold(request): Promise<HoldOutcome> {
      const row = await hold(request);
      switch (row.outcome) {
        case 'held':
          return { kind: 'held', hold: holdOf(row) };
        case 'exhausted':
          return { kind: 'creditsExhausted', available: Number(row.available) };
        default:
          return { kind: 'idReused' };
      }
    },
    async renew(holdId, expiresInMs) {
      return resolveOutcomeOf(await call<HoldRow>('renew_hold_v1', holdId, expiresInMs));
    },
    async settle(holdId: HoldId, delivered: number) {
      return resolveOutcomeOf(await call<HoldRow>('settle_hold_v1', holdId, delivered));
    },
    async release(holdId: HoldId) {
      return resolveOutcomeOf(await call<HoldRow>('release_hold_v1', holdId));
    },
  };
}

function resolveOutcomeOf(row: HoldRow & Answered): ResolveOutcome {
  switch (row.outcome) {
    case 'not_found':
      return { kind: 'notFound' };
    case 'not_pending':
      return { kind: 'notPending', state: row.state };
    case 'id_reused':
      return { kind: 'idReused' };
    default:
      return { kind: 'resolved', hold: holdOf(row) };
  }
}

function balanceOf(accountId: AccountId, row: { available: string; held: string }): Balance {
  return { accountId, available: Number(row.available), held: Number(row.held) };
}

function holdOf(row: HoldRow & Answered): Hold {
  return {
    holdId: row.hold_id as HoldId,
    accountId: row.account_id as AccountId,
    runId: row.run_id,
    amount: Number(row.amount),
    cause: row.cause,
    ...(row.request_id !== null && { requestId: row.request_id as RequestId }),
    state: row.state,
    settled: Number(row.settled),
    expiresAt: row.expires_at,
    expiresInMs: row.expires_at.getTime() - row.answered_at.getTime(),
    available: Number(row.available),
  };
}

import { inTransaction, onlyRow, type RowOf } from '@mailproof/service-kit';
import type { AccountId, HoldId, HoldState, RequestId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  Balance,
  GrantOutcome,
  Hold,
  HoldOutcome,
  HoldRequest,
  LedgerStore,
  ResolveOutcome,
} from '../../domain/ledger.ts';
import { sql } from './ledger.sql.ts';

export interface StoreOptions {
  /** Lets tests control the time; by default, the database's clock is used, so that replicas agree. */
  readonly now?: (() => Date) | undefined;
}

/** Every granting function returns one row of the first form, and every hold function rows of the second. */
type GrantRow = RowOf<typeof sql.refund_credits_v1>;
type HoldRow = RowOf<typeof sql.create_holds_v1>;

/** The ledger on Postgres: each operation is one function call, so no lock outlives a round trip (ADR 0020). */
export function createLedgerStore(pool: Pool, { now }: StoreOptions = {}): LedgerStore {
  return {
    async balanceOf(accountId) {
      const { rows } = await sql.balance(pool, { account_id: accountId, now: now?.() });
      return balanceOf(accountId, rows[0] ?? { available: '0', held: '0' });
    },
    ...grantCalls(pool, now),
    ...holdCalls(pool, now),
    async expireOne(accountId) {
      const row = await onlyRow(sql.expire_hold_v1(pool, { account_id: accountId, now: now?.() }));
      return row.outcome === 'none' ? undefined : holdOf(row);
    },
    async expireCredits(accountId) {
      const row = await onlyRow(sql.expire_credits_v1(pool, { account_id: accountId, now: now?.() }));
      return row.account_id === null
        ? undefined
        : { accountId: row.account_id as AccountId, credits: Number(row.credits) };
    },
  };
}

/** Expires the credits of a deleted account, and returns their number. */
export function createCloseAccount(pool: Pool) {
  return (accountId: AccountId): Promise<number> =>
    inTransaction(pool, async client => {
      const ofAccount = { account_id: accountId };
      const { expired } = await onlyRow(sql.close_account_v1(client, ofAccount));
      // The credits that just expired may have fallen below the threshold.
      await sql.clear_credit_threshold(client, ofAccount);
      await sql.forget_events(client, ofAccount);
      return Number(expired);
    });
}

/** Stores the credits below which an account is told. */
export function createCreditThresholds(pool: Pool) {
  return {
    async find(accountId: AccountId): Promise<number | null> {
      const { rows } = await sql.credit_threshold(pool, { account_id: accountId });
      const { low_below: threshold = null } = rows[0] ?? {};
      return threshold === null ? null : Number(threshold);
    },
    async set(accountId: AccountId, threshold: number | null): Promise<void> {
      await sql.set_credit_threshold(pool, { account_id: accountId, low_below: threshold });
    },
  };
}

type Clock = StoreOptions['now'];

function grantCalls(pool: Pool, now: Clock): Pick<LedgerStore, 'grant' | 'openCycle' | 'refund'> {
  return {
    async grant(grant) {
      const row = await onlyRow(
        sql.grant_credits_v1(pool, {
          grant_id: grant.grantId,
          account_id: grant.accountId,
          kind: grant.kind,
          amount: grant.amount,
          expires_at: grant.expiresAt,
          cause: grant.cause,
          request_id: grant.requestId,
          now: now?.(),
        }),
      );
      return grantOutcomeOf(grant.accountId, row);
    },
    async openCycle(cycle) {
      const row = await onlyRow(
        sql.open_billing_cycle_v1(pool, {
          account_id: cycle.accountId,
          starts_at: cycle.startsAt,
          ends_at: cycle.endsAt,
          credits: cycle.credits,
          allowances: JSON.stringify(cycle.allowances),
          grant_id: cycle.grantId,
          cause: cycle.cause,
          request_id: cycle.requestId,
          now: now?.(),
        }),
      );
      return grantOutcomeOf(cycle.accountId, row);
    },
    async refund(refund) {
      const row = await onlyRow(
        sql.refund_credits_v1(pool, {
          refund_id: refund.refundId,
          grant_id: refund.grantId,
          account_id: refund.accountId,
          run_id: refund.runId,
          amount: refund.amount,
          valid_days: refund.validDays,
          cause: refund.cause,
          request_id: refund.requestId,
          now: now?.(),
        }),
      );
      switch (row.outcome) {
        case 'not_found':
          return { kind: 'notFound' };
        case 'exceeds_spent':
          return { kind: 'exceedsSpent' };
        default:
          return grantOutcomeOf(refund.accountId, row);
      }
    },
  };
}

function grantOutcomeOf(accountId: AccountId, row: GrantRow): GrantOutcome {
  return row.outcome === 'granted'
    ? { kind: 'granted', balance: balanceOf(accountId, row) }
    : { kind: 'idReused' };
}

function holdCalls(pool: Pool, now: Clock): Pick<LedgerStore, 'hold' | 'renew' | 'settle' | 'release'> {
  const hold = createHoldLanes<HoldRequest, HoldRow>(async requests => {
    const { rows } = await sql.create_holds_v1(pool, {
      hold_ids: requests.map(({ holdId }) => holdId),
      account_ids: requests.map(({ accountId }) => accountId),
      run_ids: requests.map(({ runId }) => runId),
      amounts: requests.map(({ amount }) => amount),
      causes: requests.map(({ cause }) => cause),
      request_ids: requests.map(({ requestId }) => requestId ?? null),
      expires_in_ms: requests.map(({ expiresInMs }) => expiresInMs),
      now: now?.(),
    });
    return rows;
  });
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
      const values = { hold_id: holdId, expires_in_ms: expiresInMs, now: now?.() };
      return resolveOutcomeOf(await onlyRow(sql.renew_hold_v1(pool, values)));
    },
    async settle(holdId, delivered) {
      return resolveOutcomeOf(
        await onlyRow(sql.settle_hold_v1(pool, { hold_id: holdId, delivered, now: now?.() })),
      );
    },
    async release(holdId) {
      return resolveOutcomeOf(await onlyRow(sql.release_hold_v1(pool, { hold_id: holdId, now: now?.() })));
    },
  };
}

function resolveOutcomeOf(row: HoldRow): ResolveOutcome {
  switch (row.outcome) {
    case 'not_found':
      return { kind: 'notFound' };
    case 'not_pending':
      return { kind: 'notPending', state: row.state as HoldState };
    case 'id_reused':
      return { kind: 'idReused' };
    default:
      return { kind: 'resolved', hold: holdOf(row) };
  }
}

function balanceOf(accountId: AccountId, row: { available: string; held: string }): Balance {
  return { accountId, available: Number(row.available), held: Number(row.held) };
}

function holdOf(row: HoldRow): Hold {
  return {
    holdId: row.hold_id as HoldId,
    accountId: row.account_id as AccountId,
    runId: row.run_id,
    amount: Number(row.amount),
    cause: row.cause,
    ...(row.request_id !== null && { requestId: row.request_id as RequestId }),
    state: row.state as HoldState,
    settled: Number(row.settled),
    expiresAt: row.expires_at,
    expiresInMs: row.expires_at.getTime() - row.answered_at.getTime(),
    available: Number(row.available),
  };
}

/** Sends requests together and returns their answers in the same order. */
type SendTogether<Request, Answer> = (requests: readonly Request[]) => Promise<readonly Answer[]>;

/** Concurrent statements; an account always uses the same lane, so our statements do not wait for each other. */
const lanesCount = 4;
/** The most requests per batch: their accounts stay locked until the last of them is done. */
const togetherMax = 64;

interface Waiting<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Batches the requests that arrive while a statement is running into the next one, all in one commit. No request waits
 * for a batch to fill: if its lane is free, it is sent at once (ADR 0020).
 */
export function createHoldLanes<Request extends { readonly accountId: AccountId }, Answer>(
  send: SendTogether<Request, Answer>,
): (request: Request) => Promise<Answer> {
  const lanes = Array.from({ length: lanesCount }, () => createLane(send));
  return request => (lanes[laneOf(request.accountId)] as (typeof lanes)[number])(request);
}

function createLane<Request extends { readonly accountId: AccountId }, Answer>(
  send: SendTogether<Request, Answer>,
): (request: Request) => Promise<Answer> {
  const waiting: Waiting<Request, Answer>[] = [];
  let inFlight = false;

  async function drain(): Promise<void> {
    inFlight = true;
    while (waiting.length > 0) {
      await sendAll(send, waiting.splice(0, togetherMax));
    }
    inFlight = false;
  }

  return request =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (!inFlight) {
        void drain();
      }
    });
}

async function sendAll<Request extends { readonly accountId: AccountId }, Answer>(
  send: SendTogether<Request, Answer>,
  together: readonly Waiting<Request, Answer>[],
): Promise<void> {
  // The order in which every statement locks its accounts.
  const inOrder = together.toSorted((one, other) =>
    one.request.accountId < other.request.accountId ? -1 : 1,
  );
  try {
    const answers = await send(inOrder.map(({ request }) => request));
    for (const [index, { resolve }] of inOrder.entries()) {
      resolve(answers[index] as Answer);
    }
  } catch (error) {
    if (inOrder.length === 1) {
      inOrder[0]?.reject(error);
      return;
    }
    // The batch was rolled back. A fault in one request must not fail another customer's request.
    await Promise.all(inOrder.map(each => sendAll(send, [each])));
  }
}

/** Chooses the lane by the last digits of the id, which are random. */
function laneOf(accountId: AccountId): number {
  return Number.parseInt(accountId.slice(-2), 16) % lanesCount;
}

import type { AccountId, HoldId, HoldState } from '@mailproof/shared-types';
import type { Balance, Hold, HoldRequest, LedgerStore, ResolveOutcome } from '../../domain/ledger.ts';
import { Prisma, type PrismaClient } from './generated/client.ts';

interface HoldRow {
  readonly hold_id: string;
  readonly account_id: string;
  readonly run_id: string;
  readonly amount: bigint;
  readonly cause: string;
  readonly state: string;
  readonly settled: bigint;
  readonly expires_at: Date;
  readonly available: bigint;
}

/** The ledger on Postgres: each operation is one SQL statement, so that no lock outlives a round trip (ADR 0005). */
export function createLedgerStore(prisma: PrismaClient): LedgerStore {
  async function holdBy(where: Prisma.Sql): Promise<Hold | undefined> {
    const [row] = await prisma.$queryRaw<HoldRow[]>`
      SELECT hold.*, account.available FROM hold JOIN account USING (account_id) WHERE ${where}`;
    return row && holdOf(row);
  }

  /** Explains why a statement that resolves holds found nothing to do. */
  async function unresolved(holdId: HoldId, sameAsAsked: (hold: Hold) => boolean): Promise<ResolveOutcome> {
    const hold = await holdBy(Prisma.sql`hold_id = ${holdId}`);
    if (!hold) {
      return { kind: 'notFound' };
    }
    return sameAsAsked(hold) ? { kind: 'resolved', hold } : { kind: 'notPending', state: stateNow(hold) };
  }

  return {
    async balanceOf(accountId) {
      const account = await prisma.account.findUnique({ where: { accountId } });
      return {
        accountId,
        available: Number(account?.available ?? 0),
        held: Number(account?.held ?? 0),
      };
    },

    async grant({ grantId, accountId, amount, cause }) {
      try {
        const [row] = await prisma.$queryRaw<{ available: bigint; held: bigint }[]>`
          WITH credited AS (
            INSERT INTO account (account_id, available) VALUES (${accountId}, ${amount}::bigint)
            ON CONFLICT (account_id) DO UPDATE SET available = account.available + EXCLUDED.available
            RETURNING available, held
          ), granted AS (
            INSERT INTO credit_grant (grant_id, account_id, amount, cause)
            SELECT ${grantId}, ${accountId}, ${amount}::bigint, ${cause} FROM credited
            RETURNING grant_id
          ), entered AS (
            INSERT INTO entry (account_id, kind, grant_id, cause, available_change, held_change, available_after, held_after)
            SELECT ${accountId}, 'grant', grant_id, ${cause}, ${amount}::bigint, 0, available, held FROM credited, granted
          )
          SELECT available, held FROM credited`;
        if (!row) {
          throw new Error('the grant statement answered no row');
        }
        return { kind: 'granted', balance: balanceOf(accountId, row) };
      } catch (error) {
        if (!isUniqueViolation(error)) {
          throw error;
        }
        const before = await prisma.creditGrant.findUniqueOrThrow({ where: { grantId } });
        const same =
          before.accountId === accountId && Number(before.amount) === amount && before.cause === cause;
        return same ? { kind: 'granted', balance: await this.balanceOf(accountId) } : { kind: 'idReused' };
      }
    },

    async hold(request) {
      try {
        const [row] = await prisma.$queryRaw<HoldRow[]>`
          WITH debited AS (
            UPDATE account SET available = available - ${request.amount}::bigint, held = held + ${request.amount}::bigint
            WHERE account_id = ${request.accountId} AND available >= ${request.amount}::bigint
              AND NOT EXISTS (SELECT FROM hold WHERE run_id = ${request.runId})
            RETURNING available, held
          ), made AS (
            INSERT INTO hold (hold_id, account_id, run_id, amount, cause, expires_at)
            SELECT ${request.holdId}, ${request.accountId}, ${request.runId}, ${request.amount}::bigint, ${request.cause},
              now() + make_interval(secs => ${request.expiresInMs}::double precision / 1000)
            FROM debited
            RETURNING *
          ), entered AS (
            INSERT INTO entry (account_id, kind, hold_id, cause, available_change, held_change, available_after, held_after)
            SELECT account_id, 'hold', hold_id, cause, -amount, amount, available, held FROM made, debited
          )
          SELECT made.*, available FROM made, debited`;
        if (row) {
          return { kind: 'held', hold: holdOf(row) };
        }
      } catch (error) {
        // The same run asked twice at once: the unique run id undid this statement as a whole, debit included.
        if (!isUniqueViolation(error)) {
          throw error;
        }
      }
      const first = await holdBy(Prisma.sql`run_id = ${request.runId}`);
      if (first) {
        return isSameRequest(first, request) ? { kind: 'held', hold: first } : { kind: 'idReused' };
      }
      const { available } = await this.balanceOf(request.accountId);
      return { kind: 'creditsExhausted', available };
    },

    async settle(holdId, delivered) {
      const [row] = await prisma.$queryRaw<HoldRow[]>`
        WITH resolved AS (
          UPDATE hold SET state = 'settled', settled = ${delivered}::bigint, resolved_at = now()
          WHERE hold_id = ${holdId} AND state = 'pending' AND expires_at > now() AND amount >= ${delivered}::bigint
          RETURNING *
        ), ${movedBack('settle')}`;
      if (row) {
        return { kind: 'resolved', hold: holdOf(row) };
      }
      const outcome = await unresolved(holdId, hold => hold.state === 'settled');
      const differs = outcome.kind === 'resolved' && outcome.hold.settled !== delivered;
      const exceeds = outcome.kind === 'notPending' && outcome.state === 'pending';
      return differs || exceeds ? { kind: 'idReused' } : outcome;
    },

    async release(holdId) {
      const [row] = await prisma.$queryRaw<HoldRow[]>`
        WITH resolved AS (
          UPDATE hold SET state = 'released', resolved_at = now()
          WHERE hold_id = ${holdId} AND state = 'pending'
          RETURNING *
        ), ${movedBack('release')}`;
      return row
        ? { kind: 'resolved', hold: holdOf(row) }
        : unresolved(holdId, hold => hold.state === 'released' || hold.state === 'expired');
    },

    async expireOne() {
      const [row] = await prisma.$queryRaw<HoldRow[]>`
        WITH due AS (
          SELECT hold_id FROM hold WHERE state = 'pending' AND expires_at <= now()
          ORDER BY expires_at LIMIT 1 FOR UPDATE SKIP LOCKED
        ), resolved AS (
          UPDATE hold SET state = 'expired', resolved_at = now() FROM due WHERE hold.hold_id = due.hold_id
          RETURNING hold.*
        ), ${movedBack('expire')}`;
      return row && holdOf(row);
    },
  };
}

/**
 * The second half of every statement that resolves a hold: its credits leave `held`, what was not spent goes back to
 * `available`, and an entry says so. Reads the hold from a CTE named `resolved`.
 */
function movedBack(kind: 'settle' | 'release' | 'expire'): Prisma.Sql {
  return Prisma.sql`returned AS (
      UPDATE account SET held = account.held - resolved.amount,
        available = account.available + resolved.amount - resolved.settled
      FROM resolved WHERE account.account_id = resolved.account_id
      RETURNING account.available, account.held
    ), entered AS (
      INSERT INTO entry (account_id, kind, hold_id, cause, available_change, held_change, available_after, held_after)
      SELECT account_id, ${kind}, hold_id, cause, amount - settled, -amount, returned.available, returned.held
      FROM resolved, returned
    )
    SELECT resolved.*, returned.available FROM resolved, returned`;
}

function isSameRequest(hold: Hold, request: HoldRequest): boolean {
  return (
    hold.accountId === request.accountId && hold.amount === request.amount && hold.cause === request.cause
  );
}

/** A pending hold whose time has run out is expired, whether or not the sweep has come by. */
function stateNow(hold: Hold): HoldState {
  return hold.state === 'pending' && hold.expiresAt.getTime() <= Date.now() ? 'expired' : hold.state;
}

function balanceOf(accountId: AccountId, row: { available: bigint; held: bigint }): Balance {
  return { accountId, available: Number(row.available), held: Number(row.held) };
}

function holdOf(row: HoldRow): Hold {
  return {
    holdId: row.hold_id as HoldId,
    accountId: row.account_id as AccountId,
    runId: row.run_id,
    amount: Number(row.amount),
    cause: row.cause,
    state: row.state as HoldState,
    settled: Number(row.settled),
    expiresAt: row.expires_at,
    available: Number(row.available),
  };
}

/** SQLSTATE 23505; Prisma wraps it in a code of its own for raw statements. */
function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) {
    return false;
  }
  const driver = error.meta?.['driverAdapterError'] as { cause?: { originalCode?: string } } | undefined;
  return (
    error.code === 'P2002' || error.meta?.['code'] === '23505' || driver?.cause?.originalCode === '23505'
  );
}

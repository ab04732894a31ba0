import {
  inTransaction,
  onlyRow,
  openIfPossible,
  type RowOf,
  resealColumn,
  type Sealer,
} from '@mailproof/service-kit';
import type { AccountId, CreatorId, OutcomeProvider, OutcomeSourceId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  CountedSource,
  OutcomeSource,
  ReceivedCounts,
  ReceivingStore,
  SourceCount,
  SourceStore,
} from '../../domain/outcomes/outcome-source.ts';
import { sql } from './outcome-sources.sql.ts';

/** The type with which verification keys are sealed. */
export const sealedOutcomeKeyType = 'mailproof-outcome-source';

type SourceRow = RowOf<typeof sql.find_source>;

export function createOutcomeSourceStore(pool: Pool, sealer: Sealer): SourceStore & ReceivingStore {
  async function counted(rows: readonly SourceRow[]): Promise<CountedSource[]> {
    const counts = await sql.list_counts(pool, { source_nos: rows.map(row => Number(row.source_no)) });
    const bySource = Map.groupBy(counts.rows, row => row.source_no);
    return Promise.all(
      rows.map(async row => ({
        ...(await openSource(sealer, row)),
        counts: (bySource.get(row.source_no) ?? []).map(
          each =>
            ({ class: each.class, name: each.name, count: each.count, lastAt: each.last_at }) as SourceCount,
        ),
      })),
    );
  }
  const firstOf = async ({ rows }: { rows: SourceRow[] }) => (await counted(rows.slice(0, 1)))[0];
  const sealed = async (key: string | null, sourceId: OutcomeSourceId) =>
    key === null ? null : sealer.seal(key, sourceId);

  return {
    create: ({ key, ...source }, sourcesMax) =>
      inTransaction(pool, async client => {
        const ofAccount = { account_id: source.accountId };
        await sql.lock_sources(client, ofAccount);
        if ((await onlyRow(sql.count_sources(client, ofAccount))).sources >= sourcesMax) {
          return undefined;
        }
        const added = sql.add_source(client, {
          ...ofAccount,
          source_id: source.sourceId,
          created_by: source.createdBy,
          provider: source.provider,
          description: source.description,
          sealed_key: await sealed(key, source.sourceId),
          token_hash: source.tokenHash,
          created_at: source.createdAt,
        });
        return { ...(await openSource(sealer, await onlyRow(added))), counts: [] };
      }),
    async list(accountId) {
      return counted((await sql.list_sources(pool, { account_id: accountId })).rows);
    },
    async findOf(accountId, sourceId) {
      return firstOf(await sql.find_source(pool, { account_id: accountId, source_id: sourceId }));
    },
    async change(accountId, sourceId, { description, key }) {
      const changed = await sql.change_source(pool, {
        account_id: accountId,
        source_id: sourceId,
        description,
        sets_description: description !== undefined,
        sealed_key: key === undefined ? undefined : await sealed(key, sourceId),
        sets_key: key !== undefined,
      });
      return firstOf(changed);
    },
    async replaceToken(accountId, sourceId, tokenHash, previousUntil) {
      const replaced = await sql.replace_token(pool, {
        account_id: accountId,
        source_id: sourceId,
        token_hash: tokenHash,
        previous_until: previousUntil,
      });
      return firstOf(replaced);
    },
    async delete(accountId, sourceId) {
      const { rowCount } = await sql.delete_source(pool, { account_id: accountId, source_id: sourceId });
      return rowCount === 1;
    },
    async deleteOfAccount(accountId) {
      return (await sql.delete_sources_of_account(pool, { account_id: accountId })).rowCount ?? 0;
    },
    async findByToken(tokenHash, now) {
      const { rows } = await sql.find_source_by_token(pool, { token_hash: tokenHash, now });
      const [row] = rows;
      return row && { sourceId: row.source_id as OutcomeSourceId, accountId: row.account_id as AccountId };
    },
    async find(sourceId) {
      const { rows } = await sql.find_source_of_request(pool, { source_id: sourceId });
      return rows[0] && openSource(sealer, rows[0]);
    },
    async countReceived(sourceNo, counts, now) {
      await sql.count_received(pool, {
        source_no: Number(sourceNo),
        now,
        recorded: counts.recorded,
        repeated: counts.repeated,
        counts: JSON.stringify([...rowsOf('kind', counts.kinds), ...rowsOf('ignored', counts.ignored)]),
      });
    },
    async countRefused(sourceNo, reason, now) {
      await sql.count_refused(pool, { source_no: Number(sourceNo), reason, now });
    },
    async noteSubscribed(sourceNo, now) {
      await sql.note_subscribed(pool, { source_no: Number(sourceNo), now });
    },
  };
}

function rowsOf(
  name: SourceCount['class'],
  counts: ReceivedCounts['kinds'] | ReceivedCounts['ignored'],
): { class: string; name: string; count: number }[] {
  return Object.entries(counts).flatMap(([each, count]) =>
    count > 0 ? [{ class: name, name: each, count }] : [],
  );
}

async function openSource(sealer: Sealer, row: SourceRow): Promise<OutcomeSource> {
  return {
    sourceNo: row.source_no,
    sourceId: row.source_id as OutcomeSourceId,
    accountId: row.account_id as AccountId,
    createdBy: row.created_by as CreatorId,
    provider: row.provider as OutcomeProvider,
    description: row.description,
    key: row.sealed_key === null ? null : await openIfPossible(sealer, row.sealed_key, row.source_id),
    previousTokenUntil: row.previous_token_until,
    subscribedAt: row.subscribed_at,
    lastReceivedAt: row.last_received_at,
    recorded: Number(row.recorded),
    repeated: Number(row.repeated),
    createdAt: row.created_at,
  };
}

/** Reseals verification keys with the ring's first key. Returns how many needed it. */
export function resealOutcomeKeys(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'outcome_source',
    subject: 'source_id',
    column: 'sealed_key',
  });
}

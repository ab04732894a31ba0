import { inTransaction } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import { type JoinedCompanies, noCompanies } from '../../../domain/import/import-file.ts';
import { isTooOld } from '../../../domain/privacy/subjects.ts';
import type { LoadOrder } from '../../../domain/profile-store/merge.ts';
import type { CompanyRecord, PersonRecord } from '../../../domain/profile-store/profile-records.ts';
import {
  type LoadOutcome,
  type ProfileStore,
  recordsPerBatchMax,
  type SourceLoad,
} from '../../../domain/profile-store/profile-store.ts';
import { sql } from '../profiles.sql.ts';
import { loadCompanies, loadPeople } from './load-records.ts';
import { keepLoad } from './loads.ts';

export interface ProfileStoreOptions {
  readonly suppressionKey: Uint8Array;
  readonly retentionDays: number;
}

export type LoadedKind = 'companies' | 'people';

export type RecordOf<Kind extends LoadedKind> = Kind extends 'companies' ? CompanyRecord : PersonRecord;

/** Implements the profile store in Postgres. */
export function createProfileStore(pool: Pool, options: ProfileStoreOptions): ProfileStore {
  return {
    loadCompanies: (load, records, now) =>
      inTransaction(pool, async client => {
        await sql.lock_profile_store(client, {});
        return (await loadWithin(client, options, { kind: 'companies', load, records, now })).outcomes;
      }),
    loadPeople: (load, records, now) =>
      inTransaction(pool, async client => {
        await sql.lock_profile_store(client, {});
        return (await loadWithin(client, options, { kind: 'people', load, records, now })).outcomes;
      }),
  };
}

type Batch = {
  [Kind in LoadedKind]: { readonly kind: Kind; readonly records: readonly RecordOf<Kind>[] };
}[LoadedKind] & { readonly load: SourceLoad; readonly now: Date };

/** Loads a batch within a transaction that holds the store's lock. */
export async function loadWithin(
  client: PoolClient,
  options: ProfileStoreOptions,
  batch: Batch,
): Promise<{ outcomes: LoadOutcome[]; companies: JoinedCompanies }> {
  const { load, now } = batch;
  if (batch.records.length > recordsPerBatchMax) {
    throw new Error(`A batch has at most ${recordsPerBatchMax} records.`);
  }
  const order: LoadOrder = await keepLoad(client, load);
  const isSynthetic = load.kind === 'synthetic';
  const work = { client, load: order, isSynthetic, now, suppressionKey: options.suppressionKey };
  if (batch.kind === 'companies') {
    return { outcomes: await loadCompanies(work, batch.records), companies: noCompanies };
  }
  if (!isSynthetic && isTooOld(load.retrievedOn, options.retentionDays, now)) {
    const outcomes = batch.records.map((): LoadOutcome => ({ kind: 'refused', reason: 'too_old' }));
    return { outcomes, companies: noCompanies };
  }
  return loadPeople(work, batch.records);
}

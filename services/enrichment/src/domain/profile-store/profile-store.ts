import type { CompanyRecord, PersonRecord } from './profile-records.ts';

/** One load of one source. License and date apply to every field from it. */
export interface SourceLoad {
  readonly kind: 'import' | 'synthetic' | 'page';
  readonly name: string;
  readonly licence: string;
  /** The day on which the source made the statement, as `YYYY-MM-DD`. */
  readonly retrievedOn: string;
  /** The fingerprint of the loaded file; empty if there is no file. */
  readonly fingerprint: string;
}

export const storeRefusals = [
  /** The person is suppressed (ADR 0031). */
  'suppressed',
  /** The source is older than the retention period of a person. */
  'too_old',
  /** A synthetic record may not touch a real one, nor a real one a synthetic one. */
  'synthetic_and_real',
] as const;

export type StoreRefusal = (typeof storeRefusals)[number];

/** The outcome of one record; `merged` changed a visible field. */
export type LoadOutcome =
  | { readonly kind: 'added' | 'merged' | 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: StoreRefusal };

/**
 * The only way to write to the profile store. A batch is stored as a whole or not at all. Records are merged field by
 * field (`merge.ts`), overwritten values go to the history, and suppressed people are refused.
 */
export interface ProfileStore {
  /** Returns the outcome of each record, in their order. At most `recordsPerBatchMax` at once. */
  loadCompanies(load: SourceLoad, records: readonly CompanyRecord[], now: Date): Promise<LoadOutcome[]>;
  loadPeople(load: SourceLoad, records: readonly PersonRecord[], now: Date): Promise<LoadOutcome[]>;
}

/** The maximum number of records in one batch. */
export const recordsPerBatchMax = 2_500;

import type { CompanyRecord } from './company-record.ts';
import type { PersonRecord } from './person-record.ts';

/** One load of one source. Licence and date hold for every field that comes from it. */
export interface SourceLoad {
  readonly kind: 'import' | 'synthetic' | 'page';
  readonly name: string;
  readonly licence: string;
  /** The day on which the source said so, as `YYYY-MM-DD`. */
  readonly retrievedOn: string;
  /** Of the file that is loaded; the empty text where there is no file. */
  readonly fingerprint: string;
}

export const storeRefusals = [
  /** The person asked to be left out (ADR 0031). */
  'suppressed',
  /** The source is older than the time for which a person may be kept. */
  'too_old',
  /** An invented record may not touch a real one, nor a real one an invented one. */
  'synthetic_and_real',
] as const;

export type StoreRefusal = (typeof storeRefusals)[number];

/** What became of one record; `merged` changed a field that can be seen. */
export type LoadOutcome =
  | { readonly kind: 'added' | 'merged' | 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: StoreRefusal };

/**
 * The one way into the profile store. A batch is kept whole or not at all. Records are merged field by field
 * (`merge.ts`), what they overwrite goes into the history, and nobody gets in who asked to be left out.
 */
export interface ProfileStore {
  /** Answers the outcome of each record, in their order. At most `recordsPerBatchMax` at once. */
  loadCompanies(load: SourceLoad, records: readonly CompanyRecord[], now: Date): Promise<LoadOutcome[]>;
  loadPeople(load: SourceLoad, records: readonly PersonRecord[], now: Date): Promise<LoadOutcome[]>;
}

/** Records of one batch. */
export const recordsPerBatchMax = 2_500;

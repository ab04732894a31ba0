import type { CrmObject, CrmProperty, CrmProvider } from '@mailproof/shared-types';
import { CrmFault } from './crm-fault.ts';

/**
 * A CRM as one connection of an account sees it; the one port behind which each CRM has an adapter. Every method throws
 * `CrmFault` where the CRM does not do what it is asked for, after the adapter has renewed its access once where it had
 * run out.
 */
export interface Crm {
  readonly provider: CrmProvider;
  /**
   * The property that tells records of a kind apart by what they are, where rows have its value: an address, a domain.
   * Records that somebody else has created are found by it.
   */
  identifyingProperty(object: CrmObject): IdentifyingProperty | undefined;
  properties(object: CrmObject, signal: AbortSignal): Promise<readonly CrmProperty[]>;
  /** Lists, segments or views that people have made of records of a kind; the first thousand at most. */
  segments(object: CrmObject, signal: AbortSignal): Promise<readonly CrmSegment[]>;
  /** Makes the unique property of ours, by which records are found again, unless it is there. */
  ensureOwnKey(object: CrmObject, signal: AbortSignal): Promise<void>;
  /**
   * Records by the values of one property, with some properties of theirs: at most `recordsPerCallMax` values. Records
   * that are not there are left out; of several with one value the one that was created first is answered.
   */
  find(
    object: CrmObject,
    by: 'record_id' | 'own_key' | 'identifying',
    values: readonly string[],
    properties: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly FoundRecord[]>;
  /**
   * Writes some records, at most `recordsPerCallMax`: those with a record id are changed, the others are created or, where
   * a record has our key already, changed, so that a repeated call creates nothing twice. Answers what became of each, or
   * throws `WriteBrokenOff` with what is known where it got so far and no further.
   */
  write(
    object: CrmObject,
    writes: readonly RecordWrite[],
    signal: AbortSignal,
  ): Promise<readonly WriteResult[]>;
  /** Takes records away, into the CRM's bin where it has one; those that are gone already count as taken away. */
  remove(
    object: CrmObject,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly RemoveResult[]>;
  /**
   * How many records a selection has; beyond `CrmSelection.recordsMax` any larger number will do. Where counting takes too
   * long, as many as were seen, and at least one.
   */
  count(object: CrmObject, selection: CrmSelection, signal: AbortSignal): Promise<number>;
  /** A page of records, in the order of their ids, behind the last one of the page before. */
  page(
    object: CrmObject,
    selection: CrmSelection,
    request: { readonly properties: readonly string[]; readonly after: string | null },
    signal: AbortSignal,
  ): Promise<RecordPage>;
}

/** Records that one call of `find` and `write` takes. */
export const recordsPerCallMax = 100;

/** The unique property of ours on each kind of records; Salesforce writes `__c` behind it. */
export const ownKeyProperty = 'mailproof_id';

/** A value as CRMs take and give it. */
export type CrmValue = string | number | boolean | null;

export interface IdentifyingProperty {
  readonly property: string;
  readonly kind: 'email' | 'domain';
}

export interface CrmSegment {
  readonly segmentId: string;
  readonly name: string;
  /** Null where the CRM does not say. */
  readonly records: number | null;
}

export interface FoundRecord {
  readonly recordId: string;
  /** The value that it was found by, as it was asked for. */
  readonly foundBy: string;
  readonly values: Readonly<Record<string, CrmValue>>;
}

export interface RecordWrite {
  /** Ties results to what was written. */
  readonly rowNo: number;
  readonly recordId: string | null;
  /** Our key for a record that may have to be created. */
  readonly ownKey: string;
  readonly values: Readonly<Record<string, CrmValue>>;
}

export type WriteResult =
  | { readonly rowNo: number; readonly outcome: 'created' | 'updated'; readonly recordId: string }
  | {
      readonly rowNo: number;
      readonly outcome: 'failed';
      readonly fault: CrmRecordFault;
      /** Whether trying again makes sense. */
      readonly isTransient: boolean;
    };

/** A CRM took some of the writes, and then did not do what it was asked for: nothing is known of the others. */
export class WriteBrokenOff extends CrmFault {
  readonly results: readonly WriteResult[];

  constructor({ kind, waitMs, advice }: CrmFault, results: readonly WriteResult[]) {
    super(kind, waitMs, advice);
    this.results = results;
  }
}

export type RemoveResult =
  | { readonly recordId: string; readonly outcome: 'removed' }
  | { readonly recordId: string; readonly outcome: 'failed'; readonly fault: CrmRecordFault };

/** What a CRM has against one record, and the property it is about where it says so; never a value. */
export interface CrmRecordFault {
  readonly code:
    | 'invalid_value'
    | 'missing_value'
    | 'duplicate'
    | 'no_such_property'
    | 'not_permitted'
    | 'locked'
    | 'gone'
    | 'refused';
  readonly property: string | null;
}

/** Which records. A segment and filters narrow together; without either it is all of them. */
export interface CrmSelection {
  readonly segmentId: string | null;
  readonly filters: readonly CrmFilter[];
  /** Nobody asks for more than these. */
  readonly recordsMax: number;
}

/** Every filter has to hold. */
export interface CrmFilter {
  readonly property: string;
  readonly operator:
    | 'is'
    | 'is_not'
    | 'is_one_of'
    | 'is_known'
    | 'is_unknown'
    | 'above'
    | 'below'
    | 'contains';
  readonly values: readonly string[];
}

export interface CrmRecord {
  readonly recordId: string;
  /** Texts as the CRM gives them; empty where nothing stands. */
  readonly values: Readonly<Record<string, string>>;
}

export interface RecordPage {
  readonly records: readonly CrmRecord[];
  /** The next page begins behind it; null at the end. */
  readonly next: string | null;
}

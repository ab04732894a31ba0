import type {
  AccountId,
  CrmConnectionId,
  CrmObject,
  CrmProperty,
  CrmProvider,
  WriteBackProperty,
} from '@mailproof/shared-types';

/**
 * A CRM as seen through one connection of an account. Each CRM has one adapter that implements this port. Every method
 * throws `CrmFault` if the CRM does not do what it is asked to; if the access has expired, the adapter renews it once
 * first.
 */
export interface Crm {
  readonly provider: CrmProvider;
  /**
   * The property that identifies records of a kind by their content, such as an address or a domain. It also finds
   * records that other programs have created.
   */
  identifyingProperty(object: CrmObject): IdentifyingProperty | undefined;
  properties(object: CrmObject, signal: AbortSignal): Promise<readonly CrmProperty[]>;
  /** Lists, segments, or views that users have created for a kind of record; at most the first thousand. */
  segments(object: CrmObject, signal: AbortSignal): Promise<readonly CrmSegment[]>;
  /** Creates our unique property, which is used to find records again, unless it exists. */
  ensureOwnKey(object: CrmObject, signal: AbortSignal): Promise<void>;
  /**
   * Creates properties that hold results, unless they exist, so that the connected user can read and write them. Throws
   * `not_permitted`, with advice if there is any, if the user may not create them.
   */
  ensureProperties(
    object: CrmObject,
    wanted: readonly WriteBackProperty[],
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Finds records by the values of one property, at most `recordsPerCallMax` values, and returns some of their
   * properties. Missing records are left out; if several records have the same value, the oldest is returned.
   */
  find(
    object: CrmObject,
    by: 'record_id' | 'own_key' | 'identifying',
    values: readonly string[],
    properties: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly FoundRecord[]>;
  /**
   * Writes at most `recordsPerCallMax` records. Those with a record id are updated. The others are created, or updated
   * if a record already has our key, so that a repeated call creates no duplicates. Returns the result of each, or
   * throws `WriteInterrupted` with the known results if it stops partway.
   */
  write(
    object: CrmObject,
    writes: readonly RecordWrite[],
    signal: AbortSignal,
  ): Promise<readonly WriteResult[]>;
  /** Removes records, into the CRM's recycle bin if it has one. Records that are already gone count as removed. */
  remove(
    object: CrmObject,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly RemoveResult[]>;
  /**
   * Counts the records of a selection; beyond `CrmSelection.recordsMax`, any larger number will do. If counting takes
   * too long, returns the number seen so far, but at least one.
   */
  count(object: CrmObject, selection: CrmSelection, signal: AbortSignal): Promise<number>;
  /** Returns the page of records that follows the previous page, in the order of their ids. */
  page(
    object: CrmObject,
    selection: CrmSelection,
    request: { readonly properties: readonly string[]; readonly after: string | null },
    signal: AbortSignal,
  ): Promise<RecordPage>;
}

/** The maximum number of records in one call of `find` or `write`. */
export const recordsPerCallMax = 100;

/** Our unique property on each kind of record; Salesforce appends `__c`. */
export const ownKeyProperty = 'mailproof_id';

/** A value as CRMs accept and return it. */
export type CrmValue = string | number | boolean | null;

export interface IdentifyingProperty {
  readonly property: string;
  readonly kind: 'email' | 'domain';
}

export interface CrmSegment {
  readonly segmentId: string;
  readonly name: string;
  /** Null if the CRM does not say. */
  readonly records: number | null;
}

export interface FoundRecord {
  readonly recordId: string;
  /** The value that it was found by, as requested. */
  readonly foundBy: string;
  readonly values: Readonly<Record<string, CrmValue>>;
}

export interface RecordWrite {
  /** Links each result to its write. */
  readonly rowNo: number;
  readonly recordId: string | null;
  /** Our key, in case the record has to be created. */
  readonly ownKey: string;
  readonly values: Readonly<Record<string, CrmValue>>;
}

export type WriteResult =
  | { readonly rowNo: number; readonly outcome: 'created' | 'updated'; readonly recordId: string }
  | {
      readonly rowNo: number;
      readonly outcome: 'failed';
      readonly fault: CrmRecordFault;
      /** Whether a retry can succeed. */
      readonly isTransient: boolean;
    };

/** Why a CRM request failed. */
export type CrmFaultKind =
  /** Too many calls: the CRM asks us to wait for `waitMs`. */
  | 'throttled'
  /** The daily quota of calls is used up. */
  | 'exhausted'
  /** The CRM does not answer, or reports that it is unavailable. */
  | 'away'
  /** The CRM rejects our access, which could not be renewed. */
  | 'revoked'
  /** Our access does not permit this. */
  | 'not_permitted'
  /** The requested property, segment, or kind of record does not exist. */
  | 'not_found'
  /** The CRM rejects the call, because of a bug of ours or a faulty mapping. */
  | 'refused';

/** A CRM request failed. The message never contains a token, an address, or a value of a record. */
export class CrmFault extends Error {
  override readonly name = 'CrmFault';
  readonly kind: CrmFaultKind;
  /** How long the CRM asks us to wait, in milliseconds; null if it does not say. */
  readonly waitMs: number | null;
  /** A sentence that tells the user what to do in the CRM to fix this; null if unknown. */
  readonly advice: string | null;

  constructor(kind: CrmFaultKind, waitMs: number | null = null, advice: string | null = null) {
    super(`The CRM request failed: ${kind}`);
    this.kind = kind;
    this.waitMs = waitMs;
    this.advice = advice;
  }
}

/** A CRM accepted some of the writes and then failed; the results of the others are unknown. */
export class WriteInterrupted extends CrmFault {
  readonly results: readonly WriteResult[];

  constructor({ kind, waitMs, advice }: CrmFault, results: readonly WriteResult[]) {
    super(kind, waitMs, advice);
    this.results = results;
  }
}

export type RemoveResult =
  | { readonly recordId: string; readonly outcome: 'removed' }
  | { readonly recordId: string; readonly outcome: 'failed'; readonly fault: CrmRecordFault };

/** Why a CRM rejects one record, and the property at fault if the CRM names it; never a value. */
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

/** Selects records. A record must match both the segment and the filters; without either, all records are selected. */
export interface CrmSelection {
  readonly segmentId: string | null;
  readonly filters: readonly CrmFilter[];
  /** No caller asks for more records than this. */
  readonly recordsMax: number;
}

/** A condition on a property. A record has to satisfy every filter. */
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
  /** Values as text, as the CRM returns them; an empty property has an empty text. */
  readonly values: Readonly<Record<string, string>>;
}

export interface RecordPage {
  readonly records: readonly CrmRecord[];
  /** The position after which the next page starts; null at the end. */
  readonly next: string | null;
}

/** The credentials and address with which an adapter calls a CRM. */
export interface CrmAccess {
  readonly accessToken: string;
  /**
   * The address that serves the organization's records, such as its Salesforce instance; otherwise the provider's
   * address.
   */
  readonly apiBaseUrl: string;
}

/** The access of one connection, renewed under a lock shared by all processes. Throws `CrmFault`. */
export interface CrmAccessSource {
  current(signal: AbortSignal): Promise<CrmAccess>;
  /** Returns access other than what the CRM has just refused. */
  renewed(refused: CrmAccess, signal: AbortSignal): Promise<CrmAccess>;
}

/**
 * Creates the adapter of one connection. Connections to the same organization share its limits, so their calls share
 * one pace; without an `organizationId`, each adapter has a separate pace.
 */
export type OpenCrm = (access: CrmAccessSource, organizationId?: string) => Crm;

/** The CRMs that accounts have connected. */
export interface ConnectedCrms {
  /** Undefined if the account does not have this connection. */
  open(accountId: AccountId, connectionId: CrmConnectionId): Promise<Crm | undefined>;
}

import type { AccountId, CrmConnectionId, CrmImportId, CrmImportState } from '@mailproof/shared-types';
import type { CrmImport, ImportChange } from './crm-import.ts';

/** An import that begins. */
export type NewImport = Pick<
  CrmImport,
  | 'importId'
  | 'accountId'
  | 'createdBy'
  | 'requestId'
  | 'connectionId'
  | 'name'
  | 'request'
  | 'columns'
  | 'recordsTotal'
  | 'createdAt'
  | 'deletedAt'
>;

export type StoredImport =
  | { readonly kind: 'created'; readonly record: CrmImport }
  /** There is one of this id: the same request came before. */
  | { readonly kind: 'repeated'; readonly record: CrmImport }
  | { readonly kind: 'tooMany' };

/** Where imports are written down. */
export interface ImportStore {
  /** Writes an import and its job down, unless the account has `activeMax` that are waiting to read or reading. */
  create(record: NewImport, activeMax: number): Promise<StoredImport>;
  find(importId: CrmImportId): Promise<CrmImport | undefined>;
  findOf(accountId: AccountId, importId: CrmImportId): Promise<CrmImport | undefined>;
  /** How many of an account are waiting to read or reading. */
  countReading(accountId: AccountId): Promise<number>;
  /** Newest first. Throws `invalid_cursor`. */
  list(
    accountId: AccountId,
    request: {
      readonly state?: CrmImportState | undefined;
      readonly connectionId?: CrmConnectionId | undefined;
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly imports: CrmImport[]; readonly nextCursor: string | undefined }>;
  /**
   * Changes an import, unless it has changed since it was read; `waitMs` lets it be worked on after so long, which is
   * written down in the same step. Undefined, without any effect, when it has changed or is gone.
   */
  change(record: CrmImport, change: ImportChange, waitMs?: number): Promise<CrmImport | undefined>;
  /** Notes records that were read; false when somebody else works on the import by now, or it has ended. */
  noteRead(
    importNo: string,
    runner: string,
    progress: { readonly read: number; readonly shortened: number; readonly now: Date },
  ): Promise<boolean>;
  /** Deletes an import that has ended and has nothing left to stop; `underWay` when it has not. */
  delete(accountId: AccountId, importId: CrmImportId): Promise<'deleted' | 'underWay' | 'notFound'>;
  /** Deletes some of the imports of an account; answers how many. */
  deleteOfAccount(accountId: AccountId): Promise<number>;
  /** Some of the imports whose time is over though they have not ended. */
  listOutdated(now: Date): Promise<readonly Pick<CrmImport, 'accountId' | 'importId'>[]>;
  /** Deletes some of the imports whose time is over and that have nothing left to stop; answers how many. */
  deleteOutdated(now: Date): Promise<number>;
  /** Gives jobs to imports that have none and stand still since before a moment; answers how many. */
  sweep(stillSince: Date): Promise<number>;
}

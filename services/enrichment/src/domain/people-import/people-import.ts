import type { CreatedWork, NextJob, Work } from '@mailproof/durable-work';
import type {
  AccountId,
  CreatorId,
  FileEncoding,
  FileFormat,
  PeopleImportFailure,
  PeopleImportId,
  PeopleImportState,
  SavedListId,
} from '@mailproof/shared-types';
import type { Mapping } from '../import/mapping.ts';
import type { RawRow } from '../import/table-file.ts';
import type { Outcomes, Refusal } from './judge-rows.ts';

/** A column of an uploaded file. */
export interface ImportColumn {
  readonly name: string;
  readonly examples: readonly string[];
  /** Its cells are not stored. */
  readonly holdsAddresses: boolean;
}

/** What is known about a file from its beginning. */
export interface FileFacts {
  readonly format: FileFormat;
  readonly encoding: FileEncoding;
  readonly encodingIsGuess: boolean;
  readonly layout: string | null;
  readonly columns: readonly ImportColumn[];
  readonly detected: Mapping;
}

/** The stored state of an import of an account's own people (ADR 0088), without the rows. */
export interface PeopleImport extends Work, FileFacts {
  readonly importNo: string;
  readonly importId: PeopleImportId;
  readonly createdBy: CreatorId;
  readonly name: string;
  readonly state: PeopleImportState;
  /** The mapping of the last pass, a preview or the import. */
  readonly mapping: Mapping | null;
  readonly rowsTotal: number;
  readonly listId: SavedListId | null;
  /** How far the last pass is. */
  readonly partsDone: number;
  readonly rowsDone: number;
  readonly outcomes: Outcomes;
  readonly preview: Outcomes | null;
  readonly failure: PeopleImportFailure | null;
  /** The worker that runs the pass; a worker that finds another one here stops. */
  readonly runner: string | null;
  readonly fileHash: Buffer;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly deletedAt: Date;
}

/** The fields that a change of an import may set. */
export type PeopleImportChange = Partial<
  Pick<
    PeopleImport,
    | 'state'
    | 'mapping'
    | 'listId'
    | 'partsDone'
    | 'rowsDone'
    | 'outcomes'
    | 'preview'
    | 'failure'
    | 'failedAttempts'
    | 'runner'
    | 'movedAt'
    | 'endedAt'
    | 'deletedAt'
  >
>;

export type NewPeopleImport = Pick<
  PeopleImport,
  'importId' | 'accountId' | 'createdBy' | 'name' | 'fileHash' | 'createdAt' | 'deletedAt'
>;

/** An opened file: its facts, and its rows as they may be stored. */
export interface ReadFile {
  readonly facts: FileFacts;
  /** Its rows, in parts of at most `partRows`; a part ends with the row that makes it `partCharacters` long. */
  readonly parts: AsyncIterable<readonly RawRow[]>;
}

/** How much one transaction reads and imports. */
export const partRows = 500;
export const partCharacters = 2_000_000;

/** Where imports and an account's own people are stored. */
export interface PeopleImportStore {
  /** Stores an import with its rows, in one transaction. `tooMany` if too many wait to be started. */
  create(record: NewPeopleImport, file: ReadFile): Promise<CreatedWork<PeopleImport>>;
  find(importId: PeopleImportId): Promise<PeopleImport | undefined>;
  findOf(accountId: AccountId, importId: PeopleImportId): Promise<PeopleImport | undefined>;
  list(
    accountId: AccountId,
    request: {
      readonly state?: PeopleImportState | undefined;
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly imports: PeopleImport[]; readonly nextCursor: string | undefined }>;
  change(
    record: PeopleImport,
    change: PeopleImportChange,
    nextJob?: NextJob,
  ): Promise<PeopleImport | undefined>;
  /**
   * Begins a pass and stores its first job. `tooMany` if another import of the account is in a pass, `noList` if the
   * account has no such list of people; undefined if the import has changed since it was read.
   */
  begin(
    record: PeopleImport,
    change: PeopleImportChange,
  ): Promise<PeopleImport | 'tooMany' | 'noList' | undefined>;
  /**
   * Takes the next part of a pass, in one transaction: judges its rows by what is known of the people in them, and
   * stores them if it is the import. Undefined, without any effect, if the import has changed since it was read.
   */
  takePart(record: PeopleImport, now: Date): Promise<PeopleImport | undefined>;
  refusals(importNo: string, after: number, rowsMax: number): Promise<Refusal[]>;
  /** Deletes an import that is not in a pass. */
  delete(accountId: AccountId, importId: PeopleImportId): Promise<'deleted' | 'underWay' | 'notFound'>;
  /** Deletes imports that are past their time and not in a pass; returns how many. */
  deleteOutdated(now: Date): Promise<number>;
  sweep(stillSince: Date): Promise<number>;
}

/** Whether a pass is running. */
export function isInPass({ state }: Pick<PeopleImport, 'state'>): boolean {
  return state === 'previewing' || state === 'importing';
}

export function hasEnded({ endedAt }: Pick<PeopleImport, 'endedAt'>): boolean {
  return endedAt !== null;
}

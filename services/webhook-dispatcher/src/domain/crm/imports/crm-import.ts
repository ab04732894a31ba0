import type {
  AccountId,
  CrmConnectionId,
  CrmImportFailure,
  CrmImportId,
  CrmImportPauseReason,
  CrmImportState,
  ExportId,
  NewCrmImport,
  RequestId,
  UserId,
  ValidationJobId,
} from '@mailproof/shared-types';

/** What an import was asked for, besides its name and the connection. */
export type ImportRequest = Omit<NewCrmImport, 'name' | 'connection_id'>;

/** Records of a CRM on their way into a validation job, as it is written down; never what they say. */
export interface CrmImport {
  readonly importNo: string;
  readonly importId: CrmImportId;
  readonly accountId: AccountId;
  readonly createdBy: UserId;
  readonly requestId: RequestId;
  readonly connectionId: CrmConnectionId;
  readonly name: string;
  readonly request: ImportRequest;
  /** Names of the job's columns: the record's id, then what people call the properties. */
  readonly columns: readonly string[];
  readonly state: CrmImportState;
  /** Why it stands still, and until when; null where it waits for somebody. */
  readonly pauseReason: CrmImportPauseReason | null;
  readonly resumesAt: Date | null;
  readonly failure: CrmImportFailure | null;
  readonly recordsTotal: number;
  readonly recordsRead: number;
  readonly recordsShortened: number;
  /** The job of the present try; it is of use once `isIn`. */
  readonly jobId: ValidationJobId | null;
  readonly isIn: boolean;
  readonly addresses: number | null;
  readonly costMax: number | null;
  readonly validated: number;
  readonly exportId: ExportId | null;
  readonly rowsToWrite: number;
  readonly rowsWritten: number;
  /** How often in a row it was looked whether what it waits for has come about. */
  readonly looks: number;
  /** It has ended, and what it had under way is still to be stopped. */
  readonly isStopping: boolean;
  readonly failedAttempts: number;
  /** Who works on it; a worker that finds another one here stops. */
  readonly runner: string | null;
  /** Grows with every change; whoever acts on an older one has to look again. */
  readonly version: number;
  readonly createdAt: Date;
  /** When it came further for the last time. */
  readonly movedAt: Date;
  readonly endedAt: Date | null;
  readonly deletedAt: Date;
}

/** What a change of an import may touch. */
export type ImportChange = Partial<
  Pick<
    CrmImport,
    | 'state'
    | 'pauseReason'
    | 'resumesAt'
    | 'failure'
    | 'recordsTotal'
    | 'recordsRead'
    | 'recordsShortened'
    | 'jobId'
    | 'isIn'
    | 'addresses'
    | 'costMax'
    | 'validated'
    | 'exportId'
    | 'rowsToWrite'
    | 'rowsWritten'
    | 'looks'
    | 'isStopping'
    | 'failedAttempts'
    | 'runner'
    | 'movedAt'
    | 'endedAt'
  >
>;

export function hasEnded({ endedAt }: Pick<CrmImport, 'endedAt'>): boolean {
  return endedAt !== null;
}

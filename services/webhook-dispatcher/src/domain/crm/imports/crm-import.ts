import type { Work } from '@mailproof/durable-work';
import {
  type CreatorId,
  type CrmConnectionId,
  type CrmImportFailure,
  type CrmImportId,
  type CrmImportPauseReason,
  type CrmImportState,
  type ExportId,
  limits,
  type NewCrmImport,
  type RequestId,
  type ValidationJobId,
} from '@mailproof/shared-types';
import type { CrmSelection } from '../crm.ts';

/** The request for an import, without its name and the connection. */
export type ImportRequest = Omit<NewCrmImport, 'name' | 'connection_id'>;

/** The stored state of an import of CRM records into a validation job or a list, without the records' values. */
export interface CrmImport extends Work {
  readonly importNo: string;
  readonly importId: CrmImportId;
  readonly createdBy: CreatorId;
  readonly requestId: RequestId;
  readonly connectionId: CrmConnectionId;
  readonly name: string;
  readonly request: ImportRequest;
  /** The names of the job's columns: the record's id, then the labels of the properties. */
  readonly columns: readonly string[];
  readonly state: CrmImportState;
  /** Why the import is paused; `resumesAt` is when it resumes, or null if it waits for a user. */
  readonly pauseReason: CrmImportPauseReason | null;
  readonly resumesAt: Date | null;
  readonly failure: CrmImportFailure | null;
  readonly recordsTotal: number;
  readonly recordsRead: number;
  readonly recordsShortened: number;
  /** In an import into a list: the records without a company domain, and what was added; null before. */
  readonly recordsWithoutDomain: number | null;
  readonly domainsAdded: number | null;
  readonly domainsPresent: number | null;
  /** The job of the current attempt; usable once `isIn`. */
  readonly jobId: ValidationJobId | null;
  readonly isIn: boolean;
  readonly addresses: number | null;
  readonly costMax: number | null;
  readonly validated: number;
  readonly exportId: ExportId | null;
  readonly rowsToWrite: number;
  readonly rowsWritten: number;
  /** How many times in a row the job was polled without a change. */
  readonly looks: number;
  /** The import has ended, but its running work has not been stopped yet. */
  readonly isStopping: boolean;
  /** The worker that runs the import; a worker that finds another one here stops. */
  readonly runner: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly deletedAt: Date;
}

/** The fields that a change of an import may set. */
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
    | 'recordsWithoutDomain'
    | 'domainsAdded'
    | 'domainsPresent'
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

/** Converts the request's selection to the CRM port's form. */
export function selectionOf(request: ImportRequest): CrmSelection {
  const { segment_id: segmentId, filters = [] } = request.selection;
  return {
    segmentId: segmentId ?? null,
    filters: filters.map(({ property, operator, values }) => ({ property, operator, values: values ?? [] })),
    recordsMax: recordsMaxOf(request),
  };
}

/** Imports that write results back have a lower limit than imports that only read. */
export function recordsMaxOf({ write_back }: Pick<ImportRequest, 'write_back'>): number {
  return write_back === undefined ? limits.crmImportRecordsMax : limits.crmValidationRecordsMax;
}

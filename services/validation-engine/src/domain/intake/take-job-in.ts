import {
  type AccountId,
  newId,
  type RequestId,
  type UserId,
  type ValidationJobId,
} from '@mailproof/shared-types';
import type { NewJob } from './intake-job.ts';
import type { JobView, JobViews } from './job-view.ts';
import { type GivenLayout, openFile, type ReadRows } from './open-file.ts';
import { openList } from './open-list.ts';
import { openRecords } from './open-records.ts';
import { type Table, type TakeInPorts, takeIn } from './take-in.ts';
import type { AdmitUpload } from './upload-places.ts';

/** Who wants which rows validated. */
export interface JobRequest {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly requestId: RequestId;
  readonly name: string | undefined;
  readonly source:
    | { readonly origin: 'file'; readonly octets: AsyncIterable<Uint8Array>; readonly given: GivenLayout }
    | { readonly origin: 'list'; readonly octets: AsyncIterable<Uint8Array> }
    | {
        readonly origin: 'crm';
        readonly octets: AsyncIterable<Uint8Array>;
        readonly addressColumn: number;
        /** Chosen by whoever sends, so that the job is found again when the answer is lost. */
        readonly jobId: ValidationJobId;
        /** A job of an earlier try, which is of no use unless it came in to its end. */
        readonly replaces: ValidationJobId | undefined;
      };
}

export interface TakeJobInPorts extends TakeInPorts {
  readonly views: Pick<JobViews, 'find'>;
  readonly readRows: ReadRows;
  /** Lets so many come in at once that they fit into memory. */
  readonly admit: AdmitUpload;
  readonly keptDays: number;
  readonly now: () => Date;
}

export type TakeJobIn = (request: JobRequest) => Promise<JobView | 'turned_away'>;

const dayMs = 86_400_000;

/** Takes a job in, and answers it as it is kept. */
export function createTakeJobIn(ports: TakeJobInPorts): TakeJobIn {
  return async request => {
    const { accountId, userId: createdBy, requestId, source } = request;
    const createdAt = ports.now();
    if (source.origin === 'crm' && source.replaces !== undefined) {
      await ports.store.discardUnfinished(accountId, source.replaces);
    }
    const job: NewJob = {
      jobId: source.origin === 'crm' ? source.jobId : newId('validationJob', createdAt.getTime()),
      accountId,
      createdBy,
      requestId,
      name: request.name ?? `List of ${createdAt.toISOString().slice(0, 16).replace('T', ' ')}`,
      origin: source.origin,
      createdAt,
      deletedAt: new Date(createdAt.getTime() + ports.keptDays * dayMs),
    };
    const admitted = await ports.admit(
      source.octets,
      octets => takeIn(ports, job, () => openTable(source, octets, ports.readRows)),
      // A CRM gives records at its own pace. Such an upload has its deadline, and a bound on its silence.
      { keepsPlace: source.origin === 'crm' },
    );
    if (admitted.kind === 'turned_away') {
      return 'turned_away';
    }
    const view = await ports.views.find(accountId, job.jobId);
    if (!view) {
      throw new Error('The job was deleted at the moment at which it had come in.');
    }
    return view;
  };
}

function openTable(
  source: JobRequest['source'],
  octets: AsyncIterable<Uint8Array>,
  readRows: ReadRows,
): Promise<Table> {
  switch (source.origin) {
    case 'file':
      return openFile(octets, source.given, readRows);
    case 'list':
      return openList(octets);
    case 'crm':
      return openRecords(octets, source.addressColumn);
  }
}

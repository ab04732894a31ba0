import { type AccountId, newId, type RequestId, type UserId } from '@mailproof/shared-types';
import type { NewJob } from './intake-job.ts';
import type { JobView, JobViews } from './job-view.ts';
import { type GivenLayout, openFile, type ReadRows } from './open-file.ts';
import { openList } from './open-list.ts';
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
    | { readonly origin: 'list'; readonly octets: AsyncIterable<Uint8Array> };
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
    const job: NewJob = {
      jobId: newId('validationJob', createdAt.getTime()),
      accountId,
      createdBy,
      requestId,
      name: request.name ?? `List of ${createdAt.toISOString().slice(0, 16).replace('T', ' ')}`,
      origin: source.origin,
      createdAt,
      deletedAt: new Date(createdAt.getTime() + ports.keptDays * dayMs),
    };
    const open = (octets: AsyncIterable<Uint8Array>): Promise<Table> =>
      source.origin === 'file' ? openFile(octets, source.given, ports.readRows) : openList(octets);
    const admitted = await ports.admit(source.octets, octets => takeIn(ports, job, () => open(octets)));
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

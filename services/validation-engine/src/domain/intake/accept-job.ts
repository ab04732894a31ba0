import { type AccountId, type CreatorId, newId, type RequestId } from '@mailproof/shared-types';
import type { NewJob } from './intake-job.ts';
import type { JobView, JobViews } from './job-view.ts';
import { type ListSource, openTable, type TableReaders } from './open-table.ts';
import { type ReceiveListPorts, receiveList } from './receive-list.ts';
import type { AdmitUpload } from './upload-slots.ts';

/** A request to validate rows. */
export interface JobRequest {
  readonly accountId: AccountId;
  readonly creatorId: CreatorId;
  readonly requestId: RequestId;
  readonly name: string | undefined;
  readonly source: ListSource;
}

export interface AcceptJobPorts extends ReceiveListPorts, TableReaders {
  readonly views: Pick<JobViews, 'find'>;
  /** Limits concurrent uploads so that they fit into memory. */
  readonly admit: AdmitUpload;
  readonly keptDays: number;
  readonly now: () => Date;
}

export type AcceptJob = (request: JobRequest) => Promise<JobView | 'turned_away'>;

const dayMs = 86_400_000;

/** Accepts a job, and returns it as stored. */
export function createAcceptJob(ports: AcceptJobPorts): AcceptJob {
  return async request => {
    const { accountId, creatorId: createdBy, requestId, source } = request;
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
      octets => receiveList(ports, job, arrived => openTable(source, octets, { ...ports, arrived })),
      // A CRM delivers records at its own pace. Such an upload has a deadline, and a limit on its silence.
      { keepsSlot: source.origin === 'crm' },
    );
    if (admitted.kind === 'turned_away') {
      return 'turned_away';
    }
    const view = await ports.views.find(accountId, job.jobId);
    if (!view) {
      throw new Error('The job was deleted while its rows were uploading.');
    }
    return view;
  };
}

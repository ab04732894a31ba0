import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import { type AccountId, type CreatorId, newId, type RequestId } from '@mailproof/shared-types';
import type { EarlierUpload, NewJob } from './intake-job.ts';
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
  /** Of an upload with an `Idempotency-Key`: the hashes of the key, and of the request without its body. */
  readonly key?: { readonly hash: Uint8Array; readonly requestHash: Uint8Array } | null;
}

export interface AcceptJobPorts extends ReceiveListPorts, TableReaders {
  readonly views: Pick<JobViews, 'find'>;
  /** Limits concurrent uploads so that they fit into memory. */
  readonly admit: AdmitUpload;
  readonly keptDays: number;
  readonly now: () => Date;
}

export type AcceptedJob =
  /** `repeated`: an earlier upload with the same `Idempotency-Key` made the job. */
  | { readonly kind: 'accepted' | 'repeated'; readonly job: JobView }
  | { readonly kind: 'turnedAway' | 'keyInUse' | 'keyReused' };

export type AcceptJob = (request: JobRequest) => Promise<AcceptedJob>;

const dayMs = 86_400_000;

/** Accepts a job, and returns it as stored. */
export function createAcceptJob(ports: AcceptJobPorts): AcceptJob {
  // One for each account: a repeated upload takes a slot, which other accounts need.
  const comparing = new Set<AccountId>();
  return async request => {
    const { accountId, creatorId: createdBy, requestId, source, key } = request;
    const createdAt = ports.now();
    if (source.origin === 'crm' && source.replaces !== undefined) {
      await ports.store.discardUnfinished(accountId, source.replaces);
    }
    if (key) {
      await ports.store.discardInterruptedUpload(accountId, key.hash);
      const earlier = await ports.store.findUpload(accountId, key.hash);
      if (earlier && comparing.has(accountId)) {
        return { kind: 'keyInUse' };
      }
      if (earlier) {
        comparing.add(accountId);
        try {
          return await repeated(ports, request, key, earlier);
        } finally {
          comparing.delete(accountId);
        }
      }
    }
    const content = key && createHmac('sha256', key.requestHash);
    const job: NewJob = {
      jobId: source.origin === 'crm' ? source.jobId : newId('validationJob', createdAt.getTime()),
      accountId,
      createdBy,
      requestId,
      name: request.name ?? `List of ${createdAt.toISOString().slice(0, 16).replace('T', ' ')}`,
      origin: source.origin,
      createdAt,
      deletedAt: new Date(createdAt.getTime() + ports.keptDays * dayMs),
      upload: key && content ? { key: key.hash, hash: () => content.digest() } : null,
    };
    const admitted = await ports.admit(
      source.octets,
      octets => {
        const read = content ? hashed(octets, content) : octets;
        return receiveList(ports, job, arrived => openTable(source, read, { ...ports, arrived }));
      },
      // A CRM delivers records at its own pace. Such an upload has a deadline, and a limit on its silence.
      { keepsSlot: source.origin === 'crm' },
    );
    if (admitted.kind === 'turned_away') {
      return { kind: 'turnedAway' };
    }
    return admitted.result === 'keyInUse'
      ? { kind: 'keyInUse' }
      : { kind: 'accepted', job: await stored(ports, accountId, job.jobId) };
  };
}

/** Compares a repeated upload with the earlier one. Only all of its octets show that it is the same. */
async function repeated(
  ports: AcceptJobPorts,
  { accountId, source }: JobRequest,
  { requestHash }: NonNullable<JobRequest['key']>,
  earlier: EarlierUpload,
): Promise<AcceptedJob> {
  if (earlier.isReceiving || earlier.hash === null) {
    return { kind: 'keyInUse' };
  }
  const content = createHmac('sha256', requestHash);
  const admitted = await ports.admit(source.octets, async octets => {
    for await (const chunk of octets) {
      content.update(chunk);
    }
  });
  if (admitted.kind === 'turned_away') {
    return { kind: 'turnedAway' };
  }
  return timingSafeEqual(content.digest(), earlier.hash)
    ? { kind: 'repeated', job: await stored(ports, accountId, earlier.jobId) }
    : { kind: 'keyReused' };
}

async function* hashed(octets: AsyncIterable<Uint8Array>, content: Hmac): AsyncGenerator<Uint8Array> {
  for await (const chunk of octets) {
    content.update(chunk);
    yield chunk;
  }
}

async function stored(
  { views }: Pick<AcceptJobPorts, 'views'>,
  accountId: AccountId,
  jobId: NewJob['jobId'],
): Promise<JobView> {
  const view = await views.find(accountId, jobId);
  if (!view) {
    throw new Error('The job was deleted while its rows were uploading.');
  }
  return view;
}

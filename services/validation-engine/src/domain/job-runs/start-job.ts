import { holdToStart, type RequestKey, type RunPorts } from '@mailproof/durable-work';
import type { AccountId, ProblemCode, RequestId, ValidationJobId } from '@mailproof/shared-types';
import { type JobRun, startCause } from './job-run.ts';
import type { JobAddresses, JobRunStore, JobStarts } from './job-run-store.ts';
import { simulatedErrorOf } from './sandbox-runs.ts';

export interface StartJobPorts<Transaction>
  extends Pick<RunPorts<JobRun, Transaction>, 'credits' | 'events'> {
  readonly runs: Pick<JobRunStore<Transaction>, 'find'>;
  readonly addresses: Pick<JobAddresses<Transaction>, 'list'>;
  readonly starts: JobStarts;
}

export interface StartJobRequest {
  readonly accountId: AccountId;
  readonly jobId: ValidationJobId;
  /** Null with a key: a retried hold must be requested with the same key. */
  readonly requestId: RequestId | null;
  /** From the `Idempotency-Key` header, if present. */
  readonly key: RequestKey | null;
  /** The most that the job may cost, if the client has set a limit. */
  readonly creditsMax?: number | undefined;
}

export type StartJobOutcome =
  | { readonly kind: 'started' | 'repeated' | 'keyReused' | 'notFound' | 'notReady' | 'startedBefore' }
  | { readonly kind: 'nothingToValidate' | 'tooManyJobs' | 'tooDear' }
  /** The sandbox simulates an error. */
  | { readonly kind: 'simulated'; readonly code: ProblemCode; readonly addresses: number }
  | { readonly kind: 'tooFewCredits'; readonly required: number; readonly available: number };

/** Starts a job: reserves the credits for all of its addresses, and releases it for processing (ADR 0035). */
export async function startJob<Transaction>(
  ports: StartJobPorts<Transaction>,
  request: StartJobRequest,
): Promise<StartJobOutcome> {
  const { accountId, jobId } = request;
  const run = await ports.runs.find(jobId);
  if (run?.accountId !== accountId) {
    return { kind: 'notFound' };
  }
  const earlier = await findEarlier(ports, request);
  if (earlier) {
    return earlier;
  }
  if (run.state !== 'ready') {
    const isBefore = run.state === 'receiving' || run.failure === 'upload_broken_off';
    return { kind: isBefore ? 'notReady' : 'startedBefore' };
  }
  if (run.addresses === 0) {
    return { kind: 'nothingToValidate' };
  }
  // A start fails if the job has changed since it was read, so this is its actual price.
  if (request.creditsMax !== undefined && run.creditsMax > request.creditsMax) {
    return { kind: 'tooDear' };
  }
  // Also checked before the hold: the number of jobs is limited, and a start is retried until it succeeds.
  if (await ports.starts.hasMostJobs(accountId)) {
    return { kind: 'tooManyJobs' };
  }
  const code = await simulatedErrorOf(ports.addresses, run);
  return code ? { kind: 'simulated', code, addresses: run.addresses } : reserveAndStart(ports, request, run);
}

async function reserveAndStart<Transaction>(
  ports: StartJobPorts<Transaction>,
  request: StartJobRequest,
  run: JobRun,
): Promise<StartJobOutcome> {
  const { runId, accountId, creditsMax: amount } = run;
  const { requestId, key } = request;
  const hold = await holdToStart(ports.credits, { runId, accountId, requestId, amount, cause: startCause });
  if (hold.kind === 'refused') {
    return { kind: 'tooFewCredits', required: amount, available: hold.available };
  }
  if (hold.kind === 'over') {
    return { kind: 'startedBefore' };
  }
  const outcome = await ports.starts.start(run, { hold, amount, requestId, key });
  const current = await ports.runs.find(runId);
  if (outcome === 'started') {
    ports.events.runStarted(current ?? run);
    return { kind: 'started' };
  }
  // A concurrent start that was faster got the same hold.
  if (current?.holdId !== hold.holdId) {
    await ports.credits.release(hold.holdId);
  }
  if (outcome === 'tooManyJobs') {
    return { kind: 'tooManyJobs' };
  }
  return (await findEarlier(ports, request)) ?? { kind: 'startedBefore' };
}

/** The outcome of an earlier request with the same key. */
async function findEarlier<Transaction>(
  { starts }: StartJobPorts<Transaction>,
  { accountId, jobId, key }: StartJobRequest,
): Promise<StartJobOutcome | undefined> {
  const earlier = key ? await starts.findByKey(accountId, key.hash) : undefined;
  if (!earlier || !key) {
    return undefined;
  }
  const isSame = earlier.jobId === jobId && Buffer.from(key.requestHash).equals(earlier.requestHash);
  return { kind: isSame ? 'repeated' : 'keyReused' };
}

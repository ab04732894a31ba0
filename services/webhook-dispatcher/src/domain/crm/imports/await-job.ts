import type { Advance } from '@mailproof/durable-work';
import type { CrmImport, ImportChange } from './crm-import.ts';
import { fail, stopUnrecorded, succeed } from './end-import.ts';
import type { ImportedJob, ImportPorts, StartOutcome } from './import-ports.ts';
import { pause, pollLater, waitOrFail } from './wait-for.ts';

/** The first and the longest interval at which a job that waits to be started is polled, in milliseconds. */
const startLookMs = [2_000, 300_000] as const;
/** The same for a running job and for an export. */
const progressLookMs = [1_000, 15_000] as const;

/** Waits for the start of a job that has all its rows, or starts it. */
export async function awaitJobStart(
  ports: ImportPorts,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  const job = await jobOf(ports, record, signal);
  if (!job) {
    return fail(ports, record, 'job_gone');
  }
  if (job.state !== 'ready') {
    return continueAfterStart(ports, record, signal);
  }
  const { start_when_ready, credits_max = 0 } = record.request;
  let reason: StartOutcome = 'not_started';
  if (start_when_ready === true) {
    const allowed = { requestId: record.requestId, creditsMax: credits_max };
    try {
      reason = await ports.jobs.start(record.accountId, job.jobId, allowed, signal);
    } catch (error) {
      // The job may have been started, and only the answer was lost.
      await stopUnrecorded(ports, record, signal);
      throw error;
    }
  }
  if (reason === 'started') {
    return continueAfterStart(ports, record, signal);
  }
  if (reason === 'gone') {
    return fail(ports, record, 'job_gone');
  }
  const waits = {
    pauseReason: reason,
    resumesAt: null,
    // The customer may have changed which column has the addresses.
    addresses: job.addresses,
    costMax: job.costMax,
  };
  return pollLater(ports, record, waits, startLookMs);
}

async function continueAfterStart(
  ports: ImportPorts,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  if (record.request.write_back === undefined) {
    const advance = await succeed(ports, record);
    return advance === 'ended' ? advance : stopUnrecorded(ports, record, signal);
  }
  const changed = await ports.imports.change(record, { ...nextStep(ports), state: 'validating' });
  return changed ? 'more' : stopUnrecorded(ports, record, signal);
}

/** Waits for the end of a job, then writes its results back. */
export async function awaitJobEnd(
  ports: ImportPorts,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  const job = await jobOf(ports, record, signal);
  if (!job) {
    return fail(ports, record, 'job_gone');
  }
  switch (job.state) {
    case 'failed':
      return fail(ports, record, 'validation_failed');
    case 'cancelled':
      return fail(ports, record, 'validation_cancelled');
    case 'succeeded':
      return beginWriteBack(ports, record, job.validated, signal);
    default:
      return pollLater(ports, record, { validated: job.validated }, lookOf(job));
  }
}

/** A job that is nearly done is polled soon, regardless of its duration so far. */
function lookOf({ state, secondsLeft }: ImportedJob): readonly [number, number] {
  return state === 'paused'
    ? startLookMs
    : [progressLookMs[0], Math.min(progressLookMs[1], Math.max(1_000, (secondsLeft ?? 15) * 250))];
}

async function beginWriteBack(
  ports: ImportPorts,
  record: CrmImport,
  validated: number,
  signal: AbortSignal,
): Promise<Advance> {
  let started: Awaited<ReturnType<typeof ports.writeBacks.begin>>;
  try {
    started = await ports.writeBacks.begin(record);
  } catch (error) {
    return waitOrFail(ports, record, error);
  }
  switch (started.kind) {
    case 'nothing':
      return succeed(ports, record, { validated });
    case 'tooMany':
      return pause(ports, record, 'too_many_exports');
    case 'gone':
      return fail(ports, record, 'job_gone');
    case 'started': {
      const { exportId, rows: rowsToWrite } = started;
      const change = { ...nextStep(ports), validated, exportId, rowsToWrite, state: 'writing_back' as const };
      return (await ports.imports.change(record, change)) ? 'more' : stopUnrecorded(ports, record, signal);
    }
  }
}

/** Waits for the end of the export that writes the results back. */
export async function awaitWriteBack(ports: ImportPorts, record: CrmImport): Promise<Advance> {
  const { accountId, exportId } = record;
  const found = exportId === null ? undefined : await ports.writeBacks.find(accountId, exportId);
  const progress = found && { rowsToWrite: found.rows, rowsWritten: found.done };
  switch (found?.status) {
    case 'succeeded':
      return succeed(ports, record, progress);
    case 'under_way':
      return pollLater(ports, record, progress ?? {}, progressLookMs);
    default:
      return fail(ports, record, 'write_back_failed');
  }
}

function nextStep({ now }: Pick<ImportPorts, 'now'>): ImportChange {
  return { pauseReason: null, resumesAt: null, looks: 0, failedAttempts: 0, movedAt: now() };
}

async function jobOf(
  { jobs }: ImportPorts,
  { accountId, jobId }: CrmImport,
  signal: AbortSignal,
): Promise<ImportedJob | undefined> {
  return jobId === null ? undefined : jobs.find(accountId, jobId, signal);
}

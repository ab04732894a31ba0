import type { Advance } from '@mailproof/durable-work';
import { newId, type ValidationJobId } from '@mailproof/shared-types';
import { CrmFault } from '../crm.ts';
import type { CrmImport } from './crm-import.ts';
import { fail, succeed } from './end-import.ts';
import { type ImportedJob, type ImportPorts, RowsRefused } from './import-ports.ts';
import { readRecords, Superseded } from './read-records.ts';
import { pause, waitOrFail } from './wait-for.ts';

/**
 * Reads the records of an import into a validation job. No record is stored here, so an interrupted attempt starts
 * over, with a new job in place of the previous one (ADR 0041).
 */
export async function readIntoJob(
  ports: ImportPorts,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  const { accountId, jobId } = record;
  // All rows may have arrived, and only the answer was lost.
  const earlier = jobId === null ? undefined : await ports.jobs.find(accountId, jobId, signal);
  if (earlier && earlier.state !== 'receiving' && !earlier.isInterrupted) {
    return noteIn(ports, record, earlier);
  }
  const started = await ports.imports.change(record, {
    state: 'reading',
    jobId: newId('validationJob'),
    recordsRead: 0,
    recordsShortened: 0,
  });
  return started ? tryOnce(ports, started, jobId, signal) : 'more';
}

async function tryOnce(
  ports: ImportPorts,
  record: CrmImport,
  replaces: ValidationJobId | null,
  signal: AbortSignal,
): Promise<Advance> {
  const outcome = await send(ports, record, replaces, signal);
  const current = await ports.imports.find(record.importId);
  if (current?.runner !== record.runner || current.jobId !== record.jobId || current.endedAt !== null) {
    // A user has canceled the import, or another worker has taken it over; both can find the job through the import.
    return current?.runner === record.runner ? 'more' : 'waits';
  }
  if (outcome instanceof RowsRefused) {
    const { failure } = outcome;
    return failure === 'too_many_unstarted_jobs'
      ? pause(ports, current, failure)
      : fail(ports, current, failure);
  }
  if (outcome instanceof CrmFault) {
    // Stops the job, so that a partial list that will not be completed is not visible.
    await stopQuietly(ports, current, signal);
    return waitOrFail(ports, current, outcome);
  }
  return outcome === 'no_connection'
    ? fail(ports, current, 'connection_gone')
    : outcome === 'superseded'
      ? 'more'
      : noteIn(ports, current, outcome);
}

type Sent = ImportedJob | RowsRefused | CrmFault | 'no_connection' | 'superseded';

async function send(
  ports: ImportPorts,
  record: CrmImport,
  replaces: ValidationJobId | null,
  signal: AbortSignal,
): Promise<Sent> {
  const { accountId, jobId, request } = record;
  const crm = await ports.connected.open(accountId, record.connectionId);
  if (!crm || jobId === null) {
    return 'no_connection';
  }
  // The error that ended the reading; it takes precedence over the engine's error for a broken stream.
  let ended: unknown;
  async function* lines(): AsyncGenerator<Uint8Array> {
    try {
      yield* readRecords(ports, crm as NonNullable<typeof crm>, record, signal);
    } catch (error) {
      ended = error;
      throw error;
    }
  }
  try {
    return await ports.jobs.take(
      {
        accountId,
        creatorId: record.createdBy,
        requestId: record.requestId,
        jobId,
        name: record.name,
        // The first column is the record's id.
        addressColumn: request.properties.indexOf(request.address_property) + 1,
        replaces,
        lines: lines(),
      },
      signal,
    );
  } catch (error) {
    const reason = ended ?? error;
    if (reason instanceof Superseded) {
      return 'superseded';
    }
    if (reason instanceof CrmFault || reason instanceof RowsRefused) {
      return reason;
    }
    throw reason;
  }
}

async function noteIn(ports: ImportPorts, record: CrmImport, job: ImportedJob): Promise<Advance> {
  const change = {
    isIn: true,
    recordsTotal: job.rows,
    recordsRead: job.rows,
    addresses: job.addresses,
    costMax: job.costMax,
    pauseReason: null,
    resumesAt: null,
    looks: 0,
    failedAttempts: 0,
    movedAt: ports.now(),
  };
  const { start_when_ready, write_back } = record.request;
  if (start_when_ready !== true && write_back === undefined) {
    return succeed(ports, record, change);
  }
  const ready = await ports.imports.change(record, { ...change, state: 'ready' });
  if (ready) {
    ports.events.importRead(ready);
  }
  return 'more';
}

async function stopQuietly({ jobs }: ImportPorts, record: CrmImport, signal: AbortSignal): Promise<void> {
  const { accountId, jobId } = record;
  if (jobId !== null) {
    // The next attempt replaces the job in any case.
    await jobs.stop(accountId, jobId, signal).catch(() => undefined);
  }
}

import { newId, type ValidationJobId } from '@mailproof/shared-types';
import { CrmFault } from '../crm-fault.ts';
import type { CrmImport } from './crm-import.ts';
import { type Advance, fail, succeed } from './end-import.ts';
import { type ImportedJob, type ImportPorts, RowsRefused } from './import-ports.ts';
import { readRecords, Superseded } from './read-records.ts';
import { pause, waitOrFail } from './wait-for.ts';

/**
 * Brings the records of an import into a validation job. No record is kept here, so that a try which breaks off begins
 * anew, with another job in place of the one before (ADR 0041).
 */
export async function takeRecordsIn(
  ports: ImportPorts,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  const { accountId, jobId } = record;
  // The rows may have come in, and only the answer was lost.
  const earlier = jobId === null ? undefined : await ports.jobs.find(accountId, jobId, signal);
  if (earlier && earlier.state !== 'receiving' && !earlier.isBrokenOff) {
    return noteIn(ports, record, earlier);
  }
  const begun = await ports.imports.change(record, {
    state: 'reading',
    jobId: newId('validationJob'),
    recordsRead: 0,
    recordsShortened: 0,
  });
  return begun ? tryOnce(ports, begun, jobId, signal) : 'more';
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
    // Somebody has cancelled it, or another worker has it; whoever that is finds the job by the import.
    return current?.runner === record.runner ? 'more' : 'waits';
  }
  if (outcome instanceof RowsRefused) {
    const { failure } = outcome;
    return failure === 'too_many_unstarted_jobs'
      ? pause(ports, current, failure)
      : fail(ports, current, failure);
  }
  if (outcome instanceof CrmFault) {
    // Nobody is to see the beginning of a list that is not going to be continued.
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
  // What ends the reading is told apart from what the engine says of a stream that breaks off.
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
        userId: record.createdBy,
        requestId: record.requestId,
        jobId,
        name: record.name,
        // Behind the record's id.
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
    // The next try takes its place in any case.
    await jobs.stop(accountId, jobId, signal).catch(() => undefined);
  }
}
